"""Assets: parent_embeddings and child_embeddings."""

# Dagster leaves MaterializeResult generic; subscripting it changes how results are read.
# pyright: reportMissingTypeArgument=false, reportUnknownParameterType=false
import dagster as dg

from momentry_assets.defs.metadata import column_schema, log_receipts, receipts_metadata
from momentry_assets.defs.partitions import collections, read_corpus
from momentry_assets.defs.progress import Progress
from momentry_assets.defs.resources import EncoderResource, SettingsResource, TableStoreResource
from momentry_assets.embedding.stage import CHUNKS, CONTEXT_VERSION, EMBEDDINGS, embed_level
from momentry_assets.model import Level


def _embeddings(level: Level) -> dg.AssetsDefinition:
    spec = EMBEDDINGS[level]

    @dg.asset(
        name=spec.name,
        description=f"The vector of every {level.value}, as Parquet. Unchanged texts are reused.",
        # Both levels see the other's text: a parent its children's, a child its parent's.
        deps=[CHUNKS[one].name for one in Level],
        partitions_def=collections,
        backfill_policy=dg.BackfillPolicy.single_run(),
        group_name="hierarchy",
        kinds={"parquet", "pytorch"},
        owners=["team:momentry"],
        code_version=str(CONTEXT_VERSION),
        retry_policy=dg.RetryPolicy(max_retries=1, delay=2),
        metadata=column_schema(spec),
    )
    def embeddings(
        context: dg.AssetExecutionContext,
        settings: SettingsResource,
        tables: TableStoreResource,
        encoder: EncoderResource,
    ) -> dg.MaterializeResult:
        current = settings.load()
        names = read_corpus(current).names
        progress = Progress(context.log, "embedded", "texts")
        receipts = {
            names.get(key, key): embed_level(
                level,
                tables.open(),
                key,
                encoder.open(),
                current.context_of(names.get(key, key)),
                progress,
            )
            for key in context.partition_keys
        }
        log_receipts(context.log, receipts)
        metadata = receipts_metadata(receipts, sum(one.rows for one in receipts.values()))
        metadata["model"] = encoder.profile().name
        metadata["max_tokens"] = encoder.profile().max_tokens
        return dg.MaterializeResult(metadata=metadata)

    return embeddings


parent_embeddings = _embeddings(Level.PARENT)
child_embeddings = _embeddings(Level.CHILD)
