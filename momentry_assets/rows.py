"""Records to Arrow rows and back. The only place that knows both shapes."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import pyarrow as pa

from momentry_assets.errors import SourceError
from momentry_assets.model import (
    Chunk,
    Document,
    DocumentKind,
    DocumentStatus,
    Level,
    Segment,
    SegmentKind,
    SourceWarning,
)
from momentry_assets.schemas import (
    CHILD_CHUNKS,
    DOCUMENTS,
    PARENT_CHUNKS,
    RAW_SEGMENTS,
    REJECTED_DOCUMENTS,
)

Row = dict[str, Any]
CONTEXT_CHARACTERS = 100  # source 003: of the text before and after a chunk


def documents_table(documents: Iterable[Document]) -> pa.Table:
    """Documents as rows of the ``documents`` table."""
    return pa.Table.from_pylist([_document_row(one) for one in documents], schema=DOCUMENTS.schema)


def segments_table(documents: Iterable[Document]) -> pa.Table:
    """The segments of documents as rows of ``raw_segments``."""
    rows = [_segment_row(document, one) for document in documents for one in document.segments]
    return pa.Table.from_pylist(rows, schema=RAW_SEGMENTS.schema)


def rejected_table(errors: Iterable[SourceError]) -> pa.Table:
    """Files that could not be read."""
    rows = [
        {"path": one.path, "reader": one.reader, "place": one.place, "reason": one.reason}
        for one in errors
    ]
    return pa.Table.from_pylist(rows, schema=REJECTED_DOCUMENTS.schema)


def read_documents(documents: pa.Table, segments: pa.Table) -> list[Document]:
    """Documents with their segments from their two tables."""
    by_document: dict[str, list[Segment]] = {}
    for row in segments.drop_columns(["text"]).to_pylist():
        document_id = row.pop("document_id")
        row |= {"kind": SegmentKind(row["kind"]), "breaks": tuple(row["breaks"])}
        by_document.setdefault(document_id, []).append(Segment(**row))
    found: list[Document] = []
    for row in documents.to_pylist():
        row |= {
            "kind": DocumentKind(row["kind"]),
            "status": DocumentStatus(row["status"]),
            "tags": tuple(row["tags"]),
            "metadata": json.loads(row["metadata"]),
            "warnings": tuple(SourceWarning(**one) for one in row["warnings"]),
            "segments": tuple(by_document.get(row["document_id"], ())),
        }
        found.append(Document(**row))
    return found


def chunks_table(
    level: Level, chunks: Sequence[Chunk], documents: Mapping[str, Document]
) -> pa.Table:
    """Chunks of one level as rows of ``parent_chunks`` or ``child_chunks``."""
    spec = PARENT_CHUNKS if level is Level.PARENT else CHILD_CHUNKS
    rows = [_chunk_row(one, documents[one.document_id]) for one in chunks]
    return pa.Table.from_pylist(rows, schema=spec.schema)


def _document_row(document: Document) -> Row:
    return {
        "document_id": document.document_id,
        "collection": document.collection,
        "path": document.path,
        "kind": document.kind.value,
        "document_type": document.document_type,
        "title": document.title,
        "tags": list(document.tags),
        "language": document.language,
        "status": document.status.value,
        "note": document.note,
        "text": document.text,
        "source_hash": document.source_hash,
        "reader": document.reader,
        "encoding": document.encoding,
        "byte_order_mark": document.byte_order_mark,
        "newline": document.newline,
        "duration_ms": document.duration_ms,
        "metadata": json.dumps(_plain(document.metadata), ensure_ascii=False),
        "warnings": [
            {"place": w.place, "message": w.message, "field": w.field, "original": w.original}
            for w in document.warnings
        ],
    }


def _plain(value: object) -> object:
    """The value in what JSON knows; whatever it does not know as its text, never an error."""
    if isinstance(value, Mapping):
        entries = cast(Mapping[object, object], value)
        return {str(key): _plain(one) for key, one in entries.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in cast(Sequence[object], value)]
    if isinstance(value, float) and not math.isfinite(value):
        # Python would write NaN, which PostgreSQL and every other reader of JSON refuse.
        return str(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def _segment_row(document: Document, segment: Segment) -> Row:
    return {
        "document_id": document.document_id,
        "index": segment.index,
        "kind": segment.kind.value,
        "start": segment.start,
        "end": segment.end,
        "start_ms": segment.start_ms,
        "end_ms": segment.end_ms,
        "speaker": segment.speaker,
        "level": segment.level,
        "label": segment.label,
        "text": document.slice(segment),
        "breaks": list(segment.breaks),
        "header_end": segment.header_end,
        "source_key": segment.source_key,
        "repaired": segment.repaired,
        "search_text": segment.search_text,
    }


def _chunk_row(chunk: Chunk, document: Document) -> Row:
    return {
        "chunk_id": chunk.chunk_id,
        "level": chunk.level.value,
        "chunk_type": chunk.chunk_type,
        "collection": document.collection,
        "document_id": chunk.document_id,
        "document_title": document.title,
        "document_type": document.document_type,
        "document_tags": list(document.tags),
        "language": document.language,
        "source_path": document.path,
        "section_id": chunk.section_id,
        "section_hierarchy": list(chunk.section_hierarchy),
        "text_content": chunk.text_content,
        "search_text": chunk.search_text,
        "start": chunk.start,
        "end": chunk.end,
        "start_ms": chunk.start_ms,
        "end_ms": chunk.end_ms,
        "speakers": list(chunk.speakers),
        "chunk_index": chunk.index,
        "total_chunks": chunk.total,
        "token_count": chunk.token_count,
        "content_hash": chunk.content_hash,
        "context_before": document.text[max(0, chunk.start - CONTEXT_CHARACTERS) : chunk.start],
        "context_after": document.text[chunk.end : chunk.end + CONTEXT_CHARACTERS],
        "writer": chunk.writer,
        "fallback": chunk.fallback,
        "description": chunk.description,
        "child_chunk_ids": list(chunk.child_chunk_ids),
        "parent_chunk_id": chunk.parent_chunk_id,
        "start_in_parent": chunk.start_in_parent,
    }
