"""The structural variant: children are blocks, parents their enclosing sections (source 002)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from momentry_assets.chunking.drafts import ChildDraft, ParentDraft
from momentry_assets.chunking.sections import Section, sections_of
from momentry_assets.chunking.spans import Ruler, Span, split
from momentry_assets.model import Document, Segment, SegmentKind
from momentry_assets.settings import ChunkingSettings
from momentry_assets.sources.markup import data_uris, search_text_of

_LINES = (SegmentKind.CODE, SegmentKind.TABLE)


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of a section, or a tiny one joined with its neighbour.

    Attributes:
        whole: not to be cut although it may pass the child's limit.
        apart: what stands before it is not matched and must not get into its child.
    """

    chunk_type: str
    span: Span
    breaks: tuple[int, ...]
    header: Span | None
    segments: tuple[Segment, ...]
    whole: bool = False
    apart: bool = False


def chunk_structural(
    document: Document, settings: ChunkingSettings, ruler: Ruler
) -> list[ParentDraft]:
    """Both levels of a text document.

    Args:
        document: with segments as a text reader yields them.
        settings: sizes.
        ruler: the document's text and the child's limits.
    """
    drafts: list[ParentDraft] = []
    carried: int | None = None
    for section in sections_of(document):
        children = _children(document, section, settings, ruler)
        if not children:
            # Nothing to match (a nameless heading, a page without text): its characters go with
            # the neighbour, so that the parents still tile the document.
            if drafts:
                drafts[-1] = replace(drafts[-1], span=(drafts[-1].span[0], section.span[1]))
            elif carried is None:
                carried = section.span[0]
            continue
        if carried is not None:
            section = replace(section, span=(carried, section.span[1]))
            carried = None
        drafts.extend(_parents(section, children, settings, ruler))
    return drafts


def _children(
    document: Document, section: Section, settings: ChunkingSettings, ruler: Ruler
) -> list[ChildDraft]:
    spans = _cut(_joined(document, section, settings, ruler), ruler)
    if not spans and section.heading is not None and section.heading.label:
        # An empty section must still be found: its heading stands for it.
        heading = section.heading
        spans = _cut([_Block("heading", (heading.start, heading.end), (), None, (heading,))], ruler)
    return [
        ChildDraft(
            structure=f"{section.structure}!{number}",
            chunk_type=block.chunk_type,
            span=span,
            segments=block.segments,
            search_text=_search_text(document, block, span, ruler),
        )
        for number, (block, span) in enumerate(spans, start=1)
    ]


def _cut(blocks: list[_Block], ruler: Ruler) -> list[tuple[_Block, Span]]:
    """The blocks in pieces that fit, without white space at their ends."""
    spans: list[tuple[_Block, Span]] = []
    for block in blocks:
        pieces = [block.span]
        if not block.whole:
            prose = block.chunk_type not in _LINES
            pieces = split(ruler, block.span, block.breaks, prose=prose)
        for piece in pieces:
            trimmed = ruler.trimmed(piece)
            if trimmed[0] < trimmed[1]:
                spans.append((block, trimmed))
    return spans


def _joined(
    document: Document, section: Section, settings: ChunkingSettings, ruler: Ruler
) -> list[_Block]:
    """The blocks of a section; one shorter than the minimum is joined to the next, else the last.

    A table or fence that fits is never cut: with a short lead ("Run this:") it may pass the
    child's limit by the length of the lead, as long as the embedding text has room.
    """
    blocks: list[_Block] = []
    for segment, apart in _matched(document, section, ruler):
        span = (segment.start, segment.end)
        header = None if segment.header_end is None else (segment.start, segment.header_end)
        # Joined to a neighbour, a fence or table that fits is still not cut.
        is_atom = segment.kind in _LINES and ruler.fits(span)
        breaks = () if is_atom else segment.breaks
        block = _Block(segment.kind.value, span, breaks, header, (segment,), apart=apart)
        if blocks and (merged := _merge(blocks[-1], block, settings, ruler)):
            blocks[-1] = merged
        else:
            blocks.append(block)
    if len(blocks) > 1 and blocks[-2].whole and _is_tiny(blocks[-1], settings, ruler):
        first, last = blocks[-2:]
        span = (first.span[0], last.span[1])
        if not last.apart and ruler.tokens(span) <= ruler.budget_tokens:
            blocks[-2:] = [replace(first, span=span, segments=(*first.segments, *last.segments))]
    return blocks


def _matched(document: Document, section: Section, ruler: Ruler) -> Iterator[tuple[Segment, bool]]:
    """What of a section is text to match, and whether something that is not stands before it.

    A segment that is too long because of a file in it (an image in base64) is what stands around
    that file; the file itself is in the parent only.
    """
    apart = False
    for segment in section.blocks:
        if segment.search_text and not segment.search_text.strip():
            continue
        if not segment.search_text or ruler.fits((segment.start, segment.end)):
            yield segment, apart
            apart = False
            continue
        text = document.slice(segment)
        is_code, is_html = (segment.kind is kind for kind in (SegmentKind.CODE, SegmentKind.HTML))
        files = data_uris(text, is_code=is_code)
        starts, ends = [0, *(end for _, end in files)], [*(start for start, _ in files), len(text)]
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            apart = apart or number > 0
            around = text[start:end]
            matched = search_text_of(around, is_html=is_html, is_code=is_code)
            if any(character.isalnum() for character in matched or around):
                offsets = (segment.start + start, segment.start + end)
                yield replace(segment, start=offsets[0], end=offsets[1], search_text=matched), apart
                apart = False


def _is_tiny(block: _Block, settings: ChunkingSettings, ruler: Ruler) -> bool:
    start, end = ruler.trimmed(block.span)
    return end - start < settings.child_min_characters


def _merge(
    first: _Block, second: _Block, settings: ChunkingSettings, ruler: Ruler
) -> _Block | None:
    if first.whole or second.whole or second.apart:
        return None
    tiny = [block for block in (first, second) if _is_tiny(block, settings, ruler)]
    if not tiny:
        return None
    span = (first.span[0], second.span[1])
    large = first if second in tiny and first not in tiny else second
    if not ruler.fits(ruler.trimmed(span)) and (
        large.chunk_type in _LINES and ruler.fits(large.span)
    ):
        if ruler.tokens(span) > ruler.budget_tokens or ruler.max_characters is not None:
            return None
        segments = (*first.segments, *second.segments)
        return replace(large, span=span, segments=segments, whole=True, apart=first.apart)
    breaks = (*first.breaks, second.span[0], *second.breaks)
    segments = (*first.segments, *second.segments)
    return replace(large, span=span, breaks=breaks, segments=segments, apart=first.apart)


def _search_text(document: Document, block: _Block, span: Span, ruler: Ruler) -> str:
    """The text to match: a table's rows with their header, a segment's own search text.

    A header for which the embedding text has no room is left out.
    """
    text = document.slice_span(span)
    if span == ruler.trimmed(block.span):
        # What stands between two joined blocks is white space or a comment nobody looks for.
        parts: list[str] = []
        position = block.span[0]
        for segment in block.segments:
            between = document.text[position : segment.start]
            parts.append("\n\n" if between.strip() else between)
            parts.append(segment.search_text or document.slice(segment))
            position = segment.end
        text = "".join(parts).strip()
    header = block.header
    if (
        header
        and span[0] >= header[1]
        and ruler.tokens(header) + ruler.tokens(span) <= ruler.budget_tokens
    ):
        text = f"{document.slice_span(header).rstrip()}\n{text}"
    return "" if text == document.slice_span(span) else text


def _parents(
    section: Section, children: list[ChildDraft], settings: ChunkingSettings, ruler: Ruler
) -> list[ParentDraft]:
    groups = _parts(section, children, settings, ruler)
    starts = [section.span[0], *(group[0].span[0] for group in groups[1:])]
    ends = [*starts[1:], section.span[1]]
    drafts: list[ParentDraft] = []
    for number, (group, start, end) in enumerate(zip(groups, starts, ends, strict=True), start=1):
        drafts.append(
            ParentDraft(
                structure=section.structure if number == 1 else f"{section.structure}.{number}",
                chunk_type="section",
                span=(start, end),
                section_id=section.structure,
                section_hierarchy=section.path,
                children=tuple(group),
            )
        )
    return drafts


def _parts(
    section: Section, children: list[ChildDraft], settings: ChunkingSettings, ruler: Ruler
) -> list[list[ChildDraft]]:
    """The children of each parent: one group when the section fits, else evenly filled groups."""
    whole = ruler.tokens(ruler.trimmed(section.span))
    if whole <= settings.parent_max_tokens or len(children) < 2:
        return [children]
    target = -(-whole // -(-whole // settings.parent_max_tokens))
    groups: list[list[ChildDraft]] = []
    start = section.span[0]
    for child in children:
        filled = ruler.tokens((start, child.span[0])) if groups else 0
        with_child = ruler.tokens((start, child.span[1]))
        if (
            groups
            and groups[-1]
            and (with_child > settings.parent_max_tokens or filled + 1 > target)
        ):
            groups.append([])
            start = child.span[0]
        elif not groups:
            groups.append([])
        groups[-1].append(child)
    return groups
