"""The tables in PostgreSQL, as statements.

Keys are UUIDs made from ids, never the ids: an index row holds 2,704 bytes at most and a path has
no such limit. Rows carry their generation, and readers name the generations they read.
"""

from typing import LiteralString

SCHEMA_VERSION = "momentry schema 2"

# Advisory locks: 0x4d4f is "MO"; one for making the schema, others hashed from a collection.
SCHEMA_LOCK = 0x4D4F_0001

DOCUMENT_COLUMNS = (
    "document_key",
    "generation",
    "document_id",
    "collection",
    "path",
    "kind",
    "title",
    "document_type",
    "tags",
    "language",
    "status",
    "note",
    "text",
    "source_hash",
    "duration_ms",
    "metadata",
)

# A column of PostgreSQL and the column of the chunk tables it comes from.
CHUNK_SOURCES = {
    "chunk_id": "chunk_id",
    "level": "level",
    "chunk_type": "chunk_type",
    "collection": "collection",
    "document_id": "document_id",
    "document_title": "document_title",
    "document_type": "document_type",
    "document_tags": "document_tags",
    "language": "language",
    "section_hierarchy": "section_hierarchy",
    "text_content": "text_content",
    "search_text": "search_text",
    "start_offset": "start",
    "end_offset": "end",
    "start_ms": "start_ms",
    "end_ms": "end_ms",
    "speakers": "speakers",
    "chunk_index": "chunk_index",
    "total_chunks": "total_chunks",
    "token_count": "token_count",
    "content_hash": "content_hash",
    "parent_chunk_id": "parent_chunk_id",
    "start_in_parent": "start_in_parent",
    "description": "description",
    "child_chunk_ids": "child_chunk_ids",
}
CHUNK_COLUMNS = (
    *("point_id", "generation", "document_key"),
    *CHUNK_SOURCES,
    *("search_config", "search_words"),
)

_SEARCH_INDEX: LiteralString = """
    CREATE INDEX IF NOT EXISTS chunks_search_vector ON {schema}.chunks USING gin (search_vector)
"""

_MARK: LiteralString = "COMMENT ON SCHEMA {schema} IS {version}"

# Each may be repeated in a schema that exists.
SCHEMA_STATEMENTS: tuple[LiteralString, ...] = (
    """
    CREATE TABLE IF NOT EXISTS {schema}.documents (
        document_key uuid NOT NULL,
        generation text NOT NULL,
        document_id text NOT NULL,
        collection text NOT NULL,
        path text NOT NULL,
        kind text NOT NULL,
        title text NOT NULL,
        document_type text NOT NULL,
        tags text[] NOT NULL,
        language text NOT NULL,
        status text NOT NULL,
        note text NOT NULL,
        text text NOT NULL,
        source_hash text NOT NULL,
        duration_ms bigint,
        metadata jsonb NOT NULL,
        PRIMARY KEY (generation, document_key)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS {schema}.chunks (
        point_id uuid NOT NULL,
        generation text NOT NULL,
        document_key uuid NOT NULL,
        chunk_id text NOT NULL,
        level text NOT NULL CHECK (level IN ('child', 'parent')),
        chunk_type text NOT NULL,
        collection text NOT NULL,
        document_id text NOT NULL,
        document_title text NOT NULL,
        document_type text NOT NULL,
        document_tags text[] NOT NULL,
        language text NOT NULL,
        section_hierarchy text[] NOT NULL,
        text_content text NOT NULL,
        search_text text NOT NULL,
        start_offset bigint NOT NULL,
        end_offset bigint NOT NULL,
        start_ms bigint,
        end_ms bigint,
        speakers text[] NOT NULL,
        chunk_index integer NOT NULL,
        total_chunks integer NOT NULL,
        token_count integer NOT NULL,
        content_hash text NOT NULL,
        parent_chunk_id text,
        start_in_parent bigint,
        description text NOT NULL,
        child_chunk_ids text[] NOT NULL,
        search_config regconfig NOT NULL,
        search_words text NOT NULL,
        search_vector tsvector NOT NULL
            GENERATED ALWAYS AS (to_tsvector(search_config, search_words)) STORED,
        PRIMARY KEY (generation, point_id)
    )
    """,
    _SEARCH_INDEX,
    """
    CREATE INDEX IF NOT EXISTS chunks_document ON {schema}.chunks (generation, document_key)
    """,
    # One row may come from the vectors before the rows: what is not there yet is null.
    # ``search_configs`` are those of its chunks, so that a query need not look for them there.
    """
    CREATE TABLE IF NOT EXISTS {schema}.generations (
        collection text NOT NULL,
        generation text NOT NULL,
        documents bigint,
        parents bigint,
        children bigint,
        vectors bigint,
        search_configs regconfig[],
        announced_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        loaded_at timestamptz,
        PRIMARY KEY (collection, generation)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS {schema}.live (
        collection text PRIMARY KEY,
        generation text NOT NULL,
        published_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )
    """,
    _MARK,
)

# What makes a schema of a former version one of this version; its rows stay searchable.
SCHEMA_UPGRADES: dict[str, tuple[LiteralString, ...]] = {
    "momentry schema 1": (
        """
        ALTER TABLE {schema}.chunks
            DROP COLUMN search_vector,
            ADD COLUMN search_config regconfig NOT NULL DEFAULT 'pg_catalog.english'
        """,
        """
        ALTER TABLE {schema}.chunks
            ALTER COLUMN search_config DROP DEFAULT,
            ADD COLUMN search_vector tsvector NOT NULL
                GENERATED ALWAYS AS (to_tsvector(search_config, search_words)) STORED
        """,
        _SEARCH_INDEX,
        "ALTER TABLE {schema}.generations ADD COLUMN search_configs regconfig[]",
        "UPDATE {schema}.generations SET search_configs = '{{pg_catalog.english}}'"
        " WHERE loaded_at IS NOT NULL",
        _MARK,
    ),
}
