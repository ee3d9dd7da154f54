"""What must hold between the tables and the stores. Every function returns the problems it found.

A problem is one line a person can act on; an empty list means the promise holds. The asset
checks and the tests call the same functions.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from momentry_assets.embedding.profile import EncoderProfile
from momentry_assets.embedding.stage import CHUNKS, EMBEDDINGS, vector_matrix
from momentry_assets.errors import TableError
from momentry_assets.model import Level
from momentry_assets.schemas import (
    CHILD_CHUNKS,
    DOCUMENTS,
    PARENT_CHUNKS,
    RAW_SEGMENTS,
    TableSpec,
    conforms,
)
from momentry_assets.stores.names import generation_name
from momentry_assets.stores.postgres import PostgresStore
from momentry_assets.stores.stage import generation_of
from momentry_assets.stores.vectors import VectorIndex
from momentry_assets.tables import TableStore

Problems = list[str]
_SHOWN = 5


def schema_problems(store: TableStore, partition: str, spec: TableSpec) -> Problems:
    """Columns, types, nulls and keys of one table against its declaration."""
    return conforms(store.read(spec, partition), spec)


def segment_problems(store: TableStore, partition: str) -> Problems:
    """A collection with documents has segments; times are ordered; offsets slice the text."""
    documents = store.read(DOCUMENTS, partition, ["document_id", "text", "status"]).to_pylist()
    segments = store.read(RAW_SEGMENTS, partition).to_pylist()
    problems: Problems = []
    read = [row for row in documents if row["status"] == "read"]
    if read and not segments:
        problems.append(f"{partition}: {len(read)} documents were read but have no segment")
    texts = {row["document_id"]: row["text"] for row in documents}
    for row in segments:
        place = f"{row['document_id']}: segment {row['index']}"
        if row["document_id"] not in texts:
            problems.append(f"{place}: its document does not exist")
        elif texts[row["document_id"]][row["start"] : row["end"]] != row["text"]:
            problems.append(f"{place}: offsets {row['start']}-{row['end']} do not give its text")
        if row["start_ms"] is not None and not 0 <= row["start_ms"] <= row["end_ms"]:
            problems.append(f"{place}: times {row['start_ms']}-{row['end_ms']} ms are not ordered")
    return _first(problems)


def hierarchy_problems(store: TableStore, partition: str) -> Problems:
    """Pointers both ways, slices against offsets, children inside parents, parents tile."""
    texts = dict(
        zip(
            *(
                store.read(DOCUMENTS, partition, ["document_id", "text"])[name].to_pylist()
                for name in ("document_id", "text")
            ),
            strict=True,
        )
    )
    parents = store.read(PARENT_CHUNKS, partition).to_pylist()
    children = store.read(CHILD_CHUNKS, partition).to_pylist()
    parent_of = {row["chunk_id"]: row for row in parents}
    child_ids = {row["chunk_id"] for row in children}
    problems: Problems = []
    for row in (*parents, *children):
        if row["document_id"] not in texts:
            problems.append(f"{row['chunk_id']}: document {row['document_id']} does not exist")
        elif texts[row["document_id"]][row["start"] : row["end"]] != row["text_content"]:
            problems.append(f"{row['chunk_id']}: offsets do not give its text")
    for row in children:
        parent = parent_of.get(row["parent_chunk_id"])
        if parent is None:
            problems.append(f"{row['chunk_id']}: parent {row['parent_chunk_id']} does not exist")
        elif not parent["start"] <= row["start"] <= row["end"] <= parent["end"]:
            problems.append(f"{row['chunk_id']}: lies outside its parent {parent['chunk_id']}")
        elif row["chunk_id"] not in parent["child_chunk_ids"]:
            problems.append(f"{row['chunk_id']}: its parent does not list it")
    for row in parents:
        missing = [one for one in row["child_chunk_ids"] if one not in child_ids]
        if missing or not row["child_chunk_ids"]:
            problems.append(f"{row['chunk_id']}: children missing: {', '.join(missing) or 'all'}")
    problems.extend(_tiling_problems(parents, texts))
    return _first(problems)


def long_documents(store: TableStore, partition: str, most_tokens: int) -> Problems:
    """Documents that are one parent each and longer than anybody wants to read.

    Source 002: whole-document parents are "only sensible when documents are short".
    """
    columns = ["document_id", "chunk_type", "token_count"]
    rows = store.read(PARENT_CHUNKS, partition, columns).to_pylist()
    return _first(
        [
            f"{row['document_id']}: {row['token_count']:,} tokens are read at every hit; "
            f"cut it structurally, or raise long_document_tokens ({most_tokens:,})"
            for row in rows
            if row["chunk_type"] == "document" and row["token_count"] > most_tokens
        ]
    )


def _tiling_problems(parents: list[dict[str, object]], texts: dict[str, str]) -> Problems:
    spans: dict[str, list[tuple[int, int]]] = {}
    for row in parents:
        start, end = row["start"], row["end"]
        assert isinstance(start, int)
        assert isinstance(end, int)
        spans.setdefault(str(row["document_id"]), []).append((start, end))
    problems: Problems = []
    for document_id, own in spans.items():
        if document_id not in texts:
            continue
        borders = [(0, 0), *sorted(own), (len(texts[document_id]),) * 2]
        if any(before[1] != after[0] for before, after in pairwise(borders)):
            problems.append(f"{document_id}: its parents do not rejoin the document")
    return problems


def embedding_problems(
    store: TableStore, partition: str, level: Level, profile: EncoderProfile
) -> Problems:
    """One finite unit-length vector a chunk, no embedding text over the model's limit."""
    spec = EMBEDDINGS[level]
    table = store.read(spec, partition)
    chunks = set(store.read(CHUNKS[level], partition, ["chunk_id"])["chunk_id"].to_pylist())
    embedded = table["chunk_id"].to_pylist()
    problems: Problems = []
    if set(embedded) != chunks:
        lost, extra = len(chunks - set(embedded)), len(set(embedded) - chunks)
        problems.append(f"{spec.name}: {lost} chunks without a vector, {extra} vectors without")
    over = [
        f"{chunk_id}: {count} tokens, the model reads {profile.max_tokens}"
        for chunk_id, count in zip(embedded, table["token_count"].to_numpy(), strict=True)
        if count > profile.max_tokens
    ]
    if table.num_rows:
        vectors = vector_matrix(table["embedding"])
        norms = np.linalg.norm(vectors, axis=1)
        bad = np.flatnonzero(~np.isfinite(norms) | (np.abs(norms - 1.0) > 1e-3))
        problems.extend(f"{embedded[row]}: vector length {norms[row]:.4f}, not 1" for row in bad)
    return _first([*problems, *over])


def store_problems(
    store: TableStore,
    partition: str,
    collection: str,
    postgres: PostgresStore,
    vectors: VectorIndex,
) -> Problems:
    """The live generation is that of the tables; ids agree in Parquet, PostgreSQL and Qdrant."""
    live = postgres.live_generations().get(collection)
    try:
        generation = generation_of(store, partition)
    except TableError as error:
        # A collection that is only half built and was never served is no disagreement yet.
        return [str(error)] if live else []
    if live != generation:
        return [
            f"{collection}: searches read generation {live}, the tables are {generation}; "
            f"materialise postgres_index and qdrant_index"
        ]
    problems: Problems = []
    name = generation_name(collection, generation)
    for level in Level:
        expected = set(store.read(CHUNKS[level], partition, ["chunk_id"])["chunk_id"].to_pylist())
        stores: dict[str, Callable[[], set[str]]] = {
            "PostgreSQL": lambda level=level: set(
                postgres.chunk_ids(collection, generation, level)
            ),
            "Qdrant": lambda level=level: set(vectors.chunk_ids(name, level)),
        }
        for store_name, read_ids in stores.items():
            found = read_ids() if expected or store_name == "PostgreSQL" else set[str]()
            if found != expected:
                problems.append(
                    f"{collection}: {store_name} has {len(found)} {level.value} chunks, Parquet "
                    f"{len(expected)} ({len(expected - found)} missing, "
                    f"{len(found - expected)} too many)"
                )
    dangling = postgres.dangling_pointers(collection, generation)
    if any(dangling):
        problems.append(f"{collection}: dangling pointers in PostgreSQL: {dangling}")
    return problems


def _first(problems: Problems) -> Problems:
    """The first few problems and how many more there are."""
    if len(problems) <= _SHOWN:
        return problems
    return [*problems[:_SHOWN], f"… and {len(problems) - _SHOWN} more"]
