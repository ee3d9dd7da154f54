"""Sentences from single timed words, for sources that give no more than that.

Words end a sentence by punctuation or by a pause; API outputs have words without punctuation, so
the number of words is bounded as well. (Segments that a recogniser did make are never regrouped
here; that is the chunker's business.)
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from momentry_assets.sources.media_text import one_line
from momentry_assets.sources.timeline import Utterance

# Long enough to be no hesitation inside a sentence.
_PAUSE_MS = 1000
_LONGEST_SENTENCE_WORDS = 60

_SENTENCE_END = re.compile(r"[.?!…。！？।؟][\"'”’»)\]」』]*$")
# No end of a sentence: "Dr." "St." "3." at the end of a word that is an abbreviation or a number.
_ABBREVIATION = re.compile(r"(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|\d+|[A-Z])\.$")
# Scripts written without blanks between words: kana, han, Thai, Lao, Khmer, Myanmar.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]"
)


def looks_like_words(texts: Sequence[str]) -> bool:
    """True when nine entries of ten are single words."""
    spoken = [text for text in texts if text.strip()]
    single = sum(1 for text in spoken if _is_word(text.strip()))
    return len(spoken) >= 2 and single * 10 >= len(spoken) * 9


def sentences_of(words: Sequence[Utterance], raw: Sequence[str]) -> list[Utterance]:
    """Join words into sentences.

    Args:
        words: the words, in file order.
        raw: their texts as they stand in the source: where they carry their own blanks
            (whisper's ``" tram"``, ``"'s"``), those decide where blanks go.
    """
    carries_blanks = any(text[:1].isspace() for text in raw[1:])
    groups: list[list[int]] = []
    for position, word in enumerate(words):
        if not word.text:
            continue
        if not groups or _begins(words[groups[-1][-1]], word, len(groups[-1])):
            groups.append([])
        groups[-1].append(position)
    return [_sentence(words, raw, group, carries_blanks) for group in groups]


def _is_word(text: str) -> bool:
    # Without blanks a whole sentence of Chinese looks like a word; words there are short.
    return len(text) <= (6 if _UNSPACED.search(text) else 40) and not re.search(r"\s", text)


def _begins(before: Utterance, word: Utterance, length: int) -> bool:
    if before.speaker != word.speaker or length >= _LONGEST_SENTENCE_WORDS:
        return True
    if _SENTENCE_END.search(before.text) and not _ABBREVIATION.search(before.text):
        return True
    end = before.end.ms if before.end.ms is not None else before.start.ms
    return end is not None and word.start.ms is not None and word.start.ms - end >= _PAUSE_MS


def _sentence(
    words: Sequence[Utterance], raw: Sequence[str], group: Sequence[int], carries_blanks: bool
) -> Utterance:
    first, last = words[group[0]], words[group[-1]]
    text = ""
    for position in group:
        piece = raw[position] if carries_blanks else words[position].text
        if (
            text
            and not carries_blanks
            and not (_UNSPACED.match(piece) or _UNSPACED.match(text[-1]))
        ):
            text += " "
        text += piece
    end = last.end if last.end.ms is not None else last.start
    starts = [words[position].start for position in group]
    start = next((start for start in starts if start.ms is not None), first.start)
    return replace(first, text=one_line(text), start=start, end=end)
