"""Jobs, the nightly schedule and the corpus sensor; the last two are off until switched on."""

import json
from collections.abc import Sequence
from hashlib import sha256

import dagster as dg

from momentry_assets.defs.partitions import Corpus, collections, read_corpus
from momentry_assets.errors import MomentryError
from momentry_assets.settings import load_settings

RANGE_START = "dagster/asset_partition_range_start"
RANGE_END = "dagster/asset_partition_range_end"

reprocess = dg.define_asset_job(
    "reprocess",
    selection=dg.AssetSelection.groups("hierarchy", "indexes"),
    description="Read, chunk, embed and load every collection. Unchanged work is not done again.",
)
evaluate = dg.define_asset_job(
    "evaluate",
    selection=dg.AssetSelection.groups("evaluation"),
    description="Compare parent/child with both single-level indexes and write the report.",
)


def range_tags(keys: Sequence[str]) -> dict[str, str]:
    """Tags of one run over all partition keys, in the order Dagster holds them."""
    return {RANGE_START: keys[0], RANGE_END: keys[-1]}


@dg.schedule(
    job=reprocess,
    cron_schedule="30 4 * * *",
    execution_timezone=load_settings().timezone,
    default_status=dg.DefaultScheduleStatus.STOPPED,
)
def nightly_reprocess(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """Every night at 04:30 one run over all collections."""
    keys = context.instance.get_dynamic_partitions(str(collections.name))
    if not keys:
        return dg.SkipReason("there is no collection yet; switch the corpus sensor on")
    return dg.RunRequest(tags=range_tags(keys))


@dg.sensor(
    job=reprocess,
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.STOPPED,
)
def corpus_changes(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """One run for every collection whose files changed since the last look.

    A collection is taken up when two looks in a row saw the same files, so that nothing is read
    while it is still being copied.
    """
    try:
        corpus = read_corpus(load_settings())
    except MomentryError as error:
        return dg.SkipReason(str(error))
    cursor: dict[str, dict[str, str]] = json.loads(context.cursor or "{}")
    done, before = cursor.get("done", {}), cursor.get("seen", {})
    seen = _fingerprints(corpus)
    ready = [key for key in seen if seen[key] != done.get(key) and seen[key] == before.get(key)]
    known = set(context.instance.get_dynamic_partitions(str(collections.name)))
    new = [key for key in ready if key not in known]
    done = {key: done[key] for key in seen if key in done} | {key: seen[key] for key in ready}
    return dg.SensorResult(
        run_requests=[dg.RunRequest(partition_key=key) for key in ready],
        dynamic_partitions_requests=[collections.build_add_request(new)] if new else [],
        cursor=json.dumps({"done": done, "seen": seen}),
    )


def _fingerprints(corpus: Corpus) -> dict[str, str]:
    """Names, sizes and times of a collection's files, by partition key."""
    prints: dict[str, str] = {}
    for key, entries in corpus.entries.items():
        digest = sha256()
        for entry in entries:
            for file in (entry.file, *entry.companions):
                try:
                    status = file.stat()
                except OSError:
                    continue
                line = f"{entry.path}|{status.st_size}|{status.st_mtime_ns}\n"
                digest.update(line.encode("utf-8", "surrogatepass"))
        prints[key] = digest.hexdigest()
    return prints
