"""Sentence borders as offsets. The pieces tile: white space stays with what precedes it."""

import re

# A full stop ends a sentence when white space follows, except after an abbreviation, an initial
# or inside a number; CJK marks end one anywhere. Closing quotes and brackets stay with it. A run
# of marks is tried only at its beginning: a line of dots would take quadratic time. All that can
# begin an end stands in one class at the front, which lets the search skip what lies between.
_END = re.compile(
    r"""[.!?…。！？｡\n]
    (?: (?<=[.!?…]) (?<![.!?…]{2}) [.!?…]* ["'”’»)\]]* (?=\s)
      | (?<=[。！？｡]) [。！？｡]* [」』”’》）]*
      | (?<=\n) [ \t]*\n
    ) \s*""",
    re.VERBOSE,
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|[A-Za-z]\.[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|Nr|Fig|Figs|Eq|vs|etc|cf|al|"
    r"approx|resp|ca|Inc|Ltd|Co|Jr|Sr|Vol|pp|ed|eds|Sec|Ch|Dept)\.$",
    re.IGNORECASE,
)


def sentence_starts(text: str, start: int, end: int) -> list[int]:
    """Offsets in ``(start, end)`` at which a sentence begins, ascending.

    The slices between them tile ``text[start:end]``.
    """
    starts: list[int] = []
    for match in _END.finditer(text, start, end):
        border = match.end()
        if border >= end:
            break
        if _is_abbreviation(text, start, match.start()) and not text[border].isspace():
            continue
        starts.append(border)
    return starts


def has_punctuation(text: str) -> bool:
    """Whether a transcript is punctuated: at least one sentence mark for 60 words."""
    return 60 * len(re.findall(r"[.!?…。！？]", text)) >= max(1, text.count(" "))


def _is_abbreviation(text: str, start: int, stop: int) -> bool:
    if text[stop] != ".":
        return False
    return _ABBREVIATION.search(text, max(start, stop - 12), stop + 1) is not None
