"""Counting tokens without the model, and slices without tokenizing again."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.profile import read_profile
from momentry_assets.embedding.tokens import CHARACTERS_PER_TOKEN, TokenCounter
from momentry_assets.errors import ModelError
from momentry_assets.settings import load_settings

COUNTER = TokenCounter(read_profile(load_settings()))
WORDS = st.sampled_from(["pump", "Größe", "图书。", "é🙂", "\n\n", "qzxj" * 40, "...", "한국어"])


@given(st.lists(WORDS, max_size=30))
@settings(max_examples=100, deadline=None)
def test_a_slice_between_words_is_never_counted_too_short(words: list[str]) -> None:
    text = " ".join(words)
    positions = COUNTER.positions(text)
    assert positions.starts == sorted(positions.starts)
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
