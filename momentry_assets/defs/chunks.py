"""Assets: parent_chunks and child_chunks, one product of one step."""

# Dagster leaves MaterializeResult generic; subscripting it changes how results are read.
# pyright: reportMissingTypeArgument=false, reportUnknownParameterType=false
from collections.abc import Iterator

import dagster as dg

from momentry_assets.chunking import CHUNKING_VERSION
from momentry_assets.chunking.stage import chunk_collection
from momentry_assets.defs.metadata import column_schema, log_receipts, preview, receipts_metadata
from momentry_assets.defs.partitions import collections, read_corpus
from momentry_assets.defs.progress import Progress
from momentry_assets.defs.resources import EncoderResource, SettingsResource, TableStoreResource
from momentry_assets.descriptions.writers import open_writers
from momentry_assets.schemas import CHILD_CHUNKS, PARENT_CHUNKS, TableSpec


def _level(spec: TableSpec, description: str) -> dg.AssetSpec:
    return dg.AssetSpec(
        spec.name,
        description=description,
        deps=["raw_segments"],
        group_name="hierarchy",
        kinds={"parquet"},
        owners=["team:momentry"],
        code_version=str(CHUNKING_VERSION),
        metadata=column_schema(spec),
    )


@dg.multi_asset(
    name="chunks",
    partitions_def=collections,
    backfill_policy=dg.BackfillPolicy.single_run(),
    specs=[
        _level(PARENT_CHUNKS, "What is read: sections of documents, stories of media."),
        _level(CHILD_CHUNKS, "What matches: paragraphs, list items, table rows, sentences."),
    ],
)
def chunks(
    context: dg.AssetExecutionContext,
    settings: SettingsResource,
    tables: TableStoreResource,
    encoder: EncoderResource,
) -> Iterator[dg.MaterializeResult]:
    """Cut every document into parents and children, together, so that they cannot disagree."""
    current = settings.load()
    names = read_corpus(current).names
    store = tables.open()
    receipts = {
        names.get(key, key): chunk_collection(
            store,
            key,
            current.chunking_of(names.get(key, key)),
            encoder.profile(),
            open_writers(current, current.chunking_of(names.get(key, key)), encoder.open()),
            Progress(context.log, "chunked", "documents"),
        )
        for key in context.partition_keys
    }
    log_receipts(context.log, receipts)
    columns = ["chunk_id", "chunk_type", "start", "end", "token_count", "text_content"]
    for spec, rows in (
        (PARENT_CHUNKS, sum(one.parents for one in receipts.values())),
        (CHILD_CHUNKS, sum(one.children for one in receipts.values())),
    ):
        metadata = receipts_metadata(receipts, rows)
        metadata["preview"] = preview(store.read(spec, context.partition_keys[0]), columns)
        yield dg.MaterializeResult(asset_key=spec.name, metadata=metadata)
