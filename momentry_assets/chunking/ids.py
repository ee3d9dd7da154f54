"""Readable chunk ids made from the document and its structure, never from a counter (source 002).

``<document_id>#<structure>``: for text ``setup/check`` (heading slugs; ``~2`` for the second
heading of the same name under the same heading), ``setup/check.2`` for the second part of a long
section, ``setup/check!3`` for its third child. For media ``story@00:01:02.500`` and
``sentence@00:01:02.500``.
"""

import re
from collections import Counter

TOP = "_top"
_NO_WORD = re.compile(r"[\W_]+")


def slug(heading: str) -> str:
    """Lower-case words joined by ``-``, at most 60 characters; ``_`` when there is no word."""
    return _NO_WORD.sub("-", heading.lower()).strip("-")[:60].rstrip("-") or "_"


def clock(milliseconds: int) -> str:
    """``HH:MM:SS.mmm``."""
    seconds, rest = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}.{rest:03d}"


class Ordinals:
    """Tells equal names apart: the first stays as it is, the second gets ``~2`` and so on."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def unique(self, name: str) -> str:
        """``name``, or ``name~n`` when it was given before."""
        self._seen[name] += 1
        count = self._seen[name]
        return name if count == 1 else f"{name}~{count}"
