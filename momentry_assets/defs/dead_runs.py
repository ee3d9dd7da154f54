"""Runs that Dagster still calls started although their process is gone.

With one run at a time such a run holds the queue. While a code server lives it finds out itself
within seconds; after a crash of everything only ``run_monitoring`` would end it, after hours.
"""

import os

import dagster as dg

_OPEN = [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]


def end_dead_runs(instance: dg.DagsterInstance) -> list[str]:
    """Mark started runs as failed when the process that executed them is gone; returns their ids.

    A run without a recorded process is left to ``run_monitoring``.
    """
    ended: list[str] = []
    for run in instance.get_runs(dg.RunsFilter(statuses=_OPEN)):
        pid = _process_of(instance, run.run_id)
        if pid is not None and not _is_alive(pid):
            instance.report_run_failed(run, f"process {pid} of this run is gone: it was killed")
            ended.append(run.run_id)
    return ended


def _process_of(instance: dg.DagsterInstance, run_id: str) -> int | None:
    """The process that executes the steps, as the in-process executor notes it."""
    found: int | None = None
    for entry in instance.all_logs(run_id, of_type=dg.DagsterEventType.ENGINE_EVENT):
        event = entry.dagster_event
        if event is None:
            continue
        noted = event.engine_event_data.metadata.get("pid")
        if noted is not None:
            found = int(str(noted.value))
    return found


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
