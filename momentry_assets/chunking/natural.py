"""The variant that follows a document's nature: stories for media, sections for text."""

from momentry_assets.chunking.drafts import ParentDraft
from momentry_assets.chunking.spans import Ruler
from momentry_assets.chunking.story import chunk_story
from momentry_assets.chunking.structural import chunk_structural
from momentry_assets.model import Document, DocumentKind
from momentry_assets.settings import ChunkingSettings


def chunk_natural(
    document: Document, settings: ChunkingSettings, ruler: Ruler
) -> list[ParentDraft]:
    """`chunk_story` for media, `chunk_structural` for everything else."""
    if document.kind is DocumentKind.MEDIA:
        return chunk_story(document, settings, ruler)
    return chunk_structural(document, settings, ruler)
