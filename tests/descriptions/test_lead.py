"""Descriptions of parents: their first sentences."""

from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.descriptions.lead import LEAD_CHARACTERS, lead


def test_a_short_parent_is_its_own_description_on_one_line() -> None:
    assert lead("The pump\nis  red.", ()) == "The pump is red."


def test_a_sentence_that_ends_at_the_limit_is_kept_whole() -> None:
    first = "x" * (LEAD_CHARACTERS - 2) + "."
    assert lead(f"{first} Then more.", ()) == first


def test_a_parent_without_text_is_described_by_its_heading() -> None:
    assert lead(" \n", ("Pumps", "Care")) == "Care"
    assert lead("", ()) == ""


def test_cjk_is_cut_at_its_own_full_stop() -> None:
    described = lead(("国" * 60 + "。") * 6, ())
    assert described == ("国" * 60 + "。") * 3


@given(st.text(max_size=500))
def test_a_description_is_a_beginning_of_the_text_within_the_limit(text: str) -> None:
    described = lead(text, ())
    assert len(described) <= LEAD_CHARACTERS + 1
    assert " ".join(text.split()).startswith(described.removesuffix("…"))
    assert bool(described) == bool(text.strip())
