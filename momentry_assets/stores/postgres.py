"""`PostgresStore`: documents and chunks by generation, and the lexical channel over them.

A load writes a whole generation of a collection beside the live one; `PostgresStore.publish`
switches the collection to it with one row when its vectors are there too. Readers name the
generations they read, so they see one state of a collection or the next, never both.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple

import pyarrow as pa
from psycopg import sql

from momentry_assets.errors import StoreError
from momentry_assets.model import Level, point_id
from momentry_assets.stores.postgres_connection import Connection, PostgresConnection
from momentry_assets.stores.postgres_lexical import LexicalHits, search_chunks
from momentry_assets.stores.postgres_load import LoadReceipt, delete_rows, write_generation
from momentry_assets.stores.postgres_rows import (
    CHUNK_ROW_COLUMNS,
    DOCUMENT_ROW_COLUMNS,
    ChunkRow,
    DocumentRow,
    chunk_row,
    document_row,
)
from momentry_assets.stores.postgres_schema import (
    SCHEMA_LOCK,
    SCHEMA_STATEMENTS,
    SCHEMA_UPGRADES,
    SCHEMA_VERSION,
)

__all__ = [
    "ChunkRow",
    "Counts",
    "Dangling",
    "DocumentRow",
    "LexicalHits",
    "LoadReceipt",
    "PostgresStore",
]


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows of a generation as they are in the tables; ``vectors`` as recorded, None before."""

    documents: int
    parents: int
    children: int
    vectors: int | None


class Dangling(NamedTuple):
    """Pointers without a target: children without parent, listed children without a row."""

    children_without_parent: int
    listed_children_missing: int


class PostgresStore:
    """The tables of one schema in one PostgreSQL database.

    Args:
        url: libpq URL; nothing is connected before the first use.
        schema: schema that holds the tables, made by `ensure_schema`.

    Every method raises StoreError when the server refuses or cannot be reached.
    """

    def __init__(self, url: str, schema: str = "momentry") -> None:
        self._server = PostgresConnection(url, schema)

    def __repr__(self) -> str:
        return f"PostgresStore({self._server.place}, schema {self._server.schema})"

    def __enter__(self) -> "PostgresStore":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; a later use opens one again."""
        self._server.close()

    def ensure_schema(self) -> None:
        """Make the tables, or make former ones current. Several processes may call it at once."""

        def make(connection: Connection) -> None:
            version = self._schema_version(connection)
            if version == SCHEMA_VERSION:
                return
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", [SCHEMA_LOCK])
                version = self._schema_version(connection)
                if version == SCHEMA_VERSION:
                    return
                statements = SCHEMA_UPGRADES.get(version or "", SCHEMA_STATEMENTS)
                if version and statements is SCHEMA_STATEMENTS:
                    raise StoreError(
                        f"{self._server.place}: schema {self._server.schema} is {version!r}, not "
                        f"{SCHEMA_VERSION!r}; drop it and materialise the indexes again"
                    )
                if version is None:
                    connection.execute(self._server.statement("CREATE SCHEMA {schema}"))
                for statement in statements:
                    connection.execute(
                        self._server.statement(statement, version=sql.Literal(SCHEMA_VERSION))
                    )

        self._server.run(make)

    def drop_schema(self) -> None:
        """Remove the schema with everything in it."""
        statement = self._server.statement("DROP SCHEMA IF EXISTS {schema} CASCADE")
        self._server.run(lambda connection: connection.execute(statement))

    def load(
        self,
        collection: str,
        generation: str,
        documents: pa.Table,
        parents: pa.Table,
        children: pa.Table,
    ) -> LoadReceipt:
        """Write a whole generation in one transaction; one that is there already is replaced.

        Raises:
            StoreError: naming the row that cannot be stored; nothing is written then.
        """

        def write(connection: Connection) -> LoadReceipt:
            with self._server.collection_locked(connection, collection):
                receipt = write_generation(
                    self._server, connection, collection, generation, (documents, parents, children)
                )
            # The planner knows nothing of the new rows otherwise until autovacuum comes round.
            connection.execute(self._server.statement("ANALYZE {schema}.chunks"))
            return receipt

        return self._server.run(write)

    def is_loaded(self, collection: str, generation: str) -> bool:
        """True when the rows of the generation are there."""
        rows = self._server.rows(
            "SELECT 1 FROM {schema}.generations"
            " WHERE collection = %s AND generation = %s AND loaded_at IS NOT NULL",
            [collection, generation],
        )
        return bool(rows)

    def record_vectors(self, collection: str, generation: str, count: int) -> None:
        """Note that the vectors of a generation are stored; rows may come before or after."""
        self._server.run(
            lambda connection: connection.execute(
                self._server.statement(
                    "INSERT INTO {schema}.generations (collection, generation, vectors)"
                    " VALUES (%s, %s, %s) ON CONFLICT (collection, generation)"
                    " DO UPDATE SET vectors = excluded.vectors"
                ),
                [collection, generation, count],
            )
        )

    def publish(self, collection: str, generation: str) -> bool:
        """Make a generation live and delete the older ones, when rows and vectors are there.

        Returns:
            False, with nothing changed, when one of the two is still missing.
        """

        def switch(connection: Connection) -> bool:
            with self._server.collection_locked(connection, collection):
                complete = connection.execute(
                    self._server.statement(
                        "SELECT announced_at FROM {schema}.generations WHERE collection = %s"
                        " AND generation = %s AND loaded_at IS NOT NULL AND vectors IS NOT NULL"
                    ),
                    [collection, generation],
                ).fetchone()
                if complete is None:
                    return False
                connection.execute(
                    self._server.statement(
                        "INSERT INTO {schema}.live AS known (collection, generation)"
                        " VALUES (%s, %s) ON CONFLICT (collection) DO UPDATE SET"
                        " generation = excluded.generation, published_at = clock_timestamp()"
                        " WHERE known.generation <> excluded.generation"
                    ),
                    [collection, generation],
                )
                # A newer one may be on its way in another process and is left alone.
                older = connection.execute(
                    self._server.statement(
                        "DELETE FROM {schema}.generations WHERE collection = %s"
                        " AND generation <> %s AND announced_at <= %s RETURNING generation"
                    ),
                    [collection, generation, complete[0]],
                ).fetchall()
                delete_rows(self._server, connection, collection, [str(row[0]) for row in older])
                return True

        return self._server.run(switch)

    def live_generations(self, collections: Sequence[str] = ()) -> dict[str, str]:
        """The live generation by collection: of these, or of all."""
        rows = self._server.rows(
            "SELECT collection, generation FROM {schema}.live"
            " WHERE %s OR collection = ANY(%s::text[]) ORDER BY collection",
            [not collections, list(collections)],
        )
        return {row[0]: row[1] for row in rows}

    def counts(self, collection: str, generation: str) -> Counts:
        """Rows of a generation, counted now."""
        documents, parents, children, vectors = self._server.rows(
            "SELECT (SELECT count(*) FROM {schema}.documents"
            "        WHERE generation = %(g)s AND collection = %(c)s),"
            " count(*) FILTER (WHERE level = 'parent'), count(*) FILTER (WHERE level = 'child'),"
            " (SELECT vectors FROM {schema}.generations"
            "  WHERE generation = %(g)s AND collection = %(c)s)"
            " FROM {schema}.chunks WHERE generation = %(g)s AND collection = %(c)s",
            {"c": collection, "g": generation},
        )[0]
        return Counts(documents, parents, children, vectors)

    def chunk_ids(self, collection: str, generation: str, level: Level) -> set[str]:
        """The ids of all chunks of one level."""
        rows = self._server.rows(
            "SELECT chunk_id FROM {schema}.chunks"
            " WHERE generation = %s AND collection = %s AND level = %s",
            [generation, collection, level.value],
        )
        return {row[0] for row in rows}

    def dangling_pointers(self, collection: str, generation: str) -> Dangling:
        """Pointers between the two levels that lead nowhere, counted both ways."""
        row = self._server.rows(
            "WITH mine AS MATERIALIZED (SELECT chunk_id, level, parent_chunk_id, child_chunk_ids"
            "   FROM {schema}.chunks WHERE generation = %s AND collection = %s),"
            " listed AS (SELECT unnest(child_chunk_ids) AS chunk_id FROM mine"
            "   WHERE level = 'parent')"
            " SELECT (SELECT count(*) FROM mine AS child WHERE level = 'child' AND NOT EXISTS"
            "   (SELECT FROM mine AS parent WHERE parent.level = 'parent'"
            "    AND parent.chunk_id = child.parent_chunk_id)),"
            " (SELECT count(*) FROM listed WHERE NOT EXISTS"
            "   (SELECT FROM mine AS child WHERE child.level = 'child'"
            "    AND child.chunk_id = listed.chunk_id))",
            [generation, collection],
        )[0]
        return Dangling(row[0], row[1])

    def fetch_chunks(
        self, generations: Collection[str], chunk_ids: Sequence[str]
    ) -> dict[str, ChunkRow]:
        """Chunks by id, of either level; ids without a row are left out."""
        rows = self._server.rows(
            "SELECT {columns} FROM {schema}.chunks"
            " WHERE generation = ANY(%s::text[]) AND point_id = ANY(%s::uuid[])",
            [list(generations), [point_id(one) for one in chunk_ids]],
            columns=sql.SQL(", ").join(map(sql.Identifier, CHUNK_ROW_COLUMNS)),
        )
        found = {row[0]: chunk_row(row) for row in rows}
        return {one: found[one] for one in chunk_ids if one in found}

    def fetch_document(self, document_id: str) -> DocumentRow | None:
        """A document of a live generation, None when there is none of this id."""
        columns = [sql.Identifier("document", column) for column in DOCUMENT_ROW_COLUMNS]
        rows = self._server.rows(
            "SELECT {columns} FROM {schema}.live JOIN {schema}.documents AS document"
            " USING (collection, generation) WHERE document.document_key = %s",
            [point_id(document_id)],
            columns=sql.SQL(", ").join(columns),
        )
        return document_row(rows[0]) if rows else None

    def drop_collection(self, collection: str) -> int:
        """Remove all generations of a collection; the rows removed, 0 the second time."""

        def drop(connection: Connection) -> int:
            with self._server.collection_locked(connection, collection):
                for table in ("live", "generations"):
                    connection.execute(
                        self._server.statement(
                            "DELETE FROM {schema}.{table} WHERE collection = %s",
                            table=sql.Identifier(table),
                        ),
                        [collection],
                    )
                return delete_rows(self._server, connection, collection, None)

        return self._server.run(drop)

    def lexical_search(
        self,
        query: str,
        *,
        generations: Collection[str],
        level: Level,
        limit: int,
        document_id: str | None = None,
    ) -> LexicalHits:
        """Chunks that hold the words of a query, best first.

        Among the chunks of one language those with every word come first. When they are fewer
        than ``limit``, chunks with some of the words follow: more different words before fewer,
        then ``ts_rank_cd``. The score of a chunk with m of n words lies between (m - 1)/n and
        m/n and grows with its rank, so scores order as the hits do. What a word is, its stem,
        and which words count is decided by the language of the chunk, so no other language
        changes its score; hits of several languages are ordered by score. Equal scores are
        ordered by chunk id.

        Raises:
            SearchError: when the query is longer than any question or limit is below 1.
        """
        return search_chunks(
            self._server,
            query,
            generations=generations,
            level=level,
            limit=limit,
            document_id=document_id,
        )

    def _schema_version(self, connection: Connection) -> str | None:
        """The schema's mark: None without schema, empty without mark."""
        row = connection.execute(
            "SELECT coalesce(obj_description(oid, 'pg_namespace'), '')"
            " FROM pg_namespace WHERE nspname = %s",
            [self._server.schema],
        ).fetchone()
        return None if row is None else str(row[0])
