"""JSON of the evaluation's frozen records: what one step writes, the next one reads."""

from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from momentry_assets.errors import EvaluationError
from momentry_assets.tables import write_text_atomically

Record = TypeVar("Record")


def to_json(record: object) -> str:
    """A record as indented JSON; the same record always gives the same text."""
    return _adapter(type(record)).dump_json(record, indent=1).decode("utf-8")


def from_json(kind: type[Record], text: str | bytes, *, source: str = "JSON") -> Record:
    """The record of a type that `to_json` wrote.

    Raises:
        EvaluationError: naming the source and every field that does not fit.
    """
    try:
        return _adapter(kind).validate_json(text)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc']) or 'file'}: {problem['msg']}"
            for problem in error.errors()[:5]
        )
        raise EvaluationError(
            f"{source}: not a {kind.__name__} of this version ({problems}); evaluate again"
        ) from error


def write_json(record: object, path: Path) -> None:
    """Write a record so that readers see the old file or the new one."""
    write_text_atomically(path, to_json(record))


def read_json(kind: type[Record], path: Path) -> Record:
    """Read a record from a file that `write_json` wrote."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be read ({error}); evaluate again") from error
    return from_json(kind, text, source=str(path))


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
