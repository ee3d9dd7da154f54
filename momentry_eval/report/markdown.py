"""The result as Markdown for the Dagster UI and for a terminal.

The UI shows Markdown under 1,000 characters inline and hides longer ones behind a link, drops
raw HTML, and stores what it is given for ever: no text of the corpus goes into it.
"""

import base64

from momentry_eval.report.plots import lengths_png, quality_png
from momentry_eval.report.words import FAMILY_NAMES, METRIC_NAMES
from momentry_eval.result import EvaluationResult
from momentry_eval.verdict import p_text, points

SUMMARY_LIMIT = 1_000
_SUMMARY_METRICS = ("found@5", "sufficient@5", "found@1000t", "sufficient@1000t", "ndcg@10", "mrr")
# What fits the narrow column that the UI gives a value.
_INLINE_METRICS = ("found@5", "sufficient@5", "sufficient@1000t")
_SHORT_NAMES = {"sufficient@5": "suff@5", "sufficient@1000t": "suff@1k t"}


def summary(result: EvaluationResult) -> str:
    """The verdict and the table of strategies, under 1,000 characters."""
    names = [_SHORT_NAMES.get(metric, METRIC_NAMES[metric]) for metric in _INLINE_METRICS]
    lines = [
        f"**{str(result.verdict.overall).capitalize()}.** {result.verdict.sentence}",
        "",
        f"| n = {result.questions.judged} | " + " | ".join(names) + " | tokens@5 |",
        "|---|" + "--:|" * (len(names) + 1),
    ]
    for strategy in result.strategies:
        cells = [_value(strategy.figures[metric].mean, metric) for metric in _INLINE_METRICS]
        tokens = f"{strategy.figures['tokens@5'].mean:,.0f}"
        line = f"| {strategy.name} | " + " | ".join([*cells, tokens]) + " |"
        if len("\n".join([*lines, line])) < SUMMARY_LIMIT:
            lines.append(line)
    return "\n".join(lines)


def report(result: EvaluationResult) -> str:
    """The whole result without corpus texts, plots embedded as base64."""
    parts = [
        f"## {str(result.verdict.overall).capitalize()}",
        result.verdict.sentence,
        result.verdict.price,
        f"{result.questions.judged} questions from {result.questions.documents} documents; "
        f"{len(result.questions.unanswerable)} without an answer in the corpus and "
        f"{len(result.questions.excluded)} with lost evidence are in no figure; "
        f"{len(result.questions.reanchored)} spans had moved.",
        "\n".join(
            f"- **{claim.wording}**: {claim.statement}. {claim.sentence}"
            for claim in (*result.claims, *result.guards)
        ),
        "### Strategies",
        _strategy_table(result),
        _image("quality against tokens read", quality_png(result)),
        "### Paired comparisons (points)",
        _paired_table(result),
        "### Parent lengths",
        _lengths_table(result),
        _image("parent lengths", lengths_png(result.lengths)),
    ]
    return "\n\n".join(part for part in parts if part)


def _strategy_table(result: EvaluationResult) -> str:
    names = [METRIC_NAMES[metric] for metric in _SUMMARY_METRICS]
    lines = [
        "| strategy | " + " | ".join(names) + " | tokens read for 5 units |",
        "|---|" + "--:|" * (len(names) + 1),
    ]
    for strategy in result.strategies:
        cells = [
            f"{_value(figure.mean, metric)} "
            f"[{_value(figure.low, metric)}, {_value(figure.high, metric)}]"
            for metric in _SUMMARY_METRICS
            for figure in [strategy.figures[metric]]
        ]
        tokens = f"{strategy.figures['tokens@5'].mean:,.0f}"
        lines.append(f"| {strategy.name} | " + " | ".join([*cells, tokens]) + " |")
    return "\n".join(lines)


def _paired_table(result: EvaluationResult) -> str:
    lines = [
        "| family | metric | a − b | difference | 95 % | better/equal/worse | Holm p "
        "| visible from |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    lines.extend(
        f"| {FAMILY_NAMES[c.family].split(':')[0].split(',')[0]} "
        f"| {METRIC_NAMES.get(c.metric, c.metric)} | {c.a} − {c.b} "
        f"| {points(c.difference)} | [{points(c.low)}, {points(c.high)}] "
        f"| {c.wins}/{c.ties}/{c.losses} | {p_text(c.holm_p).removeprefix('= ')} "
        f"| {100 * c.visible:.1f} |"
        for c in result.comparisons
    )
    return "\n".join(lines)


def _lengths_table(result: EvaluationResult) -> str:
    lengths = result.lengths
    lines = [
        "| tokens | count | mean | p50 | p90 | p95 | max |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for dist in (lengths.built, lengths.returned, lengths.children):
        if dist is not None:
            t = dist.tokens
            lines.append(
                f"| {dist.name} | {dist.count:,} | {t.mean:,.0f} | {t.p50} | {t.p90} | {t.p95} "
                f"| {t.max} |"
            )
    return "\n".join(lines)


def _image(name: str, png: bytes) -> str:
    return f"![{name}](data:image/png;base64,{base64.b64encode(png).decode('ascii')})"


def _value(value: float, metric: str) -> str:
    return f"{value:.3f}" if metric in {"ndcg@10", "mrr"} else f"{value:.1%}"
