"""The kind of a query, decided by rules a person can read; it sets the weights of the channels.

Source 000: thematic questions weigh the vectors more (0.8-0.9), look-ups of a fact the words more
(0.5-0.7), everything else 0.7/0.3. Quoted text and identifiers are looked for exactly as they
stand.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class QueryKind(StrEnum):
    """What a query asks for."""

    EXACT = "exact"
    FACT = "fact"
    THEMATIC = "thematic"
    BALANCED = "balanced"


# Share of the dense channel by kind.
DENSE_WEIGHTS = {
    QueryKind.EXACT: 0.3,
    QueryKind.FACT: 0.5,
    QueryKind.THEMATIC: 0.85,
    QueryKind.BALANCED: 0.7,
}

_QUOTED = re.compile(
    r"\"([^\"]{2,})\"|“([^”]{2,})”|„([^“”]{2,})[“”]|«\s?([^»]{2,}?)\s?»|「([^」]{2,})」|`([^`]{2,})`"
)
_IDENTIFIER = re.compile(
    r"""(?<!\S)(?:
        --?[A-Za-z][\w-]*                                # --watch, -n
      | (?=\S*[A-Za-z])(?=\S*\d)[A-Za-z0-9]+(?:[_.:/-][A-Za-z0-9]+)+   # ERR_4021, v1.2.3, x-1/z
      | [A-Za-z0-9]+(?:_[A-Za-z0-9]+)+                   # snake_case
      | [A-Z]{2,}\d+ | [A-Za-z]+\d{3,}                   # E404, RFC9562
      | [a-z]+(?:[A-Z][a-z0-9]+)+                        # camelCase
      | (?:[A-Z][a-z0-9]+){3,}                           # PascalCaseName
      | ~?/?[\w.-]+(?:/[\w.-]+){2,}/?                    # a/path/of/files
      | [\w-]+\.(?:js|ts|py|md|json|ya?ml|toml|sh|csv|html?|conf|ini|log|exe|dll|so|go|rs|java)
    )(?=[\s?!.,;:)]|$)""",
    re.VERBOSE,
)

# Openings and words by kind; English first, then German, French, Spanish.
_FACT_OPENINGS = (
    "who|whose|whom|when|where|which|how many|how much|how long|how often|how far|how old|how big"
    "|what time|what date|what year|what day|what number|what is the|what's the|what was the"
    "|wer|wann|wo|welche|welcher|welches|wie viele|wie viel|wie lange|wie oft"
    "|qui|quand|où|quel|quelle|combien|quién|cuándo|dónde|cuál|cuánto|cuántos|cuántas"
)
_THEMATIC_WORDS = (
    "theme|themes|overview|summary|summarise|summarize|overall|in general|generally|main points"
    "|main ideas|big picture|philosophy|approach to|attitude|pros and cons|trade-offs|compare"
    "|explain|discuss|describe how|what do we do|what do they|how do we|how does it all|opinions?"
    "|themen|überblick|zusammenfassung|im allgemeinen|thèmes|résumé|en général|temas|resumen"
)
_FACT = re.compile(rf"^\W*(?:{_FACT_OPENINGS})\b", re.IGNORECASE)
_THEMATIC = re.compile(rf"\b(?:{_THEMATIC_WORDS})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Classified:
    """A kind, why, and what has to stand in a text literally.

    Attributes:
        reason: for people, for example ``identifier ERR_4021``.
        exact: quoted texts and identifiers, as asked, without their quotes.
    """

    kind: QueryKind
    reason: str
    exact: tuple[str, ...] = ()


def classify(query: str) -> Classified:
    """The kind of a query. The first rule that applies decides.

    Quoted text or an identifier: exact. A word for an overview: thematic. A question word that
    asks for one thing: fact. Otherwise balanced.
    """
    quoted = [next(one for one in found if one) for found in _QUOTED.findall(query)]
    if quoted:
        return Classified(QueryKind.EXACT, f"quoted text {_shown(quoted)}", tuple(quoted))
    identifiers = [found.rstrip(".,;:") for found in _IDENTIFIER.findall(query)]
    if identifiers:
        return Classified(QueryKind.EXACT, f"identifier {_shown(identifiers)}", tuple(identifiers))
    if thematic := _THEMATIC.search(query):
        return Classified(QueryKind.THEMATIC, f"asks for the whole: “{thematic[0].lower()}”")
    if fact := _FACT.search(query):
        return Classified(QueryKind.FACT, f"asks for one thing: “{fact[0].strip().lower()}”")
    return Classified(QueryKind.BALANCED, "no rule applies")


def _shown(texts: list[str]) -> str:
    return ", ".join(f"“{text[:40]}”" for text in texts[:3])
