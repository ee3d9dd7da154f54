"""Numbers and clock readings of media formats to integer milliseconds, in any habit of writing.

Nothing here raises on bad input: what is no time is None, and the caller repairs it.
"""

import json
import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import NamedTuple

from momentry_assets.sources.text import clean

# 31 years; a larger number is a wrong unit, an epoch time or damage.
_LONGEST_SECONDS = Decimal(1_000_000_000)

# Drop-frame time codes exist for 29.97 frames a second only, and count 30.
_FRAMES_A_SECOND = 30
# What other scripts and spreadsheets put in place of colon, comma and dot.
_PUNCTUATION = str.maketrans({"：": ":", "，": ",", "．": ".", "。": ".", "٫": ".", "٬": ","})
_MINUS = str.maketrans({"−": "-", "–": "-"})

# A clock reading: hours may be missing or have any number of digits, blanks may stand around
# the separators, the fraction is set off by comma, dot, colon, apostrophe or, where nothing else
# can follow, a blank. A semicolon sets off frames (SMPTE 12M, drop-frame).
CLOCK = (
    r"[-−–]?\d{1,6}(?:\s*[:：]\s*\d{1,3}){1,2}"
    r"(?:\s*[.,:;'’：，．]\s*\d{1,9}|[.,](?!\d)|\s\d{3}(?=\s*(?:[-–—→=]|$)))?"
)
_CLOCK = re.compile(
    r"(?P<sign>-?)(?P<first>\d{1,6})\s*:\s*(?P<second>\d{1,3})(?:\s*:\s*(?P<third>\d{1,3}))?"
    r"(?:\s*(?P<mark>[.,:;'’])\s*(?P<fraction>\d{0,9})|\s(?P<set_off>\d{3}))?"
)


class Moment(NamedTuple):
    """A point in time as a source gives it.

    Attributes:
        ms: milliseconds, negative ones included; None when the source gives none that can be used.
        original: what stood there, empty when nothing did.
    """

    ms: int | None
    original: str = ""


NO_MOMENT = Moment(None)


def moment(value: object, *, scale: int = 1000) -> Moment:
    """A JSON value as a moment, with the value itself for the warning.

    Args:
        value: number or string, in units of which ``1000 / scale`` make a second.
        scale: milliseconds a unit: 1000 for seconds, 1 for milliseconds.
    """
    return Moment(milliseconds(value, scale=scale), original_of(value))


def original_of(value: object) -> str:
    """A JSON value as it stood in the file, short, for `SourceWarning.original`."""
    if isinstance(value, str):
        return clean(value)[:80]
    return type(value).__name__ if isinstance(value, dict | list) else json.dumps(value)[:80]


def milliseconds(value: object, *, scale: int = 1000) -> int | None:
    """A number, or a string that holds a number or a clock reading, rounded half up.

    None for everything that is no finite time below 31 years: null, booleans, NaN, infinities,
    other strings. Decimal arithmetic on the shortest notation, so that 2.0005 gives 2001.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        # The digits of a huge integer take quadratic time (and Python refuses them).
        number = Decimal(value) if value.bit_length() < 128 else None
    elif isinstance(value, float):
        number = Decimal(repr(value))
    elif isinstance(value, str):
        text = value.strip().translate(_PUNCTUATION).translate(_MINUS)
        if ":" in text:
            return clock_ms(text)
        number = _decimal(text)
    else:
        return None
    if number is None or not number.is_finite():
        return None
    # Decimal arithmetic on "6e9991560" overflows, so the exponent is looked at first.
    if number.adjusted() > 15 or abs(number) > _LONGEST_SECONDS * 1000 / scale:
        return None
    if number.adjusted() < -15:
        return 0
    return int((number * scale).to_integral_value(ROUND_HALF_UP))


def clock_ms(text: str) -> int | None:
    """``hh:mm:ss,mmm`` in any habit (see `CLOCK`) as milliseconds, None when it is none.

    The digits after the separator are a decimal fraction: ``,5`` is half a second. The one
    exception is ``,1000``, which youtube-transcript-api's writer prints for 999.9995 ms and up.
    """
    match = _CLOCK.fullmatch(text.strip().translate(_PUNCTUATION).translate(_MINUS))
    if match is None:
        return None
    parts = [int(match[name]) for name in ("first", "second", "third") if match[name]]
    seconds = 0
    for part in parts:
        seconds = seconds * 60 + part
    fraction = match["fraction"] or match["set_off"] or "0"
    if match["mark"] == ";":
        part = Decimal(int(fraction)) / _FRAMES_A_SECOND
    elif fraction == "1000":
        part = Decimal(1)
    else:
        part = Decimal(int(fraction)).scaleb(-len(fraction))
    total = Decimal(seconds) + part
    if total > _LONGEST_SECONDS:
        return None
    ms = int((total * 1000).to_integral_value(ROUND_HALF_UP))
    return -ms if match["sign"] else ms


def _decimal(text: str) -> Decimal | None:
    text = text.removesuffix("s").strip()
    if "," in text:
        # Whichever of the two stands last is the decimal sign, the other groups thousands.
        grouping = "." if text.rfind(",") > text.rfind(".") else ","
        text = text.replace(grouping, "").replace(",", ".")
    # Nobody writes a time with more digits; Decimal would take any number of them.
    if len(text) > 60:
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
