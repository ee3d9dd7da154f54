"""A strategy asks every question the same way and keeps what came back."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from momentry_assets.errors import EvaluationError
from momentry_assets.model import Level
from momentry_assets.search.results import SearchRequest, SearchResponse, SearchResult
from momentry_eval.records import read_json, write_json
from momentry_eval.strategies import STRATEGIES, StrategyRun, run_strategy
from tests.eval.worlds import query


def result(chunk_id: str, start: int, end: int, score: float) -> SearchResult:
    return SearchResult(
        chunk_id=chunk_id,
        document_id="d",
        collection="docs",
        document_title="",
        document_type="markdown",
        tags=(),
        section_hierarchy=(),
        text="x" * (end - start),
        start=start,
        end=end,
        start_ms=None,
        end_ms=None,
        token_count=(end - start) // 4,
        chunk_index=0,
        total_chunks=1,
        score=score,
        matches=(),
    )


class PlannedSearch:
    """Answers with planned results and remembers what it was asked."""

    def __init__(self, results: Sequence[SearchResult]) -> None:
        self.results = tuple(results)
        self.asked: list[SearchRequest] = []

    def __call__(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        self.asked.extend(requests)
        seconds = {"embed": 0.25, "dense": 0.5}
        return [SearchResponse(request, self.results, "and", seconds, 1) for request in requests]


def test_the_three_strategies_match_and_read_the_levels_of_their_names() -> None:
    levels = {name: (s.match, s.read) for name, s in STRATEGIES.items()}
    assert levels == {
        "parent_child": (Level.CHILD, Level.PARENT),
        "single_small": (Level.CHILD, Level.CHILD),
        "single_large": (Level.PARENT, Level.PARENT),
    }


@pytest.mark.parametrize("name", list(STRATEGIES))
def test_every_question_is_asked_once_with_the_same_depth(name: str, tmp_path: Path) -> None:
    search = PlannedSearch([result("c1", 0, 400, 0.9), result("c2", 400, 800, 0.8)])
    queries = [query(f"q{i:02}", ("d", 0, 100)) for i in range(70)]
    run = run_strategy(STRATEGIES[name], queries, search)
    assert [(r.query, r.k, r.match, r.read) for r in search.asked] == [
        (q.query, 100, STRATEGIES[name].match, STRATEGIES[name].read) for q in queries
    ]
    first = run.queries[0]
    assert (first.query_id, first.seconds) == ("q00", 0.75)
    assert [(u.chunk_id, u.token_count, u.characters) for u in first.units] == [
        ("c1", 100, 400),
        ("c2", 100, 400),
    ]
    assert run.missing_parents == 70
    write_json(run, tmp_path / "run.json")
    assert read_json(StrategyRun, tmp_path / "run.json") == run


def test_a_score_that_is_no_number_is_refused() -> None:
    search = PlannedSearch([result("c1", 0, 400, float("nan"))])
    with pytest.raises(EvaluationError, match="c1 is nan"):
        run_strategy(STRATEGIES["parent_child"], [query("q", ("d", 0, 9))], search)


def test_more_units_than_asked_for_are_refused() -> None:
    search = PlannedSearch([result(f"c{i}", 0, 400, 0.5) for i in range(11)])
    with pytest.raises(EvaluationError, match="asked for 10 units, got 11"):
        run_strategy(STRATEGIES["parent_child"], [query("q", ("d", 0, 9))], search, depth=10)
