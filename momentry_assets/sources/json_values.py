"""Typed access to JSON that may hold anything, and JSON lines of which some may be damaged."""

import json
import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple, cast

from momentry_assets.model import SourceWarning
from momentry_assets.sources.media_text import one_line, shortened_list
from momentry_assets.sources.reader import SourceFile

# How many entries a sniff looks at; formats do not change in the middle of a file.
SNIFFED_ENTRIES = 50
_LONGEST_METADATA = 1000
# RFC 7464 puts a record separator in front of every value.
_BETWEEN = " \t\x1e,"
_DECODER = json.JSONDecoder()
_DAMAGED = object()


class Line(NamedTuple):
    """One JSON value of a file of JSON lines, and its line number from 1."""

    number: int
    value: object


def as_mapping(value: object) -> Mapping[str, object] | None:
    """The value if it is a JSON object."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None


def as_list(value: object) -> list[object] | None:
    """The value if it is a JSON list."""
    return cast("list[object]", value) if isinstance(value, list) else None


def mappings(value: object) -> list[Mapping[str, object]]:
    """The objects among the items of a list; none when it is no list."""
    return [item for entry in as_list(value) or [] if (item := as_mapping(entry)) is not None]


def as_text(value: object) -> str:
    """A JSON string as it is, a finite number as digits, everything else as empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _digits(value)
    return ""


def metadata_of(value: Mapping[str, object], *, without: frozenset[str]) -> dict[str, object]:
    """The scalar fields of an object as strings, for `Document.metadata`."""
    fields: dict[str, object] = {}
    for key, item in value.items():
        text = as_text(item)
        if key not in without and text:
            fields[one_line(key)[:100]] = one_line(text)[:_LONGEST_METADATA]
    return fields


def looks_like_json_lines(source: SourceFile) -> bool:
    """True for a file that is no single JSON value and whose first line begins an object."""
    return source.json_value is None and source.decoded.text.lstrip()[:1] in ("{", "[")


def first_lines(source: SourceFile) -> list[object]:
    """The first values of a file of JSON lines, for sniffing."""
    tried = islice(_values(source.decoded.text), SNIFFED_ENTRIES)
    return [line.value for line in tried if line.value is not _DAMAGED]


def json_lines(source: SourceFile, warnings: list[SourceWarning]) -> list[Line]:
    """Every JSON value of a file that has more than one; a damaged line costs that line alone.

    Values written over several lines, or one behind another on the same line, are read too when
    the file begins with one: people dump each segment with ``json.dump(…, indent=2)``.
    """
    values: list[Line] = []
    damaged: list[str] = []
    for line in _values(source.decoded.text):
        if line.value is _DAMAGED:
            damaged.append(f"line {line.number}")
        else:
            values.append(line)
    if damaged:
        message = f"no JSON, left out: {shortened_list(damaged)}"
        warnings.append(SourceWarning(damaged[0], message))
    return values


def json_problem(source: SourceFile) -> tuple[str, str]:
    """Where and why a text is no JSON."""
    try:
        json.loads(source.decoded.text, strict=False)
    except json.JSONDecodeError as error:
        return f"line {error.lineno} column {error.colno}", f"no valid JSON: {error.msg}"
    except RecursionError:
        return "", "JSON nested too deeply"
    except ValueError as error:
        return "", f"no valid JSON: {error}"
    return "", "JSON of an unknown form"


def _values(text: str) -> Iterator[Line]:
    """The values of a text with the lines they begin on; `_DAMAGED` for a line that has none."""
    spanning = _is_value_at_start(text)
    position, number = 0, 1
    while position < len(text):
        line_end = text.find("\n", position)
        line_end = len(text) if line_end < 0 else line_end
        line = text[position:line_end].strip(_BETWEEN)
        after = line_end
        if line:
            value = _value(line)
            if value is _DAMAGED and spanning and line[0] in "{[":
                begin = text.find(line[0], position)
                value, after = _value_at(text, begin, line_end)
            yield Line(number, value)
        # The rest of the line that a value ends on may hold the next one.
        after += text[after : after + 1] == "\n"
        number += text.count("\n", position, after)
        position = after


def _value(line: str) -> object:
    # A list with one entry on each line that was cut off: its first line begins with the bracket.
    for candidate in (line, line[1:]) if line.startswith("[{") else (line,):
        try:
            return json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
    return _DAMAGED


def _value_at(text: str, begin: int, line_end: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return _DAMAGED, line_end


def _is_value_at_start(text: str) -> bool:
    begin = len(text) - len(text.lstrip(_BETWEEN + "\n"))
    return _value_at(text, begin, begin)[0] is not _DAMAGED


def _digits(value: float) -> str:
    # Data frames write a bare NaN for a missing text, speaker or id.
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    try:
        return str(value)
    except ValueError:
        # Python refuses to write integers of more than 4,300 digits.
        return ""
