"""How long parents are: as built, and as the evaluation returned them.

Parents that are returned are longer than those built, since long ones have more chances to
match; the reading budget must be planned for what is returned (source 002).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from momentry_eval.strategies import StrategyRun

BIN_STARTS = (0, 100, 200, 300, 400, 600, 800, 1200, 2000)
# Parents hardly longer than their children add nothing but a store and a join.
SHORT_RATIO = 1.5


@dataclass(frozen=True, slots=True)
class LengthFigures:
    """Nearest-rank percentiles: every figure is a length that occurs. All 0 without lengths."""

    p50: int
    p90: int
    p95: int
    max: int
    mean: float


@dataclass(frozen=True, slots=True)
class LengthBin:
    """How many units have ``low <= tokens < high``; ``high`` None is open."""

    low: int
    high: int | None
    count: int

    @property
    def label(self) -> str:
        """For example ``100–200`` or ``2000+``."""
        return f"{self.low}+" if self.high is None else f"{self.low}–{self.high}"


@dataclass(frozen=True, slots=True)
class LengthDistribution:
    """Lengths of a set of units, in tokens and characters."""

    name: str
    count: int
    tokens: LengthFigures
    characters: LengthFigures
    bins: tuple[LengthBin, ...]


@dataclass(frozen=True, slots=True)
class ParentLengths:
    """Parents as built, children as built (None when not known), parents as returned at k = 5."""

    built: LengthDistribution
    children: LengthDistribution | None = None
    returned: LengthDistribution | None = None

    @property
    def documents_are_short(self) -> bool:
        """Whether the typical parent is hardly longer than the typical child."""
        if self.children is None or self.children.count == 0:
            return False
        return self.built.tokens.p50 < SHORT_RATIO * self.children.tokens.p50


def distribution(name: str, lengths: Iterable[tuple[int, int]]) -> LengthDistribution:
    """The distribution of ``(tokens, characters)`` of units."""
    pairs = list(lengths)
    tokens = sorted(pair[0] for pair in pairs)
    characters = sorted(pair[1] for pair in pairs)
    ends: tuple[int | None, ...] = (*BIN_STARTS[1:], None)
    bins = tuple(
        LengthBin(low, high, sum(low <= n and (high is None or n < high) for n in tokens))
        for low, high in zip(BIN_STARTS, ends, strict=True)
    )
    return LengthDistribution(name, len(pairs), _figures(tokens), _figures(characters), bins)


def returned_lengths(run: StrategyRun, k: int = 5) -> LengthDistribution:
    """Lengths of the first k units of every answer; a unit returned twice counts twice."""
    return distribution(
        f"{run.strategy.name} as returned, k = {k}",
        ((unit.token_count, unit.characters) for query in run.queries for unit in query.units[:k]),
    )


def percentile(ordered: Sequence[float], share: float) -> float:
    """The nearest-rank percentile of sorted values; 0 without values."""
    if not ordered:
        return 0
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _figures(ordered: list[int]) -> LengthFigures:
    if not ordered:
        return LengthFigures(0, 0, 0, 0, 0.0)
    return LengthFigures(
        p50=int(percentile(ordered, 0.5)),
        p90=int(percentile(ordered, 0.9)),
        p95=int(percentile(ordered, 0.95)),
        max=ordered[-1],
        mean=sum(ordered) / len(ordered),
    )
