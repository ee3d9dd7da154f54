"""From drafts to chunks: what every variant shares once it has decided where to cut.

A variant yields `ParentDraft`s with their `ChildDraft`s; `finish` gives both levels their texts,
numbers, hashes and pointers in one pass, so that parents and children can never disagree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from momentry_assets.chunking.spans import Ruler, Span
from momentry_assets.model import Chunk, Document, Level, Segment


@dataclass(frozen=True, slots=True)
class ChildDraft:
    """A child before it is numbered.

    Attributes:
        structure: the part of the id behind ``#``.
        span: offsets in the document, white space at the ends already trimmed.
        segments: the segments it stands on; they give its times and speakers.
        search_text: what to match when it differs from the slice.
        section: id and heading path of its section, None for those of its parent.
    """

    structure: str
    chunk_type: str
    span: Span
    segments: tuple[Segment, ...] = ()
    search_text: str = ""
    section: tuple[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class ParentDraft:
    """A parent before it is numbered. The spans of a document's parents tile its text.

    Attributes:
        section_id: names the section, or the run of speech between two cuts, that it is part of;
            a window around one of its children never leaves it.
    """

    structure: str
    chunk_type: str
    span: Span
    section_id: str
    section_hierarchy: tuple[str, ...]
    children: tuple[ChildDraft, ...]


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Both levels of one document."""

    parents: tuple[Chunk, ...]
    children: tuple[Chunk, ...]


def finish(document: Document, ruler: Ruler, drafts: Sequence[ParentDraft]) -> Hierarchy:
    """Number, hash and link the drafts of one document."""
    parents: list[Chunk] = []
    children: list[Chunk] = []
    total_children = sum(len(draft.children) for draft in drafts)
    for index, draft in enumerate(drafts):
        parent_id = f"{document.document_id}#{draft.structure}"
        own: list[Chunk] = []
        for child in draft.children:
            own.append(
                _chunk(
                    document,
                    ruler,
                    Level.CHILD,
                    child,
                    draft,
                    len(children) + len(own),
                    total_children,
                    parent_id=parent_id,
                )
            )
        segments = tuple(segment for child in draft.children for segment in child.segments)
        whole = ChildDraft(draft.structure, draft.chunk_type, draft.span, segments)
        parents.append(
            _chunk(
                document,
                ruler,
                Level.PARENT,
                whole,
                draft,
                index,
                len(drafts),
                child_ids=tuple(child.chunk_id for child in own),
            )
        )
        children.extend(own)
    return Hierarchy(tuple(parents), tuple(children))


def _chunk(
    document: Document,
    ruler: Ruler,
    level: Level,
    draft: ChildDraft,
    around: ParentDraft,
    index: int,
    total: int,
    *,
    parent_id: str | None = None,
    child_ids: tuple[str, ...] = (),
) -> Chunk:
    text = document.text[draft.span[0] : draft.span[1]]
    section_id, section_hierarchy = draft.section or (around.section_id, around.section_hierarchy)
    starts = [segment.start_ms for segment in draft.segments if segment.start_ms is not None]
    ends = [segment.end_ms for segment in draft.segments if segment.end_ms is not None]
    return Chunk(
        chunk_id=f"{document.document_id}#{draft.structure}",
        level=level,
        chunk_type=draft.chunk_type,
        document_id=document.document_id,
        text_content=text,
        start=draft.span[0],
        end=draft.span[1],
        section_id=section_id,
        section_hierarchy=section_hierarchy,
        index=index,
        total=total,
        token_count=ruler.tokens(draft.span),
        content_hash=sha256(text.encode()).hexdigest(),
        start_ms=min(starts, default=None),
        end_ms=max(ends, default=None),
        speakers=tuple(dict.fromkeys(s.speaker for s in draft.segments if s.speaker)),
        parent_chunk_id=parent_id,
        start_in_parent=None if parent_id is None else draft.span[0] - around.span[0],
        child_chunk_ids=child_ids,
        search_text=draft.search_text,
    )
