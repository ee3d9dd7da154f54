"""Texts that were paid for once: kept whole, shared, and never a reason to fail."""

import logging
import multiprocessing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.descriptions.cache import SCHEMA, TextCache


def test_a_text_is_found_again_by_another_cache_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "later"
    cache = TextCache(folder)
    assert cache.get("a1") is None
    cache.add_many({"a1": "The pump is red.", "b2": '["国。", "\\u0000"]'})
    assert cache.get("a1") == TextCache(folder).get("a1") == "The pump is red."
    assert TextCache(folder).get("b2") == '["国。", "\\u0000"]'
    assert TextCache(folder).get("c3") is None


def test_an_addition_is_one_new_file_of_the_declared_schema(tmp_path: Path) -> None:
    cache = TextCache(tmp_path)
    cache.add_many({"a1": "one", "a2": "two"})
    cache.add_many({"a3": "three"})
    cache.add_many({})
    shards = list(tmp_path.iterdir())
    assert len(shards) == 2
    assert all(pq.read_schema(path) == SCHEMA for path in shards)


def test_an_addition_that_fails_leaves_no_file_behind(tmp_path: Path) -> None:
    cache = TextCache(tmp_path)
    with pytest.raises(UnicodeEncodeError):
        cache.add_many({"a1": "\ud800"})
    assert list(tmp_path.iterdir()) == []
    assert cache.get("a1") is None


@pytest.mark.parametrize("damage", ["cut", "empty", "foreign", "other columns"])
def test_a_damaged_file_is_named_and_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    TextCache(tmp_path).add_many({"a1": "lost"})
    (shard,) = tmp_path.iterdir()
    TextCache(tmp_path).add_many({"b2": "kept"})
    if damage == "other columns":
        pq.write_table(pa.table({"key": ["a1"], "answer": ["lost"]}), shard)
    else:
        whole = shard.read_bytes()
        shard.write_bytes({"cut": whole[: len(whole) // 2], "empty": b""}.get(damage, b"not it"))
    with caplog.at_level(logging.WARNING):
        cache = TextCache(tmp_path)
        assert cache.get("b2") == "kept"
        assert cache.get("a1") is None
    (record,) = caplog.records
    assert str(shard) in record.getMessage()


def test_a_file_that_was_being_written_by_a_killed_process_is_not_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".0123.parquet.abc.tmp").write_bytes(b"PAR1 half")
    assert TextCache(tmp_path).get("a1") is None
    assert caplog.records == []


def _add(folder: Path, process: int) -> None:
    cache = TextCache(folder)
    for number in range(20):
        cache.add_many({f"{process}-{number}": f"text {number} of {process}", "same": "same"})


def test_several_processes_add_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_add, args=(tmp_path, number)) for number in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    cache = TextCache(tmp_path)
    for process in range(2):
        for number in range(20):
            assert cache.get(f"{process}-{number}") == f"text {number} of {process}"
    assert cache.get("same") == "same"


@given(
    st.lists(
        st.dictionaries(
            st.text("0123456789abcdef", min_size=1),
            st.text(st.characters(exclude_categories=["Cs"])),
            max_size=4,
        ),
        max_size=4,
    )
)
def test_what_was_added_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, additions: list[dict[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    cache = TextCache(folder)
    added: dict[str, set[str]] = {}
    for texts in additions:
        cache.add_many(texts)
        for key, text in texts.items():
            added.setdefault(key, set()).add(text)
            assert cache.get(key) == text
    again = TextCache(folder)
    assert all(again.get(key) in texts for key, texts in added.items())
