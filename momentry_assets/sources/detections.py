"""Anything else with a time, as JSON lines ``{start, end, text, type}``: OCR, objects, faces.

Each becomes a segment that carries the source's own type as its label. A list of such objects is
read as well. Times are seconds; without an end it is a moment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from momentry_assets.model import (
    Document,
    DocumentKind,
    DocumentStatus,
    SegmentKind,
    SourceWarning,
)
from momentry_assets.sources.json_values import (
    SNIFFED_ENTRIES,
    Line,
    as_list,
    as_mapping,
    as_text,
    first_lines,
    json_lines,
    looks_like_json_lines,
)
from momentry_assets.sources.media_text import one_line, unstorable
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.timeline import Transcript, Utterance, build_document
from momentry_assets.sources.times import NO_MOMENT, moment, original_of


class DetectionReader:
    """JSON lines of detections; see the module."""

    name = "detections"
    kind = DocumentKind.MEDIA
    suffixes = (".jsonl", ".ndjson", ".json")

    def sniff(self, source: SourceFile) -> bool:
        """True when one of the first entries has a type and a start."""
        return any(map(_is_detection, _head(source)))

    def read(self, source: SourceFile) -> Document:
        """Read the detections.

        Raises:
            SourceError: when no entry has a type and a start.
        """
        warnings: list[SourceWarning] = []
        lines = _lines(source, warnings)
        if not any(_is_detection(line.value) for line in lines):
            reason = "no JSON line with start and type: not a file of detections"
            raise source.error(reason, reader=self.name)
        utterances: list[Utterance] = []
        for line in lines:
            entry, place = as_mapping(line.value), f"line {line.number}"
            if entry is None:
                message = "no object: left out"
                warnings.append(SourceWarning(place, message, "", original_of(line.value)))
            else:
                utterances.append(_detection(entry, place))
                warnings.extend(unstorable(as_text(entry.get("text")), place))
        transcript = Transcript(
            document_type=self.name,
            utterances=utterances,
            warnings=warnings,
            instants=True,
        )
        document = build_document(source, transcript, reader=self.name)
        if document.status is DocumentStatus.NO_SPEECH:
            note = "no detection has a text"
            return replace(document, status=DocumentStatus.EMPTY, note=note)
        return document


DETECTION_READERS = (DetectionReader(),)


def _head(source: SourceFile) -> Sequence[object]:
    value = source.json_value
    if value is not None:
        entries = as_list(value)
        return [value] if entries is None else entries[:SNIFFED_ENTRIES]
    return first_lines(source) if looks_like_json_lines(source) else []


def _lines(source: SourceFile, warnings: list[SourceWarning]) -> list[Line]:
    value = source.json_value
    if value is None:
        return json_lines(source, warnings)
    entries = as_list(value)
    if entries is None:
        return [Line(1, value)]
    return [Line(number, entry) for number, entry in enumerate(entries, start=1)]


def _is_detection(value: object) -> bool:
    entry = as_mapping(value)
    return entry is not None and isinstance(entry.get("type"), str) and "start" in entry


def _detection(entry: Mapping[str, object], place: str) -> Utterance:
    return Utterance(
        place=place,
        text=one_line(as_text(entry.get("text"))),
        start=moment(entry["start"]) if "start" in entry else NO_MOMENT,
        end=moment(entry["end"]) if "end" in entry else NO_MOMENT,
        kind=SegmentKind.DETECTION,
        speaker=one_line(as_text(entry.get("speaker"))),
        label=one_line(as_text(entry.get("type")))[:100],
        source_key=one_line(as_text(entry.get("id")))[:100],
    )
