"""Segments that the recogniser itself doubts, by openai-whisper's own thresholds.

Source: ``whisper/transcribe.py``: a decoding with a compression ratio above 2.4 repeats itself; one
with a probability of silence above 0.6 and a mean log probability below -1 is taken for silence.
Nothing is left out for it: a warning says where they are.
"""

from collections.abc import Iterable, Mapping

from momentry_assets.model import SourceWarning
from momentry_assets.sources.media_text import shortened_list

_COMPRESSION_RATIO = 2.4
_NO_SPEECH = 0.6
_LOG_PROBABILITY = -1.0


def doubts(entries: Iterable[tuple[str, Mapping[str, object]]]) -> list[SourceWarning]:
    """At most one warning for each of the two doubts, about all segments (place, fields)."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for place, entry in entries:
        ratio, silence = _number(entry, "compression_ratio"), _number(entry, "no_speech_prob")
        certainty = _number(entry, "avg_logprob")
        if ratio is not None and ratio > _COMPRESSION_RATIO:
            key = ("compression_ratio", "repeats itself by the recogniser's own measure")
            found.setdefault(key, []).append((place, str(ratio)))
        if silence is not None and silence > _NO_SPEECH and (certainty or 0) < _LOG_PROBABILITY:
            key = ("no_speech_prob", "is silence by the recogniser's own measure")
            found.setdefault(key, []).append((place, str(silence)))
    return [
        SourceWarning(
            items[0][0],
            f"text that {what}: {shortened_list([place for place, _ in items])}",
            field,
            items[0][1],
        )
        for (field, what), items in found.items()
    ]


def _number(entry: Mapping[str, object], name: str) -> float | None:
    value = entry.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return None
