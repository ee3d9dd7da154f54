"""Dagster's home follows MOMENTRY_HOME, and a killed run never holds the queue."""

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
import yaml

from momentry_assets.defs.dead_runs import end_dead_runs
from momentry_assets.instance import prepare_dagster_home
from momentry_assets.settings import load_settings, project_root


@pytest.fixture(autouse=True)
def no_dagster_home(monkeypatch: pytest.MonkeyPatch) -> None:
    # Set and deleted, so that what a test's code sets is undone too.
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.delenv("DAGSTER_HOME")


def test_the_default_home_uses_the_dagster_yaml_of_the_project() -> None:
    home = prepare_dagster_home(load_settings(home=project_root() / ".momentry"))
    assert home == project_root()
    assert "DAGSTER_HOME" not in os.environ


def test_another_home_gets_its_own_dagster_yaml_with_its_own_paths(tmp_path: Path) -> None:
    home = prepare_dagster_home(load_settings(home=tmp_path / "other"))
    assert os.environ["DAGSTER_HOME"] == str(home)
    text = (home / "dagster.yaml").read_text(encoding="utf-8")
    written, template = yaml.safe_load(text), yaml.safe_load(Path("dagster.yaml").read_text())
    assert written.keys() == template.keys()
    assert written["storage"]["sqlite"]["base_dir"] == str(home / "storage")
    assert written["concurrency"] == template["concurrency"]
    assert written["run_monitoring"] == template["run_monitoring"]
    with dg.DagsterInstance.from_config(str(home)) as instance:
        assert instance.run_monitoring_enabled
        assert instance.get_runs_count() == 0
    assert (home / "storage").is_dir()


def test_a_home_with_spaces_and_colons_is_still_valid_yaml(tmp_path: Path) -> None:
    home = prepare_dagster_home(load_settings(home=tmp_path / "a: b #c"))
    with dg.DagsterInstance.from_config(str(home)) as instance:
        assert instance.get_runs_count() == 0
    assert (home / "storage").is_dir()


def test_a_dagster_home_that_is_set_already_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    assert prepare_dagster_home(load_settings(home=tmp_path / "other")) == tmp_path
    assert not (tmp_path / "other").exists()


KILLED = """
import os, signal
import dagster as dg

@dg.asset
def deadly():
    os.kill(os.getpid(), signal.SIGKILL)

@dg.asset
def harmless():
    pass

with dg.DagsterInstance.from_config({home!r}) as instance:
    dg.materialize([{asset}], instance=instance)
"""


def test_a_run_whose_process_was_killed_is_marked_as_failed(tmp_path: Path) -> None:
    home = prepare_dagster_home(load_settings(home=tmp_path / "home"))
    for asset, code in (("harmless", 0), ("deadly", -9)):
        script = KILLED.format(home=str(home), asset=asset)
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
        assert ended.returncode == code, ended.stderr.decode()
    with dg.DagsterInstance.from_config(str(home)) as instance:
        [stuck] = instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED]))
        assert end_dead_runs(instance) == [stuck.run_id]
        after = instance.get_run_by_id(stuck.run_id)
        assert after is not None
        assert after.status is dg.DagsterRunStatus.FAILURE
        assert end_dead_runs(instance) == []


def test_a_run_that_is_still_at_work_is_left_alone() -> None:
    with dg.instance_for_test() as instance:
        seen: list[list[str]] = []

        @dg.asset
        def looking() -> None:
            seen.append(end_dead_runs(instance))

        assert dg.materialize([looking], instance=instance).success
        assert seen == [[]]
