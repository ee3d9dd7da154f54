"""Records to rows and back."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from momentry_assets.errors import SourceError
from momentry_assets.model import (
    Document,
    DocumentKind,
    DocumentStatus,
    Level,
    Segment,
    SegmentKind,
    SourceWarning,
)
from momentry_assets.rows import (
    chunks_table,
    documents_table,
    read_documents,
    rejected_table,
    segments_table,
)
from momentry_assets.schemas import (
    CHILD_CHUNKS,
    DOCUMENTS,
    PARENT_CHUNKS,
    RAW_SEGMENTS,
    REJECTED_DOCUMENTS,
    conforms,
)

from .chunking.test_requirements import chunk, read

FULL = Document(
    document_id="docs/ä.md",
    collection="docs",
    path="docs/ä.md",
    kind=DocumentKind.TEXT,
    document_type="markdown",
    title="见《书》",
    text="# H\n\n| a |\n|---|\n| 1 |\n🙂",
    segments=(
        Segment(0, SegmentKind.HEADING, 0, 3, level=1, label="H"),
        Segment(1, SegmentKind.TABLE, 5, 22, breaks=(17,), header_end=17, search_text="a 1"),
        Segment(2, SegmentKind.SENTENCE, 23, 24, 10, 20, "Ann", source_key="s2", repaired=True),
    ),
    source_hash="0" * 64,
    tags=("a", "b"),
    language="zh",
    status=DocumentStatus.READ,
    note="",
    reader="markdown",
    encoding="utf-16",
    byte_order_mark=True,
    newline="mixed",
    duration_ms=20,
    metadata={"title": "见《书》", "deep": {"list": ["1", None]}},
    warnings=(SourceWarning("line 4", "guessed", "title", "x"),),
)


def test_a_document_comes_back_from_its_rows_as_it_was() -> None:
    bare = read("", "docs/empty.md")
    documents, segments = documents_table([FULL, bare]), segments_table([FULL, bare])
    assert conforms(documents, DOCUMENTS) == []
    assert conforms(segments, RAW_SEGMENTS) == []
    assert read_documents(documents, segments) == [FULL, bare]


def test_segments_of_many_documents_find_their_own() -> None:
    made = [read(f"# H{n}\n\nText {n}.\n", f"docs/{n}.md") for n in range(5)]
    assert read_documents(documents_table(made), segments_table(list(reversed(made)))) == made


def test_no_metadata_stops_a_document() -> None:
    odd = {
        "none": None,
        "nested": [[1, {"x": None}]],
        "when": datetime(2026, 1, 1, tzinfo=UTC),
        "parent_id": "mine",
        "chunk_id": "mine",
        "set": {1},
        "long": "x" * 10_000,
    }
    table = documents_table([replace(FULL, metadata=odd)])
    kept = json.loads(table["metadata"][0].as_py())
    assert kept.keys() == odd.keys()
    assert kept["when"].startswith("2026-01-01")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_metadata_is_json_that_every_reader_knows(value: float) -> None:
    table = documents_table([replace(FULL, metadata={"score": value})])

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    json.loads(table["metadata"][0].as_py(), parse_constant=refuse)


def test_both_levels_carry_what_their_document_is() -> None:
    text = "---\ntitle: Guide\ntags: [a, b]\nchunk_id: mine\nparent_id: mine\n---\n# H\n\nText.\n"
    document = read(text)
    made = chunk(document)
    for level, chunks, spec in (
        (Level.PARENT, made.parents, PARENT_CHUNKS),
        (Level.CHILD, made.children, CHILD_CHUNKS),
    ):
        table = chunks_table(level, chunks, {document.document_id: document})
        assert conforms(table, spec) == []
        (row,) = table.to_pylist()
        assert row["level"] == level
        assert row["chunk_id"].startswith("docs/d1.md#")
        assert row["document_id"] == "docs/d1.md"
        assert row["document_title"] == "Guide"
        assert row["document_tags"] == ["a", "b"]
        assert row["section_hierarchy"] == ["H"]
        assert (row["chunk_index"], row["total_chunks"]) == (0, 1)
    assert document.metadata["chunk_id"] == "mine"


def test_a_refused_file_is_a_row_with_place_and_reason() -> None:
    table = rejected_table([SourceError("docs/a.srt", "no cue", place="line 3", reader="srt")])
    assert conforms(table, REJECTED_DOCUMENTS) == []
    assert table.to_pylist() == [
        {"path": "docs/a.srt", "reader": "srt", "place": "line 3", "reason": "no cue"}
    ]
