"""From a document to its two levels: `chunk_document` picks the variant and makes both at once."""

from momentry_assets.chunking.drafts import Hierarchy
from momentry_assets.chunking.spans import Ruler
from momentry_assets.chunking.story import chunk_story
from momentry_assets.chunking.structural import chunk_structural
from momentry_assets.context.describe import lead
from momentry_assets.embedding.tokens import TokenCounter
from momentry_assets.model import Document, DocumentKind
from momentry_assets.settings import ChunkingSettings

__all__ = ["CHUNKING_VERSION", "Hierarchy", "chunk_document"]

# Part of every content key: change it when the same input would be cut differently.
CHUNKING_VERSION = 2


def chunk_document(
    document: Document, settings: ChunkingSettings, counter: TokenCounter, *, max_tokens: int
) -> Hierarchy:
    """Parents and children of one document.

    Args:
        document: as read.
        settings: variant and sizes.
        counter: the embedder's tokenizer.
        max_tokens: what the embedding text leaves for a child's content; the child limit of the
            settings is lowered to it.
    """
    if not document.segments:
        return Hierarchy((), ())
    ruler = Ruler(
        document.text,
        counter.positions(document.text),
        min(settings.child_max_tokens, max_tokens),
        settings.child_max_characters,
        settings.child_min_characters,
        max_tokens,
    )
    # A parent's embedding text holds all its children and has to have room for a summary.
    room = max(1, max_tokens - max_tokens // 6)
    settings = settings.model_copy(
        update={"parent_max_tokens": min(settings.parent_max_tokens, room)}
    )
    # A story is made of speech: a text document among the media of a collection has none and is
    # structural whatever is set.
    is_media = document.kind is DocumentKind.MEDIA
    chunk = chunk_story if is_media and settings.variant != "structural" else chunk_structural
    return chunk(document, settings, ruler, lead)
