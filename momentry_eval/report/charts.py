"""Geometry of the report's SVG charts. The template draws; colours are CSS."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from momentry_eval.judge import BUDGETS
from momentry_eval.lengths import LengthDistribution, ParentLengths
from momentry_eval.result import EvaluationResult, Figure

WIDTH, HEIGHT = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 14, 40


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis: position in the drawing and its label."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Point:
    """A figure with its interval in drawing units, and the words for its tooltip."""

    x: float
    y: float
    low: float
    high: float
    title: str
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One strategy: ``slot`` chooses its colour and mark."""

    name: str
    slot: int
    points: tuple[Point, ...]

    @property
    def path(self) -> str:
        """The polyline through its budgets; the hollow point at k = 5 is not on it."""
        return " ".join(f"{p.x:.1f},{p.y:.1f}" for p in self.points if not p.hollow)


@dataclass(frozen=True, slots=True)
class Panel:
    """A line chart."""

    title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """One bin of one distribution."""

    x: float
    y: float
    width: float
    height: float
    slot: int
    title: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars by bin, side by side for each distribution."""

    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    bars: tuple[Bar, ...]
    names: tuple[str, ...]


def quality_panels(result: EvaluationResult) -> tuple[Panel, ...]:
    """Found and sufficient against tokens read (logarithmic), with the k = 5 point hollow."""
    figures = [
        strategy.figures[f"{kind}@{budget}t"]
        for strategy in result.strategies
        for kind in ("found", "sufficient")
        for budget in BUDGETS
    ]
    at_five = [
        strategy.figures[f"{kind}@5"]
        for strategy in result.strategies
        for kind in ("found", "sufficient")
    ]
    floor = math.floor(10 * min(figure.low for figure in (*figures, *at_five))) / 10
    floor = min(floor, 0.9)
    tokens = [strategy.figures["tokens@5"].mean for strategy in result.strategies]
    least = max(50.0, min([float(BUDGETS[0]), *tokens]) / 1.3)
    most = max([float(BUDGETS[-1]), *tokens]) * 1.1

    def x_of(value: float) -> float:
        share = math.log(max(value, least) / least) / math.log(most / least)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y_of(value: float) -> float:
        return _y(value, floor, 1.0)

    def point(name: str, tokens: float, figure: Figure, label: str, *, hollow: bool) -> Point:
        words = f"{name}, {label}: {figure.mean:.1%} [{figure.low:.1%}, {figure.high:.1%}]"
        return Point(
            x_of(tokens), y_of(figure.mean), y_of(figure.low), y_of(figure.high), words, hollow
        )

    x_ticks = tuple(Tick(x_of(budget), f"{budget:,}") for budget in BUDGETS)
    steps = round((1.0 - floor) * 10)
    stride = 2 if steps > 6 else 1
    y_ticks = tuple(
        Tick(y_of(1.0 - step / 10), f"{100 - 10 * step}%") for step in range(0, steps + 1, stride)
    )
    panels: list[Panel] = []
    for kind, title in (
        ("found", "The passage is found"),
        ("sufficient", "What was read is sufficient"),
    ):
        lines: list[Line] = []
        for slot, strategy in enumerate(result.strategies):
            # A slot's points stand a little apart, or their intervals would hide each other.
            nudge = 1.0 + 0.03 * (slot - (len(result.strategies) - 1) / 2)
            points = [
                point(
                    strategy.name,
                    budget * nudge,
                    strategy.figures[f"{kind}@{budget}t"],
                    f"{budget:,} tokens",
                    hollow=False,
                )
                for budget in BUDGETS
            ]
            read = strategy.figures["tokens@5"].mean
            points.append(
                point(
                    strategy.name,
                    read,
                    strategy.figures[f"{kind}@5"],
                    f"five units, {read:,.0f} tokens",
                    hollow=True,
                )
            )
            lines.append(Line(strategy.name, slot, tuple(points)))
        panels.append(Panel(title, x_ticks, y_ticks, tuple(lines)))
    return tuple(panels)


def length_chart(lengths: ParentLengths) -> BarChart:
    """Shares of parents by length in tokens: as built beside as returned."""
    shown = [lengths.built] + ([lengths.returned] if lengths.returned else [])
    top = max((share for dist in shown for share in shares(dist)), default=0.0)
    ceiling = max(0.1, math.ceil(10 * top) / 10)
    bins = lengths.built.bins
    slot_width = (WIDTH - LEFT - RIGHT) / len(bins)
    width = slot_width * 0.8 / len(shown)
    bars: list[Bar] = []
    for slot, dist in enumerate(shown):
        for number, (share, one) in enumerate(zip(shares(dist), dist.bins, strict=True)):
            y = _y(share, 0.0, ceiling)
            bars.append(
                Bar(
                    x=LEFT + number * slot_width + slot_width * 0.1 + slot * width,
                    y=y,
                    width=width - 1,
                    height=HEIGHT - BOTTOM - y,
                    slot=slot,
                    title=f"{dist.name}, {one.label} tokens: {one.count} ({share:.1%})",
                )
            )
    # Labels at the borders of the bins: whole ranges would run into each other.
    x_ticks = tuple(
        Tick(LEFT + number * slot_width, f"{one.low:,}") for number, one in enumerate(bins)
    )
    steps = round(ceiling * 10)
    stride = 2 if steps > 5 else 1
    y_ticks = tuple(
        Tick(_y(step / 10, 0.0, ceiling), f"{10 * step}%") for step in range(0, steps + 1, stride)
    )
    return BarChart(x_ticks, y_ticks, tuple(bars), tuple(dist.name for dist in shown))


def shares(dist: LengthDistribution) -> Sequence[float]:
    """The share of each bin."""
    return [one.count / dist.count if dist.count else 0.0 for one in dist.bins]


def _y(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low)
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
