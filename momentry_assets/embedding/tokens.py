"""The embedder's own tokenizer, without the model: counting and token positions."""

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tokenizers import Tokenizer

from momentry_assets.embedding.profile import EncoderProfile
from momentry_assets.embedding.words import WordStarts, token_starts
from momentry_assets.errors import ModelError

# Long white space has no token at all; a chunk is bounded in characters too, so that it is cut
# like any other text.
CHARACTERS_PER_TOKEN = 10


@dataclass(frozen=True, slots=True)
class TokenPositions:
    """Where the tokens of one text start, so that any slice is counted without tokenizing again.

    Attributes:
        starts: code-point offset of every token, ascending (C ints: a list takes eight times
            the memory); for a word the tokenizer does not know, of every character.
    """

    starts: "array[int]"

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

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of every text, special tokens included."""
        return [len(one.ids) for one in self._tokenizer.encode_batch_fast(list(texts))]

    @cached_property
    def _words(self) -> WordStarts | None:
        return WordStarts.of(self._tokenizer)

    def positions(self, text: str) -> TokenPositions:
        """Token starts of one text, without special tokens."""
        if self._words is not None:
            return TokenPositions(array("i", self._words.starts(text).tobytes()))
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return TokenPositions(array("i", token_starts(self._tokenizer, encoding, text)))
