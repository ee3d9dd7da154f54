"""Asset: raw_segments."""

# Dagster leaves MaterializeResult generic; subscripting it changes how results are read.
# pyright: reportMissingTypeArgument=false, reportUnknownParameterType=false
import dagster as dg

from momentry_assets.defs.metadata import column_schema, log_receipts, preview, receipts_metadata
from momentry_assets.defs.partitions import collections, read_corpus
from momentry_assets.defs.resources import SettingsResource, TableStoreResource
from momentry_assets.schemas import RAW_SEGMENTS
from momentry_assets.sources.stage import READERS_VERSION, read_collection


@dg.asset(
    partitions_def=collections,
    backfill_policy=dg.BackfillPolicy.single_run(),
    group_name="hierarchy",
    kinds={"parquet"},
    owners=["team:momentry"],
    code_version=str(READERS_VERSION),
    metadata=column_schema(RAW_SEGMENTS),
)
def raw_segments(
    context: dg.AssetExecutionContext,
    settings: SettingsResource,
    tables: TableStoreResource,
) -> dg.MaterializeResult:
    """The files of the corpus as documents and segments: speech, scenes, headings, blocks.

    A file that cannot be read is named with place and reason and does not stop the rest.
    """
    corpus = read_corpus(settings.load())
    for skipped in corpus.skipped:
        context.log.info(f"skipped {skipped.path}: {skipped.reason}")
    store = tables.open()
    receipts = {
        corpus.names.get(key, key): read_collection(
            corpus.entries.get(key, []), store, key, context.log.warning
        )
        for key in context.partition_keys
    }
    log_receipts(context.log, receipts)
    rejected = [line for receipt in receipts.values() for line in receipt.rejected]
    empty = [line for receipt in receipts.values() for line in receipt.empty]
    metadata = receipts_metadata(receipts, sum(one.segments for one in receipts.values()))
    metadata["rejected_documents"] = len(rejected)
    if rejected or empty:
        lines = [*(f"- {line}" for line in rejected), *(f"- empty: {line}" for line in empty)]
        metadata["not_indexed"] = dg.MetadataValue.md("\n".join(lines[:20]))
    key = context.partition_keys[0]
    metadata["preview"] = preview(
        store.read(RAW_SEGMENTS, key), ["document_id", "kind", "start", "end", "start_ms", "text"]
    )
    return dg.MaterializeResult(metadata=metadata)
