"""Requirement 14: 0.7/0.3 with a fixed lower bound."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.search.fusion import fuse

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1000), max_size=8)
COSINES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1, 1), max_size=8)


def test_the_documented_values_come_out() -> None:
    fused = fuse({"a": 0.80, "b": 0.60}, {"b": 12.0, "c": 3.0}, 0.7)
    assert fused["b"] == pytest.approx(0.9222, abs=1e-4)
    assert fused["a"] == pytest.approx(0.70)
    assert fused["c"] == pytest.approx(0.075)


def test_one_weak_lexical_hit_cannot_overtake_two_good_dense_ones() -> None:
    fused = fuse({"a": 0.90, "b": 0.88}, {"z": 0.0001}, 0.7)
    assert fused["a"] == pytest.approx(0.70)
    assert fused["b"] == pytest.approx(0.6926, abs=1e-4)
    assert fused["z"] == pytest.approx(0.30)
    assert sorted(fused, key=lambda one: -fused[one]) == ["a", "b", "z"]


@given(dense=COSINES, lexical=SCORES)
def test_scaling_the_lexical_channel_changes_nothing(
    dense: dict[str, float], lexical: dict[str, float]
) -> None:
    once = fuse(dense, lexical, 0.7)
    scaled = fuse(dense, {name: 1000 * score for name, score in lexical.items()}, 0.7)
    assert scaled == pytest.approx(once)


@given(dense=COSINES, lexical=SCORES, weight=st.floats(0, 1))
def test_scores_are_finite_and_between_zero_and_one(
    dense: dict[str, float], lexical: dict[str, float], weight: float
) -> None:
    for score in fuse(dense, lexical, weight).values():
        assert math.isfinite(score)
        assert -1e-9 <= score <= 1 + 1e-9


def test_an_empty_or_all_equal_channel_gives_no_nan() -> None:
    assert fuse({}, {}, 0.7) == {}
    assert fuse({}, {"a": 0.0}, 0.7) == {"a": 0.0}
    assert fuse({"a": -1.0, "b": -1.0}, {}, 0.7) == {"a": 0.0, "b": 0.0}
    assert fuse({"a": 0.5, "b": 0.5}, {}, 0.7) == pytest.approx({"a": 0.7, "b": 0.7})
