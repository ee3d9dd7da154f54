"""Cutting spans: the pieces tile, fit, and leave no crumb where one can be avoided."""

from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.chunking.spans import Ruler, split
from momentry_assets.embedding.profile import read_profile
from momentry_assets.embedding.tokens import TokenCounter
from momentry_assets.settings import load_settings

COUNTER = TokenCounter(read_profile(load_settings()))


def ruler(text: str, max_tokens: int = 16, max_characters: int | None = None) -> Ruler:
    return Ruler(text, COUNTER.positions(text), max_tokens, max_characters)


@given(
    text=st.lists(
        st.sampled_from(
            ["pump ", "valve. ", "图书。", "x" * 130, "é🙂", "\n\n", "  ", "..", "\u0301"]
        ),
        max_size=60,
    ).map("".join),
    breaks=st.lists(st.integers(0, 400), max_size=8),
    prose=st.booleans(),
    max_characters=st.sampled_from([None, 12, 40]),
)
@settings(max_examples=200, deadline=None)
def test_the_pieces_tile_the_span_and_fit(
    text: str, breaks: list[int], prose: bool, max_characters: int | None
) -> None:
    rule = ruler(text, max_characters=max_characters)
    pieces = split(rule, (0, len(text)), breaks, prose=prose)
    assert "".join(text[start:end] for start, end in pieces) == text
    for start, end in pieces:
        piece = rule.trimmed((start, end))
        lines_with_a_crumb = not prose and not max_characters and "\n" in text[slice(*piece)]
        assert rule.fits(piece) or end - start == 1 or lines_with_a_crumb
        assert rule.tokens(piece) <= rule.max_tokens + 2 * rule.min_characters
        assert text[start:end].strip() == text[slice(*rule.trimmed((start, end)))]


def test_a_crumb_gets_words_of_the_sentence_before_it() -> None:
    text = "one two three four five six seven eight nine ten eleven twelve thirteen. Ok then."
    pieces = split(ruler(text), (0, len(text)))
    assert len(pieces) == 2
    assert all(end - start >= 20 for start, end in pieces)


LINE = "one two three four five six seven eight nine ten eleven twelve thirteen\n"


@pytest.mark.parametrize("lines", [[LINE, "ok then so so so"], ["}\n", LINE], [LINE, "}\n", LINE]])
def test_a_crumb_takes_no_words_of_a_line_of_code_but_stands_with_it(lines: list[str]) -> None:
    text = "".join(lines)
    breaks = list(accumulate(map(len, lines)))
    pieces = split(ruler(text), (0, len(text)), breaks, prose=False)
    for start, end in pieces:
        assert start in (0, *breaks)
        assert end - start >= 20


def test_a_line_that_has_no_room_for_a_crumb_stands_alone() -> None:
    text = LINE + "ok then so so so"
    rule = replace(ruler(text), budget_tokens=16)
    assert split(rule, (0, len(text)), [len(LINE)], prose=False) == [(0, 72), (72, 88)]


WORDS = st.sampled_from(
    ["pump ", "valve. ", "图书馆的泵，", "好。", "ok. ", "Internationalization "]
)


@given(st.lists(WORDS, max_size=60).map("".join), st.lists(st.integers(0, 400), max_size=8))
@settings(max_examples=200, deadline=None)
def test_prose_leaves_no_crumb_wherever_it_would_stand(text: str, breaks: list[int]) -> None:
    rule = ruler(text, 40)
    pieces = split(rule, (0, len(text)), breaks)
    for start, end in pieces:
        assert len(text[start:end].strip()) >= 20 or len(pieces) == 1


def test_what_a_crumb_gets_does_not_lift_it_over_the_limit() -> None:
    text = "abcde abcdefghijabcdefghijabcde. x"
    rule = ruler(text, max_characters=32)
    for start, end in split(rule, (0, len(text))):
        assert len(text[start:end].strip()) <= 32


def test_a_span_without_any_token_is_one_piece() -> None:
    text = "\u0301\u0301"
    assert split(ruler(text), (0, 2)) == [(0, 2)]
