"""Spans to read around matched children. Pure functions over the ordered index of a document.

A window never leaves its section and is a slice of the source, so the white space between two
sentences is the author's. Source 002 names both troubles: windows that cut across a section, and
overlapping fragments that repeat text.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Piece:
    """A child as the ordered index of its document knows it.

    Attributes:
        index: position among the document's children.
        start, end: code points in the document.
        section_id: what a window may not leave.
    """

    chunk_id: str
    index: int
    start: int
    end: int
    section_id: str


def window_spans(pieces: Sequence[Piece], hits: Collection[str], width: int) -> list[Span]:
    """The windows of ``width`` pieces on either side of every hit, overlapping ones as one.

    Args:
        pieces: of one document, in order; those further than ``width`` from a hit do not matter.
        hits: chunk ids of the matched pieces.
        width: pieces on either side, 0 for the hit alone.
    """
    spans: list[Span] = []
    for _, group in groupby(pieces, key=lambda piece: piece.section_id):
        section = list(group)
        for place, piece in enumerate(section):
            if piece.chunk_id not in hits:
                continue
            first = section[max(0, place - width)]
            last = section[min(len(section) - 1, place + width)]
            # The index is checked too: a piece that was not fetched is no neighbour.
            first = first if piece.index - first.index <= width else piece
            last = last if last.index - piece.index <= width else piece
            spans.append((first.start, last.end))
    return united(spans)


def united(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, those that overlap or touch as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def window_within(
    pieces: Sequence[Piece], best: str, room: int, tokens: Callable[[Span], int]
) -> Span | None:
    """The largest window around one piece that fits, grown piece by piece on either side.

    Args:
        pieces: of one section, in order.
        best: chunk id of the piece to begin with.
        room: tokens that may be read.
        tokens: length of a span.

    Returns:
        None when not even the piece itself fits.
    """
    place = next(row for row, piece in enumerate(pieces) if piece.chunk_id == best)
    low = high = place
    if tokens((pieces[place].start, pieces[place].end)) > room:
        return None
    while True:
        grown = False
        for step in (1, -1):
            first, last = (low, high + 1) if step == 1 else (low - 1, high)
            if first < 0 or last >= len(pieces):
                continue
            if tokens((pieces[first].start, pieces[last].end)) <= room:
                low, high = first, last
                grown = True
        if not grown:
            return (pieces[low].start, pieces[high].end)
