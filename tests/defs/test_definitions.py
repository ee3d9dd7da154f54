"""The code location as Dagster's code server builds it."""

import json
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from momentry_assets.definitions import build_defs
from momentry_assets.defs.automation import (
    RANGE_END,
    RANGE_START,
    corpus_changes,
    nightly_reprocess,
)
from momentry_assets.defs.partitions import collections
from momentry_assets.schemas import TABLES

HEAVY = ["torch", "sentence_transformers", "ranx", "qdrant_client", "matplotlib", "transformers"]
PIPELINE = [
    "raw_segments",
    "parent_chunks",
    "child_chunks",
    "parent_embeddings",
    "child_embeddings",
    "postgres_index",
    "qdrant_index",
]


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "corpus"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a.md").write_text("# A\n\nOne.\n")
    monkeypatch.setenv("MOMENTRY_CORPUS", str(folder))
    monkeypatch.setenv("MOMENTRY_HOME", str(tmp_path / "home"))
    return folder


def test_loading_the_code_location_imports_nothing_heavy() -> None:
    code = (
        "import sys, json, momentry_assets.definitions; "
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert json.loads(printed.stdout) == []


def test_domain_code_loads_without_dagster() -> None:
    code = (
        "import sys; "
        "import momentry_assets.search.open, momentry_assets.sources.stage, "
        "momentry_assets.chunking.stage, momentry_assets.embedding.stage, momentry_eval.evaluate; "
        "print('dagster' in sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "False"


def test_the_pipeline_runs_from_segments_to_both_indexes_and_on_to_the_report() -> None:
    graph = build_defs().resolve_asset_graph()
    for name in PIPELINE:
        assert graph.get(dg.AssetKey(name)).partitions_def == collections
    ancestors = graph.get_ancestor_asset_keys(dg.AssetKey("eval_report"))
    assert {dg.AssetKey(name) for name in PIPELINE} <= ancestors


def test_every_asset_says_what_it_is_and_who_owns_it() -> None:
    for node in build_defs().resolve_asset_graph().asset_nodes:
        assert node.description, node.key
        assert node.owners, node.key
        assert node.group_name != "default", node.key
        assert 1 <= len(node.kinds) <= 3, node.key


def test_every_table_shows_its_columns_and_has_a_blocking_schema_check() -> None:
    graph = build_defs().resolve_asset_graph()
    checks = {key.name for key in graph.asset_check_keys}
    for table in TABLES:
        assert f"{table}_schema" in checks
    for name in ("raw_segments", "parent_chunks", "child_chunks", "child_embeddings"):
        assert "dagster/column_schema" in graph.get(dg.AssetKey(name)).metadata


def test_schedule_and_sensor_are_off_until_switched_on() -> None:
    repository = build_defs().get_repository_def()
    schedule = repository.get_schedule_def("nightly_reprocess")
    sensor = repository.get_sensor_def("corpus_changes")
    assert schedule.default_status is dg.DefaultScheduleStatus.STOPPED
    assert sensor.default_status is dg.DefaultSensorStatus.STOPPED


def test_the_nightly_schedule_asks_for_one_run_over_all_collections() -> None:
    with dg.instance_for_test() as instance:
        context = dg.build_schedule_context(instance=instance)
        assert isinstance(nightly_reprocess(context), dg.SkipReason)
        instance.add_dynamic_partitions("collections", ["docs", "media"])
        request = nightly_reprocess(dg.build_schedule_context(instance=instance))
        assert isinstance(request, dg.RunRequest)
        assert request.tags[RANGE_START] == "docs"
        assert request.tags[RANGE_END] == "media"


def test_the_sensor_takes_up_a_collection_once_its_files_stand_still(corpus: Path) -> None:
    with dg.instance_for_test() as instance:

        def look(cursor: str | None) -> dg.SensorResult:
            context = dg.build_sensor_context(instance=instance, cursor=cursor)
            result = corpus_changes(context)
            assert isinstance(result, dg.SensorResult)
            return result

        first = look(None)
        assert not first.run_requests
        second = look(first.cursor)
        assert [request.partition_key for request in second.run_requests or []] == ["docs"]
        assert second.dynamic_partitions_requests
        third = look(second.cursor)
        assert not third.run_requests
        (corpus / "docs" / "b.md").write_text("# B\n\nTwo.\n")
        fourth = look(third.cursor)
        assert not fourth.run_requests
        fifth = look(fourth.cursor)
        assert [request.partition_key for request in fifth.run_requests or []] == ["docs"]
