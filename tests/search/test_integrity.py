"""Every promise is shown kept on a sound world and broken on planted damage."""

import pyarrow as pa
import pytest

from momentry_assets.embedding.stage import EMBEDDINGS
from momentry_assets.integrity import (
    embedding_problems,
    hierarchy_problems,
    schema_problems,
    segment_problems,
    store_problems,
)
from momentry_assets.model import Level
from momentry_assets.schemas import CHILD_CHUNKS, PARENT_CHUNKS, RAW_SEGMENTS, TABLES, TableSpec
from momentry_assets.stores.stage import generation_of

TEXT = "# Pumps\n\nOil the red pump in spring.\n\n## Filters\n\nClean the filter every month.\n"


@pytest.fixture
def sound(world):
    world.ingest({"docs/pumps.md": TEXT})
    return world


def damage(world, spec: TableSpec, change) -> None:
    """Rewrite a table with one thing changed, under the same key."""
    entry = world.tables.entry(spec, "docs")
    rows = world.tables.read(spec, "docs").to_pylist()
    change(rows)
    table = pa.Table.from_pylist(rows, schema=spec.schema)
    world.tables.publish("docs", entry.content_key, {spec: table})


def store_findings(world) -> list[str]:
    stores = world.stores
    return store_problems(world.tables, "docs", "docs", stores.postgres, stores.vectors)


def test_a_sound_world_has_no_problem(sound) -> None:
    for spec in TABLES.values():
        assert schema_problems(sound.tables, "docs", spec) == []
    assert segment_problems(sound.tables, "docs") == []
    assert hierarchy_problems(sound.tables, "docs") == []
    for level in Level:
        assert embedding_problems(sound.tables, "docs", level, sound.encoder.profile) == []
    assert store_findings(sound) == []


def test_a_segment_whose_offsets_are_wrong_is_found(sound) -> None:
    damage(sound, RAW_SEGMENTS, lambda rows: rows[0].update(start=rows[0]["start"] + 1))
    assert "do not give its text" in segment_problems(sound.tables, "docs")[0]


@pytest.mark.parametrize(
    ("spec", "change", "problem"),
    [
        (CHILD_CHUNKS, lambda rows: rows[0].update(parent_chunk_id="gone"), "does not exist"),
        (CHILD_CHUNKS, lambda rows: rows.pop(), "children missing"),
        (CHILD_CHUNKS, lambda rows: rows[0].update(text_content="x"), "do not give its text"),
        (PARENT_CHUNKS, lambda rows: rows.pop(), "does not exist"),
        (PARENT_CHUNKS, lambda rows: rows[0].update(child_chunk_ids=[]), "does not list it"),
        (PARENT_CHUNKS, lambda rows: rows[0].update(end=rows[0]["end"] - 1), "not rejoin"),
    ],
)
def test_pointers_and_texts_that_do_not_hold_together_are_found(
    sound, spec: TableSpec, change, problem: str
) -> None:
    damage(sound, spec, change)
    assert any(problem in line for line in hierarchy_problems(sound.tables, "docs"))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda rows: rows[0].update(embedding=[0.5] * 384), "not 1"),
        (lambda rows: rows[0].update(embedding=[float("nan")] * 384), "not 1"),
        (lambda rows: rows[0].update(token_count=4000), "4000 tokens"),
        (lambda rows: rows.pop(), "1 chunks without a vector"),
    ],
)
def test_unsound_vectors_are_found(sound, change, problem: str) -> None:
    damage(sound, EMBEDDINGS[Level.CHILD], change)
    found = embedding_problems(sound.tables, "docs", Level.CHILD, sound.encoder.profile)
    assert problem in found[0]


def test_rows_missing_in_a_store_are_found(sound) -> None:
    sound.execute("DELETE FROM chunks WHERE level = 'child' AND chunk_id LIKE %s", "%filters%")
    found = store_findings(sound)
    assert any("PostgreSQL has 1 child chunks, Parquet 2" in line for line in found)
    assert any("dangling" in line for line in found)


def test_a_store_that_serves_another_generation_is_found(sound) -> None:
    sound.write({"docs/pumps.md": TEXT + "\nOne more line.\n"})
    sound.prepare()
    assert any("searches read generation" in line for line in store_findings(sound))
    sound.load()
    assert store_findings(sound) == []


def test_a_load_that_stops_between_the_stores_leaves_the_old_generation_served(sound) -> None:
    from momentry_assets.stores.stage import load_postgres

    sound.write({"docs/pumps.md": TEXT.replace("red pump", "green pump")})
    sound.prepare()
    stores = sound.stores
    receipt = load_postgres(sound.tables, "docs", "docs", stores.postgres, stores.vectors)
    assert not receipt.live
    texts = [result.text for result in sound.search("oil the pump").results]
    assert any("red pump" in text for text in texts)
    assert not any("green pump" in text for text in texts)
    sound.load()
    texts = [result.text for result in sound.search("oil the pump").results]
    assert any("green pump" in text for text in texts)
    assert not any("red pump" in text for text in texts)
    assert stores.postgres.live_generations()["docs"] == generation_of(sound.tables, "docs")
    assert len(stores.vectors.names()) == 1
