"""The loading stages: a collection's tables into PostgreSQL and the vector index.

Both write a new generation beside the live one. Whichever finishes last switches the live
pointer, one row in PostgreSQL, so that a reader sees the old state of both stores or the new.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from momentry_assets.embedding.stage import CHUNKS, EMBEDDINGS, vector_matrix
from momentry_assets.errors import StoreError, TableError
from momentry_assets.model import Level
from momentry_assets.schemas import (
    CHILD_CHUNKS,
    CHILD_EMBEDDINGS,
    DOCUMENTS,
    PARENT_CHUNKS,
    PARENT_EMBEDDINGS,
)
from momentry_assets.sources.walk import partition_key
from momentry_assets.stores.names import generation_name, partition_of
from momentry_assets.stores.postgres import PostgresStore
from momentry_assets.stores.vectors import PointBatch, VectorIndex
from momentry_assets.tables import TableStore, content_key

# Part of the generation: change it when the same tables would be loaded differently.
LOAD_VERSION = 3
_PAYLOAD = ("collection", "document_id", "document_type", "language", "start_ms", "end_ms")


@dataclass(frozen=True, slots=True)
class IndexReceipt:
    """What loading one store gave.

    Attributes:
        unchanged: True when the generation was loaded already and nothing was written.
        live: True when this generation is the one that searches read.
    """

    generation: str
    unchanged: bool
    live: bool
    documents: int
    parents: int
    children: int


def generation_of(store: TableStore, partition: str) -> str:
    """The content key of everything a search reads of a collection.

    Raises:
        TableError: when a table is missing, or chunks and embeddings are not of one making.
    """
    keys: list[str] = []
    for spec in (DOCUMENTS, PARENT_CHUNKS, CHILD_CHUNKS, PARENT_EMBEDDINGS, CHILD_EMBEDDINGS):
        entry = store.entry(spec, partition)
        if entry is None:
            raise TableError(f"partition {partition!r} has no {spec.name}; materialise it first")
        keys.append(entry.content_key)
    for level in Level:
        chunks = set(store.read(CHUNKS[level], partition, ["chunk_id"])["chunk_id"].to_pylist())
        vectors = set(
            store.read(EMBEDDINGS[level], partition, ["chunk_id"])["chunk_id"].to_pylist()
        )
        if chunks != vectors:
            raise TableError(
                f"partition {partition!r}: {EMBEDDINGS[level].name} does not belong to "
                f"{CHUNKS[level].name} ({len(chunks - vectors)} chunks without a vector, "
                f"{len(vectors - chunks)} vectors without a chunk); materialise it again"
            )
    return content_key("generation", LOAD_VERSION, *keys)


def load_postgres(
    store: TableStore,
    partition: str,
    collection: str,
    postgres: PostgresStore,
    vectors: VectorIndex,
) -> IndexReceipt:
    """Load a collection's documents and chunks into PostgreSQL in one transaction."""
    generation = generation_of(store, partition)
    unchanged = postgres.is_loaded(collection, generation)
    if not unchanged:
        postgres.load(
            collection,
            generation,
            store.read(DOCUMENTS, partition),
            store.read(PARENT_CHUNKS, partition),
            store.read(CHILD_CHUNKS, partition),
        )
    live = _publish(collection, generation, postgres, vectors)
    counts = postgres.counts(collection, generation)
    return IndexReceipt(
        generation, unchanged, live, counts.documents, counts.parents, counts.children
    )


def load_vectors(
    store: TableStore,
    partition: str,
    collection: str,
    postgres: PostgresStore,
    vectors: VectorIndex,
    report: Callable[[str], None] = lambda _: None,
) -> IndexReceipt:
    """Build a collection's vector index and, when its rows are there too, make both live."""
    generation = generation_of(store, partition)
    name = generation_name(collection, generation)
    expected = sum(
        entry.rows for spec in EMBEDDINGS.values() if (entry := store.entry(spec, partition))
    )
    unchanged = expected == 0 or (name in vectors.names() and vectors.count(name) == expected)
    if not unchanged:
        dimension = _dimension(store, partition)
        receipt = vectors.build(name, dimension, _points(store, partition))
        for rejected in receipt.rejected:
            report(f"refused: {rejected.chunk_id}: {rejected.reason}")
        if receipt.points != expected:
            raise StoreError(
                f"vector index {name}: {receipt.points} of {expected} points were stored; "
                f"the former generation stays live"
            )
    postgres.record_vectors(collection, generation, expected)
    live = _publish(collection, generation, postgres, vectors)
    counts = {level: vectors.count(name, level) if expected else 0 for level in Level}
    documents = store.entry(DOCUMENTS, partition)
    return IndexReceipt(
        generation,
        unchanged,
        live,
        documents.rows if documents else 0,
        counts[Level.PARENT],
        counts[Level.CHILD],
    )


def drop_collection(collection: str, postgres: PostgresStore, vectors: VectorIndex) -> int:
    """Remove a collection from both stores; returns the rows removed, 0 the second time."""
    rows = postgres.drop_collection(collection)
    own = partition_of(generation_name(collection, ""))
    for name in vectors.names():
        if partition_of(name) == own:
            vectors.drop(name)
    return rows


def prune_collections(
    known: Collection[str], store: TableStore, postgres: PostgresStore, vectors: VectorIndex
) -> list[str]:
    """Remove collections whose folder is gone from the tables and both stores; their names."""
    gone = sorted(set(postgres.live_generations()) - set(known))
    for collection in gone:
        drop_collection(collection, postgres, vectors)
    partitions = {partition_key(collection) for collection in known}
    for partition in store.partitions():
        if partition not in partitions:
            store.drop_partition(partition)
    return gone


def _publish(
    collection: str, generation: str, postgres: PostgresStore, vectors: VectorIndex
) -> bool:
    live = postgres.publish(collection, generation)
    if live:
        current = generation_name(collection, generation)
        for name in vectors.names():
            if partition_of(name) == partition_of(current) and name != current:
                vectors.drop(name)
    return live


def _dimension(store: TableStore, partition: str) -> int:
    for spec in EMBEDDINGS.values():
        for batch in store.batches(spec, partition, ["embedding"]):
            if batch.num_rows:
                return int(vector_matrix(batch.column("embedding")).shape[1])
    raise TableError(f"partition {partition!r} has no embedding")


def _points(store: TableStore, partition: str) -> Iterator[PointBatch]:
    for level in Level:
        columns = ["chunk_id", "document_tags", *_PAYLOAD]
        rows = {
            row["chunk_id"]: row
            for row in store.read(CHUNKS[level], partition, columns).to_pylist()
        }
        for batch in store.batches(EMBEDDINGS[level], partition, ["chunk_id", "embedding"]):
            chunk_ids = [str(one) for one in batch.column("chunk_id").to_pylist()]
            yield PointBatch(
                chunk_ids=chunk_ids,
                vectors=vector_matrix(batch.column("embedding")),
                payloads=[
                    {
                        "chunk_id": chunk_id,
                        "level": level.value,
                        "tags": rows[chunk_id]["document_tags"],
                        **{name: rows[chunk_id][name] for name in _PAYLOAD},
                    }
                    for chunk_id in chunk_ids
                ],
            )
