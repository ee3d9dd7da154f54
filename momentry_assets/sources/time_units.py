"""Whether the times of a transcript are seconds or milliseconds, when its format does not say.

No recogniser but whisper.cpp writes milliseconds, and it says so in its keys; but people convert
transcripts, and the keys ``start`` and ``end`` stay the same.
"""

from collections.abc import Iterable, Sequence
from statistics import median

SECONDS = 1000
MILLISECONDS = 1

# Characters a second. Speech has more than five; "No." shown for a whole minute still has 0.05.
_SLOWEST_SPEECH = 0.04
# Beyond it a float has no units digit.
_LARGEST_EXACT = 2**53


def time_scale(spans: Iterable[tuple[Sequence[object], str]]) -> int:
    """Milliseconds a unit of the times: `SECONDS` unless they can be milliseconds only.

    That takes whole numbers throughout, and texts that nobody could say so slowly if they were
    seconds. One text alone is no proof: a recogniser gives ten minutes of silence one "Thank you."

    Args:
        spans: start and end as the source has them, and the text said between them.
    """
    rates: list[float] = []
    for times, text in spans:
        known = [
            float(time)
            for time in times
            if isinstance(time, int | float) and abs(time) <= _LARGEST_EXACT
        ]
        if any(isinstance(time, str) for time in times) or any(time % 1 for time in known):
            return SECONDS
        length = len(text.strip())
        if len(known) == 2 and known[1] > known[0] and length:
            rates.append(length / (known[1] - known[0]))
    return MILLISECONDS if len(rates) > 1 and median(rates) < _SLOWEST_SPEECH else SECONDS
