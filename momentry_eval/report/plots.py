"""The report's plots as PNG for the Dagster UI, which shows no SVG of its own and scales nothing:
7 x 3.2 inches at 100 dpi is exactly the width of its dialog."""

import io
from typing import TYPE_CHECKING

from momentry_eval.judge import BUDGETS
from momentry_eval.lengths import ParentLengths
from momentry_eval.report.charts import shares
from momentry_eval.result import EvaluationResult, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

SIZE_INCHES = (7.0, 3.2)
DPI = 100
_COLOURS = ("#1f62c4", "#b4530a", "#0e7a63", "#8a3fa8", "#a3263c", "#596273")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_INK = "#1b1f27"
_GRID = "#d8dce3"


def quality_png(result: EvaluationResult) -> bytes:
    """Found and sufficient against tokens read; hollow marks are five units."""
    canvas = _canvas()
    panels = canvas.subplots(1, 2, sharey=True)
    for axes, (kind, title) in zip(
        panels,
        (("found", "the passage is found"), ("sufficient", "what was read is sufficient")),
        strict=True,
    ):
        for slot, strategy in enumerate(result.strategies):
            colour = _COLOURS[slot % len(_COLOURS)]
            marker = _MARKERS[slot % len(_MARKERS)]
            figures = [strategy.figures[f"{kind}@{budget}t"] for budget in BUDGETS]
            nudge = 1.0 + 0.03 * (slot - (len(result.strategies) - 1) / 2)
            axes.errorbar(
                [budget * nudge for budget in BUDGETS],
                [100 * figure.mean for figure in figures],
                yerr=_whiskers(figures),
                color=colour,
                marker=marker,
                markersize=5,
                linewidth=1.6,
                elinewidth=0.9,
                label=strategy.name,
            )
            at_five = strategy.figures[f"{kind}@5"]
            axes.plot(
                [strategy.figures["tokens@5"].mean],
                [100 * at_five.mean],
                marker=marker,
                markersize=6,
                markerfacecolor="white",
                color=colour,
                linestyle="none",
            )
        axes.set_xscale("log")
        axes.set_xticks(BUDGETS, [f"{budget:,}" for budget in BUDGETS])
        axes.minorticks_off()
        axes.set_title(title, fontsize=9.5, color=_INK)
        axes.set_xlabel("tokens read", fontsize=8.5)
        _style(axes)
    panels[0].set_ylabel("% of questions", fontsize=8.5)
    panels[1].legend(fontsize=8, frameon=False, loc="lower right")
    return _png(canvas)


def lengths_png(lengths: ParentLengths) -> bytes:
    """Histogram of parent lengths in tokens: as built, and as returned where known."""
    canvas = _canvas()
    axes = canvas.subplots()
    shown = [lengths.built] + ([lengths.returned] if lengths.returned else [])
    width = 0.8 / len(shown)
    for slot, dist in enumerate(shown):
        axes.bar(
            [number - 0.4 + width * (slot + 0.5) for number in range(len(dist.bins))],
            [100 * share for share in shares(dist)],
            width=width * 0.95,
            color=_COLOURS[slot],
            label=f"{dist.name} (p50 {dist.tokens.p50}, p95 {dist.tokens.p95})",
        )
    axes.set_xticks(range(len(lengths.built.bins)), [one.label for one in lengths.built.bins])
    axes.set_xlabel("tokens of a parent", fontsize=8.5)
    axes.set_ylabel("% of parents", fontsize=8.5)
    axes.legend(fontsize=8, frameon=False)
    _style(axes)
    return _png(canvas)


def _whiskers(figures: list[Figure]) -> list[list[float]]:
    return [
        [100 * max(0.0, figure.mean - figure.low) for figure in figures],
        [100 * max(0.0, figure.high - figure.mean) for figure in figures],
    ]


def _canvas() -> "Canvas":
    # Importing matplotlib takes a second. `Figure` in place of pyplot: no global state, no
    # display, safe in Dagster's threads.
    from matplotlib.figure import Figure as Canvas

    return Canvas(figsize=SIZE_INCHES, dpi=DPI, layout="constrained", facecolor="white")


def _style(axes: "Axes") -> None:
    axes.grid(visible=True, axis="y", color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8, colors=_INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _png(canvas: "Canvas") -> bytes:
    buffer = io.BytesIO()
    canvas.savefig(buffer, format="png", dpi=DPI)
    return buffer.getvalue()
