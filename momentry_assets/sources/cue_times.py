"""The time lines of subtitle files: how SRT, WebVTT and SBV write the times of a cue, and habits.

No standard says how an SRT is written; ffmpeg's ``srtdec.c`` is the reader everybody else is
measured by. The grammar here takes what files have: hours missing or with three digits, comma or
dot or colon before the fraction, one to nine decimals, blanks anywhere, ``->`` for ``-->``,
``[… --> …]`` as whisper prints it.
"""

import re
from typing import NamedTuple

from momentry_assets.sources.times import CLOCK, NO_MOMENT, Moment, clock_ms, milliseconds

_LONG_ARROW = r"(?:-\s?-+\s?>|—>|――?>|→|=>|--&gt;)"
_SHORT_ARROW = r"(?:->|–>)"
_SECONDS = r"-?\d{1,9}[.,]\d{1,9}"
_ARROW_LINE = re.compile(
    rf"\s*(?P<start>{CLOCK}|{_SECONDS})?\s*{_LONG_ARROW}\s*(?P<end>{CLOCK}|{_SECONDS})?(?P<rest>.*)"
)
_ARROW = re.compile(_LONG_ARROW)
# "10:00 -> 11:00" may be said in a text: the short arrow needs a fraction or hours on both sides.
_FULL_CLOCK = r"-?\d{1,4}\s*:\s*\d{1,2}\s*(?::\s*\d{1,2}\s*(?:[.,]\s*\d{1,9})?|[.,]\s*\d{1,9})"
_SHORT_ARROW_LINE = re.compile(
    rf"\s*(?P<start>{_FULL_CLOCK})\s*{_SHORT_ARROW}\s*(?P<end>{_FULL_CLOCK})(?P<rest>.*)"
)
# One time is damaged: "00:aa --> 00:03.000". Without the other one it could be said in a text.
_BROKEN_START_LINE = re.compile(
    rf"\s*(?P<broken>[^\s>]{{1,40}})\s*{_LONG_ARROW}\s*(?P<end>{CLOCK})(?P<rest>(?:\s.*)?)"
)
# Hours on both sides, so that "at 10:00, 11:00" stays text.
_SBV_CLOCK = r"\d{1,3}:\d{1,2}:\d{1,2}(?:[.,]\d{1,9})?"
# Without any arrow both must be whole and the line must have nothing else.
_WHOLE_CLOCK = r"\d{1,3}:\d{1,2}:\d{1,2}[.,]\d{1,9}"
_DASH_LINE = re.compile(
    rf"\s*(?P<start>{_WHOLE_CLOCK})\s*(?:-+|–|—|>+|~|to)\s*(?P<end>{_WHOLE_CLOCK})(?P<rest>)\s*"
)
_SBV_LINE = re.compile(rf"\s*(?P<start>{_SBV_CLOCK})\s*[,;]\s*(?P<end>{_SBV_CLOCK})\s*")
_MAY_HAVE_TIMES = re.compile(r"[>→]|--&gt;|\d\s*(?:[,;~–—]|-+|to)\s*\d+:")
# Marks that editors of right-to-left text put around numbers.
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


class CueTimes(NamedTuple):
    """The times of one cue.

    Attributes:
        start, end: without a time that can be used when the line has none.
        rest: what follows the times on the line (settings, coordinates, sometimes text).
        sbv: True for YouTube's ``0:00:05.440,0:00:09.360``.
    """

    start: Moment
    end: Moment
    rest: str
    sbv: bool = False


def cue_times(line: str) -> CueTimes | None:
    """The times on a line, None when it is no time line.

    One time is enough beside a ``-->``; the other one is then unknown.
    """
    if not _MAY_HAVE_TIMES.search(line):
        return None
    # One blank for a run: with more, the patterns' optional blanks take quadratic time.
    line = " ".join(_INVISIBLE.sub("", line).split())
    if line.startswith("[") and (closing := line.find("]")) > 0 and _ARROW.search(line, 0, closing):
        line = f"{line[1:closing]} {line[closing + 1 :]}".strip()
    if match := _SBV_LINE.fullmatch(line):
        return CueTimes(_moment(match["start"]), _moment(match["end"]), "", sbv=True)
    match = (
        _ARROW_LINE.fullmatch(line)
        or _SHORT_ARROW_LINE.fullmatch(line)
        or _DASH_LINE.fullmatch(line)
    )
    if match is None:
        match = _BROKEN_START_LINE.fullmatch(line)
        if match is None:
            return None
        return CueTimes(Moment(None, match["broken"]), _moment(match["end"]), match["rest"].strip())
    if match["start"] is None and match["end"] is None:
        return None
    end, rest = _moment(match["end"]), match["rest"]
    if match["end"] is not None and re.match(r"[:.,]\S", rest):
        # "00:00:NaN": what was taken for the end is a part of something that is no time.
        broken, _, rest = rest.partition(" ")
        end = Moment(None, (match["end"] + broken)[:80])
    elif match["end"] is None:
        # What stands in place of the end is no setting: it is kept for the warning.
        broken, _, rest = rest.strip().partition(" ")
        end = Moment(None, broken[:80])
    return CueTimes(_moment(match["start"]), end, rest.strip().lstrip(",; "))


def _moment(text: str | None) -> Moment:
    if text is None:
        return NO_MOMENT
    return Moment(clock_ms(text) if ":" in text or "：" in text else milliseconds(text), text)
