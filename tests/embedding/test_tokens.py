"""Counting tokens without the model, and slices without tokenizing again."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.profile import read_profile
from momentry_assets.embedding.tokens import CHARACTERS_PER_TOKEN, TokenCounter, TokenPositions
from momentry_assets.embedding.words import token_starts
from momentry_assets.errors import ModelError
from momentry_assets.settings import load_settings

PROFILE = read_profile(load_settings())
COUNTER = TokenCounter(PROFILE)
TOKENIZER = Tokenizer.from_file(str(PROFILE.folder / "tokenizer.json"))
TOKENIZER.no_truncation()
TOKENIZER.no_padding()
WORDS = st.sampled_from(["pump", "Größe", "图书。", "é🙂", "\n\n", "qzxj" * 40, "...", "한국어"])


def starts(positions: TokenPositions, text: str) -> list[int]:
    """Every offset, as often as a token starts there."""
    return [at for at in range(len(text)) for _ in range(positions.count(at, at + 1))]


@given(st.lists(WORDS, max_size=30))
@settings(max_examples=100, deadline=None)
def test_a_slice_between_words_is_never_counted_too_short(words: list[str]) -> None:
    text = " ".join(words)
    positions = COUNTER.positions(text)
    start = 0
    for word in words:
        counted = positions.count(start, start + len(word))
        assert counted >= COUNTER.count([word])[0] - COUNTER.special_tokens
        start += len(word) + 1


@pytest.mark.parametrize("alphabet", ["qzxjvkw", "0123456789", "한국어", "กขค"])
def test_no_slice_of_an_unknown_word_is_counted_too_short(alphabet: str) -> None:
    word = (alphabet * 300)[:600]
    positions = COUNTER.positions(word)
    for start in (0, 1, 17):
        for length in (1, 20, 33, 99, 100, 101, 400):
            real = COUNTER.count([word[start : start + length]])[0] - COUNTER.special_tokens
            assert positions.count(start, start + length) >= real


# What BERT's rules treat apart: marks, controls, kinds of white space, scripts, its own tokens.
ODD = st.text(
    "aZ9é\u0301\u200d\u200b 图\n\t\x1c\x85\xa0\u2003İßΣς.,`[]\ufffd한👨\x7f𠀁", max_size=12
)
PIECES = st.lists(st.one_of(WORDS, ODD, st.sampled_from(["[MASK]", "[UNK]", "ab9" * 50])))


@given(PIECES.map("".join))
@settings(max_examples=300, deadline=None)
def test_tokens_start_where_the_tokenizer_has_them_in_the_whole_text(text: str) -> None:
    whole = TOKENIZER.encode(text, add_special_tokens=False)
    assert starts(COUNTER.positions(text), text) == token_starts(TOKENIZER, whole, text)


def test_a_text_longer_than_what_is_read_at_once_has_all_its_tokens_in_place() -> None:
    for word in ("pump ", "图", "valve, "):
        text = word * 400_000
        positions = COUNTER.positions(text)
        tokens = COUNTER.count([word.strip()])[0] - COUNTER.special_tokens
        for at in (0, 1, 399, 100_000, 399_999):
            assert positions.count(at * len(word), (at + 1) * len(word)) == tokens
        assert positions.count(0, len(text)) == 400_000 * tokens


def test_more_tokens_than_characters_are_counted_too() -> None:
    crowded = np.repeat(np.arange(64, dtype=np.int32), 20)
    positions = TokenPositions.of(crowded, 64)
    assert [positions.count(at, at + 1) for at in range(64)] == [20] * 64


def test_a_tokenizer_that_looks_over_white_space_gets_the_whole_text(tmp_path: Path) -> None:
    model = Tokenizer(models.BPE())
    model.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    model.train_from_iterator(["pump pump  valve"], trainers.BpeTrainer(show_progress=False))
    model.save(str(tmp_path / "tokenizer.json"))
    counter = TokenCounter(replace(read_profile(load_settings()), folder=tmp_path))
    text = "pump  pump valve"
    expected = [start for start, _ in model.encode(text).offsets]
    assert starts(counter.positions(text), text) == expected


def test_white_space_without_tokens_is_bounded_too() -> None:
    positions = COUNTER.positions("a" + " " * 1000 + "b")
    assert positions.count(0, 1002) == 1002 // CHARACTERS_PER_TOKEN


def test_the_tokenizer_neither_truncates_nor_pads(encoder: Encoder) -> None:
    counts = encoder.counter.count(["word " * 2000, "word"])
    assert counts == [2000 + encoder.counter.special_tokens, 1 + encoder.counter.special_tokens]


def test_a_model_without_a_fast_tokenizer_is_named_with_what_to_do(tmp_path: Path) -> None:
    profile = read_profile(load_settings())
    shutil.copy(profile.folder / "config.json", tmp_path)
    with pytest.raises(ModelError, match=r"tokenizer\.json is missing.*save_pretrained"):
        TokenCounter(replace(profile, folder=tmp_path)).count(["x"])
