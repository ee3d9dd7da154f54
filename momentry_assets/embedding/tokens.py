"""The embedder's own tokenizer, without the model: counting and token positions."""

import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tokenizers import Tokenizer

from momentry_assets.embedding.profile import EncoderProfile
from momentry_assets.errors import ModelError

# Long white space has no token at all; a chunk is bounded in characters too, so that it is cut
# like any other text.
CHARACTERS_PER_TOKEN = 10


@dataclass(frozen=True, slots=True)
class TokenPositions:
    """Where the tokens of one text start, so that any slice is counted without tokenizing again.

    Attributes:
        starts: code-point offset of every token, ascending; for a word the tokenizer does not
            know, of every character.
    """

    starts: list[int]

    def count(self, start: int, end: int) -> int:
        """Tokens that start in ``[start, end)``, and at least one for ten characters."""
        tokens = bisect_left(self.starts, end) - bisect_left(self.starts, start)
        return max(tokens, (end - start) // CHARACTERS_PER_TOKEN)


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

    @cached_property
    def _unknown_id(self) -> int | None:
        token = getattr(self._tokenizer.model, "unk_token", None)
        return None if token is None else self._tokenizer.token_to_id(token)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of every text, special tokens included."""
        return [len(one.ids) for one in self._tokenizer.encode_batch_fast(list(texts))]

    def positions(self, text: str) -> TokenPositions:
        """Token starts of one text, without special tokens."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        unknown = self._unknown_id
        if unknown is None or unknown not in encoding.ids:
            return TokenPositions([start for start, _ in encoding.offsets])
        starts: list[int] = []
        for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
            if token != unknown:
                starts.append(start)
                continue
            # BERT makes one unknown token of a word over 100 characters, but up to one token a
            # (decomposed) character of each piece that such a word is cut into.
            for offset, character in enumerate(text[start:end], start):
                starts.extend([offset] * len(unicodedata.normalize("NFD", character)))
        return TokenPositions(starts)
