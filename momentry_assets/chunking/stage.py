"""The chunking stage: both levels of a collection, made together and published together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from momentry_assets.chunking import CHUNKING_VERSION, Hierarchy, chunk_document
from momentry_assets.chunking.written import (
    parent_texts,
    with_descriptions,
    with_generated_children,
)
from momentry_assets.context.embedding_text import TokenBudget
from momentry_assets.descriptions.writers import Writers
from momentry_assets.embedding.profile import EncoderProfile
from momentry_assets.embedding.tokens import TokenCounter
from momentry_assets.errors import TableError
from momentry_assets.model import Chunk, Document, Level
from momentry_assets.rows import chunks_table, read_documents
from momentry_assets.schemas import CHILD_CHUNKS, DOCUMENTS, PARENT_CHUNKS, RAW_SEGMENTS
from momentry_assets.settings import ChunkingSettings
from momentry_assets.tables import TableStore, content_key

# Documents whose parents are described together, so that the model gets full batches.
_TOGETHER = 50


@dataclass(frozen=True, slots=True)
class ChunkReceipt:
    """What chunking one collection gave.

    Attributes:
        variant: as set, ``by document`` when nothing is set.
        describer: as set.
        unchanged: True when nothing had to be done.
        fallbacks: chunks that the chosen writer did not write for; the next run asks again.
    """

    content_key: str
    unchanged: bool
    variant: str
    describer: str
    parents: int
    children: int
    fallbacks: int


def chunk_collection(
    store: TableStore,
    partition: str,
    settings: ChunkingSettings,
    profile: EncoderProfile,
    writers: Writers,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> ChunkReceipt:
    """Make the parents and children of every document of a collection.

    Args:
        store: holds ``documents`` and ``raw_segments``, gets both chunk tables.
        partition: partition key of the collection.
        settings: variant and sizes.
        profile: the embedder, whose tokenizer measures the chunks.
        writers: write the descriptions and generated children.
        progress: called with (documents done, all documents).

    Raises:
        TableError: when the collection was not read yet.
    """
    raw = store.entry(RAW_SEGMENTS, partition)
    if raw is None:
        raise TableError(f"partition {partition!r} was not read yet; materialise raw_segments")
    counter = TokenCounter(profile)
    limit = TokenBudget(counter, profile.max_tokens, profile.document_prompt).content_tokens
    key = content_key(
        "chunk",
        CHUNKING_VERSION,
        raw.content_key,
        settings.model_dump(),
        profile.name,
        limit,
        writers.identity,
    )
    fallbacks: list[str] = []
    unchanged = store.is_current((PARENT_CHUNKS, CHILD_CHUNKS), partition, key)
    if not unchanged:
        documents = read_documents(
            store.read(DOCUMENTS, partition), store.read(RAW_SEGMENTS, partition)
        )
        parents: list[Chunk] = []
        children: list[Chunk] = []
        for start in range(0, len(documents), _TOGETHER):
            together = documents[start : start + _TOGETHER]
            hierarchies = [
                chunk_document(document, settings, counter, max_tokens=limit)
                for document in together
            ]
            for hierarchy in _written(together, hierarchies, settings, writers):
                parents.extend(hierarchy.parents)
                children.extend(hierarchy.children)
            progress(start + len(together), len(documents))
        by_id = {document.document_id: document for document in documents}
        fallbacks = sorted(one.chunk_id for one in (*parents, *children) if one.fallback)
        if fallbacks:
            # Under a key of its own: the next run asks again, and what it gets is another state.
            key = content_key(key, fallbacks)
        unchanged = store.is_current((PARENT_CHUNKS, CHILD_CHUNKS), partition, key)
        if not unchanged:
            store.publish(
                partition,
                key,
                {
                    PARENT_CHUNKS: chunks_table(Level.PARENT, parents, by_id),
                    CHILD_CHUNKS: chunks_table(Level.CHILD, children, by_id),
                },
            )
    rows = {spec.name: store.entry(spec, partition) for spec in (PARENT_CHUNKS, CHILD_CHUNKS)}
    counts = {name: entry.rows if entry else 0 for name, entry in rows.items()}
    return ChunkReceipt(
        key,
        unchanged,
        settings.variant or "by document",
        settings.describer,
        counts[PARENT_CHUNKS.name],
        counts[CHILD_CHUNKS.name],
        len(fallbacks),
    )


def _written(
    documents: Sequence[Document],
    hierarchies: Sequence[Hierarchy],
    settings: ChunkingSettings,
    writers: Writers,
) -> list[Hierarchy]:
    """Hierarchies with what is written about their parents, all of them asked for together."""
    texts = [
        parent_texts(document, hierarchy)
        for document, hierarchy in zip(documents, hierarchies, strict=True)
    ]
    every = [text for own in texts for text in own]
    descriptions = writers.describer.describe(every)
    generated = settings.variant == "summary_indexed"
    asked = generated and settings.generated_child != "summary"
    questions = writers.questions.questions(every) if asked else None
    found: list[Hierarchy] = []
    start = 0
    for hierarchy in hierarchies:
        end = start + len(hierarchy.parents)
        own = descriptions[start:end]
        described = with_descriptions(hierarchy, own)
        if generated:
            described = with_generated_children(
                described,
                None if settings.generated_child == "questions" else own,
                None if questions is None else questions[start:end],
            )
        found.append(described)
        start = end
    return found
