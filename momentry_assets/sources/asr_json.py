"""Transcripts of speech recognisers in JSON.

Sources: openai/whisper ``utils.py`` (WriteJSON), the OpenAI API's ``verbose_json``,
m-bain/whisperX ``schema.py``, faster-whisper's ``Segment`` dumped as a list or as JSON lines,
whisper-timestamped, transformers' ``chunks``, whisper.cpp's ``transcription``. They differ in
where the segments stand and how a time is written; the dialect is recognised by its keys.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from momentry_assets.model import Document, DocumentKind, SourceWarning
from momentry_assets.sources.doubts import doubts
from momentry_assets.sources.json_values import (
    SNIFFED_ENTRIES,
    as_list,
    as_mapping,
    as_text,
    first_lines,
    json_lines,
    json_problem,
    looks_like_json_lines,
    mappings,
    metadata_of,
)
from momentry_assets.sources.languages import language_code
from momentry_assets.sources.media_text import one_line, unstorable
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.time_units import SECONDS, time_scale
from momentry_assets.sources.timeline import Transcript, Utterance, build_document
from momentry_assets.sources.times import NO_MOMENT, Moment, moment, original_of
from momentry_assets.sources.words import looks_like_words, sentences_of

_TIME_KEYS = frozenset({"start", "end", "timestamp", "offsets", "timestamps"})
# Keys under which services put a transcript one level down.
_WRAPPERS = ("result", "results", "output", "transcription", "transcript", "response", "data")
# What OpenAI's plain "json" format and a transcript without times may hold beside the text.
_TEXT_ONLY = frozenset(
    {"text", "language", "task", "duration", "usage", "logprobs", "model", "segments", "chunks"}
)
# Whisper's own tokens (<|en|>, <|0.00|>), which some decoders leave in the text.
_DECODER_TOKEN = re.compile(r"<\|[\w.]{0,30}\|>")
_ABSENT = object()
_NOT_METADATA = frozenset({"text", "language", "segments", "chunks", "words", "word_segments"})


@dataclass(frozen=True, slots=True)
class _Shape:
    """Where the entries of a file stand, and which recogniser writes them so."""

    dialect: str
    top: Mapping[str, object]
    entries: list[object]
    place: str


class AsrReader:
    """One recogniser's JSON; see `ASR_READERS`."""

    kind = DocumentKind.MEDIA

    def __init__(self, name: str, suffixes: tuple[str, ...]) -> None:
        self.name = name
        self.suffixes = suffixes

    def sniff(self, source: SourceFile) -> bool:
        """True when the file has the keys this recogniser writes."""
        return _dialect(source) == self.name

    def read(self, source: SourceFile) -> Document:
        """Read the transcript.

        Raises:
            SourceError: when the file is no JSON or none of the forms that are known.
        """
        warnings: list[SourceWarning] = []
        shape = _shape(source, warnings)
        if shape is None:
            place, reason = json_problem(source)
            raise source.error(reason, reader=self.name, place=place)
        transcript = _transcript(shape, warnings)
        if shape.entries and not transcript.utterances:
            reason = f"none of {len(shape.entries)} entries is a segment"
            raise source.error(reason, reader=self.name, place=shape.place)
        return build_document(source, transcript, reader=self.name)


ASR_READERS = tuple(
    AsrReader(name, suffixes)
    for name, suffixes in (
        ("whisper", (".json",)),
        ("verbose_json", (".json",)),
        ("whisperx", (".json",)),
        ("whisper_timestamped", (".json",)),
        ("transformers", (".json",)),
        ("whisper_cpp", (".json",)),
        ("faster_whisper", (".json", ".jsonl", ".ndjson")),
    )
)


def _dialect(source: SourceFile) -> str:
    value = source.json_value
    if value is not None:
        shape = _shape_of(value)
        return shape.dialect if shape else ""
    if not looks_like_json_lines(source):
        return ""
    return "faster_whisper" if _are_segment_lines(first_lines(source)) else ""


def _shape(source: SourceFile, warnings: list[SourceWarning]) -> _Shape | None:
    if source.json_value is not None:
        return _shape_of(source.json_value)
    if not looks_like_json_lines(source) or not _are_segment_lines(first_lines(source)):
        return None
    entries: list[object] = []
    for line in json_lines(source, warnings):
        entries.extend([None] * (line.number - 1 - len(entries)))
        entries.append(line.value)
    return _Shape("faster_whisper", {}, entries, "line")


def _are_segment_lines(values: Sequence[object]) -> bool:
    entries = [entry for value in values if (entry := as_mapping(value)) is not None]
    return any(_is_segment(entry) for entry in entries) and not any(
        isinstance(entry.get("type"), str) for entry in entries
    )


def _shape_of(value: object, *, nested: bool = False) -> _Shape | None:
    entries = as_list(value)
    if entries is not None:
        return _shape_of_list(entries)
    top = as_mapping(value)
    if top is None:
        return None
    for key in ("segments", "chunks", "transcription"):
        found = as_list(top.get(key))
        if found is not None and (not found or any(map(_has_text, found))):
            return _Shape(_dialect_of(key, top, mappings(found[:SNIFFED_ENTRIES])), top, found, key)
    for key, dialect in (("word_segments", "whisperx"), ("words", "verbose_json")):
        found = as_list(top.get(key))
        if found and any(map(_is_word, mappings(found[:SNIFFED_ENTRIES]))):
            return _Shape(dialect, top, found, key)
    if _is_segment(top) and not isinstance(top.get("type"), str):
        return _Shape("faster_whisper", {}, [top], "")
    if isinstance(top.get("text"), str) and top.keys() <= _TEXT_ONLY:
        return _Shape("whisper", top, [], "text")
    if not nested:
        for key in _WRAPPERS:
            inner = _shape_of(top.get(key), nested=True) if key in top else None
            if inner is not None:
                return replace(inner, place=f"{key}.{inner.place}".rstrip("."))
    return None


def _shape_of_list(entries: list[object]) -> _Shape | None:
    head = mappings(entries[:SNIFFED_ENTRIES])
    if not entries or (_are_segment_lines(head) and not any(map(_is_caption, head))):
        chunks = any("timestamp" in item for item in head)
        return _Shape("transformers" if chunks else "faster_whisper", {}, entries, "")
    if any(map(_is_word, head)):
        return _Shape("faster_whisper", {}, entries, "")
    rows = [row for entry in entries[:SNIFFED_ENTRIES] if (row := as_list(entry)) is not None]
    if any(_positional(row) is not None for row in rows):
        return _Shape("faster_whisper", {}, entries, "")
    return None


def _dialect_of(key: str, top: Mapping[str, object], entries: list[Mapping[str, object]]) -> str:
    if key == "chunks":
        return "transformers"
    if key == "transcription":
        return "whisper_cpp"
    words = [word for entry in entries for word in mappings(entry.get("words"))]
    if "word_segments" in top or any("score" in word for word in words):
        return "whisperx"
    if any("confidence" in word and "text" in word for word in words):
        return "whisper_timestamped"
    if "task" in top or "words" in top or "usage" in top:
        return "verbose_json"
    return "whisper"


def _is_segment(entry: Mapping[str, object]) -> bool:
    return not _TIME_KEYS.isdisjoint(entry) and ("text" in entry or "words" in entry)


def _has_text(value: object) -> bool:
    entry = _entry(value)
    return entry is not None and ("text" in entry or _is_segment(entry))


def _is_caption(entry: Mapping[str, object]) -> bool:
    """A snippet of YouTube's, which says how long it stays on the screen."""
    return "end" not in entry and ("duration" in entry or "dur" in entry)


def _is_word(entry: Mapping[str, object]) -> bool:
    return "word" in entry and "start" in entry


def _positional(row: list[object]) -> dict[str, object] | None:
    """A segment from before faster-whisper's dataclasses: a named tuple dumped as a list.

    Its fields are ``[id, seek,] start, end, text, …``: the text is the first string.
    """
    for position, value in enumerate(row):
        if isinstance(value, str):
            if position < 2:
                return None
            entry = {"start": row[position - 2], "end": row[position - 1], "text": value}
            return {"id": row[0], **entry} if position >= 4 else entry
    return None


def _transcript(shape: _Shape, warnings: list[SourceWarning]) -> Transcript:
    utterances: list[Utterance] = []
    raw: list[str] = []
    spoken: list[tuple[str, Mapping[str, object]]] = []
    entries = [_entry(value) for value in shape.entries]
    timed = [(_seconds_of(entry), _raw_text(entry)) for entry in entries if entry is not None]
    scale = time_scale(timed)
    if scale != SECONDS:
        message = "times are taken as milliseconds: as seconds nobody could speak so slowly"
        original = ", ".join(map(original_of, timed[0][0]))
        warnings.append(SourceWarning(shape.place or "list", message, "start, end", original))
    for position, (value, entry) in enumerate(zip(shape.entries, entries, strict=True)):
        place = f"{shape.place} {position + 1}" if shape.place == "line" else ""
        place = place or f"{shape.place}[{position}]"
        if entry is None:
            if value is not None or shape.place != "line":
                warnings.append(
                    SourceWarning(place, "no segment: left out", "", original_of(value))
                )
            continue
        utterances.append(_utterance(entry, place, scale, warnings))
        raw.append(_raw_text(entry))
        if raw[-1].strip():
            spoken.append((place, entry))
    warnings.extend(doubts(spoken))

    single_words = shape.place.endswith("words") or shape.place.endswith("word_segments")
    if not single_words and shape.dialect in ("transformers", "faster_whisper"):
        found = mappings(shape.entries)
        bare = shape.dialect == "transformers" or (
            bool(found) and not any("text" in entry for entry in found)
        )
        single_words = bare and looks_like_words(raw)
    if single_words and utterances:
        message = f"{len(utterances)} single words were joined into sentences"
        warnings.append(SourceWarning(shape.place or "list", message))
        utterances = sentences_of(utterances, raw)

    info = as_mapping(shape.top.get("info")) or shape.top
    holder = shape.top if "duration" in shape.top else info
    duration = moment(holder["duration"]) if "duration" in holder else NO_MOMENT
    whole = one_line(as_text(shape.top.get("text")))
    if whole and not any(item.text for item in utterances):
        # Better the whole text with a guessed time than a transcript lost.
        end = duration if duration.ms else NO_MOMENT
        utterances = [Utterance("text", whole, Moment(0), end, repaired=True)]
        warnings.append(SourceWarning("text", "no segment has text: read as one segment", "start"))
    return Transcript(
        document_type=shape.dialect,
        utterances=utterances,
        duration=duration,
        language=_language(shape.top),
        metadata=metadata_of(shape.top, without=_NOT_METADATA),
        warnings=warnings,
        keep_blank_lines=not single_words,
        drop_duplicates=False,
    )


def _entry(value: object) -> Mapping[str, object] | None:
    row = as_list(value)
    return as_mapping(value) if row is None else _positional(row)


def _seconds_of(entry: Mapping[str, object]) -> list[object]:
    """Start and end where their unit is seconds by the dialect's rule."""
    pair = as_list(entry.get("timestamp"))
    return pair[:2] if pair else [entry[key] for key in ("start", "end") if key in entry]


def _language(top: Mapping[str, object]) -> str:
    # whisper.cpp writes it under result, where its params may say "auto"; faster-whisper has it
    # in the info that people dump beside the segments.
    inner = [as_mapping(top.get(key)) or {} for key in ("result", "info", "params")]
    for holder in (top, *inner):
        code = language_code(holder.get("language"))
        if code != "und":
            return code
    return "und"


def _utterance(
    entry: Mapping[str, object], place: str, scale: int, warnings: list[SourceWarning]
) -> Utterance:
    words = mappings(entry.get("words"))
    start, end = _times(entry, scale)
    raw = _raw_text(entry)
    warnings.extend(unstorable(raw, place))
    if "<|" in raw and (spoken := _DECODER_TOKEN.sub("", raw)) != raw:
        warnings.append(SourceWarning(place, "decoder tokens removed", "text", raw[:80]))
        raw = spoken
    repaired = False
    if start.ms is None and (known := _word_times(words, "start", scale)):
        warnings.append(_from_words(place, "start", start, known[0]))
        start, repaired = known[0], True
    if end.ms is None and (known := _word_times(words, "end", scale)):
        warnings.append(_from_words(place, "end", end, known[-1]))
        end, repaired = known[-1], True
    return Utterance(
        place=place,
        text=one_line(raw),
        start=start,
        end=end,
        speaker=one_line(_speaker(entry, words)),
        source_key=one_line(as_text(entry.get("id", entry.get("index"))))[:100],
        repaired=repaired,
    )


def _raw_text(entry: Mapping[str, object]) -> str:
    if "text" in entry:
        return as_text(entry["text"])
    if "word" in entry:
        return as_text(entry["word"])
    words = [as_text(w.get("word", w.get("text"))) for w in mappings(entry.get("words"))]
    blank = "" if any(word[:1].isspace() for word in words) else " "
    return blank.join(words)


def _times(entry: Mapping[str, object], scale: int) -> tuple[Moment, Moment]:
    """Start and end of an entry, by whichever of the dialects' keys it has."""
    if "start" in entry or "end" in entry:
        return _pair(entry.get("start", _ABSENT), entry.get("end", _ABSENT), scale)
    pair = as_list(entry.get("timestamp"))
    if pair is not None:
        first, last, *_ = [*pair, _ABSENT, _ABSENT]
        return _pair(first, last, scale)
    offsets = as_mapping(entry.get("offsets")) or {}
    clocks = as_mapping(entry.get("timestamps")) or {}
    start, end = _pair(offsets.get("from", _ABSENT), offsets.get("to", _ABSENT), 1)
    clock_start, clock_end = _pair(clocks.get("from", _ABSENT), clocks.get("to", _ABSENT), 1000)
    return (
        start if start.ms is not None else clock_start,
        end if end.ms is not None else clock_end,
    )


def _pair(start: object, end: object, scale: int) -> tuple[Moment, Moment]:
    return (
        NO_MOMENT if start is _ABSENT else moment(start, scale=scale),
        NO_MOMENT if end is _ABSENT else moment(end, scale=scale),
    )


def _word_times(words: Sequence[Mapping[str, object]], key: str, scale: int) -> list[Moment]:
    """The times of the words that have one; WhisperX leaves out what it cannot align."""
    times = [moment(word[key], scale=scale) for word in words if key in word]
    return sorted(time for time in times if time.ms is not None)


def _from_words(place: str, name: str, before: Moment, known: Moment) -> SourceWarning:
    message = f"{name} is unknown: estimated from its words as {known.ms} ms"
    return SourceWarning(place, message, name, before.original)


def _speaker(entry: Mapping[str, object], words: Sequence[Mapping[str, object]]) -> str:
    """The segment's own speaker, else the one of most of its words (WhisperX's own rule)."""
    own = as_text(entry.get("speaker"))
    if own.strip():
        return own
    named = Counter(speaker for word in words if (speaker := as_text(word.get("speaker")).strip()))
    return named.most_common(1)[0][0] if named else ""
