"""The embedding stage: one level of a collection to its vectors, unchanged texts not embedded."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa

from momentry_assets.context.embedding_text import TokenBudget, child_texts, parent_texts
from momentry_assets.context.rows import child_contexts, parent_contexts
from momentry_assets.embedding.encoder import Encoder, Progress, Vectors
from momentry_assets.errors import TableError
from momentry_assets.model import Level
from momentry_assets.schemas import (
    CHILD_CHUNKS,
    CHILD_EMBEDDINGS,
    DOCUMENTS,
    PARENT_CHUNKS,
    PARENT_EMBEDDINGS,
    TableSpec,
)
from momentry_assets.settings import ContextSettings
from momentry_assets.tables import TableStore, content_key

# Part of the content key: change it when the same chunks would get other embedding texts.
CONTEXT_VERSION = 2
EMBEDDINGS = {Level.PARENT: PARENT_EMBEDDINGS, Level.CHILD: CHILD_EMBEDDINGS}
CHUNKS = {Level.PARENT: PARENT_CHUNKS, Level.CHILD: CHILD_CHUNKS}


@dataclass(frozen=True, slots=True)
class EmbedReceipt:
    """What embedding one level gave.

    Attributes:
        unchanged: True when nothing was written.
        embedded: texts that went through the model.
        reused: rows whose vectors were taken from the former table or an equal text.
        longest_tokens: longest embedding text, prompt and special tokens included.
        over_limit: texts the model would truncate; anything but 0 is a defect.
    """

    content_key: str
    unchanged: bool
    rows: int
    embedded: int
    reused: int
    longest_tokens: int
    over_limit: int


def embed_level(
    level: Level,
    store: TableStore,
    partition: str,
    encoder: Encoder,
    context: ContextSettings,
    progress: Progress | None = None,
) -> EmbedReceipt:
    """Embed the chunks of one level and publish the vectors as Parquet.

    A vector is reused when model, prompt and text are the same as in the former table. A parent
    that does not fit into one text has the mean of its texts' vectors, made unit length again.

    Args:
        level: child or parent.
        store: holds both chunk tables, gets the level's embedding table.
        partition: partition key of the collection.
        encoder: the model; it is loaded only when there is a new text.
        context: which layers the embedding texts have.
        progress: called with (texts done, all texts to embed).

    Raises:
        TableError: when the collection was not chunked yet.
    """
    spec = EMBEDDINGS[level]
    chunks = store.entry(CHUNKS[level], partition)
    if chunks is None:
        raise TableError(f"partition {partition!r} was not chunked yet; materialise parent_chunks")
    key = content_key(
        "embed",
        CONTEXT_VERSION,
        chunks.content_key,
        encoder.profile.identity,
        context.model_dump(),
    )
    if store.is_current((spec,), partition, key):
        return _receipt(store, spec, partition, key, encoder, unchanged=True, embedded=0)
    profile = encoder.profile
    budget = TokenBudget(encoder.counter, profile.max_tokens, profile.document_prompt)
    chunk_rows, texts = _embedding_texts(level, store, partition, budget, context)
    hashes = [_text_hash(profile.identity, parts) for parts in texts]
    known = _former_vectors(store, spec, partition, set(hashes))
    missing = {one: parts for one, parts in zip(hashes, texts, strict=True) if one not in known}
    embedded = list(dict.fromkeys(text for parts in missing.values() for text in parts))
    if embedded:
        vectors = encoder.encode(embedded, "document", progress)
        vector_of = dict(zip(embedded, vectors, strict=True))
        known |= {one: _mean([vector_of[text] for text in parts]) for one, parts in missing.items()}
    every = [text for parts in texts for text in parts]
    counts = dict(zip(every, budget.tokens(every), strict=True)) if every else {}
    table = pa.Table.from_arrays(
        [
            chunk_rows.column("chunk_id"),
            chunk_rows.column("document_id"),
            pa.array([list(parts) for parts in texts], spec.schema.field("embedding_texts").type),
            pa.array(hashes, pa.string()),
            pa.array([max(counts[text] for text in parts) for parts in texts], pa.int32()),
            _vector_column([known[one] for one in hashes]),
        ],
        schema=spec.schema,
    )
    store.publish(partition, key, {spec: table})
    return _receipt(store, spec, partition, key, encoder, unchanged=False, embedded=len(embedded))


def _embedding_texts(
    level: Level,
    store: TableStore,
    partition: str,
    budget: TokenBudget,
    context: ContextSettings,
) -> tuple[pa.Table, list[tuple[str, ...]]]:
    """The chunks of a level and their embedding texts, one for a child, at least one a parent."""
    documents = store.read(DOCUMENTS, partition, ["document_id", "kind"])
    parents = store.read(PARENT_CHUNKS, partition)
    children = store.read(CHILD_CHUNKS, partition)
    if level is Level.PARENT:
        return parents, parent_texts(budget, parent_contexts(documents, parents, children, context))
    texts = child_texts(budget, child_contexts(documents, parents, children, context))
    return children, [(text,) for text in texts]


def _text_hash(identity: tuple[object, ...], texts: Sequence[str]) -> str:
    return sha256("\n".join([content_key(*identity), *texts]).encode()).hexdigest()


def _mean(vectors: Sequence[Vectors]) -> Vectors:
    if len(vectors) == 1:
        return vectors[0]
    mean = np.stack(vectors).sum(axis=0, dtype=np.float32)
    return np.asarray(mean / (np.linalg.norm(mean) or 1.0), dtype=np.float32)


def _former_vectors(
    store: TableStore, spec: TableSpec, partition: str, wanted: set[str]
) -> dict[str, Vectors]:
    if store.entry(spec, partition) is None:
        return {}
    found: dict[str, Vectors] = {}
    try:
        for batch in store.batches(spec, partition, ["text_hash", "embedding"]):
            vectors = vector_matrix(batch.column("embedding"))
            for one, vector in zip(batch.column("text_hash").to_pylist(), vectors, strict=True):
                if one in wanted:
                    found[one] = vector
    except TableError:
        # Lost or damaged: its texts are embedded again and the table is whole after that.
        return {}
    return found


def vector_matrix(column: Any) -> Vectors:
    """A column of vectors (Arrow array or chunked array) as a matrix.

    Returns:
        Shape (rows, dimension), float32; (0, 0) for an empty column.
    """
    array: Any = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if len(array) == 0:
        return np.empty((0, 0), dtype=np.float32)
    flat = array.flatten().to_numpy(zero_copy_only=False)
    return flat.astype(np.float32, copy=False).reshape(len(array), -1)


def _vector_column(vectors: Sequence[Vectors]) -> Any:
    kind: Any = CHILD_EMBEDDINGS.schema.field("embedding").type
    if not vectors:
        return pa.array([], kind)
    matrix = np.stack(vectors).astype(np.float32, copy=False)
    offsets: Any = pa.array(np.arange(0, matrix.size + 1, matrix.shape[1], dtype=np.int32))
    return pa.ListArray.from_arrays(offsets, pa.array(matrix.reshape(-1), pa.float32()), type=kind)


def _receipt(
    store: TableStore,
    spec: TableSpec,
    partition: str,
    key: str,
    encoder: Encoder,
    *,
    unchanged: bool,
    embedded: int,
) -> EmbedReceipt:
    rows = store.read(spec, partition, ["token_count"]).to_pylist()
    counts: list[int] = [row["token_count"] for row in rows]
    return EmbedReceipt(
        content_key=key,
        unchanged=unchanged,
        rows=len(counts),
        embedded=embedded,
        reused=max(0, len(counts) - embedded),
        longest_tokens=max(counts, default=0),
        over_limit=sum(count > encoder.profile.max_tokens for count in counts),
    )
