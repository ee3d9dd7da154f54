"""The embedder's own tokenizer, without the model: counting and token positions."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from tokenizers import Tokenizer

from momentry_assets.embedding.profile import EncoderProfile
from momentry_assets.embedding.words import Offsets, WordStarts, token_starts
from momentry_assets.errors import ModelError

# Long white space has no token at all; a chunk is bounded in characters too, so that it is cut
# like any other text.
CHARACTERS_PER_TOKEN = 10


_BLOCK = 32
_AT_ONCE = _BLOCK << 12


@dataclass(frozen=True, slots=True)
class TokenPositions:
    """Where the tokens of one text start, so that any slice is counted without tokenizing again.

    How many tokens start before an offset is known for every 32nd character and, as a small
    number, from there on: two look-ups, and little more than a byte a character.

    Attributes:
        blocks: tokens before each block of 32 characters.
        inside: for every offset up to the text's length, tokens before it in its block.
    """

    blocks: Sequence[int]
    inside: Sequence[int]

    @classmethod
    def of(cls, starts: Offsets, length: int) -> "TokenPositions":
        """From the code-point offsets of all tokens, ascending, in a text of this length."""
        blocks = array("i")
        inside = array("B")
        for at in range(0, length + 1, _AT_ONCE):
            step = min(_AT_ONCE, -(at - length - 1) // _BLOCK * _BLOCK + _BLOCK)
            first, last = np.searchsorted(starts, (at, at + step))
            here = np.bincount(starts[first:last] - at, minlength=step)
            before = (np.cumsum(here) - here).astype(np.int32).reshape(-1, _BLOCK)
            blocks.frombytes((before[:, 0] + np.int32(first)).tobytes())
            relative = before - before[:, :1]
            if relative.max() > 255 and inside.typecode == "B":
                inside = array("H", inside)
            inside.frombytes(relative.astype(inside.typecode).tobytes())
        return cls(blocks, inside)

    def count(self, start: int, end: int) -> int:
        """Tokens that start in ``[start, end)``, and at least one for ten characters."""
        blocks, inside = self.blocks, self.inside
        tokens = blocks[end >> 5] + inside[end] - blocks[start >> 5] - inside[start]
        at_least = (end - start) // CHARACTERS_PER_TOKEN
        return tokens if tokens > at_least else at_least


class TokenCounter:
    """Counts tokens as the embedding model will see them."""

    def __init__(self, profile: EncoderProfile) -> None:
        self._profile = profile

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        path = self._profile.folder / "tokenizer.json"
        if not path.exists():
            raise ModelError(
                f"{path} is missing: Momentry counts tokens with the model's fast tokenizer; "
                f"save it with AutoTokenizer.from_pretrained(...).save_pretrained(...)"
            )
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def special_tokens(self) -> int:
        """Tokens the model adds around every text."""
        return int(self._tokenizer.num_special_tokens_to_add(False))

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of every text, special tokens included."""
        return [len(one.ids) for one in self._tokenizer.encode_batch_fast(list(texts))]

    @cached_property
    def _words(self) -> WordStarts | None:
        return WordStarts.of(self._tokenizer)

    def positions(self, text: str) -> TokenPositions:
        """Token starts of one text, without special tokens."""
        if self._words is not None:
            starts = self._words.starts(text)
        else:
            encoding = self._tokenizer.encode(text, add_special_tokens=False)
            starts = np.array(token_starts(self._tokenizer, encoding, text), np.int32)
        return TokenPositions.of(starts, len(text))
