"""Descriptions of parents and the questions they answer, behind two small interfaces.

A description is what a child's embedding text says of its parent and a parent's of itself
(source 000: ``Parent: …`` and ``Summary: …``). Three describers write them:

* ``lead``: the first sentences,
* ``extractive``: the sentences nearest the parent's centre, by the embedder; the default,
* ``llm``: an OpenAI-compatible endpoint; where it fails, the extractive one, with a flag.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Describer", "Description", "ParentText", "Progress", "QuestionWriter", "Questions"]

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ParentText:
    """What a describer gets to see of one parent.

    Attributes:
        text: what of the parent is matched: its children's search texts, joined by a blank line.
        section_hierarchy: heading path from the root, empty for media.
        document_title: title of its document.
        language: ISO 639-1 code or ``und``.
    """

    text: str
    section_hierarchy: tuple[str, ...] = ()
    document_title: str = ""
    language: str = "und"


@dataclass(frozen=True, slots=True)
class Description:
    """A description and where it comes from.

    Attributes:
        text: never empty when the parent has a text or a heading.
        writer: ``lead``, ``extractive`` or ``llm:<model>``.
        fallback: why another writer than the chosen one wrote it, empty when it did not fail.
    """

    text: str
    writer: str
    fallback: str = ""


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions that one parent answers; ``writer`` and ``fallback`` as in `Description`."""

    texts: tuple[str, ...]
    writer: str
    fallback: str = ""


class Describer(Protocol):
    """Writes descriptions. The same parents give the same descriptions."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Everything but the parents that decides what is written; part of content keys."""
        ...

    def describe(
        self, parents: Sequence[ParentText], progress: Progress | None = None
    ) -> list[Description]:
        """One description a parent, in order. Never raises for a single parent."""
        ...


class QuestionWriter(Protocol):
    """Writes the questions that a parent answers."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Everything but the parents that decides what is written; part of content keys."""
        ...

    def questions(
        self, parents: Sequence[ParentText], progress: Progress | None = None
    ) -> list[Questions]:
        """The questions of every parent, in order."""
        ...
