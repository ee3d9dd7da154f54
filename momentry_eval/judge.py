"""Was the passage found, was what came back sufficient, and how much had to be read for it.

* A unit **finds** a span when they share at least half of the shorter one. A short fact inside a
  long parent and a short child inside a long passage both count; a brush at the border does not.
* What is read is **sufficient** when it covers at least 90 % of the gold characters.
* Both are judged at k units and at a budget of tokens. k alone flatters large units.
* **Reading rule** of a budget: in ranked order; text already read is free; the last unit is
  truncated where the budget ends.

Spans are judged at their best alternative; text read is a union, so nothing counts twice.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from momentry_eval.intervals import Interval, length, shared, uncovered, union
from momentry_eval.queries import Query
from momentry_eval.spans import Evidence, Passage
from momentry_eval.strategies import ReturnedUnit

CUTOFFS = (1, 3, 5, 10)
BUDGETS = (500, 1000, 2000, 4000)
FOUND_SHARE = 0.5
FOUND_CHARACTERS = 300
SUFFICIENT_SHARE = 0.9
# Other thresholds of *finds*, to show how much the figures hang on the definition.
OTHER_FOUND_SHARES = (0.25, 0.75, 1.0)
# Binary fractions: 0.9 of 10 characters is 9 characters, not 9.000000000000002.
_EPSILON = 1e-9

TokenMeasure = Callable[[ReturnedUnit, int, int], float]
"""Tokens of the slice ``[start, end)`` (document offsets) of a unit."""


def proportional_tokens(unit: ReturnedUnit, start: int, end: int) -> float:
    """Tokens of a slice, as its share of the unit's characters."""
    return unit.token_count * (end - start) / unit.characters


@dataclass(slots=True)
class TextRead:
    """What has been read: disjoint intervals by document, and what they cost."""

    intervals: dict[str, list[Interval]] = field(default_factory=dict[str, list[Interval]])
    tokens: float = 0.0

    def add(self, document_id: str, pieces: Iterable[Interval], tokens: float) -> None:
        """Read more of a document."""
        self.intervals[document_id] = union([*self.intervals.get(document_id, []), *pieces])
        self.tokens += tokens

    def new_in(self, unit: ReturnedUnit) -> list[Interval]:
        """The parts of a unit that were not read yet."""
        return uncovered(self.intervals.get(unit.document_id, []), unit.start, unit.end)

    def covered(self, place: Passage) -> int:
        """Characters of a place that were read."""
        read = self.intervals.get(place.document_id, [])
        return length(shared(read, place.start, place.end))

    @property
    def characters(self) -> int:
        """Characters read, each once."""
        return sum(length(intervals) for intervals in self.intervals.values())


def read_units(
    units: Iterable[ReturnedUnit], measure: TokenMeasure = proportional_tokens
) -> TextRead:
    """Read whole units in order; text already read is free."""
    read = TextRead()
    for unit in units:
        new = read.new_in(unit)
        read.add(unit.document_id, new, sum(measure(unit, *piece) for piece in new))
    return read


def read_budget(
    units: Iterable[ReturnedUnit],
    budget: int,
    measure: TokenMeasure = proportional_tokens,
    *,
    whole_units: bool = False,
) -> TextRead:
    """Read until a budget of tokens is spent.

    Args:
        units: best first.
        budget: tokens.
        measure: tokens of a slice of a unit.
        whole_units: stop before a unit that does not fit instead of truncating it.
    """
    read = TextRead()
    for unit in units:
        new = read.new_in(unit)
        costs = [measure(unit, *piece) for piece in new]
        left = budget - read.tokens + _EPSILON
        if sum(costs) <= left:
            read.add(unit.document_id, new, sum(costs))
            continue
        if not whole_units:
            for piece, cost in zip(new, costs, strict=True):
                if cost <= left:
                    read.add(unit.document_id, [piece], cost)
                    left -= cost
                    continue
                end = _affordable_end(unit, piece, left, measure)
                if end > piece[0]:
                    read.add(unit.document_id, [(piece[0], end)], measure(unit, piece[0], end))
                break
        break
    return read


def _affordable_end(unit: ReturnedUnit, piece: Interval, left: float, measure: TokenMeasure) -> int:
    """The last offset up to which a piece costs no more than is left."""
    low, high = piece
    while low < high:
        middle = (low + high + 1) // 2
        if measure(unit, piece[0], middle) <= left:
            low = middle
        else:
            high = middle - 1
    return low


def finds(unit: ReturnedUnit, place: Passage, share: float = FOUND_SHARE) -> bool:
    """Whether a unit finds a place: overlap of at least a share of the shorter of the two."""
    if unit.document_id != place.document_id:
        return False
    overlap = min(unit.end, place.end) - max(unit.start, place.start)
    shorter = min(unit.characters, place.end - place.start)
    return overlap > 0 and overlap >= share * shorter - _EPSILON


def first_rank(
    units: Sequence[ReturnedUnit], evidence: Evidence, share: float = FOUND_SHARE
) -> int | None:
    """Rank, from 1, of the first unit that finds any place of a span."""
    for rank, unit in enumerate(units, start=1):
        if any(finds(unit, place, share) for place in evidence.places):
            return rank
    return None


def covered_characters(read: TextRead, evidence: Evidence) -> int:
    """Gold characters of a span that were read, at its best alternative."""
    return max(read.covered(place) for place in evidence.places)


def coverage(read: TextRead, query: Query) -> float:
    """Share of a question's gold characters that were read."""
    covered = sum(covered_characters(read, evidence) for evidence in query.evidence)
    return covered / query.gold_characters


def is_sufficient(read: TextRead, query: Query) -> bool:
    """Whether at least 90 % of the gold characters were read."""
    return coverage(read, query) >= SUFFICIENT_SHARE - _EPSILON


def is_found_in(read: TextRead, evidence: Evidence) -> bool:
    """Whether at least half of a span, or of 300 characters of it, was read."""
    needed = FOUND_SHARE * min(evidence.characters, FOUND_CHARACTERS)
    return covered_characters(read, evidence) >= needed - _EPSILON


def span_figures(read: TextRead, query: Query) -> tuple[float, float, float]:
    """Recall, precision and IoU of the characters read against the gold spans.

    Reading a repeat of a gold text is no waste: precision counts every alternative.
    """
    covered = sum(covered_characters(read, evidence) for evidence in query.evidence)
    gold = query.gold_characters
    total = read.characters
    if total == 0:
        return 0.0, 0.0, 0.0
    places: dict[str, list[Interval]] = {}
    for evidence in query.evidence:
        for place in evidence.places:
            places.setdefault(place.document_id, []).append((place.start, place.end))
    relevant = sum(
        length(shared(read.intervals.get(document_id, []), start, end))
        for document_id, spans in places.items()
        for start, end in union(spans)
    )
    return covered / gold, relevant / total, covered / (total + gold - covered)


def judge(
    query: Query,
    units: Sequence[ReturnedUnit],
    measure: TokenMeasure = proportional_tokens,
) -> dict[str, float]:
    """Every figure of one question that needs no ranking metric.

    Keys: ``found@k``, ``all_found@k``, ``sufficient@k``, ``tokens@k``, ``found@<B>t``,
    ``sufficient@<B>t``, ``cover@<B>t``, ``span_recall@5``, ``span_precision@5``, ``span_iou@5``,
    and under other definitions ``found@5/<share>`` and ``sufficient@1000t/whole``.
    """
    figures: dict[str, float] = {}
    ranks = [first_rank(units, evidence) for evidence in query.evidence]
    for k in CUTOFFS:
        hits = [rank is not None and rank <= k for rank in ranks]
        read = read_units(units[:k], measure)
        figures[f"found@{k}"] = float(any(hits))
        figures[f"all_found@{k}"] = float(all(hits))
        figures[f"sufficient@{k}"] = float(is_sufficient(read, query))
        figures[f"tokens@{k}"] = read.tokens
        if k == 5:
            recall, precision, iou = span_figures(read, query)
            figures["span_recall@5"] = recall
            figures["span_precision@5"] = precision
            figures["span_iou@5"] = iou
    for budget in BUDGETS:
        read = read_budget(units, budget, measure)
        figures[f"found@{budget}t"] = float(any(is_found_in(read, e) for e in query.evidence))
        figures[f"sufficient@{budget}t"] = float(is_sufficient(read, query))
        figures[f"cover@{budget}t"] = coverage(read, query)
        figures[f"tokens@{budget}t"] = read.tokens
    for share in OTHER_FOUND_SHARES:
        hit = any(first_rank(units[:5], e, share) is not None for e in query.evidence)
        figures[f"found@5/{share:g}"] = float(hit)
    whole = read_budget(units, 1000, measure, whole_units=True)
    figures["sufficient@1000t/whole"] = float(is_sufficient(whole, query))
    return figures


def is_binary(metric: str) -> bool:
    """Whether a figure of one question is 0 or 1."""
    return metric.split("@")[0] in {"found", "all_found", "sufficient"}


def gold_tokens(query: Query, tokens_per_character: float) -> float:
    """Length of a question's gold in tokens, estimated from its characters."""
    return query.gold_characters * tokens_per_character


def attainable(
    queries: Iterable[Query], budgets: Sequence[int], tokens_per_character: float
) -> Mapping[int, int]:
    """How many questions can be sufficient at each budget at all."""
    lengths = [gold_tokens(query, tokens_per_character) for query in queries]
    return {
        budget: sum(SUFFICIENT_SHARE * tokens <= budget for tokens in lengths) for budget in budgets
    }
