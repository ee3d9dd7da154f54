"""Writing and deleting the rows of generations, inside a transaction of the caller."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import psycopg
import pyarrow as pa
from psycopg import sql

from momentry_assets.errors import StoreError
from momentry_assets.stores.postgres_connection import Connection, PostgresConnection
from momentry_assets.stores.postgres_rows import CopyRow, chunk_batches, document_batches
from momentry_assets.stores.postgres_schema import CHUNK_COLUMNS, DOCUMENT_COLUMNS
from momentry_assets.stores.search_configs import search_config

ROW_TABLES = ("documents", "chunks")


@dataclass(frozen=True, slots=True)
class LoadReceipt:
    """Rows a load has written."""

    documents: int
    parents: int
    children: int


def write_generation(
    server: PostgresConnection,
    connection: Connection,
    collection: str,
    generation: str,
    tables: tuple[pa.Table, pa.Table, pa.Table],
) -> LoadReceipt:
    """Replace the rows of a generation by those of documents, parents and children."""
    delete_rows(server, connection, collection, [generation])
    documents, parents, children = tables
    configs = _search_configs(connection, parents, children)
    receipt = LoadReceipt(
        _copy(
            *(server, connection, "documents", DOCUMENT_COLUMNS),
            document_batches(documents, collection, generation),
        ),
        *(
            _copy(
                *(server, connection, "chunks", CHUNK_COLUMNS),
                chunk_batches(table, collection, generation, configs),
            )
            for table in (parents, children)
        ),
    )
    connection.execute(
        server.statement(
            "INSERT INTO {schema}.generations"
            " (collection, generation, documents, parents, children, search_configs, loaded_at)"
            " VALUES (%s, %s, %s, %s, %s, %s::text[]::regconfig[], clock_timestamp())"
            " ON CONFLICT (collection, generation) DO UPDATE SET"
            " documents = excluded.documents, parents = excluded.parents,"
            " children = excluded.children, search_configs = excluded.search_configs,"
            " loaded_at = excluded.loaded_at"
        ),
        [
            *(collection, generation, receipt.documents, receipt.parents, receipt.children),
            sorted(set(configs.values())),
        ],
    )
    return receipt


def delete_rows(
    server: PostgresConnection,
    connection: Connection,
    collection: str,
    generations: list[str] | None,
) -> int:
    """Delete a collection's rows of these generations, of all when None; how many."""
    return sum(
        connection.execute(
            server.statement(
                "DELETE FROM {schema}.{table} WHERE collection = %s"
                " AND (%s::text[] IS NULL OR generation = ANY(%s::text[]))",
                table=sql.Identifier(table),
            ),
            [collection, generations, generations],
        ).rowcount
        for table in ROW_TABLES
    )


def _search_configs(connection: Connection, *chunks: pa.Table) -> dict[str, str]:
    """The text-search configurations, qualified, by the languages that occur."""
    rows = connection.execute(
        "SELECT cfgname FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace"
    ).fetchall()
    known = {str(row[0]) for row in rows}
    languages = {str(one) for table in chunks for one in table["language"].unique().to_pylist()}
    return {one: f"pg_catalog.{search_config(one, known)}" for one in languages}


def _copy(
    server: PostgresConnection,
    connection: Connection,
    table: str,
    columns: tuple[str, ...],
    batches: Iterable[list[CopyRow]],
) -> int:
    statement = server.statement(
        "COPY {schema}.{table} ({columns}) FROM STDIN",
        table=sql.Identifier(table),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
    )
    count = 0
    for rows in batches:
        try:
            with connection.cursor().copy(statement) as copy:
                for row in rows:
                    copy.write_row(row.values)
        except psycopg.Error as error:
            # A COPY holds one batch, so the line it complains of is a row of the batch.
            line = re.search(r"\bline (\d+)", error.diag.context or "")
            if line is None:
                raise
            reason = error.diag.message_primary or "refused"
            raise StoreError(
                f"{server.place}: {rows[int(line[1]) - 1].name} cannot be stored in {table}: "
                f"{reason} {error.diag.message_detail or ''}; nothing of this load was written"
            ) from error
        count += len(rows)
    return count
