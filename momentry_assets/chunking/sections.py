"""Sections of a text document: what stands between two headings, with its heading path."""

from dataclasses import dataclass

from momentry_assets.chunking.ids import TOP, Ordinals, slug
from momentry_assets.chunking.spans import Span
from momentry_assets.model import Document, Segment, SegmentKind


@dataclass(frozen=True, slots=True)
class Section:
    """One section. The spans of a document's sections tile its text.

    Attributes:
        structure: heading slugs from the root, made unique among equals.
        path: headings from the root, empty before the first heading.
        heading: the heading segment, None before the first heading.
        blocks: the segments of its body.
    """

    structure: str
    path: tuple[str, ...]
    span: Span
    heading: Segment | None
    blocks: tuple[Segment, ...]


@dataclass(slots=True)
class _Open:
    structure: str
    path: tuple[str, ...]
    start: int
    heading: Segment | None
    blocks: list[Segment]


def sections_of(document: Document) -> list[Section]:
    """The sections of a document, in order; empty when it has no segment.

    What stands before the first heading is a section of its own with an empty path; front matter
    and white space alone are not, they go with the first section.
    """
    ordinals = Ordinals()
    stack: list[tuple[int, str, str]] = []
    found: list[_Open] = []
    for segment in document.segments:
        if segment.kind in (SegmentKind.HEADING, SegmentKind.PAGE):
            while stack and stack[-1][0] >= segment.level:
                stack.pop()
            above = f"{stack[-1][2]}/" if stack else ""
            structure = ordinals.unique(above + slug(segment.label))
            stack.append((segment.level, segment.label, structure))
            path = tuple(label for _, label, _ in stack if label)
            found.append(_Open(structure, path, segment.start, segment, []))
        else:
            if not found:
                found.append(_Open(ordinals.unique(TOP), (), 0, None, []))
            found[-1].blocks.append(segment)
    if not found:
        return []
    starts = [0, *(one.start for one in found[1:])]
    ends = [*starts[1:], len(document.text)]
    return [
        Section(one.structure, one.path, (start, end), one.heading, tuple(one.blocks))
        for one, start, end in zip(found, starts, ends, strict=True)
    ]
