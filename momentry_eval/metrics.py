"""Ranking metrics with strategy-independent judgements, by ranx.

The "documents" are evidence ids, so the judgements are the same for every way of chunking; the
ranking of a question is, in unit order, the spans that each unit is the first to find, with a
filler ``miss:<rank>`` for a unit that finds nothing new. ranx has silent traps (ties in any
order, plain dicts compared by position, empty runs); the ranking handed to it avoids them, and
every figure is checked against the thirty lines below.
"""

import math
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from momentry_assets.errors import EvaluationError
from momentry_eval.judge import first_rank
from momentry_eval.queries import Query
from momentry_eval.strategies import ReturnedUnit

RANK_METRICS = ("ndcg@10", "mrr", "recall@5", "recall@10")
_TOLERANCE = 1e-6

Ranking = Sequence[str]


def ranked_evidence(query: Query, units: Sequence[ReturnedUnit]) -> list[str]:
    """The ranking of one question; never empty, since ranx fails when all rankings are."""
    found: dict[int, list[str]] = {}
    for evidence in query.evidence:
        rank = first_rank(units, evidence)
        if rank is not None:
            found.setdefault(rank, []).append(evidence.evidence_id)
    ranking: list[str] = []
    for rank in range(1, len(units) + 1):
        ranking.extend(sorted(found.get(rank, [f"miss:{rank}"])))
    return ranking or ["miss:none"]


def ndcg(ranking: Ranking, relevant: Sequence[str], k: int) -> float:
    """Normalised discounted cumulative gain with binary grades."""
    wanted = set(relevant)
    gain = sum(
        1 / math.log2(rank + 1) for rank, name in enumerate(ranking[:k], 1) if name in wanted
    )
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))
    return gain / ideal


def reciprocal_rank(ranking: Ranking, relevant: Sequence[str]) -> float:
    """1 / rank of the first relevant entry, 0 without one."""
    wanted = set(relevant)
    return next((1 / rank for rank, name in enumerate(ranking, 1) if name in wanted), 0.0)


def recall(ranking: Ranking, relevant: Sequence[str], k: int) -> float:
    """Share of the relevant entries among the first k."""
    return len(set(ranking[:k]) & set(relevant)) / len(set(relevant))


def own_figures(ranking: Ranking, relevant: Sequence[str]) -> dict[str, float]:
    """`RANK_METRICS` of one question without ranx."""
    return {
        "ndcg@10": ndcg(ranking, relevant, 10),
        "mrr": reciprocal_rank(ranking, relevant),
        "recall@5": recall(ranking, relevant, 5),
        "recall@10": recall(ranking, relevant, 10),
    }


def rank_figures(
    rankings: Mapping[str, Ranking],
    relevant: Mapping[str, Sequence[str]],
    *,
    name: str,
    numba_cache: Path,
) -> dict[str, dict[str, float]]:
    """`RANK_METRICS` of every question, by ranx.

    Args:
        rankings: evidence ids and fillers by query id, best first.
        relevant: evidence ids by query id.
        name: of the strategy.
        numba_cache: kept, writable folder for compiled code, unless ``NUMBA_CACHE_DIR`` names
            one; without it every process would compile for more than a minute.

    Returns:
        Figures by query id.

    Raises:
        EvaluationError: when the two do not cover the same questions, a question has no
            evidence, or ranx and our own computation disagree.
    """
    if not relevant:
        raise EvaluationError("there is no question to judge")
    if rankings.keys() != relevant.keys():
        odd = ", ".join(sorted(rankings.keys() ^ relevant.keys())[:5])
        raise EvaluationError(f"{name}: rankings and evidence differ in the questions {odd}")
    empty = sorted(query_id for query_id, ids in relevant.items() if not ids)
    if empty:
        raise EvaluationError(f"{name}: no evidence for {', '.join(empty[:5])}")
    scores = _by_ranx(rankings, relevant, name, numba_cache)
    figures: dict[str, dict[str, float]] = {}
    for query_id, ranking in rankings.items():
        expected = own_figures(ranking, relevant[query_id])
        figures[query_id] = {m: scores[m][query_id] for m in RANK_METRICS}
        for metric, value in expected.items():
            if abs(figures[query_id][metric] - value) > _TOLERANCE:
                raise EvaluationError(
                    f"{name}: query {query_id}: {metric} is {figures[query_id][metric]:.6f} by "
                    f"ranx and {value:.6f} by definition; report this with the ranx version"
                )
    return figures


def _by_ranx(
    rankings: Mapping[str, Ranking],
    relevant: Mapping[str, Sequence[str]],
    name: str,
    numba_cache: Path,
) -> Mapping[str, Mapping[str, float]]:
    if "NUMBA_CACHE_DIR" not in os.environ:
        numba_cache.mkdir(parents=True, exist_ok=True)
        os.environ["NUMBA_CACHE_DIR"] = str(numba_cache)
    if "numba" in sys.modules:
        # Somebody imported numba before us, when the variable was not set yet.
        sys.modules["numba"].config.reload_config()
    import numba
    from numba.core.errors import NumbaTypeSafetyWarning
    from ranx import Qrels, Run, evaluate

    # ranx compiles anew for every length of an id, so ids of one length stand for ours.
    ids = {query_id: f"q{number:07}" for number, query_id in enumerate(sorted(relevant))}
    judgements: dict[str, dict[str, int]] = {}
    scores: dict[str, dict[str, float]] = {}
    for query_id, short in ids.items():
        ranking = rankings[query_id]
        entries = sorted({*ranking, *relevant[query_id]})
        names = {entry: f"e{number:07}" for number, entry in enumerate(entries)}
        judgements[short] = dict.fromkeys((names[entry] for entry in relevant[query_id]), 1)
        # Strictly decreasing scores: ranx sorts ties in any order.
        scores[short] = {names[entry]: float(len(ranking) - at) for at, entry in enumerate(ranking)}
    run = Run(scores, name=name)
    threads = numba.get_num_threads()
    try:
        with warnings.catch_warnings():
            # Its own casts of integer grades; every figure is compared with ours afterwards.
            warnings.simplefilter("ignore", NumbaTypeSafetyWarning)
            evaluate(Qrels(judgements), run, list(RANK_METRICS))
    finally:
        # With fewer than ten questions ranx leaves the whole process at one thread.
        numba.set_num_threads(threads)
    return {
        metric: {query_id: float(run.scores[metric][short]) for query_id, short in ids.items()}
        for metric in RANK_METRICS
    }
