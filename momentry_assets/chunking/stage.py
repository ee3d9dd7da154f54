"""The chunking stage: both levels of a collection, made together and published together."""

from collections.abc import Callable
from dataclasses import dataclass

from momentry_assets.chunking import CHUNKING_VERSION, chunk_document
from momentry_assets.context.embedding_text import TokenBudget
from momentry_assets.embedding.profile import EncoderProfile
from momentry_assets.embedding.tokens import TokenCounter
from momentry_assets.errors import TableError
from momentry_assets.model import Chunk, Level
from momentry_assets.rows import chunks_table, read_documents
from momentry_assets.schemas import CHILD_CHUNKS, DOCUMENTS, PARENT_CHUNKS, RAW_SEGMENTS
from momentry_assets.settings import ChunkingSettings
from momentry_assets.tables import TableStore, content_key


@dataclass(frozen=True, slots=True)
class ChunkReceipt:
    """What chunking one collection gave; ``unchanged`` when nothing had to be done."""

    content_key: str
    unchanged: bool
    parents: int
    children: int


def chunk_collection(
    store: TableStore,
    partition: str,
    settings: ChunkingSettings,
    profile: EncoderProfile,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> ChunkReceipt:
    """Make the parents and children of every document of a collection.

    Args:
        store: holds ``documents`` and ``raw_segments``, gets both chunk tables.
        partition: partition key of the collection.
        settings: variant and sizes.
        profile: the embedder, whose tokenizer measures the chunks.
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
        "chunk", CHUNKING_VERSION, raw.content_key, settings.model_dump(), profile.name, limit
    )
    unchanged = store.is_current((PARENT_CHUNKS, CHILD_CHUNKS), partition, key)
    if not unchanged:
        documents = read_documents(
            store.read(DOCUMENTS, partition), store.read(RAW_SEGMENTS, partition)
        )
        parents: list[Chunk] = []
        children: list[Chunk] = []
        for done, document in enumerate(documents, start=1):
            hierarchy = chunk_document(document, settings, counter, max_tokens=limit)
            parents.extend(hierarchy.parents)
            children.extend(hierarchy.children)
            progress(done, len(documents))
        by_id = {document.document_id: document for document in documents}
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
    return ChunkReceipt(key, unchanged, counts[PARENT_CHUNKS.name], counts[CHILD_CHUNKS.name])
