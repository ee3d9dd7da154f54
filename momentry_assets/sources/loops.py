"""Loops of a hallucinating recogniser: found, so that the search text can leave them out.

A recogniser that hears nothing repeats itself: ``Thank you.`` for a hundred segments, or one
phrase over and over in one segment. The canonical text keeps all of it; what is matched does not.
"""

import re
import zlib
from collections.abc import Sequence
from typing import NamedTuple

# Issue 3: four or more equal segments are a loop.
LOOP_REPEATS = 4
# Longest cycle of segments looked for (A B C A B C …).
_LONGEST_CYCLE = 4

# openai-whisper's own threshold for "the decoding is repetitive" (`compression_ratio_threshold`
# in transcribe.py): text length over zlib-compressed length.
_COMPRESSION_RATIO = 2.4
_REPEATED_PHRASE = re.compile(r"(\S.{0,78}?\S)(?:\s*\1){3,}")


class Loop(NamedTuple):
    """A run of equal items.

    Attributes:
        start, end: half-open positions of the items.
        period: how many items make one round; 1 for one and the same item.
    """

    start: int
    end: int
    period: int

    @property
    def rounds(self) -> int:
        """How many times the item or the cycle comes, complete ones."""
        return (self.end - self.start) // self.period


def find_loops(keys: Sequence[object]) -> list[Loop]:
    """Every run in which one item, or a cycle of up to four, comes at least four times over.

    Linear: a run ends the search for its items, and a run too short for a loop is short.
    """
    loops: list[Loop] = []
    position = 0
    while position < len(keys):
        for period in range(1, _LONGEST_CYCLE + 1):
            end = position + period
            while end < len(keys) and keys[end] == keys[end - period]:
                end += 1
            if (end - position) // period >= LOOP_REPEATS:
                loops.append(Loop(position, end, period))
                position = end
                break
        else:
            position += 1
    return loops


def repeated_unit(text: str) -> str:
    """What a text consists of nothing but repetitions of, else the text: the key of its segment.

    White space and case do not count: ``Thanks!  THANKS! thanks!`` is ``thanks!``. Linear: a text
    of whole rounds is found again inside its own double, one round further on.
    """
    words = f"{' '.join(text.casefold().split())} "
    period = (words + words).find(words, 1)
    return words[:period].rstrip()


def without_repeated_phrases(text: str) -> str:
    """The text with every phrase that stands four or more times in a row standing once.

    Only for texts that whisper itself would call repetitive; every other text comes back as it is.
    """
    encoded = text.encode("utf-8", "replace")
    if len(encoded) < _COMPRESSION_RATIO * len(zlib.compress(encoded)):
        return text
    return _REPEATED_PHRASE.sub(lambda match: match[1], text).strip()
