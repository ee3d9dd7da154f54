"""The embedding stage: one level of a collection to its vectors, unchanged texts not embedded."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa

from momentry_assets.context.embedding_text import (
    ChildContext,
    ParentContext,
    TokenBudget,
    child_texts,
    parent_texts,
)
from momentry_assets.embedding.encoder import Encoder, Progress, Vectors
from momentry_assets.errors import TableError
from momentry_assets.model import DocumentKind, Level
from momentry_assets.schemas import (
    CHILD_CHUNKS,
    CHILD_EMBEDDINGS,
    DOCUMENTS,
    PARENT_CHUNKS,
    PARENT_EMBEDDINGS,
    TableSpec,
)
from momentry_assets.tables import TableStore, content_key

# Part of the content key: change it when the same chunks would get other embedding texts.
CONTEXT_VERSION = 1
EMBEDDINGS = {Level.PARENT: PARENT_EMBEDDINGS, Level.CHILD: CHILD_EMBEDDINGS}
CHUNKS = {Level.PARENT: PARENT_CHUNKS, Level.CHILD: CHILD_CHUNKS}


@dataclass(frozen=True, slots=True)
class EmbedReceipt:
    """What embedding one level gave.

    Attributes:
        unchanged: True when nothing was written.
        embedded: texts that went through the model.
        reused: rows whose vector was taken from the former table or an equal text.
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
    progress: Progress | None = None,
) -> EmbedReceipt:
    """Embed the chunks of one level and publish the vectors as Parquet.

    A vector is reused when model, prompt and text are the same as in the former table.

    Args:
        level: child or parent.
        store: holds both chunk tables, gets the level's embedding table.
        partition: partition key of the collection.
        encoder: the model; it is loaded only when there is a new text.
        progress: called with (texts done, all texts to embed).

    Raises:
        TableError: when the collection was not chunked yet.
    """
    spec = EMBEDDINGS[level]
    chunks = store.entry(CHUNKS[level], partition)
    if chunks is None:
        raise TableError(f"partition {partition!r} was not chunked yet; materialise parent_chunks")
    key = content_key("embed", CONTEXT_VERSION, chunks.content_key, encoder.profile.identity)
    if store.is_current((spec,), partition, key):
        return _receipt(store, spec, partition, key, encoder, unchanged=True, embedded=0)
    profile = encoder.profile
    budget = TokenBudget(encoder.counter, profile.max_tokens, profile.document_prompt)
    rows, texts = _embedding_texts(level, store, partition, budget)
    hashes = [_text_hash(profile.identity, text) for text in texts]
    known = _former_vectors(store, spec, partition, set(hashes))
    missing = {one: text for one, text in zip(hashes, texts, strict=True) if one not in known}
    if missing:
        vectors = encoder.encode(list(missing.values()), "document", progress)
        known |= dict(zip(missing, vectors, strict=True))
    table = pa.Table.from_arrays(
        [
            rows.column("chunk_id"),
            rows.column("document_id"),
            pa.array(texts, pa.large_string()),
            pa.array(hashes, pa.string()),
            pa.array(budget.tokens(texts), pa.int32()),
            _vector_column([known[one] for one in hashes]),
        ],
        schema=spec.schema,
    )
    store.publish(partition, key, {spec: table})
    return _receipt(store, spec, partition, key, encoder, unchanged=False, embedded=len(missing))


def _embedding_texts(
    level: Level, store: TableStore, partition: str, budget: TokenBudget
) -> tuple[pa.Table, list[str]]:
    parents = store.read(PARENT_CHUNKS, partition)
    children = store.read(CHILD_CHUNKS, partition)
    media = {
        row["document_id"]
        for row in store.read(DOCUMENTS, partition, ["document_id", "kind"]).to_pylist()
        if row["kind"] == DocumentKind.MEDIA
    }
    texts = children.select(["chunk_id", "search_text", "text_content"]).to_pylist()
    contents = {row["chunk_id"]: row["search_text"] or row["text_content"] for row in texts}
    # A parent holds its table's header once; a child's search text repeats it before its rows.
    shortest = {
        row["chunk_id"]: min(
            row["search_text"] or row["text_content"], row["text_content"], key=len
        )
        for row in texts
    }
    columns = ["document_id", "document_title", "section_hierarchy"]
    if level is Level.PARENT:
        rows = parents.select([*columns, "description", "child_chunk_ids"]).to_pylist()
        return parents, parent_texts(
            budget,
            [
                ParentContext(
                    row["description"],
                    tuple(shortest[child] for child in row["child_chunk_ids"]),
                    *_document_layers(row, media),
                )
                for row in rows
            ],
        )
    descriptions: dict[str, str] = {
        row["chunk_id"]: row["description"]
        for row in parents.select(["chunk_id", "description"]).to_pylist()
    }
    rows = children.select([*columns, "chunk_id", "chunk_type", "parent_chunk_id"]).to_pylist()
    return children, child_texts(
        budget,
        [
            ChildContext(
                row["chunk_type"],
                contents[row["chunk_id"]],
                descriptions[row["parent_chunk_id"]],
                *_document_layers(row, media),
            )
            for row in rows
        ],
    )


def _document_layers(row: dict[str, object], media: set[object]) -> tuple[str, tuple[str, ...]]:
    """Title and section path; a bare video title hurts dense search on transcripts."""
    if row["document_id"] in media:
        return "", ()
    path = row["section_hierarchy"]
    assert isinstance(path, list)
    return str(row["document_title"]), tuple(str(heading) for heading in path)


def _text_hash(identity: tuple[object, ...], text: str) -> str:
    return sha256(f"{content_key(*identity)}\n{text}".encode()).hexdigest()


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
        reused=len(counts) - embedded,
        longest_tokens=max(counts, default=0),
        over_limit=sum(count > encoder.profile.max_tokens for count in counts),
    )
