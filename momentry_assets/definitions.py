"""The code location: wiring only. `build_defs` gives tests a fresh one with other resources."""

from collections.abc import Mapping

import dagster as dg

from momentry_assets.defs.automation import corpus_changes, evaluate, nightly_reprocess, reprocess
from momentry_assets.defs.checks import checks
from momentry_assets.defs.chunks import chunks
from momentry_assets.defs.embeddings import child_embeddings, parent_embeddings
from momentry_assets.defs.indexes import postgres_index, qdrant_index
from momentry_assets.defs.resources import default_resources
from momentry_assets.defs.segments import raw_segments
from momentry_assets.defs.terminal import terminal_logger
from momentry_eval.defs import evaluation_assets


def build_defs(*, resources: Mapping[str, object] | None = None) -> dg.Definitions:
    """All assets, checks, jobs, schedules and sensors.

    Args:
        resources: replace resources of production by name.
    """
    return dg.Definitions(
        assets=[
            raw_segments,
            chunks,
            parent_embeddings,
            child_embeddings,
            postgres_index,
            qdrant_index,
            *evaluation_assets,
        ],
        asset_checks=checks,
        jobs=[reprocess, evaluate],
        schedules=[nightly_reprocess],
        sensors=[corpus_changes],
        resources={**default_resources(), **(resources or {})},
        loggers={"console": terminal_logger},
        # A step in a process of its own would import everything again: 4-23 s against 0.2 s.
        executor=dg.in_process_executor,
    )


defs = build_defs()
