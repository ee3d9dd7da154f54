"""Scenes of a video from PySceneDetect's CSV, of every version since 0.3.

Source: ``scenedetect/output/__init__.py``, ``write_scene_list``. A first row with the timecodes
(labelled "Timecode List:", bare or blank) may come before the header; the separator is
configurable; 0.3 and 0.4 have five columns and a length instead of an end. Only the "(seconds)"
columns are used: frame numbers count from 0 or from 1 by version, timecodes are rounded.
"""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from momentry_assets.errors import SourceError
from momentry_assets.model import Segment, SegmentKind, SourceWarning
from momentry_assets.sources.reader import SourceFile, storable_name
from momentry_assets.sources.text import decode
from momentry_assets.sources.times import Moment, milliseconds

_READER = "scenes"
_HEADER_START = re.compile(
    r"(?:(?P<before>\t|[^\w\s\"'()])[ ]*[\"']?)?"
    r"(?P<name>Scene\s+Number)[\"']?[ ]*(?P<after>\t|[^\w\s\"'])?",
    re.IGNORECASE,
)
# The last column in every version; what stands behind it is the row separator, configurable too.
_HEADER_END = re.compile(r"Length\s*\(seconds\)[\"']?[ ]*(?P<separator>[^\w\s\"'])", re.IGNORECASE)
# Lengths are rounded to 3 decimals in each column, and to a frame in some versions.
_LENGTH_TOLERANCE_MS = 50


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene: ``number`` as the file has it, times in ms (the end is exclusive)."""

    number: str
    start_ms: int
    end_ms: int
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Scenes:
    """The scenes of one video in order of start.

    Attributes:
        scenes: none when the video has no cut, which is a result and not an error.
        warnings: what was repaired, and that there is no scene when there is none.
    """

    scenes: tuple[Scene, ...]
    warnings: tuple[SourceWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    number: str
    start: Moment
    end: Moment
    length: Moment
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class _Columns:
    number: int
    start: int
    end: int | None
    length: int | None


def read_scenes(raw: bytes, path: str, media_end_ms: int | None) -> Scenes:
    """Read a scene list.

    Args:
        raw: the CSV.
        path: its path below the corpus, for errors.
        media_end_ms: where the media, or else its last speech, ends: the end of a last scene
            that has none of its own (a variable frame rate makes it end before it starts).

    Raises:
        SourceError: when no scene list is found in it, or its numbers cannot be read.
    """
    decoded = decode(raw)
    warnings = list(decoded.warnings)
    if not decoded.text.strip():
        return Scenes((), (*warnings, SourceWarning("file", "the scene list is empty: no cuts")))
    rows = _rows(decoded.text, path, warnings)
    scenes = _repaired(rows, media_end_ms, warnings)
    if not scenes:
        warnings.append(SourceWarning("file", "the scene list names no scene: no cuts"))
    return Scenes(tuple(scenes), tuple(warnings))


def companion_scenes(
    source: SourceFile, media_end_ms: int | None
) -> tuple[list[Segment], list[SourceWarning]]:
    """The scenes of a media file's companion CSV as segments without text and place.

    A bad CSV never loses the transcript: it gives no scenes and a warning with its name and the
    reason.
    """
    names = sorted(name for name in source.companions if name.lower().endswith("-scenes.csv"))
    if not names:
        return [], []
    name, *further = names
    warnings = [SourceWarning(other, f"left out: {name} has the scenes") for other in further]
    try:
        found = read_scenes(source.companions[name], storable_name(name), media_end_ms)
    except SourceError as error:
        reason = ": ".join(part for part in (error.place, error.reason) if part)
        message = f"no scenes were read: {reason}"
        return [], [*warnings, SourceWarning(storable_name(name), message, "scenes")]
    except Exception as error:
        # Even a defect of this reader must not cost the transcript.
        message = f"no scenes were read: {type(error).__name__}: {error}"
        return [], [*warnings, SourceWarning(storable_name(name), message, "scenes")]
    warnings.extend(
        SourceWarning(
            f"{storable_name(name)}: {item.place}", item.message, item.field, item.original
        )
        for item in found.warnings
    )
    segments = [
        Segment(
            index=index,
            kind=SegmentKind.SCENE,
            start=0,
            end=0,
            start_ms=scene.start_ms,
            end_ms=scene.end_ms,
            source_key=scene.number,
            repaired=scene.repaired,
        )
        for index, scene in enumerate(found.scenes)
    ]
    return segments, warnings


def _rows(text: str, path: str, warnings: list[SourceWarning]) -> list[_Row]:
    header = _HEADER_START.search(text)
    if header is None:
        reason = 'no header row with "Scene Number": not a scene list of PySceneDetect'
        raise SourceError(path, reason, reader=_READER)
    delimiter = header["after"] or header["before"] or ","
    end = _HEADER_END.search(text, header.start("name"))
    if end and end["separator"] != delimiter:
        text = text.replace(end["separator"], "\n")
    first_line = text.count("\n", 0, header.start("name")) + 1
    lines = text.split("\n")[first_line - 1 :]
    table = csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter, skipinitialspace=True)
    try:
        cells = [(first_line + table.line_num - 1, row) for row in table]
    except csv.Error as error:
        place = f"line {first_line + table.line_num}"
        raise SourceError(path, f"no CSV: {error}", place=place, reader=_READER) from error
    names, *body = cells
    columns = _columns(names[1], path, names[0])
    rows: list[_Row] = []
    for line, row in body:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(names[1]) and any(cell.strip() for cell in row[len(names[1]) :]):
            reason = (
                f"the row has {len(row)} cells and the header {len(names[1])}: decimal commas "
                f"in a file separated by {delimiter!r}? Export it with another delimiter"
            )
            raise SourceError(path, reason, place=f"line {line}", reader=_READER)
        parsed = _row(line, row, columns)
        if parsed.start.ms is None and parsed.end.ms is not None:
            parsed = _with_start(parsed, rows[-1].end.ms if rows else 0, warnings)
        if parsed.start.ms is None:
            warnings.append(
                SourceWarning(f"line {line}", "no start time: left out", "start", str(row)[:80])
            )
        else:
            rows.append(parsed)
    if body and not rows and any(any(cell.strip() for cell in row) for _, row in body):
        raise SourceError(path, "no row has a start time in seconds", reader=_READER)
    return rows


def _columns(header: list[str], path: str, line: int) -> _Columns:
    names = [" ".join(cell.lower().split()) for cell in header]

    def find(first_word: str) -> int | None:
        for position, name in enumerate(names):
            if name.startswith(first_word) and "seconds" in name:
                return position
        return None

    start, end, length = find("start"), find("end"), find("length")
    if start is None or (end is None and length is None):
        reason = (
            'the header needs "Start Time (seconds)" and "End Time (seconds)" or '
            f'"Length (seconds)"; it has: {", ".join(header)[:300]}'
        )
        raise SourceError(path, reason, place=f"line {line}", reader=_READER)
    # The number has the one name with "scene" in it, wherever it stands.
    number = next(position for position, name in enumerate(names) if "scene" in name)
    return _Columns(number=number, start=start, end=end, length=length)


def _row(line: int, row: list[str], columns: _Columns) -> _Row:
    def cell(position: int | None) -> Moment:
        if position is None or position >= len(row):
            return Moment(None)
        return Moment(milliseconds(row[position]), row[position])

    start, end, length = cell(columns.start), cell(columns.end), cell(columns.length)
    if columns.end is None and start.ms is not None and length.ms is not None:
        end = Moment(start.ms + length.ms, length.original)
        length = Moment(None)
    return _Row(line, row[columns.number].strip()[:40], start, end, length)


def _with_start(row: _Row, before: int | None, warnings: list[SourceWarning]) -> _Row:
    """Scenes follow each other: one whose start is no number begins where the last one ended."""
    end = row.end.ms or 0
    start = max(0, end if before is None else min(before, end))
    message = f"scene {row.number}: start is unknown: set to {start} ms, where it can begin first"
    warnings.append(SourceWarning(f"line {row.line}", message, "start", row.start.original))
    return replace(row, start=Moment(start, row.start.original), repaired=True)


def _repaired(
    rows: Sequence[_Row], media_end_ms: int | None, warnings: list[SourceWarning]
) -> list[Scene]:
    ordered = sorted(rows, key=lambda row: row.start.ms or 0)
    if [row.line for row in ordered] != [row.line for row in rows]:
        warnings.append(SourceWarning("file", "scenes out of order: sorted by start", "start"))
    scenes: list[Scene] = []
    disagreeing: list[str] = []
    for position, row in enumerate(ordered):
        start, end = row.start.ms or 0, row.end.ms
        repaired = row.repaired
        if start < 0:
            message = f"scene {row.number}: start lies before 0: set to 0 ms"
            warnings.append(SourceWarning(f"line {row.line}", message, "start", row.start.original))
            start, repaired = 0, True
        if end is None or end < start:
            new_end, reason = _missing_end(ordered[position + 1 :], row, start, media_end_ms)
            problem = "is unknown" if end is None else f"lies before its start ({start} ms)"
            message = f"scene {row.number}: end {problem}: set to {new_end} ms, {reason}"
            warnings.append(SourceWarning(f"line {row.line}", message, "end", row.end.original))
            end, repaired = new_end, True
        elif row.length.ms is not None and abs(row.length.ms - end + start) > _LENGTH_TOLERANCE_MS:
            disagreeing.append(f"line {row.line}")
        if scenes and (scenes[-1].start_ms, scenes[-1].end_ms) == (start, end) and start < end:
            message = f"scene {row.number} is scene {scenes[-1].number} again: counted once"
            warnings.append(SourceWarning(f"line {row.line}", message))
            continue
        scenes.append(Scene(row.number, start, end, repaired))
    if disagreeing:
        message = (
            f"length is not end minus start in {len(disagreeing)} row(s) "
            f"(variable frame rate?): start and end are used"
        )
        warnings.append(SourceWarning(disagreeing[0], message, "length"))
    return scenes


def _missing_end(
    later: Sequence[_Row], row: _Row, start: int, media_end_ms: int | None
) -> tuple[int, str]:
    following = later[0].start.ms if later else None
    if following is not None and following >= start:
        return following, "where the next scene starts"
    if media_end_ms is not None and media_end_ms > start:
        return media_end_ms, "the end of the media"
    if row.length.ms is not None and row.length.ms > 0:
        return start + row.length.ms, "its start and length"
    return start, "its start, as nothing else is known"
