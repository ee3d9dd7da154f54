"""Rolling captions un-rolled: every line once, where it was first shown.

YouTube's automatic captions scroll: each cue shows the line before and a new one, and between two
cues stands one of 10 ms with the finished line alone. Live captions grow instead: ``the tide``,
``the tide is``, ``the tide is high``. Read as they stand, every word would be there two or three
times.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from momentry_assets.sources.times import Moment

# Cues that scroll follow each other without a pause; the longest rounding seen is a frame.
_CONTIGUOUS_MS = 250
# Screens show two or three lines; more are looked at for none but damaged files.
_MOST_LINES = 8


@dataclass(frozen=True, slots=True)
class CueLine:
    """One line of a cue: its text without tags, and who says it when the cue says so."""

    text: str
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Cue:
    """One cue of a subtitle file.

    Attributes:
        place: ``cue 12``, counted in file order from 1.
        start, end: as the file gives them.
        lines: those with text.
        key: its number or identifier in the file.
    """

    place: str
    start: Moment
    end: Moment
    lines: tuple[CueLine, ...]
    key: str = ""


def is_rolling(cues: Sequence[Cue], *, karaoke: bool) -> bool:
    """True when most cues carry lines of the cue before and add something.

    Args:
        cues: in file order.
        karaoke: the cues have times inside their text, as YouTube's automatic captions do; then
            one carried line is enough. Without, two are asked for: people repeat themselves.
    """
    shown = [cue for cue in cues if cue.lines]
    carrying = repeated = 0
    for before, cue in pairwise(shown):
        if _follows(before, cue):
            if cue.lines == before.lines:
                repeated += 1
            elif _carried(before.lines, cue.lines) or _grown(before.lines, cue.lines):
                carrying += 1
    pairs = len(shown) - 1 - repeated
    return carrying >= (1 if karaoke else 2) and carrying * 10 >= pairs * 6


def unrolled(cues: Sequence[Cue]) -> list[Cue]:
    """The cues with only what each adds; a cue that adds nothing is gone."""
    result: list[Cue] = []
    before: Cue | None = None
    for cue in cues:
        if not cue.lines:
            continue
        new = cue.lines
        if before is not None and _follows(before, cue):
            if grown := _grown(before.lines, cue.lines):
                rest, new = grown
                last = result[-1]
                lines = (*last.lines[:-1], replace(last.lines[-1], text=last.lines[-1].text + rest))
                result[-1] = replace(last, lines=lines, end=cue.end)
            else:
                new = cue.lines[_carried(before.lines, cue.lines) :]
        if new:
            result.append(replace(cue, lines=new))
        before = cue
    return result


def _follows(before: Cue, cue: Cue) -> bool:
    if cue.start.ms is None or before.start.ms is None or before.end.ms is None:
        return False
    return before.start.ms <= cue.start.ms <= before.end.ms + _CONTIGUOUS_MS


def _carried(before: tuple[CueLine, ...], lines: tuple[CueLine, ...]) -> int:
    """How many first lines of a cue are the last lines of the one before."""
    for count in range(min(len(before), len(lines), _MOST_LINES), 0, -1):
        if before[-count:] == lines[:count]:
            return count
    return 0


def _grown(
    before: tuple[CueLine, ...], lines: tuple[CueLine, ...]
) -> tuple[str, tuple[CueLine, ...]] | None:
    """What the last line of the cue before has grown by, and the lines that follow it."""
    last = before[-1]
    for count in range(min(len(before), len(lines), _MOST_LINES), 0, -1):
        line = lines[count - 1]
        if (
            before[len(before) - count : -1] == lines[: count - 1]
            and line.speaker == last.speaker
            and len(line.text) > len(last.text)
            and line.text.startswith(last.text)
            and _is_word_border(last.text[-1], line.text[len(last.text)])
        ):
            return line.text[len(last.text) :], lines[count:]
    return None


def _is_word_border(left: str, right: str) -> bool:
    # Scripts without blanks have a border between any two characters.
    return not (left.isalnum() and right.isalnum() and left.isascii() and right.isascii())
