"""One connection to PostgreSQL: opened late, opened again when it broke, its errors translated."""

import re
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from momentry_assets.errors import StoreError

CONNECT_SECONDS = 10
LOCK_SECONDS = 120
OLDEST_SERVER = 140000

Result = TypeVar("Result")
Connection = psycopg.Connection[tuple[Any, ...]]


class PostgresConnection:
    """Runs operations one at a time over one connection in autocommit mode.

    Args:
        url: libpq URL or ``key=value`` string.
        schema: schema that `statement` fills in.

    Raises:
        StoreError: when the URL cannot be read or the name of the schema is unfit.
    """

    def __init__(self, url: str, schema: str) -> None:
        if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", schema):
            raise StoreError(
                f"schema {schema!r}: use at most 63 lower-case letters, digits and underscores"
            )
        try:
            parts = conninfo_to_dict(url)
        except psycopg.Error:
            # Neither the URL nor libpq's message about it is shown: both may hold the password.
            raise StoreError(
                "MOMENTRY_POSTGRES_URL is not a PostgreSQL URL; "
                "expected postgresql://user:password@host:port/database"
            ) from None
        self.schema = schema
        self._url = url
        self._password = str(parts.get("password") or "")
        host = parts.get("host") or parts.get("hostaddr") or "the default host"
        self.place = f"PostgreSQL at {host}, port {parts.get('port') or 5432}"
        self._connection: Connection | None = None
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"PostgresConnection({self.place})"

    def run(self, operation: Callable[[Connection], Result]) -> Result:
        """Run an operation that may safely be repeated.

        It is repeated once when the connection it found open turns out to be broken, as it is
        after the server was started anew.

        Raises:
            StoreError: naming the server, never the password.
        """
        with self._lock:
            reused = self._connection is not None
            try:
                return operation(self._open())
            except psycopg.Error as error:
                broken = self._connection is None or self._connection.broken
                if broken:
                    self.close()
                if not (broken and reused):
                    raise self._translated(error) from None
            try:
                return operation(self._open())
            except psycopg.Error as error:
                raise self._translated(error) from None

    def statement(self, text: LiteralString, **parts: sql.Composable) -> sql.Composed:
        """A statement with ``{schema}`` and other named parts filled in, safely quoted."""
        return sql.SQL(text).format(schema=sql.Identifier(self.schema), **parts)

    def rows(
        self,
        text: LiteralString,
        values: Sequence[object] | Mapping[str, object],
        **parts: sql.Composable,
    ) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        statement = self.statement(text, **parts)
        return self.run(lambda connection: connection.execute(statement, values).fetchall())

    @contextmanager
    def collection_locked(self, connection: Connection, collection: str) -> Generator[None]:
        """A transaction in which nobody else writes the collection."""
        with connection.transaction():
            connection.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))",
                [f"momentry {self.schema} {collection}"],
            )
            yield

    def close(self) -> None:
        """Close the connection; the next operation opens one again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> Connection:
        if self._connection is None or self._connection.closed:
            connection = psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                client_encoding="utf8",
                application_name="momentry",
                keepalives_idle=30,
                tcp_user_timeout=60_000,
            )
            self._refuse_unfit(connection)
            connection.execute(
                "SELECT set_config('lock_timeout', %s, false),"
                " set_config('timezone', 'UTC', false)",
                [f"{LOCK_SECONDS}s"],
            )
            self._connection = connection
        return self._connection

    def _refuse_unfit(self, connection: Connection) -> None:
        version = connection.info.server_version
        encoding = connection.info.parameter_status("server_encoding")
        if version < OLDEST_SERVER or encoding != "UTF8":
            connection.close()
            raise StoreError(
                f"{self.place} is version {version // 10000} with encoding {encoding}; "
                f"version {OLDEST_SERVER // 10000} or later with encoding UTF8 is needed"
            )

    def _translated(self, error: psycopg.Error) -> StoreError:
        what = str(error).strip()
        if self._password:
            what = what.replace(self._password, "***")
        if isinstance(error, psycopg.errors.UndefinedTable):
            what = "its tables are not there yet; materialise postgres_index first"
        elif isinstance(error, psycopg.errors.LockNotAvailable):
            what = f"another load of the collection did not end within {LOCK_SECONDS} s"
        elif self._connection is None:
            what = f"cannot be reached ({what}); start it or change MOMENTRY_POSTGRES_URL"
        return StoreError(f"{self.place}: {what}")
