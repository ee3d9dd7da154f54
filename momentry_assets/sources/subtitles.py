"""Subtitles: SRT, WebVTT and YouTube's SBV.

There is no standard for SRT (matroska.org "subtitles/srt", Library of Congress fdd000569); as in
ffmpeg's ``srtdec.c`` a cue is a time line and what follows it up to the next one. Its number in
the file means nothing: files lack them, repeat them and skip them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from momentry_assets.model import Document, DocumentKind, SourceWarning
from momentry_assets.sources.cue_times import CueTimes, cue_times
from momentry_assets.sources.languages import language_code
from momentry_assets.sources.media_text import decode_entities, one_line
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.rolling import Cue, CueLine, is_rolling, unrolled
from momentry_assets.sources.timeline import Transcript, Utterance, build_document
from momentry_assets.sources.webvtt import KARAOKE, SIGNATURE, cue_lines, parse_webvtt

# Only names that subtitles use: "Two <knots>" and "x < y" are text.
_TAG = re.compile(
    r"<(?:/\s?)?(?:i|b|u|s|em|strong|strike|font|span|small|big|center|div|p|c|v|ruby|rt|lang)"
    r"(?:[.\s][^<>]*)?/?>",
    re.IGNORECASE,
)
_BREAK = re.compile(r"(?i:<br\s*/?>|\[br\])|\\N|\\h(?![a-z])")
# ASS overrides ({\an8}) and MicroDVD codes ({y:i}), which converters leave behind.
_OVERRIDE = re.compile(r"\{\\[^{}]*\}|\{[yYfFsScCpPoO]:[^{}]*\}")
_NUMBER = re.compile(r"\s*#?\d+[.:]?\s*")
_SETTING = re.compile(r"[\w-]+:\S*")


class SrtReader:
    """SRT, whatever its habits; SBV lines under the name .srt are read by `SbvReader`."""

    name = "srt"
    kind = DocumentKind.MEDIA
    suffixes = (".srt",)

    def sniff(self, source: SourceFile) -> bool:
        """True when the first thing in the file is a time line with an arrow.

        A .vtt that lost its first line has the same ones, but WebVTT's tags.
        """
        times = _first_times(source)
        return times is not None and not times.sbv and source.suffix not in VttReader.suffixes

    def read(self, source: SourceFile) -> Document:
        """Read the cues.

        Raises:
            SourceError: when there is no cue.
        """
        return _read_blocks(source, self.name)


class SbvReader:
    """YouTube's SBV: ``0:00:05.440,0:00:09.360`` above each cue."""

    name = "sbv"
    kind = DocumentKind.MEDIA
    suffixes = (".sbv",)

    def sniff(self, source: SourceFile) -> bool:
        """True when the first thing in the file is a time line with a comma."""
        times = _first_times(source)
        return times is not None and times.sbv

    def read(self, source: SourceFile) -> Document:
        """Read the cues.

        Raises:
            SourceError: when there is no cue.
        """
        return _read_blocks(source, self.name)


class VttReader:
    """WebVTT; a .vtt without its first line is read as blocks of time line and text."""

    name = "webvtt"
    kind = DocumentKind.MEDIA
    suffixes = (".vtt", ".webvtt")

    def sniff(self, source: SourceFile) -> bool:
        """True when the file begins with ``WEBVTT``, or is named so and begins with a cue."""
        if SIGNATURE.match(source.decoded.text):
            return True
        return source.suffix in self.suffixes and _first_times(source) is not None

    def read(self, source: SourceFile) -> Document:
        """Read the cues.

        Raises:
            SourceError: when there is no cue.
        """
        text = source.decoded.text
        if not SIGNATURE.match(text):
            return _read_blocks(source, self.name)
        parsed = parse_webvtt(text)
        return _document(
            source,
            self.name,
            parsed.cues,
            warnings=list(parsed.warnings),
            language=next(
                (
                    language_code(value)
                    for key, value in parsed.header.items()
                    if key.lower() == "language"
                ),
                "und",
            ),
            metadata={key: one_line(value)[:1000] for key, value in parsed.header.items()},
        )


SUBTITLE_READERS = (VttReader(), SbvReader(), SrtReader())


def _first_times(source: SourceFile) -> CueTimes | None:
    """The times of the first line, or of the second one below a number."""
    seen = 0
    for line in source.decoded.text[:4000].split("\n"):
        if not line.strip():
            continue
        if times := cue_times(line):
            return times
        seen += 1
        if seen > 1 or not _NUMBER.fullmatch(line):
            return None
    return None


def _read_blocks(source: SourceFile, name: str) -> Document:
    warnings: list[SourceWarning] = []
    webvtt = name == "webvtt"
    cues = list(_blocks(source.decoded.text, webvtt=webvtt))
    first = source.decoded.text.lstrip().split("\n", 1)[0]
    if webvtt:
        message = "the first line is not WEBVTT: read as time lines with text below"
        warnings.append(SourceWarning("line 1", message))
    elif not cue_times(first) and not _NUMBER.fullmatch(first):
        message = "text before the first time line: left out"
        warnings.append(SourceWarning("line 1", message, "text", first[:80]))
    return _document(source, name, cues, warnings=warnings)


def _blocks(text: str, *, webvtt: bool) -> Iterator[Cue]:
    """Cues as ffmpeg sees them: a time line and all below it but the next cue's number."""
    # Files put together from several have a byte order mark in front of each first number.
    lines = text.replace("\ufeff", "").split("\n")
    found = [(line, times) for line, text in enumerate(lines) if (times := cue_times(text))]
    head = "".join(lines[: found[0][0]] if found else [])
    key = re.sub(r"\D", "", head)[:100] if _NUMBER.fullmatch(head) else ""
    for number, (line, times) in enumerate(found, start=1):
        next_line = found[number][0] if number < len(found) else None
        body = lines[line + 1 : next_line]
        body, next_key = _take_number(body, key, at_end=next_line is None)
        if times.rest and not all(map(_SETTING.fullmatch, times.rest.split())):
            body.insert(0, times.rest)
        yield Cue(
            f"cue {number}",
            times.start,
            times.end,
            cue_lines(body) if webvtt else _srt_lines(body),
            key,
        )
        key = next_key


def _take_number(body: list[str], key: str, *, at_end: bool) -> tuple[list[str], str]:
    """Split the next cue's number off the end of a cue's lines.

    A number directly above the time line is one. With blank lines between, in a file that has
    them between all lines, it is one only when it counts on from the cue before: a caption may
    well say "1984". So does the last line of a file that was cut off behind a number.
    """
    end = len(body)
    while end and not body[end - 1].strip():
        end -= 1
    if not end or not _NUMBER.fullmatch(body[end - 1]):
        return body, ""
    number = re.sub(r"\D", "", body[end - 1])
    counts_on = key.isdecimal() and len(key) < 9 and number == str(int(key) + 1)
    above = body[: end - 1]
    is_directly_above = end == len(body) and not at_end
    is_set_off = not at_end or (above and not above[-1].strip())
    if is_directly_above or (counts_on and is_set_off and any(line.strip() for line in above)):
        return above, number[:100]
    return body, ""


def _srt_lines(body: Sequence[str]) -> tuple[CueLine, ...]:
    text = _BREAK.sub("\n", _OVERRIDE.sub("", "\n".join(body)))
    plain = (decode_entities(_TAG.sub("", line)) for line in text.split("\n"))
    return tuple(CueLine(clean) for line in plain if (clean := one_line(line, collapse=True)))


def _document(
    source: SourceFile,
    name: str,
    cues: Sequence[Cue],
    *,
    warnings: list[SourceWarning],
    language: str = "und",
    metadata: dict[str, object] | None = None,
) -> Document:
    if not cues:
        reason = "no cue found: there is no time line such as 00:00:01,000 --> 00:00:02,500"
        raise source.error(reason, reader=name)
    if is_rolling(cues, karaoke=KARAOKE.search(source.decoded.text) is not None):
        shown = len(cues)
        cues = unrolled(cues)
        message = f"rolling captions un-rolled: {shown} cues shown, {len(cues)} with new text"
        warnings.append(SourceWarning("file", message, "text"))
    transcript = Transcript(
        document_type=name,
        utterances=[utterance for cue in cues for utterance in _utterances(cue)],
        language=language,
        metadata=metadata or {},
        warnings=warnings,
    )
    return build_document(source, transcript, reader=name)


def _utterances(cue: Cue) -> Iterator[Utterance]:
    """One for a cue, or one for each voice in it."""
    blank = Utterance(cue.place, "", cue.start, cue.end, source_key=cue.key)
    if not cue.lines:
        yield blank
    for speaker, lines in groupby(cue.lines, key=lambda line: line.speaker):
        yield replace(blank, text=" ".join(line.text for line in lines), speaker=speaker)
