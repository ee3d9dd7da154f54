"""The report: self-contained, escaped, written atomically, with an index of all runs."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from momentry_assets.errors import EvaluationError
from momentry_eval.evaluate import EvaluationContext, compare
from momentry_eval.lengths import returned_lengths
from momentry_eval.queries import QueryProblem, QuerySet
from momentry_eval.report.html import render_report, write_report
from momentry_eval.report.markdown import SUMMARY_LIMIT, report, summary
from momentry_eval.report.plots import lengths_png, quality_png
from momentry_eval.result import EvaluationResult
from tests.eval.worlds import World, query

EVIL = "<script>alert(1)</script> & \"quotes\" | 'more'"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result(numba_cache: Path) -> EvaluationResult:
    half = set(range(0, 40, 2))
    world = World(40, 8, {"parent_child": half, "single_small": half, "single_large": {1}})
    world.texts = dict.fromkeys(world.texts, (EVIL + " ") * 1000)
    first = world.queries[0]
    evidence = replace(first.evidence[0], text=EVIL.ljust(640))
    world.queries[0] = replace(first, query=EVIL, note=EVIL, evidence=(evidence,))
    questions = QuerySet(
        source="queries.jsonl",
        source_hash="0" * 64,
        queries=tuple(world.queries),
        unanswerable=(query("u1"),),
        excluded=(QueryProblem("gone1", 9, "evidence[0]", EVIL),),
    )
    context = EvaluationContext(
        run_name="run-1",
        created_at="2026-01-01T00:00:00Z",
        texts=world.texts,
        numba_cache=numba_cache,
        command=f"momentry eval {EVIL}",
        settings={"model": EVIL, "k": 5},
        versions={"ranx": "0.3.21"},
    )
    lengths = replace(world.lengths, returned=returned_lengths(world.runs[0]))
    return compare(world.runs, questions, lengths, context)


def test_everything_from_the_corpus_is_escaped(result: EvaluationResult) -> None:
    page = render_report(result)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_the_page_loads_nothing(result: EvaluationResult) -> None:
    page = render_report(result)
    assert not re.findall(r"(?:src|href)=\"(?!index\.html)[^\"]*|url\(|@import|https?://", page)
    assert "default-src 'none'" in page


def test_the_verdict_comes_first_and_everything_is_there(result: EvaluationResult) -> None:
    page = render_report(result)
    places = [
        page.index(word)
        for word in (
            str(result.verdict.overall) + "</div>",
            "The strategies</h2>",
            "Quality against tokens read</h2>",
            "Paired comparisons</h2>",
            "By kind of question</h2>",
            "How long parents are</h2>",
            "Wins, losses and the worst questions</h2>",
            "gone1 (line 9",
            "Configuration</h2>",
            "ranx</td>",
        )
    ]
    assert places == sorted(places)
    assert "1 have no answer in the corpus" in page
    assert "<mark>" in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_reports_are_kept_by_run_with_the_latest_and_an_index(
    result: EvaluationResult, tmp_path: Path
) -> None:
    write_report(result, tmp_path)
    newer = replace(result, run_name="run-2", created_at="2026-02-01T00:00:00Z")
    files = write_report(newer, tmp_path)
    (tmp_path / "run-0.json").write_text("{}", encoding="utf-8")
    (tmp_path / "run-0.html").write_text("an older version's", encoding="utf-8")
    files = write_report(newer, tmp_path)
    assert files.latest.read_text(encoding="utf-8") == render_report(newer)
    assert EvaluationResult.from_json(files.json.read_bytes()) == newer
    index = files.index.read_text(encoding="utf-8")
    assert index.index("run-2.html") < index.index("run-1.html")
    assert "cannot read their JSON: run-0" in index
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("name", ["../evil", "latest", "", "a b"])
def test_a_run_name_that_is_no_file_name_is_refused(
    result: EvaluationResult, tmp_path: Path, name: str
) -> None:
    with pytest.raises(EvaluationError, match="run name"):
        write_report(replace(result, run_name=name), tmp_path)


def test_the_summary_is_shown_inline_by_the_dagster_ui(result: EvaluationResult) -> None:
    text = summary(result)
    assert len(text) < SUMMARY_LIMIT
    assert text.count("\n| ") == 4
    for strategy in result.strategies:
        assert f"| {strategy.name} |" in text


def test_the_markdown_report_embeds_plots_and_no_corpus_text(result: EvaluationResult) -> None:
    text = report(result)
    assert text.count("](data:image/png;base64,") == 2
    assert "script" not in text
    assert len(text) < 200_000


def test_plots_are_700_pixels_wide(result: EvaluationResult) -> None:
    for png in (quality_png(result), lengths_png(result.lengths)):
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        assert int.from_bytes(png[16:20], "big") == 700
        assert int.from_bytes(png[20:24], "big") == 320
