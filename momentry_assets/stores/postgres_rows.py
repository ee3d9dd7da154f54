"""Rows between Arrow tables, PostgreSQL and the callers of the store."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa
from psycopg.types.json import Jsonb

from momentry_assets.errors import StoreError
from momentry_assets.model import Level, point_id
from momentry_assets.stores.lexical import search_words, searched_text
from momentry_assets.stores.postgres_schema import CHUNK_COLUMNS, CHUNK_SOURCES, DOCUMENT_COLUMNS

BATCH_ROWS = 1000

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as stored. ``start`` and ``end`` are code points, times milliseconds."""

    chunk_id: str
    level: Level
    chunk_type: str
    collection: str
    document_id: str
    document_title: str
    document_type: str
    tags: tuple[str, ...]
    language: str
    section_hierarchy: tuple[str, ...]
    text_content: str
    start: int
    end: int
    start_ms: int | None
    end_ms: int | None
    speakers: tuple[str, ...]
    chunk_index: int
    total_chunks: int
    token_count: int
    parent_chunk_id: str | None
    start_in_parent: int | None
    child_chunk_ids: tuple[str, ...]
    description: str


# The columns of ``chunks`` in the order of ChunkRow's fields.
CHUNK_ROW_COLUMNS = (
    "chunk_id",
    "level",
    "chunk_type",
    "collection",
    "document_id",
    "document_title",
    "document_type",
    "document_tags",
    "language",
    "section_hierarchy",
    "text_content",
    "start_offset",
    "end_offset",
    "start_ms",
    "end_ms",
    "speakers",
    "chunk_index",
    "total_chunks",
    "token_count",
    "parent_chunk_id",
    "start_in_parent",
    "child_chunk_ids",
    "description",
)


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as stored, with its canonical text and the source's own metadata."""

    document_id: str
    collection: str
    path: str
    kind: str
    title: str
    document_type: str
    tags: tuple[str, ...]
    language: str
    status: str
    note: str
    text: str
    source_hash: str
    duration_ms: int | None
    metadata: Mapping[str, object]


# The columns of ``documents`` in the order of DocumentRow's fields.
DOCUMENT_ROW_COLUMNS = DOCUMENT_COLUMNS[2:]


@dataclass(frozen=True, slots=True)
class CopyRow:
    """One row on its way into PostgreSQL; ``name`` is how errors call it."""

    name: str
    values: tuple[object, ...]


def chunk_row(values: tuple[Any, ...]) -> ChunkRow:
    """A `ChunkRow` from the columns `CHUNK_ROW_COLUMNS`."""
    fields = _frozen(values)
    fields[1] = Level(fields[1])
    return ChunkRow(*fields)


def document_row(values: tuple[Any, ...]) -> DocumentRow:
    """A `DocumentRow` from the columns `DOCUMENT_ROW_COLUMNS`."""
    return DocumentRow(*_frozen(values))


def _frozen(values: tuple[Any, ...]) -> list[Any]:
    return [tuple(cast(list[str], one)) if isinstance(one, list) else one for one in values]


def document_batches(
    documents: pa.Table, collection: str, generation: str
) -> Iterator[list[CopyRow]]:
    """Documents as values of `DOCUMENT_COLUMNS`, in bounded batches."""
    for rows in _batches(documents, collection, "document_id"):
        yield [_document(row, generation) for row in rows]


def chunk_batches(
    chunks: pa.Table, collection: str, generation: str, configs: Mapping[str, str]
) -> Iterator[list[CopyRow]]:
    """Chunks of one level as values of `CHUNK_COLUMNS`, in bounded batches.

    ``configs`` are the text-search configurations by language.
    """
    for rows in _batches(chunks, collection, "chunk_id"):
        yield [_chunk(row, generation, configs) for row in rows]


def _batches(table: pa.Table, collection: str, key: str) -> Iterator[list[Row]]:
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        rows = cast(list[Row], batch.to_pylist())
        for row in rows:
            if row["collection"] != collection:
                raise StoreError(
                    f"{row[key]!r} belongs to collection {row['collection']!r} and cannot be "
                    f"loaded into {collection!r}; pass the tables of one collection"
                )
        yield rows


def _document(row: Row, generation: str) -> CopyRow:
    name = f"document {row['document_id']!r}"
    computed = {
        "document_key": point_id(row["document_id"]),
        "generation": generation,
        "metadata": Jsonb(_metadata(row["metadata"], name)),
    }
    values = tuple(computed.get(column, row.get(column)) for column in DOCUMENT_COLUMNS)
    return _checked(name, DOCUMENT_COLUMNS, values)


def _chunk(row: Row, generation: str, configs: Mapping[str, str]) -> CopyRow:
    computed: dict[str, object] = {
        "point_id": point_id(row["chunk_id"]),
        "generation": generation,
        "document_key": point_id(row["document_id"]),
        "description": row.get("description", ""),
        "child_chunk_ids": row.get("child_chunk_ids", []),
        "search_config": configs[row["language"]],
        "search_words": search_words(searched_text(row)),
    }
    values = tuple(
        computed[column] if column in computed else row.get(CHUNK_SOURCES[column])
        for column in CHUNK_COLUMNS
    )
    return _checked(f"chunk {row['chunk_id']!r}", CHUNK_COLUMNS, values)


def _checked(name: str, columns: tuple[str, ...], values: tuple[object, ...]) -> CopyRow:
    for column, value in zip(columns, values, strict=True):
        _refuse_unstorable(value, name, column)
    return CopyRow(name, values)


def _refuse_unstorable(value: object, name: str, place: str) -> None:
    """PostgreSQL holds neither NUL nor half a surrogate pair; readers clean both."""
    if isinstance(value, str):
        if "\x00" in value:
            raise StoreError(f"{name}: {place} contains a NUL character; read the source again")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise StoreError(
                f"{name}: {place} contains a lone surrogate at {error.start}; read the source again"
            ) from error
    elif isinstance(value, Jsonb):
        _refuse_unstorable(value.obj, name, place)
    elif isinstance(value, dict):
        for key, one in cast(dict[str, object], value).items():
            _refuse_unstorable(key, name, place)
            _refuse_unstorable(one, name, f"{place}[{key!r}]")
    elif isinstance(value, list):
        for one in cast(list[object], value):
            _refuse_unstorable(one, name, place)


def _metadata(text: str, name: str) -> object:
    try:
        return _finite(json.loads(text))
    except ValueError as error:
        raise StoreError(f"{name}: its metadata is not JSON ({error})") from error


def _finite(value: object) -> object:
    """JSON has no NaN and no infinity, though Python writes both: they become text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in cast(dict[str, object], value).items()}
    if isinstance(value, list):
        return [_finite(one) for one in cast(list[object], value)]
    return value
