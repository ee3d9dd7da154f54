"""Questions without a model: the heading and the key phrases of a parent.

Key phrases are found as RAKE does (Rose, Engel, Cramer and Cowley, "Automatic keyword extraction
from individual documents", 2010): a candidate is a run of words between stop words and
punctuation; a word scores its degree over its frequency, so that words of long candidates count
more; a candidate scores the sum of its words. In scripts without spaces a character is a word.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from momentry_assets.descriptions import ParentText, Progress, Questions
from momentry_assets.descriptions.stop_words import is_stop_word

VERSION = 1
WRITER = "heading_key_phrases"
MAX_WORDS = 3
MAX_CHARACTERS_WITHOUT_SPACES = 10
MAX_WORD_CHARACTERS = 40

# Marks inside a word (node.js, ERR_4021, client/server, don't) are followed by no white space.
_BREAK = re.compile(
    r"[\n\r\t|<>(){}\[\]\"“”„«»…`、。，；：！？「」『』（）《》〈〉【】・।]+|[.,;:!?]+(?=\s|$)"
    r"|(?<!\S)[-–—*#+=~•]+(?!\S)"
)
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_HIRAGANA = "\u3041-\u3096"
_OTHERS_WITHOUT_SPACES = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3"
_SPACELESS = re.compile(f"[{_HAN}{_KATAKANA}{_HIRAGANA}{_OTHERS_WITHOUT_SPACES}]")
_KANA = re.compile(f"[{_HIRAGANA}{_KATAKANA}]")
# Hiragana writes the endings and particles of Japanese, these characters those of Chinese.
_JAPANESE_BREAK = re.compile(f"[{_HIRAGANA}]+")
_CHINESE_BREAK = re.compile(
    "[的了是在和与與或也就都而及之其这這那有被把对對从從到为為以于於不你我他她它们們]"
)
_UNIT = re.compile(f"{_SPACELESS.pattern}|(?:(?!{_SPACELESS.pattern})\\S)+")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A possible key phrase: as it is written, and its words in lower case."""

    text: str
    words: tuple[str, ...]


class KeyPhraseQuestionWriter:
    """Writes ``<heading>: <key phrase>?``, which forces no language's grammar on another.

    Args:
        count: most questions of one parent.
    """

    def __init__(self, count: int) -> None:
        self._count = count

    @property
    def identity(self) -> tuple[object, ...]:
        """See `QuestionWriter`."""
        return (WRITER, VERSION, self._count)

    def questions(
        self, parents: Sequence[ParentText], progress: Progress | None = None
    ) -> list[Questions]:
        """See `QuestionWriter`."""
        if progress:
            progress(len(parents), len(parents))
        return [Questions(self._of(one), WRITER) for one in parents]

    def _of(self, parent: ParentText) -> tuple[str, ...]:
        headings = (*reversed(parent.section_hierarchy), parent.document_title)
        heading = next((flat for one in headings if (flat := " ".join(one.split()))), "")
        phrases = key_phrases(parent.text, parent.language, self._count, known=(heading,))
        if not phrases:
            return (f"{heading.rstrip('?？')}?",) if heading else ()
        before = f"{heading.rstrip(' :：?？')}: " if heading else ""
        return tuple(f"{before}{phrase}?" for phrase in phrases)


def key_phrases(text: str, language: str, count: int, known: Iterable[str] = ()) -> list[str]:
    """The best key phrases of a text as they are written there, best first.

    Args:
        language: ISO 639-1 code; stop words of every language we know when it is another one.
        count: most phrases. A text with a word has at least one.
        known: phrases that say nothing new.
    """
    candidates = list(_candidates(text, language))
    frequency = Counter(word for one in candidates for word in one.words)
    degree: Counter[str] = Counter()
    for one in candidates:
        for word in one.words:
            degree[word] += len(one.words)
    times = Counter(one.words for one in candidates)
    first: dict[tuple[str, ...], _Candidate] = {}
    for one in candidates:
        first.setdefault(one.words, one)
    best = sorted(
        first.values(),
        key=lambda one: (
            -sum(degree[word] / frequency[word] for word in one.words),
            -times[one.words],
        ),
    )
    chosen: list[str] = []
    taken = {" ".join(phrase.split()).casefold() for phrase in known}
    for one in best:
        if len(chosen) == count:
            break
        folded = one.text.casefold()
        # "replica" beside "replica lag" would ask the same again.
        if folded not in taken and not any(folded in other.casefold() for other in chosen):
            chosen.append(one.text)
    return chosen or [phrase for phrase in (_first_words(text),) if phrase]


def _candidates(text: str, language: str) -> Iterator[_Candidate]:
    """Runs of content words, in order; long ones and those without a letter are left out."""
    spaceless_break = _JAPANESE_BREAK if _KANA.search(text) else _CHINESE_BREAK
    for piece in _BREAK.split(text):
        run: list[str] = []
        for word in (*piece.split(), ""):
            bare = _bare(word)
            if not bare or _SPACELESS.search(bare) or is_stop_word(bare, language):
                yield from _spaced(run)
                run = []
                if _SPACELESS.search(bare):
                    for part in spaceless_break.split(bare):
                        yield from _spaceless(part)
            else:
                run.append(bare)


def _spaced(words: list[str]) -> Iterator[_Candidate]:
    if (
        0 < len(words) <= MAX_WORDS
        and any(character.isalpha() for word in words for character in word)
        and max(map(len, words)) <= MAX_WORD_CHARACTERS
    ):
        yield _Candidate(" ".join(words), tuple(word.casefold() for word in words))


def _spaceless(part: str) -> Iterator[_Candidate]:
    units = tuple(_UNIT.findall(part.casefold()))
    if 2 <= len(units) <= MAX_CHARACTERS_WITHOUT_SPACES and len(part) <= MAX_WORD_CHARACTERS:
        yield _Candidate(part, units)


def _first_words(text: str) -> str:
    """The beginning of a text of which every word is a stop word, a number or very long."""
    words = [bare for word in text.split() if (bare := _bare(word))]
    return " ".join(words[:MAX_WORDS])[:MAX_WORD_CHARACTERS].rstrip()


def _bare(word: str) -> str:
    """A word without the marks at its ends; empty when it has no letter or digit."""
    start, end = 0, len(word)
    while start < end and not word[start].isalnum():
        start += 1
    # Vowel signs and accents that follow the last letter belong to it.
    while end > start and not (
        word[end - 1].isalnum() or unicodedata.category(word[end - 1])[0] == "M"
    ):
        end -= 1
    return word[start:end]
