"""Sentence borders as offsets."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.sentences import has_punctuation, sentence_starts


def sentences(text: str) -> list[str]:
    borders = [0, *sentence_starts(text, 0, len(text)), len(text)]
    return [text[start:end] for start, end in pairwise(borders)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two!  Three?", ["One. ", "Two!  ", "Three?"]),
        ("Dr. Weber paid 3.50 e.g. for oil.", ["Dr. Weber paid 3.50 e.g. for oil."]),
        ("He said “stop.” Then left.", ["He said “stop.” ", "Then left."]),
        ("见《书》。图书。」完", ["见《书》。", "图书。」", "完"]),
        ("No mark\n\nA new paragraph", ["No mark\n\n", "A new paragraph"]),
        ("Wait... what?! Yes.", ["Wait... ", "what?! ", "Yes."]),
        ("version 1.2.3 is out", ["version 1.2.3 is out"]),
        ("", [""]),
    ],
)
def test_a_sentence_ends_where_a_reader_would_end_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(st.sampled_from(". !?。」”)\n\taM🙂"), max_size=80), st.integers(0, 80))
def test_borders_ascend_inside_the_span(text: str, start: int) -> None:
    starts = sentence_starts(text, min(start, len(text)), len(text))
    assert starts == sorted(set(starts))
    assert all(min(start, len(text)) < at < len(text) for at in starts)


@pytest.mark.parametrize("piece", [".", ".)", "? ", "\n", "。", ".)."])
def test_a_line_of_marks_ends(piece: str) -> None:
    sentence_starts(piece * 50_000 + "x", 0, 50_000 * len(piece) + 1)


def test_a_transcript_without_marks_is_known_as_such() -> None:
    assert has_punctuation("We meet. " + "word " * 50)
    assert not has_punctuation("word " * 100)
