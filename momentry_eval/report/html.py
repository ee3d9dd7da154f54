"""The HTML report: one self-contained file a run, `latest.html`, and an index of all."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from momentry_assets.errors import EvaluationError
from momentry_assets.tables import write_text_atomically
from momentry_eval.report import charts
from momentry_eval.report.words import (
    FAMILY_NAMES,
    METRIC_NAMES,
    SENSITIVITY_METRICS,
    TABLE_METRICS,
    tone,
)
from momentry_eval.result import EvaluationResult
from momentry_eval.statistics import FEWEST_CLUSTERS, Comparison
from momentry_eval.verdict import PRIMARY_CLAIMS, p_text, points

_RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_RESERVED = {"index", "latest"}
_WORDS = {"tone": tone, "points": points, "p_text": p_text}


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """Where a report was written."""

    html: Path
    json: Path
    latest: Path
    index: Path


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One line of the index: a past run and its primary claims."""

    name: str
    created_at: str
    overall: str
    judged: int
    primary: tuple[Comparison | None, ...]


def render_report(result: EvaluationResult) -> str:
    """The report as one HTML page that loads nothing."""
    lengths = result.lengths
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            **_WORDS,
            result=result,
            table_metrics=TABLE_METRICS,
            sensitivity=SENSITIVITY_METRICS,
            metric_names=METRIC_NAMES,
            family_names=FAMILY_NAMES,
            fewest_clusters=FEWEST_CLUSTERS,
            tests="; ".join(sorted({c.test for c in result.comparisons})) or "none",
            warnings=sorted({c.warning for c in result.comparisons if c.warning}),
            panels=charts.quality_panels(result),
            length_bars=charts.length_chart(lengths),
            distributions=[
                d for d in (lengths.built, lengths.returned, lengths.children) if d is not None
            ],
            width=charts.WIDTH,
            height=charts.HEIGHT,
            left=charts.LEFT,
            right=charts.RIGHT,
            bottom=charts.BOTTOM,
        )
    )


def write_report(result: EvaluationResult, folder: Path) -> ReportFiles:
    """Write a run's report and its JSON, make it the latest, and list it.

    Every file is replaced atomically; the index is written last, so it never lists what is not
    there.

    Raises:
        EvaluationError: when the run's name is no file name.
    """
    name = result.run_name
    if not _RUN_NAME.fullmatch(name) or name in _RESERVED:
        raise EvaluationError(
            f"run name {name!r}: use letters, digits, '.', '_' and '-', "
            f"and neither of {', '.join(sorted(_RESERVED))}"
        )
    files = ReportFiles(
        html=folder / f"{name}.html",
        json=folder / f"{name}.json",
        latest=folder / "latest.html",
        index=folder / "index.html",
    )
    page = render_report(result)
    write_text_atomically(files.json, result.to_json())
    write_text_atomically(files.html, page)
    write_text_atomically(files.latest, page)
    write_text_atomically(files.index, render_index(folder))
    return files


def render_index(folder: Path) -> str:
    """The page that lists the reports of a folder, newest first."""
    entries: list[IndexEntry] = []
    unreadable: list[str] = []
    for path in sorted(folder.glob("*.json")):
        if not path.with_suffix(".html").exists():
            continue
        try:
            entries.append(_index_entry(EvaluationResult.from_json(path.read_bytes())))
        except EvaluationError:
            # A report of an older version stays readable as HTML; the page names it.
            unreadable.append(path.stem)
    entries.sort(key=lambda entry: (entry.created_at, entry.name), reverse=True)
    page = _environment().get_template("index.html.jinja")
    return page.render(**_WORDS, entries=entries, unreadable=unreadable)


def _index_entry(result: EvaluationResult) -> IndexEntry:
    by_claim = {(c.family, c.metric): c for c in result.comparisons}
    return IndexEntry(
        result.run_name,
        result.created_at,
        result.verdict.overall,
        result.questions.judged,
        tuple(by_claim.get(("primary", claim.metric)) for claim in PRIMARY_CLAIMS),
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
