"""Tables are published whole or not at all."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from momentry_assets.errors import TableError
from momentry_assets.schemas import (
    CHILD_CHUNKS,
    PARENT_CHUNKS,
    REJECTED_DOCUMENTS,
    TABLES,
    conforms,
)
from momentry_assets.tables import TableStore, content_key


def rejected(*paths: str) -> pa.Table:
    rows = [{"path": path, "reader": "", "place": "", "reason": "no"} for path in paths]
    return pa.Table.from_pylist(rows, schema=REJECTED_DOCUMENTS.schema)


def empty(spec) -> pa.Table:
    return spec.schema.empty_table()


def test_what_was_published_is_read_back(tmp_path: Path) -> None:
    store = TableStore(tmp_path)
    store.publish("docs", "k1", {REJECTED_DOCUMENTS: rejected("a", "b")})
    assert store.read(REJECTED_DOCUMENTS, "docs")["path"].to_pylist() == ["a", "b"]
    assert store.is_current((REJECTED_DOCUMENTS,), "docs", "k1")
    assert not store.is_current((REJECTED_DOCUMENTS,), "docs", "k2")
    assert store.partitions() == ["docs"]


def test_a_writer_that_fails_leaves_the_old_tables_of_both_levels(tmp_path: Path) -> None:
    store = TableStore(tmp_path)
    store.publish(
        "docs", "k1", {PARENT_CHUNKS: empty(PARENT_CHUNKS), CHILD_CHUNKS: empty(CHILD_CHUNKS)}
    )

    def broken() -> Iterator[pa.RecordBatch]:
        raise RuntimeError("disk on fire")
        yield

    with pytest.raises(RuntimeError):
        store.publish("docs", "k2", {PARENT_CHUNKS: empty(PARENT_CHUNKS), CHILD_CHUNKS: broken()})
    assert store.is_current((PARENT_CHUNKS, CHILD_CHUNKS), "docs", "k1")
    store.publish(
        "docs", "k3", {PARENT_CHUNKS: empty(PARENT_CHUNKS), CHILD_CHUNKS: empty(CHILD_CHUNKS)}
    )
    files = {path.name for path in (tmp_path / "docs").iterdir()}
    assert files == {"manifest.json", "parent_chunks-k3.parquet", "child_chunks-k3.parquet"}


def test_a_writer_that_is_killed_leaves_the_old_table_and_the_next_clears_up(
    tmp_path: Path,
) -> None:
    store = TableStore(tmp_path)
    store.publish("docs", "k1", {REJECTED_DOCUMENTS: rejected("a")})
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from tests.test_tables import rejected\n"
        "from momentry_assets.schemas import REJECTED_DOCUMENTS\n"
        "from momentry_assets.tables import TableStore\n"
        "def batches():\n"
        "    yield from rejected('b').to_batches()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        f"store = TableStore(Path({str(tmp_path)!r}))\n"
        "store.publish('docs', 'k2', {REJECTED_DOCUMENTS: batches()})\n"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[1], check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert any(path.name.endswith(".tmp") for path in (tmp_path / "docs").iterdir())
    assert store.read(REJECTED_DOCUMENTS, "docs")["path"].to_pylist() == ["a"]
    store.publish("docs", "k3", {REJECTED_DOCUMENTS: rejected("c")})
    assert {path.name for path in (tmp_path / "docs").iterdir()} == {
        "manifest.json",
        "rejected_documents-k3.parquet",
    }


def test_a_missing_or_damaged_table_says_what_to_do(tmp_path: Path) -> None:
    store = TableStore(tmp_path)
    with pytest.raises(TableError, match="materialise it first"):
        store.read(REJECTED_DOCUMENTS, "docs")
    store.publish("docs", "k1", {REJECTED_DOCUMENTS: rejected("a")})
    (tmp_path / "docs" / "rejected_documents-k1.parquet").write_bytes(b"no parquet")
    with pytest.raises(TableError, match="materialise rejected_documents again"):
        store.read(REJECTED_DOCUMENTS, "docs")


@pytest.mark.parametrize("name", sorted(TABLES))
def test_an_empty_table_keeps_its_declared_types(tmp_path: Path, name: str) -> None:
    store = TableStore(tmp_path)
    spec = TABLES[name]
    store.publish("docs", "k1", {spec: empty(spec)})
    assert conforms(store.read(spec, "docs"), spec) == []


def test_a_table_that_is_not_as_declared_is_described() -> None:
    spec = REJECTED_DOCUMENTS
    assert conforms(rejected("a"), spec) == []
    assert "repeated keys" in conforms(rejected("a", "a"), spec)[0]
    assert "columns are" in conforms(rejected("a").drop_columns(["place"]), spec)[0]


def test_a_content_key_depends_on_every_part_and_on_nothing_else() -> None:
    assert content_key("a", {"x": 1, "y": 2}) == content_key("a", {"y": 2, "x": 1})
    assert content_key("a", 1) != content_key("a", "1")
    assert len(content_key("\ud800", os.sep)) == 32


def test_a_column_of_nulls_keeps_its_type(tmp_path: Path) -> None:
    store = TableStore(tmp_path)
    row = dict.fromkeys(CHILD_CHUNKS.schema.names, "") | {
        name: [] for name in ("document_tags", "section_hierarchy", "speakers")
    }
    for field in CHILD_CHUNKS.schema:
        if pa.types.is_integer(field.type):
            row[field.name] = None if field.nullable else 0
    store.publish(
        "docs", "k1", {CHILD_CHUNKS: pa.Table.from_pylist([row], schema=CHILD_CHUNKS.schema)}
    )
    table = store.read(CHILD_CHUNKS, "docs")
    assert table.column("start_ms").type == pa.int64()
    assert table.column("start_ms").to_pylist() == [None]
    assert conforms(table, CHILD_CHUNKS) == []


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (rejected("a").drop_columns(["reason"]), r"missing: \['reason'\]"),
        (rejected("a").append_column("more", pa.array(["x"])), r"not declared: \['more'\]"),
        (rejected("a").select(["reason", "path", "reader", "place"]), "order"),
        (
            rejected("a").set_column(3, "reason", pa.array([5])),
            "rejected_documents.reason: is int64, declared string",
        ),
        (
            rejected("a").set_column(3, "reason", pa.array([None])),
            "rejected_documents.reason: 1 nulls",
        ),
    ],
    ids=["missing", "foreign", "order", "type", "null"],
)
def test_a_table_with_another_schema_is_refused_and_the_column_is_named(
    tmp_path: Path, table: pa.Table, expected: str
) -> None:
    store = TableStore(tmp_path)
    store.publish("docs", "k1", {REJECTED_DOCUMENTS: rejected("old")})
    with pytest.raises(TableError, match=expected):
        store.publish("docs", "k2", {REJECTED_DOCUMENTS: table})
    assert store.read(REJECTED_DOCUMENTS, "docs")["path"].to_pylist() == ["old"]


@pytest.mark.parametrize("content", [None, b"", b"no parquet", b"PAR1"])
def test_a_table_whose_file_is_lost_or_damaged_is_not_current(
    tmp_path: Path, content: bytes | None
) -> None:
    store = TableStore(tmp_path)
    store.publish("docs", "k1", {REJECTED_DOCUMENTS: rejected("a")})
    file = tmp_path / "docs" / "rejected_documents-k1.parquet"
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    assert not store.is_current((REJECTED_DOCUMENTS,), "docs", "k1")
    with pytest.raises(TableError, match="materialise rejected_documents again"):
        list(store.batches(REJECTED_DOCUMENTS, "docs"))
    store.publish("docs", "k1", {REJECTED_DOCUMENTS: rejected("a")})
    assert store.is_current((REJECTED_DOCUMENTS,), "docs", "k1")
