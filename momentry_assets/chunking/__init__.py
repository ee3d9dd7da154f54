"""From a document to its two levels: `chunk_document` picks the variant and makes both at once.

Six variants behind one interface, ``(document, settings, ruler) -> parent drafts``: source 002's
five and source 000's stories. A variant is chosen for a collection in ``momentry.toml``.
"""

from collections.abc import Callable

from momentry_assets.chunking.drafts import Hierarchy, ParentDraft, finish
from momentry_assets.chunking.fixed import chunk_fixed
from momentry_assets.chunking.natural import chunk_natural
from momentry_assets.chunking.sentence_window import chunk_sentence_window
from momentry_assets.chunking.spans import Ruler
from momentry_assets.chunking.structural import chunk_structural
from momentry_assets.chunking.whole_document import chunk_whole_document
from momentry_assets.embedding.tokens import TokenCounter
from momentry_assets.model import Document
from momentry_assets.settings import ChunkingSettings, Variant

__all__ = ["CHUNKING_VERSION", "Hierarchy", "chunk_document"]

# Part of every content key: change it when the same input would be cut differently.
CHUNKING_VERSION = 4

_VARIANTS: dict[Variant, Callable[[Document, ChunkingSettings, Ruler], list[ParentDraft]]] = {
    "structural": chunk_structural,
    # A story is made of speech: a text document among the media of a collection has none.
    "story": chunk_natural,
    "fixed": chunk_fixed,
    "sentence_window": chunk_sentence_window,
    # Its parents are the natural ones; `generated` puts written children in place of excerpts.
    "summary_indexed": chunk_natural,
    "whole_document": chunk_whole_document,
}


def chunk_document(
    document: Document, settings: ChunkingSettings, counter: TokenCounter, *, max_tokens: int
) -> Hierarchy:
    """Parents and children of one document, without the descriptions of its parents.

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
    chunk = _VARIANTS[settings.variant] if settings.variant else chunk_natural
    return finish(document, ruler, chunk(document, settings, ruler))
