"""How much of its neighbours a child's embedding text holds (source 003 and its future list).

A short child, or one full of pronouns, has a poor vector of its own ("This is not reverted
either", source 002) and gets twice as much; a long one speaks for itself and gets half.
"""

import re

from momentry_assets.settings import ContextSettings

SHORT_TOKENS = 20
LONG_TOKENS = 60
PRONOUN_SHARE = 0.12

_WORD = re.compile(r"[^\W\d_]+")
# Words that point to something said elsewhere; languages without a list go by length alone.
_PRONOUNS = {
    "en": "it its this that these those they them their he she his her him such there then so",
    "de": "es dies diese dieser dieses diesem diesen das der die er sie ihr ihm ihn deren dessen",
    "fr": "il elle ils elles ce cela ceci cette ces celui celle ceux leur leurs lui en y",
    "es": "él ella ellos ellas esto eso este esta estos estas ese esa su sus lo la les",
    "it": "esso essa essi esse questo questa questi queste quello quella ciò loro suo sua",
    "pt": "ele ela eles elas isto isso este esta esse essa seu sua lhe lhes",
    "nl": "het dit dat deze die hij zij ze hun hen zijn haar er",
}
_SETS = {language: frozenset(words.split()) for language, words in _PRONOUNS.items()}


def neighbour_characters(
    content: str, tokens: int, language: str, settings: ContextSettings
) -> int:
    """Characters of the previous and of the following text, each.

    Args:
        content: the child's own text.
        tokens: its length.
        language: ISO 639-1 code of its document.
        settings: the general length, and whether it adapts.
    """
    if not settings.neighbours:
        return 0
    if not settings.adaptive:
        return settings.neighbour_characters
    if tokens <= SHORT_TOKENS or _leans_on_others(content, language):
        return 2 * settings.neighbour_characters
    if tokens >= LONG_TOKENS:
        return settings.neighbour_characters // 2
    return settings.neighbour_characters


def last_characters(text: str, count: int) -> str:
    """The end of a text, from a word on, white space collapsed."""
    if count <= 0:
        return ""
    flat = " ".join(text.split())
    if len(flat) <= count:
        return flat
    tail = flat[-count:]
    space = tail.find(" ")
    return tail[space + 1 :] if 0 <= space < len(tail) - 1 and flat[-count - 1] != " " else tail


def first_characters(text: str, count: int) -> str:
    """The beginning of a text, up to the end of a word, white space collapsed."""
    if count <= 0:
        return ""
    flat = " ".join(text.split())
    if len(flat) <= count:
        return flat
    head = flat[:count]
    space = head.rfind(" ")
    return head[:space] if space > 0 and flat[count] != " " else head


def _leans_on_others(content: str, language: str) -> bool:
    pronouns = _SETS.get(language)
    words = [word.lower() for word in _WORD.findall(content)]
    if not pronouns or not words:
        return False
    return words[0] in pronouns or sum(word in pronouns for word in words) >= (
        PRONOUN_SHARE * len(words)
    )
