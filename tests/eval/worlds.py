"""Planted worlds: questions, units and answers of which the right figures are known."""

from collections.abc import Sequence

from momentry_assets.model import Level
from momentry_eval.lengths import ParentLengths, distribution
from momentry_eval.queries import Query, QuerySet
from momentry_eval.spans import Evidence, Passage
from momentry_eval.strategies import STRATEGIES, QueryRun, ReturnedUnit, Strategy, StrategyRun

CHARACTERS_PER_TOKEN = 4


def unit(
    document_id: str, start: int, end: int, score: float = 1.0, tokens: int | None = None
) -> ReturnedUnit:
    count = (end - start) // CHARACTERS_PER_TOKEN if tokens is None else tokens
    return ReturnedUnit(f"{document_id}#{start}-{end}", document_id, start, end, count, score)


def query(query_id: str, *places: tuple[str, int, int], kind: str = "fact") -> Query:
    evidence = tuple(
        Evidence(f"{query_id}:{n}", "x" * (end - start), (Passage(document_id, start, end),))
        for n, (document_id, start, end) in enumerate(places)
    )
    return Query(query_id, f"What about {query_id}?", kind, evidence)


def query_set(queries: Sequence[Query]) -> QuerySet:
    return QuerySet("queries.jsonl", "0" * 64, tuple(queries))


def run_of(
    strategy: Strategy, answers: dict[str, list[ReturnedUnit]], seconds: float = 0.01
) -> StrategyRun:
    return StrategyRun(
        strategy,
        100,
        0.7,
        tuple(QueryRun(query_id, tuple(units), seconds) for query_id, units in answers.items()),
    )


class World:
    """``documents`` texts of ten parents (1,600 characters) of five children (320) each.

    Question i asks for two neighbouring children of one parent. ``hits`` says by strategy for
    which questions the right unit comes first; otherwise units of other documents come.
    """

    def __init__(
        self, questions: int, documents: int, hits: dict[str, set[int]], parent: int = 1600
    ) -> None:
        self.parent, self.child = parent, min(320, parent)
        self.queries = [
            query(f"q{i:03}", (f"docs/{i % documents}.md", *self.gold(i)), kind=kind)
            for i in range(questions)
            for kind in [("fact", "thematic", "balanced")[i % 3]]
        ]
        self.texts = {f"docs/{d}.md": "word " * 3200 for d in range(documents)}
        self.texts["docs/none.md"] = "none " * 32000
        self.runs = [
            run_of(
                STRATEGIES[name],
                {
                    q.query_id: self.answer(STRATEGIES[name], i, right=i in hits[name])
                    for i, q in enumerate(self.queries)
                },
            )
            for name in ("parent_child", "single_small", "single_large")
        ]
        parents = [(parent // 4, parent)] * 10
        self.lengths = ParentLengths(
            distribution("parents as built", parents),
            distribution("children as built", [(self.child // 4, self.child)] * 50),
        )

    def gold(self, i: int) -> tuple[int, int]:
        start = self.parent * (i % 7)
        return start, start + min(640, self.parent)

    def answer(self, strategy: Strategy, i: int, *, right: bool) -> list[ReturnedUnit]:
        document_id = self.queries[i].evidence[0].places[0].document_id
        start, _ = self.gold(i)
        size = self.parent if strategy.read is Level.PARENT else self.child
        wrong = [unit("docs/none.md", n * size, (n + 1) * size) for n in range(20)]
        return [unit(document_id, start, start + size), *wrong] if right else wrong
