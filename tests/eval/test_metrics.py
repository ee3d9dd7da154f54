"""Rankings of evidence, and ranx against the definitions."""

import random
from math import log2
from pathlib import Path

import pytest

from momentry_assets.errors import EvaluationError
from momentry_eval.metrics import (
    ndcg,
    own_figures,
    rank_figures,
    ranked_evidence,
    recall,
    reciprocal_rank,
)
from tests.eval.worlds import query, unit


def test_a_unit_scores_when_it_is_the_first_to_find_a_span_and_fillers_keep_the_ranks() -> None:
    asked = query("q", ("d", 0, 100), ("d", 300, 400))
    units = [
        unit("x", 0, 100),
        unit("d", 0, 100),
        unit("d", 0, 100),
        unit("d", 0, 1000),
    ]
    assert ranked_evidence(asked, units) == ["miss:1", "q:0", "miss:3", "q:1"]
    assert ranked_evidence(asked, []) == ["miss:none"]


def test_ndcg_mrr_and_recall_by_hand() -> None:
    ranking, relevant = ["miss:1", "a", "miss:3", "b"], ["a", "b", "c"]
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert ndcg(ranking, relevant, 10) == pytest.approx((1 / log2(3) + 1 / log2(5)) / ideal)
    assert ndcg(ranking, relevant, 3) == pytest.approx((1 / log2(3)) / ideal)
    assert reciprocal_rank(ranking, relevant) == 0.5
    assert recall(ranking, relevant, 5) == pytest.approx(2 / 3)
    assert recall(ranking, relevant, 3) == pytest.approx(1 / 3)
    assert ndcg(["a"], ["a"], 10) == 1.0
    assert reciprocal_rank(["miss:1"], ["a"]) == 0.0


@pytest.mark.slow
def test_ranx_gives_the_figures_of_the_definition(numba_cache: Path) -> None:
    # `rank_figures` itself raises where the two differ; twelve ids sort q10 before q2.
    random_ = random.Random(5)
    relevant = {f"q{i}": [f"q{i}:{n}" for n in range(1 + i % 3)] for i in range(12)}
    rankings: dict[str, list[str]] = {}
    for query_id, ids in relevant.items():
        ranking = [*ids, *(f"miss:{n}" for n in range(20))]
        random_.shuffle(ranking)
        rankings[query_id] = ranking
    rankings["q3"] = ["miss:none"]
    shuffled = dict(reversed(rankings.items()))
    figures = rank_figures(shuffled, relevant, name="random", numba_cache=numba_cache)
    for query_id, ids in relevant.items():
        assert figures[query_id] == pytest.approx(own_figures(rankings[query_id], ids))
    assert set(figures["q3"].values()) == {0.0}
    # All rankings empty: ranx itself would fail.
    nothing = rank_figures(
        {"q1": ["miss:none"]}, {"q1": ["q1:0"]}, name="nothing", numba_cache=numba_cache
    )
    assert nothing["q1"]["mrr"] == 0.0


def test_questions_that_a_run_lacks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="q2"):
        rank_figures({"q1": ["a"]}, {"q1": ["a"], "q2": ["b"]}, name="x", numba_cache=tmp_path)
