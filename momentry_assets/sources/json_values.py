"""Typed access to JSON that may hold anything, and JSON lines of which some may be damaged."""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from momentry_assets.model import SourceWarning
from momentry_assets.sources.media_text import one_line, shortened_list
from momentry_assets.sources.reader import SourceFile

# How many entries a sniff looks at; formats do not change in the middle of a file.
SNIFFED_ENTRIES = 50
_LONGEST_METADATA = 1000


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
    """A JSON string as it is, a number as digits, everything else as empty."""
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
    """The values of the first lines that are JSON, for sniffing."""
    values: list[object] = []
    for tried, (_, text) in enumerate(_lines(source.decoded.text)):
        if tried == SNIFFED_ENTRIES:
            break
        try:
            values.append(json.loads(text))
        except (ValueError, RecursionError):
            continue
    return values


def json_lines(source: SourceFile, warnings: list[SourceWarning]) -> list[Line]:
    """Every line that is a JSON value; one damaged line never takes the others with it."""
    values: list[Line] = []
    damaged: list[str] = []
    for number, text in _lines(source.decoded.text):
        try:
            values.append(Line(number, json.loads(text)))
        except (ValueError, RecursionError):
            damaged.append(f"line {number}")
    if damaged:
        message = f"no JSON, left out: {shortened_list(damaged)}"
        warnings.append(SourceWarning(damaged[0], message))
    return values


def json_problem(source: SourceFile) -> tuple[str, str]:
    """Where and why a text is no JSON."""
    try:
        json.loads(source.decoded.text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno} column {error.colno}", f"no valid JSON: {error.msg}"
    except RecursionError:
        return "", "JSON nested too deeply"
    except ValueError as error:
        return "", f"no valid JSON: {error}"
    return "", "JSON of an unknown form"


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        # RFC 7464 puts a record separator in front of every value.
        stripped = line.strip(" \t\x1e,")
        if stripped:
            yield number, stripped


def _digits(value: float) -> str:
    try:
        return str(value)
    except ValueError:
        # Python refuses to write integers of more than 4,300 digits.
        return ""
