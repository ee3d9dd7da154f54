"""YAML front matter: found by Jekyll's rule, its values kept as the author wrote them.

Front matter is no part of CommonMark. The rule here: the first line is ``---``, a later line is
``---`` or ``...``, and what stands between is a YAML mapping (or nothing). A thematic break at
the top of a text therefore stays a thematic break.

Values stay strings (``2026-03-01``, ``1.10``, ``NO`` and ``07`` are what they look like):
YAML's own guesses turn them into a date, a number, False and 7.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from momentry_assets.model import SourceWarning
from momentry_assets.sources.languages import language_code
from momentry_assets.sources.text import clean

# A front matter is a page at most; YAML is slow (50 kB/s), and a rule at the top of a long text
# with another rule at its end is none.
_LONGEST = 64 * 1024
# Aliases can make a few bytes into gigabytes ("billion laughs").
_MOST_VALUES = 10_000
_DEEPEST = 50

_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY_LINE = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]|$)", re.MULTILINE)
# Lists, mappings, block texts, anchors, aliases and tags need YAML.
_PLAIN_VALUE = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*:[ \t]+(?![\[{|>&*!])(\S.*)$", re.MULTILINE)
# A block that is no valid YAML is still meant as front matter when one of these keys is in it.
_USUAL_KEYS = frozenset(
    (
        *("title", "tags", "tag", "date", "author", "authors", "description", "summary"),
        *("slug", "layout", "lang", "language", "category", "categories", "draft", "weight"),
        *("permalink", "keywords", "id", "aliases", "sidebar_label", "sidebar_position"),
    )
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands before the text proper.

    Attributes:
        found: True when there is front matter, even an empty one.
        body_start: offset where the text proper begins, 0 without front matter.
        fields: the mapping; every scalar a string, lists and mappings plain.
        warnings: what is wrong with it.
    """

    found: bool = False
    body_start: int = 0
    fields: Mapping[str, object] = field(default_factory=dict[str, object])
    warnings: tuple[SourceWarning, ...] = ()

    @property
    def title(self) -> str:
        """The field ``title``, empty when it is missing or no string."""
        value = self._value("title")
        return " ".join(value.split()) if isinstance(value, str) else ""

    @property
    def tags(self) -> tuple[str, ...]:
        """The field ``tags``: a list, or one string with commas. Without repeats."""
        value = self._value("tags") or self._value("tag")
        if isinstance(value, str):
            items: list[object] = list(value.split(","))
        else:
            items = cast(list[object], value) if isinstance(value, list) else []
        names = (item.strip() for item in items if isinstance(item, str))
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def language(self) -> str:
        """The field ``language`` or ``lang``: ``en`` for ``en-GB``, ``und`` when there is none."""
        return language_code(self._value("language") or self._value("lang"))

    def _value(self, name: str) -> object:
        for key, value in self.fields.items():
            if key.lower() == name:
                return value
        return None


def read_front_matter(text: str) -> FrontMatter:
    """Find and read the front matter of a canonical text; never raises."""
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter()
    closing = _CLOSING.search(text, opening.end(), opening.end() + _LONGEST)
    if closing is None:
        return FrontMatter()
    body_start = min(closing.end() + 1, len(text))
    block = text[opening.end() : closing.start()]
    try:
        fields = _mapping(block)
    except _NotReadableError as problem:
        if not _is_meant_as_front_matter(block):
            return FrontMatter()
        warning = SourceWarning(
            place=f"line {problem.line + 2}",
            message=(
                f"front matter is not valid YAML ({problem}); the text was indexed without it, "
                "and only its lines of the form `key: value` were taken"
            ),
            field="front matter",
        )
        return FrontMatter(True, body_start, _plain_lines(block), (warning,))
    if fields is None:
        return FrontMatter()
    return FrontMatter(True, body_start, fields)


def _plain_lines(block: str) -> dict[str, object]:
    """What damaged YAML surely says: ``title: Pump: the manual`` has a title all the same."""
    fields: dict[str, object] = {}
    for match in _PLAIN_VALUE.finditer(block):
        value = match[2].strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        fields[clean(match[1])] = clean(value)
    return fields


class _NotReadableError(ValueError):
    def __init__(self, reason: str, line: int) -> None:
        self.line = line
        super().__init__(reason)


def _mapping(block: str) -> dict[str, object] | None:
    """The mapping, None when the YAML is something else."""
    # 0.05 s at import, and most files of a corpus have no front matter.
    import yaml

    try:
        # BaseLoader makes strings, lists and mappings only; nothing is constructed from tags.
        value: object = yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506
        if value is None or value == "":
            return {}
        if not isinstance(value, dict):
            return None
        return cast(dict[str, object], _Plain().copy(cast(object, value), 0))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _NotReadableError(error.problem or "damaged", mark.line if mark else 0) from error
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise _NotReadableError(" ".join(str(error).split())[:200], 0) from error
    except RecursionError as error:
        raise _NotReadableError("nested too deeply", 0) from error


class _Plain:
    """Copies YAML's values so that no part is shared, and gives up on what grows without end."""

    def __init__(self) -> None:
        self.count = 0

    def copy(self, value: object, depth: int) -> object:
        self.count += 1
        if self.count > _MOST_VALUES or depth > _DEEPEST:
            raise ValueError("too many or too deeply nested values")
        if isinstance(value, dict):
            pairs = cast(dict[object, object], value).items()
            return {clean(str(key)): self.copy(item, depth + 1) for key, item in pairs}
        if isinstance(value, list):
            return [self.copy(item, depth + 1) for item in cast(list[object], value)]
        return clean(str(value))


def _is_meant_as_front_matter(block: str) -> bool:
    return any(key.lower() in _USUAL_KEYS for key in _KEY_LINE.findall(block))
