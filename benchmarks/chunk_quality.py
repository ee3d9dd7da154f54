"""What is wrong with a set of chunks, whoever made them: counted from the text and the spans."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

Span = tuple[int, int]
_FENCE = re.compile(r"^(`{3,}|~{3,})", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}(?:[ \t].*)?$", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---\n(?:.*\n)*?---\n")
# Comments and thematic breaks.
_NO_TEXT = re.compile(r"<!--.*?-->|^(?:-{3,}|\*{3,}|_{3,})$", re.DOTALL | re.MULTILINE)
SHORT = 20


@dataclass(frozen=True, slots=True)
class Quality:
    """Counts over all documents; every one of them should be 0.

    Attributes:
        fences_cut: code fences within the child limit that no child holds whole.
        headings_inside: children with a heading behind other text.
        crumbs: children under 20 characters that are not all of their section.
        over_limit: children with more tokens than the limit.
        lost: characters that are not white space and stand in no parent.
        misplaced: chunks that say where they stand and do not, or that stand nowhere.
    """

    fences_cut: int = 0
    headings_inside: int = 0
    crumbs: int = 0
    over_limit: int = 0
    lost: int = 0
    misplaced: int = 0

    def __add__(self, other: "Quality") -> "Quality":
        return Quality(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def quality_of(
    text: str,
    parents: Sequence[Span],
    children: Sequence[Span],
    tokens: Callable[[Sequence[str]], Sequence[int]],
    limit: int,
    misplaced: int = 0,
) -> Quality:
    """The quality of both levels of one document.

    Args:
        text: the document.
        parents, children: half-open offsets in code points, in order.
        tokens: counts the tokens of texts, without special ones.
        limit: of a child, in tokens.
        misplaced: found by the caller, who knows where the chunks should stand.
    """
    fences = _fences(text)
    fenced = iter([*fences, (len(text), len(text))])
    fence = next(fenced)
    headings: list[int] = []
    for match in _HEADING.finditer(text, _body_start(text)):
        while fence[1] <= match.start():
            fence = next(fenced)
        if not fence[0] <= match.start():
            headings.append(match.start())
    borders = [0, *headings, len(text)]
    trimmed = [_trimmed(text, one) for one in children]
    counts = tokens([text[start:end] for start, end in trimmed])
    sizes = tokens([text[start:end] for start, end in fences])
    starts = [start for start, _ in children]
    inside = crumbs = section = 0
    for start, end in trimmed:
        while section + 2 < len(borders) and borders[section + 1] <= start:
            section += 1
        inside += borders[section + 1] < end and section + 2 < len(borders)
        crumbs += end - start < SHORT and not _is_all(text, (start, end), borders, section)
    return Quality(
        sum(
            size <= limit and not _holds(children, starts, one)
            for one, size in zip(fences, sizes, strict=True)
        ),
        inside,
        crumbs,
        sum(count > limit for count in counts),
        _uncovered(text, parents),
        misplaced,
    )


def _holds(children: Sequence[Span], starts: Sequence[int], fence: Span) -> bool:
    number = bisect_right(starts, fence[0]) - 1
    return number >= 0 and fence[1] <= children[number][1]


def _is_all(text: str, child: Span, borders: Sequence[int], section: int) -> bool:
    """Whether the child is all text of its section, with or without its heading."""
    whole = _NO_TEXT.sub("", text[borders[section] : borders[section + 1]]).strip()
    body = whole.partition("\n")[2].strip()
    return text[slice(*child)] in (whole, body)


def _trimmed(text: str, span: Span) -> Span:
    piece = text[span[0] : span[1]]
    start = span[0] + len(piece) - len(piece.lstrip())
    return (start, max(start, span[0] + len(piece.rstrip())))


def _fences(text: str) -> list[Span]:
    found: list[Span] = []
    at = 0
    while opening := _FENCE.search(text, at):
        close = re.compile(rf"^{opening[1]}{opening[1][0]}*[ \t]*$", re.MULTILINE)
        closing = close.search(text, opening.end())
        at = closing.end() if closing else len(text)
        found.append(_trimmed(text, (opening.start(), at)))
    return found


def _body_start(text: str) -> int:
    front_matter = _FRONT_MATTER.match(text)
    return front_matter.end() if front_matter else 0


def _uncovered(text: str, spans: Sequence[Span]) -> int:
    missing: list[str] = []
    position = 0
    for start, end in sorted(spans):
        missing.append(text[position:start])
        position = max(position, end)
    missing.append(text[position:])
    return sum(len("".join(one.split())) for one in missing)
