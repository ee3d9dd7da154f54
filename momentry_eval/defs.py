"""The evaluation as Dagster assets: questions, one result a strategy, comparison, report."""

import base64
from typing import Any

# Dagster leaves MaterializeResult generic; subscripting it changes how results are read.
# pyright: reportMissingTypeArgument=false, reportUnknownParameterType=false
import dagster as dg

from momentry_assets.defs.metadata import markdown_table
from momentry_assets.defs.resources import (
    EncoderResource,
    SettingsResource,
    StoresResource,
    TableStoreResource,
)
from momentry_eval.report.inline import lengths_inline
from momentry_eval.report.markdown import report as report_markdown
from momentry_eval.report.markdown import summary
from momentry_eval.report.plots import lengths_png
from momentry_eval.result import EvaluationResult
from momentry_eval.stage import (
    EVALUATION_VERSION,
    answer,
    compare_strategies,
    current_evaluation,
    parent_lengths,
    publish_report,
)
from momentry_eval.strategies import PARENT_CHILD, STRATEGIES, Strategy

GROUP = "evaluation"
OWNERS = ["team:momentry"]
_INDEXES = ["postgres_index", "qdrant_index"]
# Short keys: the UI gives the values the width that the longest key leaves.
_SUFFIXES = {"parent_child": "", "single_small": "_small", "single_large": "_large"}
_PLOTTED = ("found@5", "sufficient@5", "found@1000t", "sufficient@1000t", "ndcg@10", "mrr")


@dg.asset(deps=["raw_segments", *_INDEXES], group_name=GROUP, kinds={"json"}, owners=OWNERS)
def eval_queries(
    context: dg.AssetExecutionContext,
    settings: SettingsResource,
    tables: TableStoreResource,
    stores: StoresResource,
    encoder: EncoderResource,
) -> dg.MaterializeResult:
    """The questions, their gold evidence verified against the canonical texts.

    Evidence that moved is found again and said so; a question whose evidence is gone is excluded
    and said so.
    """
    with stores.open() as opened:
        evaluation = current_evaluation(settings.load(), tables.open(), opened, encoder.profile())
    questions = evaluation.questions
    for problem in (*questions.reanchored, *questions.excluded):
        context.log.warning(f"line {problem.line}: {problem.query_id}: {problem.message}")
    kinds = [query.kind for query in questions.queries]
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(questions.queries),
            "unanswerable": len(questions.unanswerable),
            "reanchored": len(questions.reanchored),
            "excluded": len(questions.excluded),
            **{f"kind_{kind}": kinds.count(kind) for kind in sorted(set(kinds))},
            "file": dg.MetadataValue.path(settings.load().queries),
        }
    )


def _strategy_result(strategy: Strategy) -> dg.AssetsDefinition:
    @dg.asset(
        name=f"{strategy.name}_result",
        description=f"Answers of the strategy {strategy.name}: {strategy.description}.",
        deps=[eval_queries, *_INDEXES],
        group_name=GROUP,
        kinds={"json"},
        owners=OWNERS,
        code_version=str(EVALUATION_VERSION),
        pool="embedded_stores",
    )
    def result(
        settings: SettingsResource,
        tables: TableStoreResource,
        stores: StoresResource,
        encoder: EncoderResource,
    ) -> dg.MaterializeResult:
        current = settings.load()
        with stores.open() as opened:
            evaluation = current_evaluation(current, tables.open(), opened, encoder.profile())
            run, unchanged = answer(evaluation, strategy, current, opened, encoder.open())
        seconds = sorted(query.seconds for query in run.queries)
        return dg.MaterializeResult(
            metadata={
                "dagster/row_count": len(run.queries),
                "unchanged": int(unchanged),
                "units_returned": sum(len(query.units) for query in run.queries),
                "missing_parents": run.missing_parents,
                "seconds_p50": round(float(seconds[len(seconds) // 2]), 4) if seconds else 0.0,
            }
        )

    return result


@dg.asset(
    deps=[f"{name}_result" for name in STRATEGIES],
    group_name=GROUP,
    kinds={"json"},
    owners=OWNERS,
    code_version=str(EVALUATION_VERSION),
)
def strategy_comparison(
    context: dg.AssetExecutionContext,
    settings: SettingsResource,
    tables: TableStoreResource,
    stores: StoresResource,
    encoder: EncoderResource,
) -> dg.MaterializeResult:
    """Parent/child against both single-level indexes on the same questions, with intervals."""
    result, unchanged = _compared(settings, tables, stores, encoder)
    context.log.info(f"{result.verdict.overall}: {result.verdict.sentence}")
    # Metrics as lines: the UI cuts a wide table off.
    lines = {
        name: {
            strategy.name: f"{strategy.figures[name].mean:.3f}" for strategy in result.strategies
        }
        for name in (*_PLOTTED, "tokens@5")
    }
    return dg.MaterializeResult(
        metadata={
            "summary": dg.MetadataValue.md(summary(result)),
            "strategies": dg.MetadataValue.md(markdown_table("metric", lines)),
            "questions": result.questions.judged,
            **{
                f"{_metric_key(name)}{_SUFFIXES[strategy.name]}": round(
                    float(strategy.figures[name].mean), 4
                )
                for name in (*_PLOTTED, "tokens@5")
                for strategy in result.strategies
            },
            "unchanged": int(unchanged),
        }
    )


@dg.asset(
    deps=["parent_chunks", f"{PARENT_CHILD.name}_result"],
    group_name=GROUP,
    kinds={"json"},
    owners=OWNERS,
)
def parent_length_distribution(
    settings: SettingsResource,
    tables: TableStoreResource,
    stores: StoresResource,
    encoder: EncoderResource,
) -> dg.MaterializeResult:
    """How long the parents are, as built and as returned: what a reader pays."""
    current = settings.load()
    with stores.open() as opened:
        evaluation = current_evaluation(current, tables.open(), opened, encoder.profile())
        run, _ = answer(evaluation, PARENT_CHILD, current, opened, encoder.open())
    lengths = parent_lengths(tables.open(), run)
    metadata: dict[str, Any] = {"histogram": dg.MetadataValue.md(lengths_inline(lengths))}
    for name, one in (("built", lengths.built), ("returned", lengths.returned)):
        if one is not None:
            metadata |= {
                f"{name}_tokens_{figure}": float(getattr(one.tokens, figure))
                for figure in ("p50", "p90", "p95", "max")
            }
    metadata["large_plot"] = _image("parent lengths", lengths_png(lengths))
    return dg.MaterializeResult(metadata=metadata)


@dg.asset(
    deps=[strategy_comparison, parent_length_distribution],
    group_name=GROUP,
    kinds={"html"},
    owners=OWNERS,
)
def eval_report(
    context: dg.AssetExecutionContext,
    settings: SettingsResource,
    tables: TableStoreResource,
    stores: StoresResource,
    encoder: EncoderResource,
) -> dg.MaterializeResult:
    """One self-contained HTML report: the verdict first, then what it rests on."""
    current = settings.load()
    result, _ = _compared(settings, tables, stores, encoder)
    files = publish_report(result, current)
    context.log.info(f"report: {files.html}")
    base = f"http://127.0.0.1:{current.report_port}"
    return dg.MaterializeResult(
        metadata={
            "summary": dg.MetadataValue.md(summary(result)),
            # Browsers refuse file:// from a page; `momentry ui` serves the folder on loopback.
            "open_report": dg.MetadataValue.url(f"{base}/{files.html.name}"),
            "all_reports": dg.MetadataValue.url(f"{base}/index.html"),
            "report_file": dg.MetadataValue.path(files.html),
            "report": dg.MetadataValue.md(report_markdown(result)),
        }
    )


def _compared(
    settings: SettingsResource,
    tables: TableStoreResource,
    stores: StoresResource,
    encoder: EncoderResource,
) -> tuple[EvaluationResult, bool]:
    current = settings.load()
    profile = encoder.profile()
    with stores.open() as opened:
        evaluation = current_evaluation(current, tables.open(), opened, profile)
    return compare_strategies(evaluation, current, tables.open(), profile)


def _metric_key(name: str) -> str:
    return name.replace("sufficient", "suff").replace("@", "_at_")


def _image(name: str, png: bytes) -> dg.MarkdownMetadataValue:
    return dg.MetadataValue.md(
        f"![{name}](data:image/png;base64,{base64.b64encode(png).decode('ascii')})"
    )


evaluation_assets = [
    eval_queries,
    *(_strategy_result(strategy) for strategy in STRATEGIES.values()),
    strategy_comparison,
    parent_length_distribution,
    eval_report,
]
