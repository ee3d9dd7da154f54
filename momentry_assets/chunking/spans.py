"""Cutting spans of a text under a token limit, at the best places, without losing a character.

A span is a half-open pair of code-point offsets. All functions tile: the spans they return,
joined, are the span they were given (but for white space at its ends, where said).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from momentry_assets.embedding.tokens import TokenPositions
from momentry_assets.sentences import sentence_starts

Span = tuple[int, int]
_BLANK = re.compile(r"\s*")
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Ruler:
    """One document's text with its token positions and the limits of a child.

    Attributes:
        max_tokens: a child's limit in tokens.
        max_characters: a child's limit in characters, None for no such limit.
        min_characters: a shorter piece is a crumb and is joined to a neighbour.
        budget_tokens: what the embedding text has room for; nothing may be longer.
    """

    text: str
    positions: TokenPositions
    max_tokens: int
    max_characters: int | None = None
    min_characters: int = 20
    budget_tokens: int = 480

    def tokens(self, span: Span) -> int:
        """Length of a span in tokens."""
        return self.positions.count(*span)

    def fits(self, span: Span) -> bool:
        """Whether a span is within the limits of a child."""
        if self.max_characters is not None and span[1] - span[0] > self.max_characters:
            return False
        return self.tokens(span) <= self.max_tokens

    def trimmed(self, span: Span) -> Span:
        """The span without white space at its ends."""
        # Without a copy of the span: cutting a document of one line asks this once a piece.
        start, end = span
        if start >= end or not (self.text[start].isspace() or self.text[end - 1].isspace()):
            return span
        blank = _BLANK.match(self.text, start, end)
        start = blank.end() if blank else start
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return (start, end)


def split(
    ruler: Ruler, span: Span, breaks: Sequence[int] = (), *, prose: bool = True
) -> list[Span]:
    """Cut a span into pieces that fit, all of about the same length.

    Borders are taken from ``breaks`` (rows, items, lines); a piece between two breaks that is
    itself too long is cut at sentences, then at white space, then anywhere. The pieces tile.

    Args:
        ruler: text and limits.
        span: what to cut.
        breaks: the best places, in any order.
        prose: False for code and tables, whose lines stay whole; a line shorter than the minimum
            may then pass the limit with the one beside it, as far as the embedding text has room.
    """
    if ruler.fits(ruler.trimmed(span)):
        return [span]
    pieces: list[Span] = []
    for piece in _between(span, breaks):
        pieces.extend(_atoms(ruler, piece))
    return pack(ruler, pieces, prose=prose)


def pack(ruler: Ruler, pieces: Sequence[Span], *, prose: bool = True) -> list[Span]:
    """Join neighbouring pieces into spans that fit, evenly filled rather than with a short rest."""
    whole = (pieces[0][0], pieces[-1][1])
    target = ruler.max_tokens
    if ruler.max_characters is None:
        # With an exact limit in characters callers want it filled; otherwise halves read better
        # than a full piece and a crumb.
        tokens = max(1, ruler.tokens(whole))
        target = -(-tokens // -(-tokens // ruler.max_tokens))
    groups: list[list[Span]] = []
    for piece in pieces:
        if groups:
            joined = (groups[-1][0][0], piece[1])
            filled = ruler.tokens((groups[-1][0][0], groups[-1][-1][1]))
            if ruler.fits(ruler.trimmed(joined)) and filled < target:
                groups[-1].append(piece)
                continue
        groups.append([piece])
    _feed_crumbs(ruler, groups, prose=prose)
    return [_whole(group) for group in groups]


def _feed_crumbs(ruler: Ruler, groups: list[list[Span]], *, prose: bool) -> None:
    """Give every group that is shorter than the minimum something of the group beside it."""
    ways = (_join, _share, _share_words) if prose else (_join, _share, _share_lines)
    number = 0
    while number < len(groups):
        if _is_crumb(ruler, _whole(groups[number])):
            pairs = [left for left in (number - 1, number) if 0 <= left < len(groups) - 1]
            for way, left in product(ways, pairs):
                fed = way(ruler, groups[left], groups[left + 1])
                if fed:
                    groups[left : left + 2] = fed
                    number = left - 1
                    break
        number += 1


def _join(ruler: Ruler, first: list[Span], second: list[Span]) -> list[list[Span]]:
    """One group of two that fit together."""
    fits = ruler.fits(ruler.trimmed((first[0][0], second[-1][1])))
    return [[*first, *second]] if fits else []


def _share(ruler: Ruler, first: list[Span], second: list[Span]) -> list[list[Span]]:
    """Both groups with the border moved by as few pieces as leave none of them a crumb."""
    pieces = [*first, *second]
    for border in sorted(range(1, len(pieces)), key=lambda border: abs(border - len(first))):
        groups = [pieces[:border], pieces[border:]]
        if _may_stand(ruler, *map(_whole, groups)):
            return groups
    return []


def _share_words(ruler: Ruler, first: list[Span], second: list[Span]) -> list[list[Span]]:
    """Both groups with the border moved to a white space, or else into a word."""
    (start, border), (_, end) = _whole(first), _whole(second)
    if _is_crumb(ruler, (border, end)):
        place = ruler.trimmed((start, end))[1] - ruler.min_characters
        place = min(place, ruler.trimmed((start, border))[1] - 1)
        space = max(ruler.text.rfind(mark, start, place) for mark in (" ", "\n", "\t")) + 1
    else:
        place = ruler.trimmed((start, end))[0] + ruler.min_characters
        place = max(place, ruler.trimmed((border, end))[0] + 1)
        found = _SPACE.search(ruler.text, place, end)
        space = found.end() if found else end
    for at in (space, place):
        if _may_stand(ruler, (start, at), (at, end)):
            return [[(start, at)], [(at, end)]]
    return []


def _share_lines(ruler: Ruler, first: list[Span], second: list[Span]) -> list[list[Span]]:
    """Two lines that do not fit together are one group where there is room: they stay whole."""
    if ruler.text[second[0][0] - 1] != "\n":
        return _share_words(ruler, first, second)
    joined = [*first, *second]
    has_room = ruler.max_characters is None and ruler.tokens(_whole(joined)) <= ruler.budget_tokens
    return [joined] if has_room else []


def _may_stand(ruler: Ruler, first: Span, second: Span) -> bool:
    return all(
        ruler.fits(ruler.trimmed(span)) and not _is_crumb(ruler, span) for span in (first, second)
    )


def _is_crumb(ruler: Ruler, span: Span) -> bool:
    start, end = ruler.trimmed(span)
    return end - start < ruler.min_characters


def _whole(group: Sequence[Span]) -> Span:
    return (group[0][0], group[-1][1])


def _atoms(ruler: Ruler, span: Span) -> list[Span]:
    if ruler.fits(ruler.trimmed(span)):
        return [span]
    atoms: list[Span] = []
    for sentence in _between(span, sentence_starts(ruler.text, *span)):
        if ruler.fits(ruler.trimmed(sentence)):
            atoms.append(sentence)
        else:
            atoms.extend(cut(ruler, sentence))
    return atoms


def cut(ruler: Ruler, span: Span) -> list[Span]:
    """Cut at the last white space that still fits, or at the limit inside one giant word."""
    cuts: list[Span] = []
    start, end = span
    content_end = ruler.trimmed(span)[1]
    while not ruler.fits(ruler.trimmed((start, content_end))):
        stop = _furthest(ruler, start, end)
        space = max(ruler.text.rfind(mark, start + 1, stop) for mark in (" ", "\n", "\t"))
        # A border far back would leave crumbs; then the word itself is cut.
        border = space + 1 if space > start + (stop - start) // 2 else stop
        cuts.append((start, border))
        start = border
    if start < end:
        cuts.append((start, end))
    return cuts


def _furthest(ruler: Ruler, start: int, end: int) -> int:
    """The largest stop for which ``(start, stop)`` fits; at least one character further."""
    low, high = start + 1, end
    while low < high:
        middle = (low + high + 1) // 2
        if ruler.fits((start, middle)):
            low = middle
        else:
            high = middle - 1
    return low


def _between(span: Span, breaks: Sequence[int]) -> list[Span]:
    inside = sorted({at for at in breaks if span[0] < at < span[1]})
    return list(pairwise([span[0], *inside, span[1]]))
