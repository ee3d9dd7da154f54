"""`momentry run` and the preparation of `momentry ui`: the Dagster jobs, started from a shell."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
from rich import box
from rich.console import Console
from rich.table import Table

from momentry_assets.defs.automation import range_tags
from momentry_assets.defs.dead_runs import end_dead_runs
from momentry_assets.defs.partitions import Corpus, collections, read_corpus, sync_partitions
from momentry_assets.errors import MomentryError
from momentry_assets.instance import prepare_dagster_home
from momentry_assets.settings import Settings
from momentry_assets.stores.opened import open_stores
from momentry_eval.stage import latest_result

_SHOWN = {
    "found@5": 3,
    "sufficient@5": 3,
    "found@1000t": 3,
    "sufficient@1000t": 3,
    "ndcg@10": 3,
    "mrr": 3,
    "tokens@5": 0,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a whole run ends with."""

    comparison: Table
    verdict: str
    report: Path


def run_everything(settings: Settings, console: Console) -> Outcome:
    """Run both jobs in this process, recorded in Dagster's history.

    Raises:
        MomentryError: when there is no collection or a job fails; the failed steps are named.
    """
    home = prepare_dagster_home(settings)
    # Deferred: building the definitions reads the settings, and the home must be set before.
    from momentry_assets.definitions import build_defs

    definitions = build_defs()
    corpus = read_corpus(settings)
    if not corpus.names:
        raise MomentryError(f"{settings.corpus} has no folder: make one for each collection")
    # One lease over both jobs, so that the embedded server is not stopped between two steps.
    with dg.DagsterInstance.from_config(str(home)) as instance, open_stores(settings):
        _make_ready(instance, corpus, console)
        keys = instance.get_dynamic_partitions(str(collections.name))
        _run(definitions, "reprocess", instance, console, range_tags(keys))
        _run(definitions, "evaluate", instance, console, {})
    return _outcome(settings)


def prepare_ui(settings: Settings, console: Console) -> None:
    """Set Dagster's home and make its partitions those of the corpus."""
    home = prepare_dagster_home(settings)
    with dg.DagsterInstance.from_config(str(home)) as instance:
        _make_ready(instance, read_corpus(settings), console)


def _make_ready(instance: dg.DagsterInstance, corpus: Corpus, console: Console) -> None:
    added, removed = sync_partitions(instance, corpus)
    for key in added:
        console.print(f"new collection: {corpus.names[key]}")
    for key in removed:
        console.print(f"collection is gone: {key}")
    for run_id in end_dead_runs(instance):
        console.print(
            f"run {run_id} was killed before it ended; it is marked as failed", soft_wrap=True
        )


def _run(
    definitions: dg.Definitions,
    job: str,
    instance: dg.DagsterInstance,
    console: Console,
    tags: dict[str, str],
) -> None:
    console.print(f"\n[bold]{job}[/bold]")
    result = definitions.resolve_job_def(job).execute_in_process(
        instance=instance,
        tags=tags,
        raise_on_error=False,
        run_config={"loggers": {"console": {"config": {"log_level": "INFO"}}}},
    )
    for evaluation in result.get_asset_check_evaluations():
        if not evaluation.passed:
            console.print(
                f"  check {evaluation.check_name}: {evaluation.description}", style="yellow"
            )
    if not result.success:
        failed = [
            f"{event.step_key}: {_reason(event.step_failure_data.error)}"
            for event in result.all_events
            if event.is_step_failure
        ]
        raise MomentryError(
            f"job {job} failed (run {result.run_id}):\n" + "\n".join(failed or ["see the UI"])
        )


def _reason(error: Any) -> str:
    """The innermost message of a step's error, without Dagster's own frames."""
    while error is not None and error.cause is not None:
        error = error.cause
    return error.message.strip() if error is not None else "no error was recorded"


def _outcome(settings: Settings) -> Outcome:
    report = settings.reports_dir / "latest.html"
    result = latest_result(settings.reports_dir)
    table = Table(
        title=f"{result.questions.judged} questions, mean over questions", box=box.SIMPLE_HEAD
    )
    table.add_column("strategy", no_wrap=True)
    for name in _SHOWN:
        table.add_column(name.replace("@", "\n@"), justify="right")
    for strategy in result.strategies:
        figures = [f"{strategy.figures[name].mean:,.{digits}f}" for name, digits in _SHOWN.items()]
        table.add_row(strategy.name, *figures)
    return Outcome(table, result.verdict.sentence, report)
