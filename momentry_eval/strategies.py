"""What is compared, and how a strategy answers the questions.

A strategy says which level is matched and which is read. All of them run over the same children
and parents, the same embedder and the same stores, with the same number of units asked for.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from momentry_assets.errors import EvaluationError
from momentry_assets.model import Level
from momentry_assets.search.results import SearchRequest, SearchResponse, SearchResult
from momentry_eval.queries import Query

# Deep enough to fill 4,000 tokens with 40-token children; the same for every strategy.
DEPTH = 100
_BATCH = 32

Search = Callable[[Sequence[SearchRequest]], list[SearchResponse]]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to search: what is matched, what is handed over."""

    name: str
    match: Level
    read: Level
    description: str


PARENT_CHILD = Strategy(
    "parent_child", Level.CHILD, Level.PARENT, "match the fragment, read its parent"
)
SINGLE_SMALL = Strategy(
    "single_small", Level.CHILD, Level.CHILD, "one index at the child size: match and read children"
)
SINGLE_LARGE = Strategy(
    "single_large",
    Level.PARENT,
    Level.PARENT,
    "one index at the parent size: match and read parents",
)
STRATEGIES = {s.name: s for s in (PARENT_CHILD, SINGLE_SMALL, SINGLE_LARGE)}


@dataclass(frozen=True, slots=True)
class ReturnedUnit:
    """One read unit as the search returned it. ``start`` and ``end`` are code points."""

    chunk_id: str
    document_id: str
    start: int
    end: int
    token_count: int
    score: float

    @property
    def characters(self) -> int:
        """Length of its text."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class QueryRun:
    """The units returned for one question, best first, and the seconds it took."""

    query_id: str
    units: tuple[ReturnedUnit, ...]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class StrategyRun:
    """All answers of one strategy.

    Attributes:
        depth: how many units each question asked for.
        dense_weight: share of the dense channel.
        queries: by query id.
        missing_parents: how often a fragment stood in for its lost parent.
    """

    strategy: Strategy
    depth: int
    dense_weight: float
    queries: tuple[QueryRun, ...]
    missing_parents: int = 0


def run_strategy(
    strategy: Strategy,
    queries: Iterable[Query],
    search: Search,
    *,
    depth: int = DEPTH,
    dense_weight: float = 0.7,
    collections: tuple[str, ...] = (),
) -> StrategyRun:
    """Ask every question under a strategy.

    Args:
        strategy: what is matched and read.
        queries: the questions; order does not matter.
        search: answers several requests, in their order (`Searcher.search_many`).
        depth: units asked for, at least 10.
        dense_weight: share of the dense channel.
        collections: search only these, all when empty.

    Raises:
        EvaluationError: when the search returns what cannot be judged.
    """
    if depth < 10:
        raise EvaluationError(f"depth is {depth}; nDCG@10 needs at least 10 units a question")
    asked = sorted(queries, key=lambda query: query.query_id)
    runs: list[QueryRun] = []
    missing = 0
    for first in range(0, len(asked), _BATCH):
        batch = asked[first : first + _BATCH]
        requests = [
            SearchRequest(
                query=query.query,
                k=depth,
                match=strategy.match,
                read=strategy.read,
                dense_weight=dense_weight,
                collections=collections,
                document_id=query.scope_document_id,
            )
            for query in batch
        ]
        responses = search(requests)
        if len(responses) != len(requests):
            raise EvaluationError(
                f"{strategy.name}: {len(requests)} requests got {len(responses)} responses"
            )
        for query, response in zip(batch, responses, strict=True):
            where = f"{strategy.name}: query {query.query_id}"
            if len(response.results) > depth:
                raise EvaluationError(
                    f"{where}: asked for {depth} units, got {len(response.results)}"
                )
            units = tuple(_unit(result, where) for result in response.results)
            runs.append(QueryRun(query.query_id, units, sum(response.seconds.values())))
            missing += response.missing_parents
    return StrategyRun(strategy, depth, dense_weight, tuple(runs), missing)


def _unit(result: SearchResult, where: str) -> ReturnedUnit:
    # A NaN would be ranked somewhere, silently; an empty unit divides by zero later.
    if not math.isfinite(result.score):
        raise EvaluationError(f"{where}: score of {result.chunk_id} is {result.score}")
    if result.end <= result.start or result.token_count < 0:
        raise EvaluationError(
            f"{where}: {result.chunk_id} spans [{result.start}, {result.end}) "
            f"with {result.token_count} tokens; chunks must not be empty"
        )
    return ReturnedUnit(
        result.chunk_id,
        result.document_id,
        result.start,
        result.end,
        result.token_count,
        result.score,
    )
