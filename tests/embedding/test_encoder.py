"""The real bundled model."""

import numpy as np
import pytest

from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.profile import read_profile
from momentry_assets.embedding.tokens import TokenCounter
from momentry_assets.errors import ModelError
from momentry_assets.settings import load_settings

TEXTS = ["A short one.", "word " * 300, "A short one.", "Something else about harbours.", ""]


def test_vectors_are_finite_unit_length_and_in_the_order_of_the_texts(encoder: Encoder) -> None:
    vectors = encoder.encode(TEXTS, "document")
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    for row, text in enumerate(TEXTS):
        assert encoder.encode([text], "document")[0] @ vectors[row] == pytest.approx(1.0, abs=1e-5)
    assert (vectors[0] == vectors[2]).all()


def test_the_vectors_are_those_of_plain_sentence_transformers(encoder: Encoder) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(encoder.profile.folder))
    plain.max_seq_length = 512
    expected = plain.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    cosines = (encoder.encode(TEXTS, "document") * expected).sum(axis=1)
    assert cosines.min() > 0.9999


def test_progress_ends_at_the_number_of_distinct_texts(encoder: Encoder) -> None:
    seen: list[tuple[int, int]] = []
    encoder.encode(TEXTS, "document", lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)


def test_the_bundled_model_was_trained_without_prompts() -> None:
    profile = read_profile(load_settings())
    assert (profile.document_prompt, profile.query_prompt) == ("", "")
    assert profile.max_tokens == 512


def test_prompts_and_limits_are_one_setting_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOMENTRY_EMBEDDING_DOCUMENT_PROMPT", "search_document: ")
    monkeypatch.setenv("MOMENTRY_EMBEDDING_QUERY_PROMPT", "search_query: ")
    monkeypatch.setenv("MOMENTRY_EMBEDDING_MAX_TOKENS", "128")
    profile = read_profile(load_settings())
    assert profile.document_prompt == "search_document: "
    assert profile.max_tokens == 128
    encoder = Encoder(profile)
    as_query = encoder.encode(["harbour"], "query")[0]
    as_document = encoder.encode(["harbour"], "document")[0]
    assert as_query @ as_document < 0.999


def test_a_model_in_a_folder_is_read_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    bundled = read_profile(load_settings()).folder
    monkeypatch.setenv("MOMENTRY_EMBEDDING_MODEL", str(bundled))
    assert read_profile(load_settings()).folder == bundled


def test_a_model_that_is_nowhere_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOMENTRY_EMBEDDING_MODEL", "nobody/has-this-model")
    with pytest.raises(ModelError, match=r"nobody/has-this-model.*MOMENTRY_EMBEDDING_MODEL"):
        read_profile(load_settings())


def test_token_positions_count_slices_like_the_tokenizer() -> None:
    counter = TokenCounter(read_profile(load_settings()))
    text = "Größere Pumpen 🙂 stehen am Hafen; sie laufen.\n\nImmer."
    positions = counter.positions(text)
    assert positions.count(0, len(text)) == counter.count([text])[0] - counter.special_tokens
    cut = text.index("stehen")
    assert positions.count(0, cut) + positions.count(cut, len(text)) == positions.count(
        0, len(text)
    )
