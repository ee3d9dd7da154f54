"""Asset checks: thin over `momentry_assets.integrity`; they check the collections on disk."""

from collections.abc import Callable

import dagster as dg

from momentry_assets.defs.partitions import read_corpus
from momentry_assets.defs.resources import (
    EncoderResource,
    SettingsResource,
    StoresResource,
    TableStoreResource,
)
from momentry_assets.embedding.stage import EMBEDDINGS
from momentry_assets.integrity import (
    Problems,
    embedding_problems,
    hierarchy_problems,
    long_documents,
    schema_problems,
    segment_problems,
    store_problems,
)
from momentry_assets.model import Level
from momentry_assets.schemas import (
    CHILD_CHUNKS,
    CHILD_EMBEDDINGS,
    PARENT_CHUNKS,
    RAW_SEGMENTS,
    REJECTED_DOCUMENTS,
    TABLES,
    TableSpec,
)
from momentry_assets.tables import TableStore

# Which asset a table's schema check hangs on.
_ASSET_OF = {"documents": "raw_segments", "rejected_documents": "raw_segments"}


def _result(problems: Problems, **numbers: int) -> dg.AssetCheckResult:
    """Passed without problems; otherwise the problems are the description."""
    return dg.AssetCheckResult(
        passed=not problems,
        description="\n".join(problems) or None,
        metadata={"problems": len(problems), **numbers},
    )


def _over_partitions(
    store: TableStore, spec: TableSpec, check: Callable[[str], Problems]
) -> Problems:
    """The problems of all collections for which the table was made."""
    made = [one for one in store.partitions() if store.entry(spec, one) is not None]
    return [problem for partition in made for problem in check(partition)]


def _schema_check(table: str) -> dg.AssetChecksDefinition:
    asset = _ASSET_OF.get(table, table)

    @dg.asset_check(
        asset=asset,
        name=f"{table}_schema",
        blocking=True,
        description=f"{table}: columns, types, nulls and unique keys are as declared.",
    )
    def schema(tables: TableStoreResource) -> dg.AssetCheckResult:
        store = tables.open()
        spec = TABLES[table]
        return _result(_over_partitions(store, spec, lambda one: schema_problems(store, one, spec)))

    return schema


@dg.asset_check(asset="raw_segments", blocking=True)
def segments_are_ordered_slices(tables: TableStoreResource) -> dg.AssetCheckResult:
    """Read documents have segments, times are ordered, offsets slice the canonical text."""
    store = tables.open()
    return _result(_over_partitions(store, RAW_SEGMENTS, lambda one: segment_problems(store, one)))


@dg.asset_check(asset="raw_segments")
def every_file_was_read(tables: TableStoreResource) -> dg.AssetCheckResult:
    """Warns about files that could not be read; the rest of the corpus is served."""
    store = tables.open()
    rejected = [
        f"{row['path']}: {row['place']}: {row['reason']}"
        for partition in store.partitions()
        if store.entry(REJECTED_DOCUMENTS, partition) is not None
        for row in store.read(REJECTED_DOCUMENTS, partition).to_pylist()
    ]
    return dg.AssetCheckResult(
        passed=not rejected,
        severity=dg.AssetCheckSeverity.WARN,
        description="\n".join(rejected[:10]) or None,
        metadata={"rejected_documents": len(rejected)},
    )


def _hierarchy_check(asset: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=asset,
        name=f"{asset}_hold_together",
        blocking=True,
        description="No dangling pointer either way, texts match offsets, parents tile.",
    )
    def hold_together(tables: TableStoreResource) -> dg.AssetCheckResult:
        store = tables.open()
        return _result(
            _over_partitions(store, CHILD_CHUNKS, lambda one: hierarchy_problems(store, one))
        )

    return hold_together


@dg.asset_check(asset="parent_chunks")
def whole_documents_are_short(
    settings: SettingsResource, tables: TableStoreResource
) -> dg.AssetCheckResult:
    """Warns about long documents that are one parent each (variant whole_document)."""
    current = settings.load()
    store = tables.open()
    names = read_corpus(current).names
    problems = _over_partitions(
        store,
        PARENT_CHUNKS,
        lambda one: long_documents(
            store, one, current.chunking_of(names.get(one, one)).long_document_tokens
        ),
    )
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.WARN,
        description="\n".join(problems) or None,
        metadata={"long_documents": len(problems)},
    )


def _embedding_check(level: Level) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=f"{level.value}_embeddings",
        name=f"{level.value}_vectors_are_sound",
        blocking=True,
        description="One finite unit vector a chunk; no embedding text over the token limit.",
    )
    def sound(tables: TableStoreResource, encoder: EncoderResource) -> dg.AssetCheckResult:
        store = tables.open()
        profile = encoder.profile()
        return _result(
            _over_partitions(
                store,
                EMBEDDINGS[level],
                lambda one: embedding_problems(store, one, level, profile),
            )
        )

    return sound


@dg.asset_check(asset="qdrant_index", blocking=True)
def stores_agree(
    settings: SettingsResource, tables: TableStoreResource, stores: StoresResource
) -> dg.AssetCheckResult:
    """Ids agree in Parquet, PostgreSQL and Qdrant, and searches read this generation."""
    store = tables.open()
    names = read_corpus(settings.load()).names
    with stores.open() as opened:
        return _result(
            _over_partitions(
                store,
                CHILD_EMBEDDINGS,
                lambda one: store_problems(
                    store, one, names.get(one, one), opened.postgres, opened.vectors
                ),
            )
        )


checks = [
    *(_schema_check(table) for table in TABLES),
    segments_are_ordered_slices,
    every_file_was_read,
    _hierarchy_check("parent_chunks"),
    _hierarchy_check("child_chunks"),
    whole_documents_are_short,
    *(_embedding_check(level) for level in Level),
    stores_agree,
]
