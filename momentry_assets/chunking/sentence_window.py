"""The sentence-window variant: children are sentences, what is read is assembled around a hit.

Source 002 warns that a window of neighbours may cut across a section. Ours stops there: a parent
of this variant is the section (of media: the speech between two cuts) a window may not leave. It
is the ordered index of its sentences and is not meant to be read whole.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from momentry_assets.chunking.drafts import ChildDraft, ParentDraft
from momentry_assets.chunking.ids import Ordinals, clock
from momentry_assets.chunking.natural import chunk_natural
from momentry_assets.chunking.spans import Ruler, Span
from momentry_assets.model import Document, SegmentKind
from momentry_assets.sentences import sentence_starts
from momentry_assets.settings import ChunkingSettings

_PROSE = frozenset(
    kind.value
    for kind in (
        SegmentKind.SENTENCE,
        SegmentKind.PARAGRAPH,
        SegmentKind.LIST,
        SegmentKind.QUOTE,
        SegmentKind.FOOTNOTE,
    )
)


def chunk_sentence_window(
    document: Document, settings: ChunkingSettings, ruler: Ruler
) -> list[ParentDraft]:
    """Sentences under the sections they may not be read across."""
    drafts = chunk_natural(document, settings, ruler)
    ordinals = Ordinals()
    return [
        _scope(document, list(group), settings, ruler, ordinals)
        for _, group in groupby(drafts, key=lambda draft: draft.section_id)
    ]


def _scope(
    document: Document,
    drafts: Sequence[ParentDraft],
    settings: ChunkingSettings,
    ruler: Ruler,
    ordinals: Ordinals,
) -> ParentDraft:
    first, last = drafts[0], drafts[-1]
    sentences: list[ChildDraft] = []
    for child in (child for draft in drafts for child in draft.children):
        for span in _sentences(document, child, settings, ruler):
            segments = tuple(
                one for one in child.segments if one.start < span[1] and one.end > span[0]
            )
            times = [one.start_ms for one in segments if one.start_ms is not None]
            structure = (
                ordinals.unique(f"sentence@{clock(min(times))}")
                if times
                else f"{first.section_id}!{len(sentences) + 1}"
            )
            sentences.append(
                replace(child, structure=structure, span=span, segments=segments or child.segments)
            )
    return replace(
        first, chunk_type="window", span=(first.span[0], last.span[1]), children=tuple(sentences)
    )


def _sentences(
    document: Document, child: ChildDraft, settings: ChunkingSettings, ruler: Ruler
) -> list[Span]:
    """The sentences of a child; one shorter than the minimum stays with the one before it."""
    if child.chunk_type not in _PROSE or child.search_text:
        return [child.span]
    start, end = child.span
    spans: list[Span] = []
    for piece in pairwise([start, *sentence_starts(document.text, start, end), end]):
        span = ruler.trimmed(piece)
        shorter = min(
            (stop - begin for begin, stop in (span, *spans[-1:])),
            default=settings.child_min_characters,
        )
        if spans and shorter < settings.child_min_characters:
            spans[-1] = (spans[-1][0], span[1])
        else:
            spans.append(span)
    return spans
