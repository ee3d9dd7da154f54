"""What the documents promise is there."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from momentry_assets.cli import app
from momentry_assets.settings import Settings

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


def test_the_readme_lists_every_setting_and_no_other() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = set(re.findall(r"^\| `(MOMENTRY_[A-Z_]+)`", text, re.MULTILINE))
    assert table == {f"MOMENTRY_{name.upper()}" for name in Settings.model_fields}
    for page in PAGES:
        named = re.findall(r"MOMENTRY_[A-Z_]+[A-Z]", page.read_text(encoding="utf-8"))
        assert set(named) <= table, page.name


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
    evidence["end"] = evidence["start"] + len(evidence["text"])
    document = " " * evidence["start"] + evidence["text"]
    found = parse_queries(
        json.dumps(record).encode(), {evidence["document_id"]: document}, source="README.md"
    )
    assert len(found.queries) == 1
