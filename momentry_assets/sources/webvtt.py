"""WebVTT: blocks, and the text of a cue.

Source: W3C WebVTT (w3c/webvtt ``index.bs``), "WebVTT parser algorithm" and "collect a WebVTT
block"; RFC 8216, 3.5, for X-TIMESTAMP-MAP, which is kept as metadata and does not shift the times
of a single file. More lenient than the standard in two things: times may be written in any habit
(`cue_times`), and a ``<`` that begins no tag is text (the standard swallows what follows it).
"""

import re
from dataclasses import dataclass, field

from momentry_assets.model import SourceWarning
from momentry_assets.sources.cue_times import cue_times
from momentry_assets.sources.media_text import decode_entities, one_line
from momentry_assets.sources.rolling import Cue, CueLine

SIGNATURE = re.compile(r"\s*WEBVTT(?=[ \t\n]|$)")
# Times inside a cue's text: when each word is said. YouTube's automatic captions have them.
KARAOKE = re.compile(r"<\d{1,3}:[\d:.]+>")

_BLOCKS_WITHOUT_TEXT = ("NOTE", "STYLE", "REGION")
_HEADER_FIELD = re.compile(r"\s*([A-Za-z][\w-]*)\s*[:=]\s*(.*)")
# ASS overrides ({\an8}), which converters leave behind.
_OVERRIDE = re.compile(r"\{\\[^{}]*\}")
_RUBY_TEXT = re.compile(r"<rt\b[^<>]*>[^<]*(?:</rt>)?")
_TAG = re.compile(
    r"<(?:(?P<close>/)(?P<closed>[A-Za-z]*)[^<>]*"
    r"|(?P<name>[A-Za-z]+)(?:\.[^\s<>]*)?(?:\s(?P<annotation>[^<>]*))?/?"
    r"|\d{1,3}:[\d:.]+|)>"
)


@dataclass(slots=True)
class _Block:
    """A cue under construction: its identifier, its text lines, its time line."""

    identifier: str = ""
    lines: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class ParsedVtt:
    """What stands in a WebVTT file."""

    cues: tuple[Cue, ...]
    header: dict[str, str]
    warnings: tuple[SourceWarning, ...]


def parse_webvtt(text: str) -> ParsedVtt:
    """Parse a whole file whose first line is the signature.

    STYLE, REGION and NOTE blocks, cue identifiers and settings give no text. As in the standard,
    a NOTE block with a time line in its first two lines is a cue.
    """
    # Files put together from several have a byte order mark in front of each signature.
    lines = text.replace("\ufeff", "").lstrip().split("\n")
    header: dict[str, str] = {}
    position = 1
    while position < len(lines) and lines[position] != "" and "-->" not in lines[position]:
        if match := _HEADER_FIELD.fullmatch(lines[position]):
            header[match[1]] = match[2].strip()
        position += 1
    cues: list[Cue] = []
    warnings: list[SourceWarning] = []
    while position < len(lines):
        if lines[position] == "":
            position += 1
            continue
        position = _block(lines, position, cues, warnings)
    return ParsedVtt(tuple(cues), header, tuple(warnings))


def cue_lines(lines: list[str]) -> tuple[CueLine, ...]:
    """The text of a cue by line and voice: tags off, character references decoded.

    A voice holds until another one begins: text after ``</v>`` still belongs to it. The reading
    aids of ruby text are left out, so that the base text can be found.
    """
    voice = ""
    result: list[CueLine] = []
    text = _OVERRIDE.sub("", _RUBY_TEXT.sub("", "\n".join(lines)))
    # A tag may go on in the next line.
    text = _TAG.sub(lambda tag: tag[0].replace("\n", " "), text)
    for line in text.split("\n"):
        piece, position = "", 0
        for tag in _TAG.finditer(line):
            piece += line[position : tag.start()]
            position = tag.end()
            if tag["name"] == "v":
                name = one_line(decode_entities(tag["annotation"] or ""), collapse=True)
                if name and name != voice:
                    # A dash in front of a voice belongs to it.
                    if any(map(str.isalnum, piece)):
                        _add(result, piece, voice or name)
                        piece = ""
                    voice = name
        _add(result, piece + line[position:], voice)
    # Text in front of the first voice is part of the cue: it is given to that voice.
    first = next((line.speaker for line in result if line.speaker), "")
    return tuple(CueLine(line.text, line.speaker or first) for line in result)


def _add(result: list[CueLine], piece: str, voice: str) -> None:
    text = one_line(decode_entities(piece), collapse=True)
    if text:
        result.append(CueLine(text, voice))


def _block(lines: list[str], position: int, cues: list[Cue], warnings: list[SourceWarning]) -> int:
    """The standard's "collect a WebVTT block": reads one, returns where the next one begins."""
    first = position
    times = None
    seen_arrow = False
    block = _Block()
    while position < len(lines) and lines[position] != "":
        line = lines[position]
        count = position - first + 1
        parsed = cue_times(line) if count <= 2 or "-->" in line else None
        if "-->" in line or (parsed is not None and count <= 2 and not seen_arrow):
            if seen_arrow or count > 2:
                break
            seen_arrow = True
            times = parsed
            block.identifier = "\n".join(block.lines)
            block.lines = []
        else:
            block.lines.append(line)
        position += 1
    if times is not None:
        number = len(cues) + 1
        key = one_line(block.identifier)[:100]
        cues.append(Cue(f"cue {number}", times.start, times.end, cue_lines(block.lines), key))
    elif seen_arrow and not lines[first].startswith(_BLOCKS_WITHOUT_TEXT):
        message = "a cue whose time line cannot be read: left out"
        original = lines[first + bool(block.identifier)][:80]
        warnings.append(SourceWarning(f"line {first + 1}", message, "start", original))
    elif not seen_arrow and not block.lines[0].startswith(_BLOCKS_WITHOUT_TEXT):
        message = "text that belongs to no cue (a blank line inside one?): left out"
        warnings.append(SourceWarning(f"line {first + 1}", message, "text", block.lines[0][:80]))
    return position
