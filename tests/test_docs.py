"""What the documents promise is there."""

import importlib.util
import json
import re
import tomllib
from pathlib import Path
from typing import get_args

import dagster as dg
import pytest
from pydantic import BaseModel

from momentry_assets.cli import app
from momentry_assets.definitions import build_defs
from momentry_assets.settings import (
    CONFIG_FILE,
    ChunkingSettings,
    ContextSettings,
    LlmSettings,
    Settings,
    Variant,
    load_settings,
)
from momentry_assets.sources.registry import READERS
from momentry_eval.strategies import STRATEGIES
from momentry_eval.verdict import ClaimWording, OverallWording

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_is_named_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make ([a-z]+)|^make ([a-z]+)", text, re.MULTILINE)):
        name = target[0] or target[1]
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), name
    commands = {command.callback.__name__ for command in app.registered_commands}
    for name in set(re.findall(r"(?:bin/|`)momentry ([a-z]+)", text)):
        assert name in commands, name


TABLES: dict[str, type[BaseModel]] = {
    "The keys of `[chunking]`": ChunkingSettings,
    "The keys of `[context]`": ContextSettings,
    "The keys of `[llm]`": LlmSettings,
}


def settings_tables() -> dict[type[BaseModel], dict[str, str]]:
    """Name and default of every setting that docs/settings.md lists, by model."""
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = re.compile(r"^\| `(\w+)` \| (.+?) \|", re.MULTILINE)
    found: dict[type[BaseModel], dict[str, str]] = {}
    for heading, model in TABLES.items():
        found[model] = dict(rows.findall(text.split(heading)[1].split("The keys of")[0]))
    general = dict(rows.findall(text.split("The keys of")[0]))
    found[Settings] = {
        name.removeprefix("MOMENTRY_").lower(): default for name, default in general.items()
    }
    return found


@pytest.mark.parametrize("model", [Settings, *TABLES.values()])
def test_the_settings_page_lists_every_setting_with_its_default(model: type[BaseModel]) -> None:
    listed = settings_tables()[model]
    assert set(listed) == set(model.model_fields)
    for name, field in model.model_fields.items():
        if field.default is None or field.default == "":
            assert listed[name] == "none", name
        elif isinstance(field.default, str | int | float | Path):
            assert listed[name] == f"`{field.default}`", name


def test_every_variable_that_a_page_names_is_a_setting() -> None:
    tables = settings_tables()
    keys = {key for model in TABLES.values() for key in tables[model]}
    for page in PAGES:
        for variable in re.findall(r"MOMENTRY_[A-Z_]+[A-Z]", page.read_text(encoding="utf-8")):
            name, _, key = variable.removeprefix("MOMENTRY_").lower().partition("__")
            assert name in tables[Settings], (page.name, variable)
            assert not key or key in keys, (page.name, variable)


def test_the_chunking_page_has_every_variant() -> None:
    text = (ROOT / "docs" / "chunking.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(get_args(Variant))


def test_the_settings_file_of_the_project_names_what_is_there() -> None:
    with (ROOT / CONFIG_FILE).open("rb") as file:
        settings = Settings.model_validate(tomllib.load(file))
    folders = {path.name for path in (ROOT / "data" / "corpus").iterdir() if path.is_dir()}
    assert set(settings.collections) <= folders


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_of_a_settings_file_can_be_loaded(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for example in re.findall(
        r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S
    ):
        (tmp_path / CONFIG_FILE).write_text(example, encoding="utf-8")
        load_settings()


def test_a_collection_with_settings_of_its_own_takes_the_rest_from_the_general_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "[chunking]\nchild_max_tokens = 60\n[collections.media.chunking]\nvariant = 'story'\n"
    (tmp_path / CONFIG_FILE).write_text(text, encoding="utf-8")
    settings = load_settings()
    assert settings.chunking_of("docs").child_max_tokens == 60
    assert settings.chunking_of("media").child_max_tokens == 60
    assert settings.chunking_of("media").variant == "story"
    assert settings.chunking_of("docs").variant is None


def test_the_formats_page_lists_every_reader_with_its_extensions() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ((?:`\.\w+` ?)+) \|", text, re.MULTILINE)
    listed = {name: tuple(re.findall(r"`(\.\w+)`", cell)) for name, cell in rows}
    assert listed == {reader.name: reader.suffixes for reader in READERS}


def test_the_operations_page_names_what_dagster_has() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    definitions = build_defs()
    jobs = {job.name for job in definitions.jobs or []}
    (schedule,) = definitions.schedules or []
    (sensor,) = definitions.sensors or []
    for name in (*jobs, schedule.name, sensor.name):
        assert f"`{name}`" in text, name
    assert schedule.cron_schedule == "30 4 * * *"
    assert schedule.default_status is dg.DefaultScheduleStatus.STOPPED
    assert sensor.default_status is dg.DefaultSensorStatus.STOPPED
    assert sensor.minimum_interval_seconds == 60
    assets = {
        key.to_user_string() for one in definitions.assets or [] for key in getattr(one, "keys", [])
    }
    for name in re.findall(r"`(\w+_(?:distribution|comparison|index|report|segments))`", text):
        assert name in assets, name


def test_the_evaluation_page_has_every_strategy_and_every_word_of_a_verdict() -> None:
    text = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    flat = " ".join(text.split())
    for name in STRATEGIES:
        assert f"| `{name}` |" in text
    for word in (*ClaimWording, *OverallWording):
        assert f"*{word}*" in flat, word


def test_the_figures_in_the_readme_are_those_of_a_run() -> None:
    spec = importlib.util.spec_from_file_location("figures", ROOT / "docs" / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    figures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(figures)
    stored = json.loads((ROOT / "docs" / "figures.json").read_text(encoding="utf-8"))
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.split(figures.START)[1].split(figures.END)[0].strip()
    assert block == figures.render(stored)


def test_the_sample_corpus_is_as_large_as_the_documents_say() -> None:
    queries = (ROOT / "data" / "eval" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    assert f"{len(queries)} questions" in (ROOT / "docs" / "evaluation.md").read_text()
    kinds = {json.loads(line)["kind"] for line in queries}
    assert kinds == {"fact", "thematic", "balanced"}


def test_the_example_question_of_the_readme_can_be_read() -> None:
    from momentry_eval.queries import parse_queries

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r'^\{"query_id".*\}$', text, re.MULTILINE)
    record = json.loads(line)
    evidence = record["evidence"][0]
    document = " " * evidence["start"] + evidence["text"]
    found = parse_queries(line.encode(), {evidence["document_id"]: document}, source="README.md")
    assert len(found.queries) == 1
