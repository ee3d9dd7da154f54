"""Cutting spans of a text under a token limit, at the best places, without losing a character.

A span is a half-open pair of code-point offsets. All functions tile: the spans they return,
joined, are the span they were given (but for white space at its ends, where said).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from momentry_assets.chunking.sentences import sentence_starts
from momentry_assets.embedding.tokens import TokenPositions

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Ruler:
    """One document's text with its token positions and the limits of a child.

    Attributes:
        max_tokens: a child's limit in tokens.
        max_characters: a child's limit in characters, None for no such limit.
    """

    text: str
    positions: TokenPositions
    max_tokens: int
    max_characters: int | None = None

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
        piece = self.text[span[0] : span[1]]
        start = span[0] + len(piece) - len(piece.lstrip())
        return (start, max(start, span[0] + len(piece.rstrip())))


def split(ruler: Ruler, span: Span, breaks: Sequence[int] = ()) -> list[Span]:
    """Cut a span into pieces that fit, all of about the same length.

    Borders are taken from ``breaks`` (rows, items, lines); a piece between two breaks that is
    itself too long is cut at sentences, then at white space, then anywhere. The pieces tile.
    """
    if ruler.fits(ruler.trimmed(span)):
        return [span]
    pieces: list[Span] = []
    for piece in _between(span, breaks):
        pieces.extend(_atoms(ruler, piece))
    return pack(ruler, pieces)


def pack(ruler: Ruler, pieces: Sequence[Span]) -> list[Span]:
    """Join neighbouring pieces into spans that fit, evenly filled rather than with a short rest."""
    whole = (pieces[0][0], pieces[-1][1])
    count = -(-ruler.tokens(whole) // ruler.max_tokens)
    if ruler.max_characters is not None:
        # Characters are an exact limit that callers ask for: fill it.
        target = ruler.max_tokens
    else:
        target = -(-ruler.tokens(whole) // count)
    packed: list[Span] = []
    for piece in pieces:
        if packed:
            joined = (packed[-1][0], piece[1])
            if ruler.fits(ruler.trimmed(joined)) and ruler.tokens(packed[-1]) < target:
                packed[-1] = joined
                continue
        packed.append(piece)
    return packed


def _atoms(ruler: Ruler, span: Span) -> list[Span]:
    if ruler.fits(ruler.trimmed(span)):
        return [span]
    atoms: list[Span] = []
    for sentence in _between(span, sentence_starts(ruler.text, *span)):
        if ruler.fits(ruler.trimmed(sentence)):
            atoms.append(sentence)
        else:
            atoms.extend(_cut(ruler, sentence))
    return atoms


def _cut(ruler: Ruler, span: Span) -> list[Span]:
    """Cut at the last white space that still fits, or at the limit inside one giant word."""
    cuts: list[Span] = []
    start, end = span
    while not ruler.fits(ruler.trimmed((start, end))):
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
