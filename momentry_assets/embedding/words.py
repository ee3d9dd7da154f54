"""Token starts word by word, for tokenizers that never look over white space (BERT's).

A text of a language repeats its words: each is tokenized once, and a text is then put together
from the starts inside its words. Tokenizing the text as a whole takes ten times as long, more
than twice as long for twice the length, and two hundred bytes a token.
"""

import json
import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

Offsets = npt.NDArray[np.int32]

_IDEOGRAPHS = "㐀-䶿一-鿿"
# BERT cuts before and after each of these (and at signs that are too rare to be worth it here).
_CUT = rf"!-/:-@\[-`{{-~{_IDEOGRAPHS}"
_BORDER = re.compile(rf"[ \n\t{_IDEOGRAPHS}]")
_PART = re.compile(rf"[{_CUT}]|[^{_CUT}]+")
_PIECE_CHARACTERS = 64 * 1024
_MOST_TOKENS_KEPT = 1_000_000


def token_starts(tokenizer: Tokenizer, encoding: Encoding, text: str) -> list[int]:
    """Where the tokens of an encoded text start, in code points and ascending.

    BERT makes one unknown token of a word over 100 characters, but up to one token a
    (decomposed) character of each piece that such a word is cut into; so an unknown word has a
    start for each of its characters.
    """
    unknown = _unknown_id(tokenizer)
    if unknown is None or unknown not in encoding.ids:
        return [start for start, _ in encoding.offsets]
    starts: list[int] = []
    for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
        if token != unknown:
            starts.append(start)
            continue
        for offset, character in enumerate(text[start:end], start):
            starts.extend([offset] * len(unicodedata.normalize("NFD", character)))
    return starts


def _unknown_id(tokenizer: Tokenizer) -> int | None:
    token = getattr(tokenizer.model, "unk_token", None)
    return None if token is None else tokenizer.token_to_id(token)


class WordStarts:
    """Knows the words of all texts it has seen, up to a bound; safe to share between threads."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._longest_word: int = json.loads(tokenizer.to_str())["model"][
            "max_input_chars_per_word"
        ]
        added = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
        self._added = re.compile("|".join(map(re.escape, added)) or r"(?!)")
        self._lock = Lock()
        self._forget()

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> "WordStarts | None":
        """None when a token of this tokenizer may depend on the words around it."""
        parts = json.loads(tokenizer.to_str())
        normalizer = parts["normalizer"] or {"type": None, "handle_chinese_chars": True}
        words_apart = (
            parts["model"]["type"] == "WordPiece"
            and (parts["pre_tokenizer"] or {}).get("type") == "BertPreTokenizer"
            and normalizer["type"] in (None, "BertNormalizer")
            and normalizer["handle_chinese_chars"]
            and not any(_BORDER.search(token["content"]) for token in parts["added_tokens"])
        )
        return cls(tokenizer) if words_apart else None

    def starts(self, text: str) -> Offsets:
        """Code-point offset of every token of the text, ascending (see `token_starts`)."""
        with self._lock:
            pieces = [self._starts_in(text[at:end], at) for at, end in _pieces(text)]
        return np.concatenate(pieces) if pieces else np.empty(0, np.int32)

    def _forget(self) -> None:
        self._words = _Numbers()
        self._parts: dict[str, Sequence[int]] = {}
        # Of every word: its length, its tokens, and where their starts begin in `_inside`.
        self._lengths, self._counts, self._firsts = array("i"), array("i"), array("i")
        self._inside = array("i")

    def _starts_in(self, piece: str, base: int) -> Offsets:
        if len(self._inside) > _MOST_TOKENS_KEPT:
            self._forget()
        words = piece.replace("\n", " ").replace("\t", " ").split(" ")
        numbers = np.fromiter(map(self._words.__getitem__, words), np.int32, len(words))
        self._learn()
        lengths = _view(self._lengths)[numbers] + 1
        counts = _view(self._counts)[numbers]
        firsts = _view(self._firsts)[numbers]
        places = np.cumsum(lengths, dtype=np.int32) - lengths + base
        before = np.cumsum(counts, dtype=np.int32) - counts
        tokens = np.arange(counts.sum(), dtype=np.int32)
        inside = _view(self._inside)[tokens + np.repeat(firsts - before, counts)]
        return inside + np.repeat(places, counts)

    def _learn(self) -> None:
        words, self._words.new = self._words.new, []
        if not words:
            return
        cut = [self._cut(word) for word in words]
        unknown: list[str] = []
        for part in {part for parts in cut for part in parts if part not in self._parts}:
            if len(part) > self._longest_word and part.isascii() and part.isalnum():
                # Unknown by its length (a file in base64): nothing to ask the tokenizer.
                self._parts[part] = range(len(part))
            else:
                unknown.append(part)
        encodings = self._tokenizer.encode_batch(unknown, add_special_tokens=False)
        for part, encoding in zip(unknown, encodings, strict=True):
            self._parts[part] = tuple(token_starts(self._tokenizer, encoding, part))
        for word, parts in zip(words, cut, strict=True):
            starts = self._joined(parts)
            self._lengths.append(len(word))
            self._counts.append(len(starts))
            self._firsts.append(len(self._inside))
            self._inside.extend(starts)

    def _cut(self, word: str) -> Sequence[str]:
        if (word.isalnum() and word.isascii()) or self._added.search(word):
            return (word,)
        return _PART.findall(word)

    def _joined(self, parts: Sequence[str]) -> Sequence[int]:
        if len(parts) == 1:
            return self._parts[parts[0]]
        starts = array("i")
        at = 0
        for part in parts:
            starts.extend([at + start for start in self._parts[part]])
            at += len(part)
        return starts


class _Numbers(dict[str, int]):
    """Numbers words as they come; what was not asked for before is also in ``new``."""

    def __init__(self) -> None:
        super().__init__()
        self.new: list[str] = []

    def __missing__(self, word: str) -> int:
        self.new.append(word)
        number = self[word] = len(self)
        return number


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The text in pieces of at least 64k characters, ending before a blank or an ideograph."""
    at = 0
    while at < len(text):
        border = _BORDER.search(text, at + _PIECE_CHARACTERS)
        end = border.start() if border else len(text)
        yield at, end
        at = end


def _view(values: "array[int]") -> Offsets:
    return np.frombuffer(values, np.int32)
