"""The fixed variant: both levels are spans of a set length, whatever the text's structure is.

Source 002's "fixed two-level": simple and uniform, with borders as arbitrary as any fixed border.
It is here to be compared with. A border is moved to white space, never into a word that fits.
"""

from bisect import bisect_right
from itertools import groupby

from momentry_assets.chunking.drafts import ChildDraft, ParentDraft
from momentry_assets.chunking.ids import clock
from momentry_assets.chunking.sections import sections_of
from momentry_assets.chunking.spans import Ruler, Span, cut
from momentry_assets.model import Document, DocumentKind, Segment
from momentry_assets.settings import ChunkingSettings


def chunk_fixed(document: Document, settings: ChunkingSettings, ruler: Ruler) -> list[ParentDraft]:
    """Both levels of any document. A parent holds as many whole children as fit into it."""
    spans = [
        trimmed
        for piece in cut(ruler, (0, len(document.text)))
        if (trimmed := ruler.trimmed(piece))[0] < trimmed[1]
    ]
    if not spans:
        return []
    groups = _groups(spans, settings, ruler)
    starts = [0, *(group[0][0] for group in groups[1:])]
    ends = [*starts[1:], len(document.text)]
    paths = _Paths(document)
    return [
        ParentDraft(
            structure=f"fixed@{_place(document, group[0])}",
            chunk_type="fixed",
            span=(start, end),
            section_id="",
            section_hierarchy=paths.at(group[0][0]),
            children=tuple(
                ChildDraft(
                    structure=f"piece@{_place(document, span)}",
                    chunk_type="piece",
                    span=span,
                    segments=_touched(document, span),
                    section=("", paths.at(span[0])),
                )
                for span in group
            ),
        )
        for group, start, end in zip(groups, starts, ends, strict=True)
    ]


def _groups(spans: list[Span], settings: ChunkingSettings, ruler: Ruler) -> list[list[Span]]:
    groups: list[list[Span]] = []
    for span in spans:
        if groups and ruler.tokens((groups[-1][0][0], span[1])) <= settings.parent_max_tokens:
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


def _place(document: Document, span: Span) -> str:
    """The offset; for media the clock, made unique by the offset."""
    if document.kind is DocumentKind.MEDIA:
        times = [one.start_ms for one in _touched(document, span) if one.start_ms is not None]
        return f"{clock(min(times, default=0))}+{span[0]}"
    return str(span[0])


def _touched(document: Document, span: Span) -> tuple[Segment, ...]:
    return tuple(one for one in document.segments if one.start < span[1] and one.end > span[0])


class _Paths:
    """The heading path at an offset."""

    def __init__(self, document: Document) -> None:
        sections = sections_of(document) if document.kind is DocumentKind.TEXT else []
        unique = [next(group) for _, group in groupby(sections, key=lambda one: one.span[0])]
        self._starts = [one.span[0] for one in unique]
        self._paths = [one.path for one in unique]

    def at(self, offset: int) -> tuple[str, ...]:
        place = bisect_right(self._starts, offset) - 1
        return self._paths[place] if place >= 0 else ()
