"""The evaluation's stages: runs by strategy, comparison, report. Nothing is done over again.

Everything is kept below ``<home>/evaluations/<key>``, where the key stands for what the figures
depend on: the live generations, the questions, the model and the search settings.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.profile import EncoderProfile
from momentry_assets.errors import EvaluationError
from momentry_assets.schemas import CHILD_CHUNKS, DOCUMENTS, PARENT_CHUNKS, TableSpec
from momentry_assets.search.searcher import Searcher
from momentry_assets.settings import Settings
from momentry_assets.stores.opened import Stores
from momentry_assets.tables import TableStore, content_key
from momentry_eval.evaluate import EvaluationContext, compare
from momentry_eval.lengths import ParentLengths, distribution, returned_lengths
from momentry_eval.queries import QuerySet, read_queries
from momentry_eval.records import read_json, write_json
from momentry_eval.report.html import ReportFiles, write_report
from momentry_eval.result import EvaluationResult
from momentry_eval.strategies import STRATEGIES, Strategy, StrategyRun, run_strategy

# Part of the key: change it when the same answers would be judged differently.
EVALUATION_VERSION = 1
LATEST = ".latest.json"
_PACKAGES = ("momentry", "sentence-transformers", "torch", "qdrant-edge-py", "psycopg", "ranx")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation: its key, its folder and the questions that are judged."""

    key: str
    folder: Path
    questions: QuerySet

    @property
    def run_name(self) -> str:
        """Name of its report."""
        return f"evaluation-{self.key[:12]}"

    def run_file(self, strategy: Strategy) -> Path:
        """Where a strategy's answers are."""
        return self.folder / f"{strategy.name}.json"

    @property
    def result_file(self) -> Path:
        """Where the comparison is."""
        return self.folder / "comparison.json"


def corpus_texts(store: TableStore) -> dict[str, str]:
    """The canonical text of every document, by document id."""
    texts: dict[str, str] = {}
    for partition in store.partitions():
        for row in store.read(DOCUMENTS, partition, ["document_id", "text"]).to_pylist():
            texts[row["document_id"]] = row["text"]
    return texts


def current_evaluation(
    settings: Settings, store: TableStore, stores: Stores, profile: EncoderProfile
) -> Evaluation:
    """The evaluation of what searches read now.

    Raises:
        EvaluationError: when nothing is loaded or the questions cannot be read.
    """
    live = stores.postgres.live_generations()
    if not live:
        raise EvaluationError("no collection is loaded; materialise postgres_index, qdrant_index")
    questions = read_queries(settings.queries, corpus_texts(store))
    key = content_key(
        EVALUATION_VERSION,
        sorted(live.items()),
        questions.source_hash,
        profile.identity,
        profile.query_prompt,
        settings.dense_weight,
        settings.candidates,
        sorted(STRATEGIES),
    )
    return Evaluation(key, settings.home / "evaluations" / key, questions)


def answer(
    evaluation: Evaluation,
    strategy: Strategy,
    settings: Settings,
    stores: Stores,
    encoder: Encoder,
) -> tuple[StrategyRun, bool]:
    """A strategy's answers to all questions, and whether they were there already."""
    file = evaluation.run_file(strategy)
    if file.exists():
        return read_json(StrategyRun, file), True
    searcher = Searcher(stores.postgres, stores.vectors, encoder, candidates=settings.candidates)
    run = run_strategy(
        strategy,
        evaluation.questions.queries,
        searcher.search_many,
        dense_weight=settings.dense_weight,
    )
    write_json(run, file)
    return run, False


def parent_lengths(store: TableStore, run: StrategyRun) -> ParentLengths:
    """Lengths of the parents as built and as returned, and of the children."""
    return ParentLengths(
        built=distribution("parents as built", _lengths(store, PARENT_CHUNKS)),
        children=distribution("children as built", _lengths(store, CHILD_CHUNKS)),
        returned=returned_lengths(run),
    )


def compare_strategies(
    evaluation: Evaluation, settings: Settings, store: TableStore, profile: EncoderProfile
) -> tuple[EvaluationResult, bool]:
    """The comparison of all strategies, and whether it was there already."""
    if evaluation.result_file.exists():
        return read_json(EvaluationResult, evaluation.result_file), True
    runs = [_run_of(evaluation, strategy) for strategy in STRATEGIES.values()]
    parent_child = next(run for run in runs if run.strategy.name == "parent_child")
    texts = corpus_texts(store)
    result = compare(
        runs,
        evaluation.questions,
        parent_lengths(store, parent_child),
        EvaluationContext(
            run_name=evaluation.run_name,
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            texts=texts,
            numba_cache=settings.home / "cache" / "numba",
            command="make run",
            settings={
                "model": profile.name,
                "max_tokens": profile.max_tokens,
                "document_prompt": profile.document_prompt,
                "query_prompt": profile.query_prompt,
                "dense_weight": settings.dense_weight,
                "candidates": settings.candidates,
                "child_max_tokens": settings.chunking.child_max_tokens,
                "parent_max_tokens": settings.chunking.parent_max_tokens,
                "children_per_parent": settings.chunking.children_per_parent,
                "lexical engine": "PostgreSQL ts_rank_cd",
            },
            versions={name: version(name) for name in _PACKAGES},
            hashes={
                "evaluation": evaluation.key,
                "corpus": sha256("\0".join(sorted(texts.values())).encode()).hexdigest(),
            },
        ),
    )
    write_json(result, evaluation.result_file)
    return result, False


def publish_report(result: EvaluationResult, settings: Settings) -> ReportFiles:
    """Write the report, make it the latest and renew the index."""
    files = write_report(result, settings.reports_dir)
    write_json(result, settings.reports_dir / LATEST)
    return files


def latest_result(reports: Path) -> EvaluationResult:
    """The result behind the latest report."""
    return read_json(EvaluationResult, reports / LATEST)


def _run_of(evaluation: Evaluation, strategy: Strategy) -> StrategyRun:
    file = evaluation.run_file(strategy)
    if not file.exists():
        raise EvaluationError(
            f"{strategy.name} has not answered these questions yet; materialise "
            f"{strategy.name}_result"
        )
    return read_json(StrategyRun, file)


def _lengths(store: TableStore, spec: TableSpec) -> Iterable[tuple[int, int]]:
    for partition in store.partitions():
        for row in store.read(spec, partition, ["token_count", "start", "end"]).to_pylist():
            yield row["token_count"], row["end"] - row["start"]
