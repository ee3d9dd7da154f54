"""Assets: postgres_index and qdrant_index."""

# Dagster leaves MaterializeResult generic; subscripting it changes how results are read.
# pyright: reportMissingTypeArgument=false, reportUnknownParameterType=false
import dagster as dg

from momentry_assets.defs.metadata import log_receipts, receipts_metadata
from momentry_assets.defs.partitions import collections, read_corpus
from momentry_assets.defs.resources import SettingsResource, StoresResource, TableStoreResource
from momentry_assets.stores.stage import load_postgres, load_vectors, prune_collections

POOL = "embedded_stores"
RETRY = dg.RetryPolicy(max_retries=2, delay=2, backoff=dg.Backoff.EXPONENTIAL)


@dg.asset(
    deps=["parent_chunks", "child_chunks", "parent_embeddings", "child_embeddings"],
    partitions_def=collections,
    backfill_policy=dg.BackfillPolicy.single_run(),
    group_name="indexes",
    kinds={"postgres"},
    owners=["team:momentry"],
    retry_policy=RETRY,
    pool=POOL,
)
def postgres_index(
    context: dg.AssetExecutionContext,
    settings: SettingsResource,
    tables: TableStoreResource,
    stores: StoresResource,
) -> dg.MaterializeResult:
    """Documents and chunks of both levels in PostgreSQL, with full text.

    Written beside the live generation in one transaction; it goes live together with the vectors.
    """
    names = read_corpus(settings.load()).names
    with stores.open() as opened:
        receipts = {
            names.get(key, key): load_postgres(
                tables.open(), key, names.get(key, key), opened.postgres, opened.vectors
            )
            for key in context.partition_keys
        }
    log_receipts(context.log, receipts)
    return dg.MaterializeResult(
        metadata=receipts_metadata(
            receipts, sum(one.parents + one.children for one in receipts.values())
        )
    )


@dg.asset(
    deps=["parent_embeddings", "child_embeddings", "postgres_index"],
    partitions_def=collections,
    backfill_policy=dg.BackfillPolicy.single_run(),
    group_name="indexes",
    kinds={"qdrant"},
    owners=["team:momentry"],
    retry_policy=RETRY,
    pool=POOL,
)
def qdrant_index(
    context: dg.AssetExecutionContext,
    settings: SettingsResource,
    tables: TableStoreResource,
    stores: StoresResource,
) -> dg.MaterializeResult:
    """Children and parents as points in Qdrant; makes the new generation of both stores live."""
    names = read_corpus(settings.load()).names
    with stores.open() as opened:
        receipts = {
            names.get(key, key): load_vectors(
                tables.open(),
                key,
                names.get(key, key),
                opened.postgres,
                opened.vectors,
                context.log.warning,
            )
            for key in context.partition_keys
        }
        for gone in prune_collections(
            names.values(), tables.open(), opened.postgres, opened.vectors
        ):
            context.log.info(f"removed collection {gone}: its folder is gone")
    log_receipts(context.log, receipts)
    return dg.MaterializeResult(
        metadata=receipts_metadata(
            receipts, sum(one.parents + one.children for one in receipts.values())
        )
    )
