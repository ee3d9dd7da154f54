"""The `momentry` command, as a shell sees it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.defs.tiny import Tiny, write_tiny

MOMENTRY = str(Path(sys.executable).parent / "momentry")

pytestmark = pytest.mark.slow


def _momentry(tiny: Tiny, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [MOMENTRY, *arguments],
        env=tiny.environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tiny, str]:
    """A tiny project with two unreadable files, and what `momentry run` printed on it."""
    tiny = write_tiny(tmp_path_factory.mktemp("cli"))
    (tiny.corpus / "talks" / "broken.json").write_text('{"segments": [{"start": 0,')
    (tiny.corpus / "docs" / "binary.md").write_bytes(bytes(range(256)) * 8)
    ended = _momentry(tiny, "run", "--question", "why did the rollback not help?")
    assert ended.returncode == 0, ended.stderr
    return tiny, ended.stdout


def test_unreadable_files_are_named_and_do_not_stop_the_rest(loaded: tuple[Tiny, str]) -> None:
    _, printed = loaded
    assert "talks/broken.json" in printed
    assert "docs/binary.md" in printed
    assert "every_file_was_read" in printed


def test_a_run_ends_with_the_answer_the_table_and_the_report(loaded: tuple[Tiny, str]) -> None:
    tiny, printed = loaded
    assert "Rollback runbook > Why a rollback may not fix it" in printed
    for strategy in ("parent_child", "single_small", "single_large"):
        assert strategy in printed
    report = tiny.home / "reports" / "latest.html"
    assert f"Report: {report}" in printed
    assert report.is_file()


def test_a_search_prints_the_section_around_what_matched(loaded: tuple[Tiny, str]) -> None:
    ended = _momentry(loaded[0], "search", "how long does a battery last", "-k", "2")
    assert ended.returncode == 0, ended.stderr
    assert "1. Stations > Batteries" in ended.stdout
    assert "eleven days in winter" in ended.stdout
    assert "3. " not in ended.stdout


def test_a_search_in_json_is_one_document_with_nothing_beside_it(
    loaded: tuple[Tiny, str],
) -> None:
    ended = _momentry(
        *(loaded[0], "search", "wrong level of the gauge", "-k", "1"),
        *("--collection", "talks", "--json"),
    )
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    [result] = answer["results"]
    assert result["document_id"] == "talks/gauge.srt"
    assert result["start_ms"] is not None
    assert answer["request"]["collections"] == ["talks"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["search", " "], "query"),
        (["search", "gauge", "-k", "0"], "k"),
        (["search", "gauge", "--collection", "nowhere"], "nowhere"),
    ],
)
def test_an_error_is_one_line_and_exit_code_1(
    loaded: tuple[Tiny, str], arguments: list[str], said: str
) -> None:
    ended = _momentry(loaded[0], *arguments)
    assert ended.returncode == 1
    assert ended.stdout == ""
    [line] = ended.stderr.splitlines()
    assert line.startswith("momentry: ")
    assert said in line


def test_a_search_before_the_first_run_says_what_to_do(tmp_path: Path) -> None:
    ended = _momentry(write_tiny(tmp_path), "search", "gauge")
    assert ended.returncode == 1
    [line] = ended.stderr.splitlines()
    assert line.startswith("momentry: nothing is loaded")
    assert "momentry run" in line


def test_a_corpus_without_a_collection_is_said_in_one_line(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path / "home", tmp_path / "corpus", tmp_path / "queries.jsonl")
    tiny.corpus.mkdir()
    ended = _momentry(tiny, "run")
    assert ended.returncode == 1
    assert str(tiny.corpus) in ended.stderr
    assert "Traceback" not in ended.stderr
