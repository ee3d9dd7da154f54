"""A broken promise between the tables is found and named. Stores have their own tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from momentry_assets.integrity import hierarchy_problems, schema_problems, segment_problems
from momentry_assets.model import Level
from momentry_assets.rows import chunks_table, documents_table, segments_table
from momentry_assets.schemas import (
    CHILD_CHUNKS,
    DOCUMENTS,
    PARENT_CHUNKS,
    RAW_SEGMENTS,
    TABLES,
    TableSpec,
)
from momentry_assets.tables import TableStore

from .chunking.test_requirements import chunk, read

Rows = list[dict[str, Any]]


@pytest.fixture
def store(tmp_path: Path) -> TableStore:
    document = read("# A\n\nOne is said here at some length.\n\n# B\n\nTwo is said here as well.\n")
    made = chunk(document)
    by_id = {document.document_id: document}
    store = TableStore(tmp_path)
    store.publish(
        "docs",
        "k1",
        {
            DOCUMENTS: documents_table([document]),
            RAW_SEGMENTS: segments_table([document]),
            PARENT_CHUNKS: chunks_table(Level.PARENT, made.parents, by_id),
            CHILD_CHUNKS: chunks_table(Level.CHILD, made.children, by_id),
        },
    )
    return store


def change(store: TableStore, spec: TableSpec, edit: Callable[[Rows], object]) -> None:
    rows = store.read(spec, "docs").to_pylist()
    edit(rows)
    store.publish("docs", "k2", {spec: pa.Table.from_pylist(rows, schema=spec.schema)})


def test_sound_tables_have_no_problem(store: TableStore) -> None:
    assert segment_problems(store, "docs") == []
    assert hierarchy_problems(store, "docs") == []
    for spec in (DOCUMENTS, RAW_SEGMENTS, PARENT_CHUNKS, CHILD_CHUNKS):
        assert schema_problems(store, "docs", spec) == []


@pytest.mark.parametrize(
    ("table", "edit", "expected"),
    [
        ("child_chunks", lambda rows: rows.pop(0), "children missing"),
        ("parent_chunks", lambda rows: rows.pop(0), "does not exist"),
        ("parent_chunks", lambda rows: rows.pop(0), "do not rejoin the document"),
        ("child_chunks", lambda rows: rows[0].update(start=0), "do not give its text"),
        ("child_chunks", lambda rows: rows[0].update(end=999), "lies outside its parent"),
        ("child_chunks", lambda rows: rows[0].update(parent_chunk_id="x"), "parent x does not"),
        ("parent_chunks", lambda rows: rows[0].update(child_chunk_ids=[]), "does not list it"),
        ("child_chunks", lambda rows: rows[0].update(document_id="x"), "document x does not"),
        ("parent_chunks", lambda rows: rows[0].update(document_id="x"), "document x does not"),
    ],
)
def test_a_broken_hierarchy_is_named(
    store: TableStore, table: str, edit: Callable[[Rows], object], expected: str
) -> None:
    change(store, TABLES[table], edit)
    assert expected in "\n".join(hierarchy_problems(store, "docs"))


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda rows: rows[0].update(start=2), "do not give its text"),
        (lambda rows: rows[0].update(start_ms=5, end_ms=1), "are not ordered"),
        (lambda rows: rows[0].update(document_id="x"), "its document does not exist"),
        (lambda rows: rows.clear(), "have no segment"),
    ],
)
def test_a_broken_segment_is_named(
    store: TableStore, edit: Callable[[Rows], object], expected: str
) -> None:
    change(store, RAW_SEGMENTS, edit)
    assert expected in "\n".join(segment_problems(store, "docs"))


def test_many_problems_are_a_few_and_a_number(store: TableStore) -> None:
    def break_all(rows: Rows) -> None:
        rows.extend({**rows[0], "chunk_id": f"x{n}", "parent_chunk_id": "gone"} for n in range(20))

    change(store, CHILD_CHUNKS, break_all)
    problems = hierarchy_problems(store, "docs")
    assert len(problems) == 6
    assert problems[-1] == "… and 15 more"
