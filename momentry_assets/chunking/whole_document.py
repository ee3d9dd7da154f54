"""The whole-document variant: children as usual, one parent a document (source 002).

Only sensible for short documents: a check warns about those over ``long_document_tokens``.
"""

from dataclasses import replace

from momentry_assets.chunking.drafts import ParentDraft
from momentry_assets.chunking.natural import chunk_natural
from momentry_assets.chunking.spans import Ruler
from momentry_assets.model import Document
from momentry_assets.settings import ChunkingSettings


def chunk_whole_document(
    document: Document, settings: ChunkingSettings, ruler: Ruler
) -> list[ParentDraft]:
    """All children of a document under one parent, which is the document."""
    drafts = chunk_natural(document, settings, ruler)
    if not drafts:
        return []
    children = tuple(
        replace(child, section=(draft.section_id, draft.section_hierarchy))
        for draft in drafts
        for child in draft.children
    )
    return [ParentDraft("document", "document", (0, len(document.text)), "", (), children)]
