"""The extractive describer: the parent's own central sentences, in order, within a budget."""

from pathlib import Path

import pytest

from momentry_assets.descriptions import ParentText
from momentry_assets.descriptions.cache import TextCache
from momentry_assets.descriptions.extractive import ExtractiveDescriber
from momentry_assets.embedding.encoder import Encoder

PUMPS = (
    "The pump is oiled in spring with thin oil.\n\n"
    "Oil keeps the pump from rusting, and a pump without oil stops.\n\n"
    "My uncle once told a joke about two bakers.\n\n"
    "A pump that was oiled in spring needs no oil until autumn."
)


@pytest.fixture
def describer(tmp_path: Path, encoder: Encoder) -> ExtractiveDescriber:
    return ExtractiveDescriber(encoder, TextCache(tmp_path / "cache"), max_tokens=36)


def test_it_takes_central_sentences_in_their_order_within_the_budget(
    describer: ExtractiveDescriber, encoder: Encoder
) -> None:
    (made,) = describer.describe([ParentText(PUMPS)])
    assert made.writer == "extractive"
    assert "bakers" not in made.text
    sentences = [one for one in PUMPS.split("\n\n") if one in made.text]
    assert made.text == " ".join(sentences)
    assert encoder.counter.count([made.text])[0] - encoder.counter.special_tokens <= 36


def test_a_short_parent_is_its_own_description(describer: ExtractiveDescriber) -> None:
    (made,) = describer.describe([ParentText("One.\n\nTwo  lines\nhere.")])
    assert made.text == "One. Two lines here."


def test_a_parent_without_text_is_described_by_its_heading(
    describer: ExtractiveDescriber,
) -> None:
    (made,) = describer.describe([ParentText("", ("Pumps", "Care"))])
    assert made.text == "Care"


def test_a_parent_of_one_endless_sentence_is_described_by_its_beginning(
    describer: ExtractiveDescriber,
) -> None:
    (made,) = describer.describe([ParentText("word " * 3000)])
    assert made.text.startswith("word word")
    assert made.text.endswith("…")


def test_the_same_parent_is_described_alike_in_any_company(
    describer: ExtractiveDescriber, tmp_path: Path, encoder: Encoder
) -> None:
    others = [ParentText(f"{PUMPS}\n\nA sentence about case {n}.") for n in range(5)]
    (alone,) = describer.describe([ParentText(PUMPS)])
    fresh = ExtractiveDescriber(encoder, TextCache(tmp_path / "other"), max_tokens=36)
    assert fresh.describe([*others, ParentText(PUMPS)])[-1] == alone


def test_what_was_described_once_is_not_embedded_again(tmp_path: Path, encoder: Encoder) -> None:
    ExtractiveDescriber(encoder, TextCache(tmp_path), max_tokens=36).describe([ParentText(PUMPS)])
    # A device that does not exist: any text that had to be embedded would fail.
    unloaded = Encoder(encoder.profile, device="no such device")
    again = ExtractiveDescriber(unloaded, TextCache(tmp_path), max_tokens=36)
    assert again.describe([ParentText(PUMPS)])[0].text
    with pytest.raises(Exception, match="no such device"):
        again.describe([ParentText(f"{PUMPS}\n\nAnother sentence.")])


def test_the_length_and_the_model_are_part_of_the_identity(
    tmp_path: Path, encoder: Encoder
) -> None:
    cache = TextCache(tmp_path)
    short, long = (ExtractiveDescriber(encoder, cache, max_tokens=n) for n in (16, 64))
    assert short.identity != long.identity
    assert encoder.profile.name in short.identity
