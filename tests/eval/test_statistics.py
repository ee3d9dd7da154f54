"""Tests, intervals and what a number of questions can show."""

import pytest

from momentry_eval.statistics import (
    Bootstrap,
    compare_paired,
    holm,
    mcnemar_mid_p,
    queries_needed,
    sign_flip_p,
    smallest_visible_difference,
)


def test_mcnemar_mid_p_by_hand() -> None:
    # 5 against 1 of 6: 2 (C(6,0) + C(6,1)) / 64 - C(6,1) / 64 = 14/64 - 6/64.
    assert mcnemar_mid_p(5, 1) == mcnemar_mid_p(1, 5) == pytest.approx(8 / 64)
    assert mcnemar_mid_p(3, 3) == 1.0
    assert mcnemar_mid_p(0, 0) == 1.0
    assert mcnemar_mid_p(10, 0) == pytest.approx(1 / 1024)


def test_sign_flips_approach_the_exact_p_and_repeat() -> None:
    # All of 8 equal differences positive: 2 of 256 sign patterns are as extreme.
    p_value = sign_flip_p([0.25] * 8)
    assert p_value == pytest.approx(2 / 256, abs=0.002)
    assert sign_flip_p([0.25] * 8) == p_value
    assert sign_flip_p([0.0] * 8) == 1.0
    assert sign_flip_p([0.5] * 200) == 1 / 20_001  # never 0


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.01]) == pytest.approx([0.04, 0.02])
    assert holm([0.03, 0.02, 0.04]) == pytest.approx([0.06, 0.06, 0.06])
    assert holm([]) == []


@pytest.mark.parametrize(
    ("share", "difference", "needed"),
    [(0.06, 0.03, 521), (0.06, 0.05, 186), (0.12, 0.05, 375), (0.12, 0.10, 92), (0.25, 0.15, 85)],
)
def test_the_power_table_of_the_definitions(share: float, difference: float, needed: int) -> None:
    assert queries_needed(difference, share) == pytest.approx(needed, abs=1.0)
    assert smallest_visible_difference(needed, share) == pytest.approx(difference, abs=0.001)


def test_intervals_by_document_are_wider_when_a_document_stands_or_falls_whole() -> None:
    values = [1.0] * 50 + [0.0] * 50
    alone = Bootstrap([f"d{i}" for i in range(100)])
    whole = Bootstrap([f"d{i // 10}" for i in range(100)])
    low, high = alone.interval(values)
    assert low == pytest.approx(0.40, abs=0.02)
    assert high == pytest.approx(0.60, abs=0.02)
    assert whole.interval(values)[0] < 0.25
    assert whole.clusters == 10


def test_the_order_of_questions_changes_nothing() -> None:
    clusters = [f"d{i % 9}" for i in range(60)]
    values = [float(i % 4 == 0) for i in range(60)]
    backwards = Bootstrap(clusters[::-1]).interval(values[::-1])
    assert backwards == pytest.approx(Bootstrap(clusters).interval(values), abs=1e-12)


def test_documents_too_few_for_a_test_by_document_are_a_warning() -> None:
    bootstrap = Bootstrap([f"d{i % 5}" for i in range(40)])
    a, b = [1.0] * 40, [float(i % 3 > 0) for i in range(40)]
    found = compare_paired("primary", "found@5", ("a", "b"), (a, b), bootstrap, binary=True)
    assert (found.wins, found.ties, found.losses) == (14, 26, 0)
    assert found.test == "McNemar mid-p"
    assert "5 documents" in found.warning


def test_equal_strategies_leave_open_what_three_in_n_leaves_open() -> None:
    bootstrap = Bootstrap([f"d{i}" for i in range(60)])
    found = compare_paired(
        "primary", "found@5", ("a", "b"), ([1.0] * 60, [1.0] * 60), bootstrap, binary=True
    )
    assert (found.low, found.high, found.p_value) == (-0.05, 0.05, 1.0)
