"""What the lexical channel calls a word: one normalisation for texts and queries.

PostgreSQL's own parser makes one lexeme of ``client/server`` and ``node.js``, two of
``ERR_4021``, one of a whole run of Chinese, and its query syntax reads ``-n`` as NOT. Texts and
queries are therefore cut into words here, by the same rules, before PostgreSQL sees them; it
then only stems them and leaves out stop words.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from heapq import nlargest
from itertools import pairwise
from typing import Any

from momentry_assets.errors import SearchError

SEARCHED_COLUMNS = ("document_title", "section_hierarchy", "search_text", "text_content")

MAX_QUERY_CHARACTERS = 10_000
# Each word of an OR query is looked for in each row that it may match.
MAX_QUERY_WORDS = 50
# PostgreSQL leaves out words of 2,047 bytes and more; a word that is cut can still be found.
MAX_WORD_CHARACTERS = 250
# A tsvector holds 1,048,575 bytes of words and positions, and a longer one fails its row.
MAX_VECTOR_BYTES = 1_000_000
_BYTES_BESIDE_A_WORD = 6
_BYTES_OF_A_REPETITION = 2

# Stands for the marks inside a compound. A letter to every locale, so that PostgreSQL keeps the
# compound whole, and so rare (a click of Khoisan languages) that texts do not hold it.
JOINT = "\u01c0"

_CONNECTORS = r"[-_./\\:@+&=~\u2010]"
# Soft hyphens, joiners, direction marks, variation selectors, byte-order marks.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]"
)
# Scripts written without spaces between words, and Hangul, whose words carry their particles.
_SPACELESS = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7a3\u1100-\u11ff"
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ec0-\u0ec6"
    "\u1000-\u102a\u1780-\u17b3\U00020000-\U0003fffd"
)


def normalise(text: str) -> str:
    """The words of a text, in order, separated by spaces.

    Lower-case and in NFKC. A compound stands whole, its marks replaced by `JOINT`, and is
    followed by its parts (``ERR_4021`` gives ``errǀ4021 err 4021``). A run of a script without
    spaces becomes overlapping pairs of characters and its last one, so that each character
    begins a word. Everything else between words is dropped.
    """
    return " ".join(_words(text, ends=True))


def search_words(text: str) -> str:
    """`normalise` for storing: no more words than one tsvector can hold."""
    words = list(_words(text, ends=True))
    joined = " ".join(words)
    if len(joined.encode()) + _BYTES_BESIDE_A_WORD * len(words) <= MAX_VECTOR_BYTES:
        return joined
    room = MAX_VECTOR_BYTES
    seen: Counter[str] = Counter()
    for index, word in enumerate(words):
        known = seen[word]
        seen[word] += 1
        room -= _BYTES_OF_A_REPETITION if known else len(word.encode()) + _BYTES_BESIDE_A_WORD
        if room < 0:
            return " ".join(words[:index])
    return joined


def query_words(query: str) -> list[str]:
    """The distinct words of a query; of a very long one the longest, which are the rarest.

    As `normalise` cuts them, without the last characters of runs.

    Raises:
        SearchError: when the query is longer than any question.
    """
    if len(query) > MAX_QUERY_CHARACTERS:
        raise SearchError(
            f"the query has {len(query):,} characters; at most {MAX_QUERY_CHARACTERS:,} can be "
            f"searched, so search for a part of it"
        )
    words = list(dict.fromkeys(_words(query, ends=False)))
    return words if len(words) <= MAX_QUERY_WORDS else nlargest(MAX_QUERY_WORDS, words, key=len)


def is_lone_character(word: str) -> bool:
    """True for one character of a script without spaces: texts hold it as the start of words."""
    return _patterns()[2].fullmatch(word) is not None


def first_character(word: str) -> str:
    """The character that a pair of a script without spaces begins with, empty for other words."""
    first = _patterns()[2].match(word)
    return first[0] if first and first.end() < len(word) else ""


def searched_text(row: Mapping[str, Any]) -> str:
    """The text of a chunk that words are looked for in: its own with its title and heading path.

    A fragment seldom repeats the words of its heading, which are the words people ask with.

    Args:
        row: a row of a chunk table with the columns `SEARCHED_COLUMNS`.
    """
    text = row["search_text"] or row["text_content"]
    return "\n".join((row["document_title"], *row["section_hierarchy"], text))


def _words(text: str, *, ends: bool) -> Iterator[str]:
    units, connectors, characters = _patterns()
    clean = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).lower()
    for unit in units.finditer(clean):
        if unit.lastgroup:
            yield from _pairs(characters.findall(unit[0]), ends=ends)
            continue
        if unit[0].isalnum():
            yield unit[0][:MAX_WORD_CHARACTERS]
            continue
        parts = connectors.split(unit[0])
        if len(parts) > 1:
            yield JOINT.join(parts)[:MAX_WORD_CHARACTERS]
        for part in parts:
            yield part[:MAX_WORD_CHARACTERS]


def _pairs(characters: list[str], *, ends: bool) -> Iterator[str]:
    for first, second in pairwise(characters):
        yield first + second
    if ends or len(characters) == 1:
        yield characters[-1]


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    # Python's \w leaves out the marks that follow a letter in Indic, Thai and Arabic writing.
    marks = "".join(
        chr(code) for code in range(0x300, 0x11E00) if unicodedata.category(chr(code))[0] == "M"
    )
    letters = f"[^\\W_{_SPACELESS}]+(?:[{marks}]+[^\\W_{_SPACELESS}]*)*"
    character = f"[{_SPACELESS}][{marks}]*"
    units = f"{letters}(?:{_CONNECTORS}{{1,2}}{letters})*|(?P<run>(?:{character})+)"
    return re.compile(units), re.compile(f"{_CONNECTORS}+"), re.compile(character)
