"""The text of one timed segment: one line without controls, and whether it is speech at all."""

import html
import re
from collections.abc import Sequence

from momentry_assets.model import SegmentKind, SourceWarning
from momentry_assets.sources.text import clean

# Zero width space, word joiner, byte order mark: caption files are full of them, and they make
# two words of one for every search. Joiners and direction marks stay: they belong to the script.
_ZERO_WIDTH = re.compile("[\u200b\u2060\ufeff]")
_LINE_BREAKS = re.compile(
    "(?<![ \u00a0])[ \u00a0]*[\t\n\u0085\u2028\u2029][ \u00a0\t\n\u0085\u2028\u2029]*"
)
_BLANKS = re.compile("[ \u00a0]{2,}|\u00a0")

# Controls but tab and newlines; surrogates that are no pair.
_UNSTORABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[\ud800-\udbff](?![\udc00-\udfff])"
    "|(?<![\ud800-\udbff])[\udc00-\udfff]"
)

# Only with a semicolon: by HTML's own rule ``R&notes`` would become ``R¬es``.
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

# A mark such as [Music], (laughter), 【拍手】, *sighs* or ♪, alone or several of them. The
# alternatives begin with different characters, so matching takes linear time.
_SOUND = re.compile(
    r"(?:[\s\-–—>♪♫♩♬#~.…!:]"
    r"|\[[^\[\]]{0,80}\]|［[^［］]{0,80}］|【[^【】]{0,80}】|〔[^〔〕]{0,80}〕"
    r"|\([^()]{0,40}\)|（[^（）]{0,40}）|\*[^*]{1,40}\*)+"
)
_SENTENCE_IN_BRACKETS = re.compile(r"[(（*]([^()（）*]*)([.?!…。？！؟])\s*[)）*]")
_SOUND_SIGN = re.compile(r"[♪♫♩♬\[\]［］【】〔〕()（）*]")


def one_line(text: str, *, collapse: bool = False) -> str:
    """A segment's text: cleaned, on one line, without white space at its ends.

    Newlines and tabs become one space, NUL and other controls vanish, lone surrogates become
    U+FFFD, zero-width characters vanish. A recogniser's own runs of blanks stay as they are.

    Args:
        text: as the source has it.
        collapse: make one space of every run of blanks and of every no-break space, for formats
            that lay text out with them (subtitles).
    """
    text = _ZERO_WIDTH.sub("", clean(text))
    text = _LINE_BREAKS.sub(" ", text)
    if collapse:
        text = _BLANKS.sub(" ", text)
    return text.strip()


def unstorable(text: str, place: str) -> list[SourceWarning]:
    """A warning when `one_line` takes something out of a JSON string that no store can hold."""
    if _UNSTORABLE.search(text) is None:
        return []
    message = "NUL or another control removed, or a lone surrogate became U+FFFD"
    return [SourceWarning(place, message, "text", ascii(text)[:80])]


def decode_entities(text: str) -> str:
    """HTML character references that end with a semicolon, as the characters they mean."""
    if "&" not in text:
        return text
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)


def kind_of(text: str) -> SegmentKind:
    """``SOUND`` for a text that is nothing but marks such as ``[Music]``, else ``SENTENCE``.

    Captions put whispered, sung and translated speech in round brackets as well: a sentence in
    them, such as ``(I never told him that.)``, is speech. A sound lost is a smaller harm.
    """
    if _SOUND_SIGN.search(text) and _SOUND.fullmatch(text) and not _has_sentence(text):
        return SegmentKind.SOUND
    return SegmentKind.SENTENCE


def _has_sentence(text: str) -> bool:
    found = _SENTENCE_IN_BRACKETS.finditer(text)
    return any(match[2] in "?。？！؟" or len(match[1].split()) > 1 for match in found)


def media_title(stem: str) -> str:
    """A file name's stem as a title: ``-`` and ``_`` become spaces."""
    return " ".join(re.sub(r"[-_]", " ", stem).split()) or stem


def shortened_list(places: Sequence[str], limit: int = 5) -> str:
    """``a, b, c and 17 more``: places for a warning that is about many of them."""
    shown = ", ".join(places[:limit])
    return shown if len(places) <= limit else f"{shown} and {len(places) - limit} more"
