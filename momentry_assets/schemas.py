"""The Arrow schema of every table: names, types, nullability, units, one description a column.

The same declarations give the Parquet files, the column section of the Dagster UI and a blocking
check a table. Offsets are code points, times milliseconds.
"""

from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class TableSpec:
    """One table: its name, what a row is, its schema and its key columns."""

    name: str
    description: str
    schema: pa.Schema
    key: tuple[str, ...]


def _column(
    name: str, kind: pa.DataType, description: str, *, unit: str = "", nullable: bool = False
) -> "pa.Field[pa.DataType]":
    metadata = {"description": description} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=nullable, metadata=metadata)


STRINGS = pa.list_(pa.field("item", pa.string(), nullable=False))
TEXTS = pa.list_(pa.field("item", pa.large_string(), nullable=False))
OFFSETS = pa.list_(pa.field("item", pa.int64(), nullable=False))
WARNINGS = pa.list_(
    pa.struct([(name, pa.string()) for name in ("place", "message", "field", "original")])
)
VECTOR = pa.list_(pa.field("item", pa.float32(), nullable=False))

DOCUMENTS = TableSpec(
    "documents",
    "One document that was read, with its canonical text.",
    pa.schema(
        [
            _column("document_id", pa.string(), "collection and path; never the content"),
            _column("collection", pa.string(), "folder of the corpus"),
            _column("path", pa.string(), "path below the corpus"),
            _column("kind", pa.string(), "media or text"),
            _column("document_type", pa.string(), "format of the source"),
            _column("title", pa.string(), "from front matter, heading or file name"),
            _column("tags", STRINGS, "from front matter"),
            _column("language", pa.string(), "ISO 639-1 code or und"),
            _column("status", pa.string(), "read, empty or no_speech"),
            _column("note", pa.string(), "why the document is empty"),
            _column("text", pa.large_string(), "canonical text; all offsets point into it"),
            _column("source_hash", pa.string(), "SHA-256 of the bytes read"),
            _column("reader", pa.string(), "reader that was used"),
            _column("encoding", pa.string(), "encoding that was found"),
            _column("byte_order_mark", pa.bool_(), "the file began with one"),
            _column("newline", pa.string(), "line ends as found in the file"),
            _column("duration_ms", pa.int64(), "length of the media", unit="ms", nullable=True),
            _column("metadata", pa.string(), "the source's own fields as JSON"),
            _column("warnings", WARNINGS, "everything guessed or repaired"),
        ]
    ),
    ("document_id",),
)

RAW_SEGMENTS = TableSpec(
    "raw_segments",
    "One segment as a reader yields it: speech, scene, heading, block.",
    pa.schema(
        [
            _column("document_id", pa.string(), "document the segment belongs to"),
            _column("index", pa.int32(), "position in the document, from 0"),
            _column("kind", pa.string(), "sentence, scene, heading, paragraph …"),
            _column("start", pa.int64(), "first code point", unit="code points"),
            _column("end", pa.int64(), "code point after the last", unit="code points"),
            _column("start_ms", pa.int64(), "start", unit="ms", nullable=True),
            _column("end_ms", pa.int64(), "end", unit="ms", nullable=True),
            _column("speaker", pa.string(), "speaker as the source names it"),
            _column("level", pa.int8(), "heading level 1-6, otherwise 0"),
            _column("label", pa.string(), "heading text or detection type"),
            _column("text", pa.large_string(), "slice of the canonical text"),
            _column("breaks", OFFSETS, "best places to split", unit="code points"),
            _column("header_end", pa.int64(), "end of a table's header", nullable=True),
            _column("source_key", pa.string(), "the segment's id in the source"),
            _column("repaired", pa.bool_(), "a value was changed by the reader"),
            _column("search_text", pa.large_string(), "text to match when not the slice"),
        ]
    ),
    ("document_id", "index"),
)

REJECTED_DOCUMENTS = TableSpec(
    "rejected_documents",
    "One file that could not be read, with the reason.",
    pa.schema(
        [
            _column("path", pa.string(), "path below the corpus"),
            _column("reader", pa.string(), "reader that was tried"),
            _column("place", pa.string(), "where in the file"),
            _column("reason", pa.string(), "what is wrong"),
        ]
    ),
    ("path",),
)

_CHUNK_COLUMNS = [
    _column("chunk_id", pa.string(), "<document_id>#<structure>"),
    _column("level", pa.string(), "child or parent"),
    _column("chunk_type", pa.string(), "sentence, paragraph … or story, section"),
    _column("collection", pa.string(), "folder of the corpus"),
    _column("document_id", pa.string(), "document the chunk belongs to"),
    _column("document_title", pa.string(), "title of the document"),
    _column("document_type", pa.string(), "format of the source"),
    _column("document_tags", STRINGS, "tags of the document"),
    _column("language", pa.string(), "ISO 639-1 code or und"),
    _column("source_path", pa.string(), "path below the corpus"),
    _column("section_id", pa.string(), "section, or run between two cuts, it is part of"),
    _column("section_hierarchy", STRINGS, "heading path from the root"),
    _column("text_content", pa.large_string(), "slice of the canonical text"),
    _column("search_text", pa.large_string(), "text to match when not text_content"),
    _column("start", pa.int64(), "first code point in the document", unit="code points"),
    _column("end", pa.int64(), "code point after the last", unit="code points"),
    _column("start_ms", pa.int64(), "start of its first segment", unit="ms", nullable=True),
    _column("end_ms", pa.int64(), "end of its last segment", unit="ms", nullable=True),
    _column("speakers", STRINGS, "speakers heard in it"),
    _column("chunk_index", pa.int32(), "position among the document's chunks of this level"),
    _column("total_chunks", pa.int32(), "the document's chunks of this level"),
    _column("token_count", pa.int32(), "length of text_content", unit="tokens"),
    _column("content_hash", pa.string(), "SHA-256 of text_content"),
    _column("context_before", pa.string(), "the 100 characters before it in the document"),
    _column("context_after", pa.string(), "the 100 characters after it"),
    _column("writer", pa.string(), "who wrote its description or generated text"),
    _column("fallback", pa.string(), "why the chosen writer did not"),
]

PARENT_CHUNKS = TableSpec(
    "parent_chunks",
    "One parent: what is read.",
    pa.schema(
        [
            *_CHUNK_COLUMNS,
            _column("description", pa.string(), "what the parent is about"),
            _column("child_chunk_ids", STRINGS, "its children, in order"),
        ]
    ),
    ("chunk_id",),
)

CHILD_CHUNKS = TableSpec(
    "child_chunks",
    "One child: what matches.",
    pa.schema(
        [
            *_CHUNK_COLUMNS,
            _column("parent_chunk_id", pa.string(), "its parent"),
            _column("start_in_parent", pa.int64(), "offset within the parent", unit="code points"),
        ]
    ),
    ("chunk_id",),
)

_EMBEDDING_COLUMNS = pa.schema(
    [
        _column("chunk_id", pa.string(), "chunk the vector stands for"),
        _column("document_id", pa.string(), "document the chunk belongs to"),
        _column("embedding_texts", TEXTS, "what was embedded, without prompt; one, or the parts"),
        _column("text_hash", pa.string(), "SHA-256 of model, prompt and embedding_texts"),
        _column("token_count", pa.int32(), "of the longest, prompt included", unit="tokens"),
        _column("embedding", VECTOR, "unit-length vector, of several texts their mean"),
    ]
)
PARENT_EMBEDDINGS = TableSpec(
    "parent_embeddings", "The vector of one parent.", _EMBEDDING_COLUMNS, ("chunk_id",)
)
CHILD_EMBEDDINGS = TableSpec(
    "child_embeddings", "The vector of one child.", _EMBEDDING_COLUMNS, ("chunk_id",)
)

TABLES = {
    spec.name: spec
    for spec in (
        DOCUMENTS,
        RAW_SEGMENTS,
        REJECTED_DOCUMENTS,
        PARENT_CHUNKS,
        CHILD_CHUNKS,
        PARENT_EMBEDDINGS,
        CHILD_EMBEDDINGS,
    )
}


def conforms(table: pa.Table, spec: TableSpec) -> list[str]:
    """What is wrong with a table against its declaration; an empty list when nothing is.

    Checks names, types, forbidden nulls and the uniqueness of the key.
    """
    problems: list[str] = []
    if table.schema.names != spec.schema.names:
        return [f"{spec.name}: columns are {table.schema.names}, expected {spec.schema.names}"]
    for declared in spec.schema:
        column = table.column(declared.name)
        if column.type != declared.type:
            problems.append(f"{spec.name}.{declared.name}: {column.type} is not {declared.type}")
        if not declared.nullable and column.null_count:
            problems.append(f"{spec.name}.{declared.name}: {column.null_count} nulls")
    keys = table.select(list(spec.key)).group_by(list(spec.key)).aggregate([])
    if keys.num_rows != table.num_rows:
        problems.append(f"{spec.name}: {table.num_rows - keys.num_rows} repeated keys {spec.key}")
    return problems
