"""`EvaluationResult`: everything an evaluation found, as data. Reports only render it."""

from collections.abc import Mapping
from dataclasses import dataclass

from momentry_eval.lengths import ParentLengths
from momentry_eval.queries import QueryProblem
from momentry_eval.records import from_json, to_json
from momentry_eval.statistics import Comparison
from momentry_eval.verdict import ClaimVerdict, Verdict


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over questions with its 95 % interval, drawn by document."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class StrategyFigures:
    """One strategy over all questions and by kind.

    Attributes:
        figures: by metric. by_kind: by kind of question, then metric.
        tokens_p50, tokens_p95, tokens_max: tokens read for five units, over questions.
        seconds_p50, seconds_p95: of one search at the run's depth.
        without_results: questions that returned nothing (they count 0).
        missing: questions the run lacked (they count 0).
        missing_parents: fragments that stood in for a lost parent.
    """

    name: str
    description: str
    depth: int
    dense_weight: float
    figures: Mapping[str, Figure]
    by_kind: Mapping[str, Mapping[str, Figure]]
    tokens_p50: float
    tokens_p95: float
    tokens_max: float
    seconds_p50: float
    seconds_p95: float
    without_results: int
    missing: int
    missing_parents: int


@dataclass(frozen=True, slots=True)
class QueryRow:
    """All figures of one question under one strategy."""

    strategy: str
    query_id: str
    kind: str
    document_id: str
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Questions:
    """What was asked, and what of the file was not judged.

    ``attainable``: by budget, questions whose gold fits it at all.
    """

    source: str
    judged: int
    documents: int
    by_kind: Mapping[str, int]
    attainable: Mapping[int, int]
    unanswerable: tuple[str, ...]
    reanchored: tuple[QueryProblem, ...]
    excluded: tuple[QueryProblem, ...]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a text; ``gold`` marks evidence."""

    text: str
    gold: bool


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """A returned unit as the report shows it."""

    rank: int
    document_id: str
    start: int
    end: int
    tokens: int
    pieces: tuple[TextPiece, ...]


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """What one strategy returned first for a shown question, and its main figures."""

    strategy: str
    found: bool
    sufficient: bool
    coverage: float
    units: tuple[ShownUnit, ...]


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question worth looking at: won, lost or answered worst."""

    query_id: str
    query: str
    kind: str
    note: str
    reason: str
    evidence: tuple[str, ...]
    documents: tuple[str, ...]
    answers: tuple[ShownAnswer, ...]


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """One evaluation.

    Attributes:
        run_name: names its report. created_at: ISO 8601.
        command: reproduces it.
        settings: chunk sizes, model, tokenizer, weights, budgets. versions: of packages.
        hashes: of questions, tables, corpus.
        rows: one for each question and strategy.
        comparisons: primary claims first, then guards, then secondary.
        shown: questions with texts.
    """

    run_name: str
    created_at: str
    command: str
    settings: Mapping[str, str | int | float | bool | None]
    versions: Mapping[str, str]
    hashes: Mapping[str, str]
    questions: Questions
    strategies: tuple[StrategyFigures, ...]
    comparisons: tuple[Comparison, ...]
    claims: tuple[ClaimVerdict, ...]
    guards: tuple[ClaimVerdict, ...]
    verdict: Verdict
    lengths: ParentLengths
    shown: tuple[ShownQuestion, ...]
    rows: tuple[QueryRow, ...]

    def strategy(self, name: str) -> StrategyFigures | None:
        """The figures of one strategy."""
        return next((figures for figures in self.strategies if figures.name == name), None)

    def to_json(self) -> str:
        """As JSON; the same result always gives the same text."""
        return to_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> "EvaluationResult":
        """What `to_json` wrote."""
        return from_json(cls, text, source="evaluation")
