"""From timed utterances, as a media reader finds them, to a `Document`: what all of them share.

A reader gives a `Transcript`; here its times are repaired, its utterances put in order, and the
canonical text is made: the utterances' texts joined by one newline, with exact offsets. Every
repair leaves a warning with place, field and the original value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from momentry_assets.model import (
    Document,
    DocumentKind,
    DocumentStatus,
    Segment,
    SegmentKind,
    SourceWarning,
)
from momentry_assets.sources.languages import UNKNOWN
from momentry_assets.sources.loops import find_loops, repeated_unit, without_repeated_phrases
from momentry_assets.sources.media_text import kind_of, media_title, shortened_list
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.scenes import companion_scenes
from momentry_assets.sources.times import NO_MOMENT, Moment

# Whisper hears windows of 30 seconds; no utterance without an end is taken to be longer.
_LONGEST_GUESS_MS = 30_000
# Case 02: without a duration an utterance takes one second, or one second per 15 characters.
_CHARACTERS_A_SECOND = 15
# Nothing to match, as against "" which means "match the slice itself".
_NOTHING_TO_MATCH = " "


@dataclass(frozen=True, slots=True)
class Utterance:
    """One timed entry of a source, its text already cleaned (`media_text.one_line`).

    Attributes:
        place: where in the file, for warnings: ``segments[3]``, ``cue 12``, ``line 4``.
        text: one line, empty when the source has none.
        start, end: as the source gives them.
        kind: None lets the text decide between speech and sound.
        speaker, label, source_key: see `Segment`.
        repaired: True when the reader itself changed something already.
    """

    place: str
    text: str
    start: Moment
    end: Moment = NO_MOMENT
    kind: SegmentKind | None = None
    speaker: str = ""
    label: str = ""
    source_key: str = ""
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a media reader found in a file.

    Attributes:
        document_type: the format, as the document will carry it.
        utterances: in file order.
        duration: length of the media when the source says it.
        language: ISO 639-1 code or ``und``.
        metadata: the source's own fields.
        warnings: the reader's own.
        keep_blank_lines: an utterance without text leaves an empty line in the canonical text.
            So the text of a recogniser's JSON is its segments' texts joined by one newline,
            blank ones included, and offsets measured on that text elsewhere stay right.
        drop_duplicates: utterances with equal times, text and speaker count once.
        cut_overlaps: an end after the next start is cut to it (times on screen, not of speech).
        instants: an utterance without an end is a moment, not a guess.
    """

    document_type: str
    utterances: Sequence[Utterance]
    duration: Moment = NO_MOMENT
    language: str = UNKNOWN
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    warnings: Sequence[SourceWarning] = ()
    keep_blank_lines: bool = False
    drop_duplicates: bool = True
    cut_overlaps: bool = False
    instants: bool = False


@dataclass(slots=True)
class _Timed:
    """An utterance on its way to a segment."""

    source: Utterance
    start_ms: int
    end_ms: int | None
    repaired: bool
    search_text: str = ""


def build_document(source: SourceFile, transcript: Transcript, *, reader: str) -> Document:
    """Repair, order, join: the document of a transcript, with its companion's scenes.

    Segments of speech, sound and detections stand in order of start (ties: file order). Then
    come the scenes of a companion CSV, without text at the end of the canonical text.

    A loop of four or more equal segments keeps every segment and all its text; the first one
    (for a cycle the first round) carries its text as `search_text`, the others a single blank,
    which matches nothing. A warning says its span and count.
    """
    warnings = list(transcript.warnings)
    duration_ms = _trusted_duration(transcript, warnings)
    timed = _with_starts(transcript, duration_ms, warnings)
    timed = _in_order(timed, warnings)
    _close_ends(timed, duration_ms, transcript.instants, warnings)
    if not transcript.keep_blank_lines:
        timed = [item for item in timed if item.source.text]
    if transcript.drop_duplicates:
        timed = _without_duplicates(timed, warnings)
    if transcript.cut_overlaps:
        _cut_overlaps(timed)
    _mark_loops(timed, warnings)
    text, segments = _joined(timed)
    _report_blanks(transcript, warnings)

    ends = [segment.end_ms or 0 for segment in segments]
    media_end_ms = duration_ms if duration_ms is not None else max(ends, default=None)
    scenes, scene_warnings = companion_scenes(source, media_end_ms)
    warnings.extend(scene_warnings)
    for scene in scenes:
        index, place = len(segments), len(text)
        segments.append(replace(scene, index=index, start=place, end=place))

    status, note = _status(timed)
    return source.document(
        kind=DocumentKind.MEDIA,
        document_type=transcript.document_type,
        reader=reader,
        text=text,
        segments=tuple(segments),
        title=media_title(source.stem),
        language=transcript.language,
        status=status,
        note=note,
        duration_ms=duration_ms,
        metadata=transcript.metadata,
        warnings=tuple(warnings),
        decoded=source.decoded,
    )


def estimated_length_ms(text: str) -> int:
    """How long a text may take to say, when nobody knows: 15 characters a second, at least 1 s."""
    return max(1000, len(text) * 1000 // _CHARACTERS_A_SECOND)


def _trusted_duration(transcript: Transcript, warnings: list[SourceWarning]) -> int | None:
    """The duration, unless it is no time or most of the speech lies after it (a wrong unit)."""
    duration = transcript.duration
    if duration.ms is None or duration.ms < 0:
        if duration.original not in ("", "null"):
            warnings.append(
                SourceWarning("duration", "is no time; ignored", "duration", duration.original)
            )
        return None
    starts = [item.start.ms for item in transcript.utterances if item.text]
    known = [start for start in starts if start is not None]
    if known and sum(start < duration.ms for start in known) * 2 < len(known):
        message = "most segments start after it; ignored"
        warnings.append(SourceWarning("duration", message, "duration", duration.original))
        return None
    return duration.ms


def _with_starts(
    transcript: Transcript, duration_ms: int | None, warnings: list[SourceWarning]
) -> list[_Timed]:
    timed: list[_Timed] = []
    reached = 0
    for item in transcript.utterances:
        reasons: list[SourceWarning] = []
        start, end = item.start.ms, item.end.ms
        if start is None:
            start = reached if end is None else min(reached, max(end, 0))
            reasons.append(_repair(item, "start", f"is unknown: estimated as {start} ms"))
        start = _clamped(item, "start", start, duration_ms, reasons)
        if end is not None:
            end = _clamped(item, "end", end, duration_ms, reasons)
            if end < start:
                reasons.append(_repair(item, "end", f"lies before the start ({start} ms)"))
                end = None
        if end is not None:
            reached = end
        elif transcript.instants or not item.text:
            reached = start
        else:
            reached = start + estimated_length_ms(item.text)
        # What is wrong with an entry without text concerns nobody.
        if item.text:
            warnings.extend(reasons)
        timed.append(_Timed(item, start, end, repaired=item.repaired or bool(reasons)))
    return timed


def _clamped(
    item: Utterance, name: str, ms: int, duration_ms: int | None, reasons: list[SourceWarning]
) -> int:
    if ms < 0:
        reasons.append(_repair(item, name, "lies before 0: set to 0 ms"))
        return 0
    if duration_ms is not None and ms > duration_ms:
        message = f"lies after the end of the media: set to {duration_ms} ms"
        reasons.append(_repair(item, name, message))
        return duration_ms
    return ms


def _repair(item: Utterance, name: str, message: str) -> SourceWarning:
    original = item.start.original if name == "start" else item.end.original
    return SourceWarning(item.place, f"{name} {message}", name, original)


def _in_order(timed: list[_Timed], warnings: list[SourceWarning]) -> list[_Timed]:
    misplaced = [
        item.source.place
        for before, item in pairwise(timed)
        if item.start_ms < before.start_ms and item.source.text
    ]
    if misplaced:
        message = f"out of order, sorted by start: {shortened_list(misplaced)}"
        warnings.append(SourceWarning(misplaced[0], message, "start"))
    return sorted(timed, key=lambda item: item.start_ms)


def _close_ends(
    timed: list[_Timed], duration_ms: int | None, instants: bool, warnings: list[SourceWarning]
) -> None:
    """Give every utterance without an end one: the next start, the duration, or an estimate."""
    reasons: list[SourceWarning] = []
    # Of what comes later: the next start that is greater than the present one.
    next_start = later_start = duration_ms
    for item in reversed(timed):
        if next_start is None or next_start > item.start_ms:
            later_start = next_start
        next_start = item.start_ms
        if item.end_ms is not None:
            continue
        if instants:
            item.end_ms = item.start_ms
            if item.source.end.original not in ("", "null"):
                item.repaired = True
                message = f"is no time: taken as a moment at {item.start_ms} ms"
                reasons.append(_repair(item.source, "end", message))
            continue
        limit = later_start
        guess = item.start_ms + estimated_length_ms(item.source.text)
        reason = "by the length of the text"
        if limit is not None and limit <= item.start_ms + _LONGEST_GUESS_MS:
            guess, reason = max(limit, item.start_ms), "as where the next one starts"
            if limit == duration_ms:
                reason = "as the end of the media"
        item.end_ms = guess
        item.repaired = True
        if item.source.text:
            message = f"is unknown: estimated {reason}, {guess} ms"
            reasons.append(_repair(item.source, "end", message))
    warnings.extend(reversed(reasons))


def _without_duplicates(timed: list[_Timed], warnings: list[SourceWarning]) -> list[_Timed]:
    kept: dict[tuple[int, int | None, str, str, str], _Timed] = {}
    for item in timed:
        source = item.source
        key = (item.start_ms, item.end_ms, source.text, source.speaker, source.label)
        if key in kept:
            message = f"the same as {kept[key].source.place}: counted once"
            warnings.append(SourceWarning(source.place, message))
        else:
            kept[key] = item
    return list(kept.values())


def _cut_overlaps(timed: list[_Timed]) -> None:
    next_start = later_start = None
    for item in reversed(timed):
        if next_start is None or next_start > item.start_ms:
            later_start = next_start
        next_start = item.start_ms
        if later_start is not None and item.end_ms is not None:
            item.end_ms = min(item.end_ms, later_start)


def _mark_loops(timed: list[_Timed], warnings: list[SourceWarning]) -> None:
    spoken = [item for item in timed if item.source.text and item.source.kind is None]
    keys = [(repeated_unit(item.source.text), item.source.speaker) for item in spoken]
    for loop in find_loops(keys):
        first, last = spoken[loop.start], spoken[loop.end - 1]
        for item in spoken[loop.start : loop.start + loop.period]:
            item.search_text = without_repeated_phrases(item.source.text)
        for item in spoken[loop.start + loop.period : loop.end]:
            item.search_text = _NOTHING_TO_MATCH
        span = f"{first.source.place} to {last.source.place}"
        times = f"{first.start_ms} ms to {last.end_ms} ms"
        message = f"a loop: the same text {loop.rounds} times ({times}); searched once"
        warnings.append(SourceWarning(span, message, "text", first.source.text[:80]))
    for item in spoken:
        if not item.search_text:
            shorter = without_repeated_phrases(item.source.text)
            if shorter != item.source.text:
                item.search_text = shorter
                message = "a loop inside one segment; its phrase is searched once"
                warnings.append(
                    SourceWarning(item.source.place, message, "text", item.source.text[:80])
                )


def _joined(timed: list[_Timed]) -> tuple[str, list[Segment]]:
    segments: list[Segment] = []
    position = 0
    for item in timed:
        source = item.source
        if source.text:
            segments.append(
                Segment(
                    index=len(segments),
                    kind=source.kind or kind_of(source.text),
                    start=position,
                    end=position + len(source.text),
                    start_ms=item.start_ms,
                    end_ms=item.end_ms,
                    speaker=source.speaker,
                    label=source.label,
                    source_key=source.source_key,
                    repaired=item.repaired,
                    search_text=item.search_text,
                )
            )
        position += len(source.text) + 1
    text = "\n".join(item.source.text for item in timed) if segments else ""
    return text, segments


def _report_blanks(transcript: Transcript, warnings: list[SourceWarning]) -> None:
    blanks = [item.place for item in transcript.utterances if not item.text]
    if blanks:
        message = f"{len(blanks)} without text, no segments: {shortened_list(blanks)}"
        warnings.append(SourceWarning(blanks[0], message, "text"))


def _status(timed: list[_Timed]) -> tuple[DocumentStatus, str]:
    """A transcript in which nobody speaks is read well: it says so and gives no sentences."""
    kinds = {item.source.kind or kind_of(item.source.text) for item in timed if item.source.text}
    if kinds - {SegmentKind.SOUND}:
        return DocumentStatus.READ, ""
    if kinds:
        return DocumentStatus.NO_SPEECH, "no speech: only marks of sounds"
    if timed:
        return DocumentStatus.NO_SPEECH, "no speech: no segment has text"
    return DocumentStatus.NO_SPEECH, "no speech: there is no segment"
