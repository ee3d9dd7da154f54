"""Found, sufficient, coverage and tokens read, by hand."""

import pytest

from momentry_eval.judge import (
    coverage,
    finds,
    is_sufficient,
    judge,
    read_budget,
    read_units,
    span_figures,
)
from momentry_eval.queries import Query
from momentry_eval.spans import Evidence, Passage
from momentry_eval.strategies import ReturnedUnit
from tests.eval.worlds import query, unit


def test_gold_120_to_180_in_a_parent_100_to_400_has_recall_1_and_precision_one_fifth() -> None:
    # Requirement 20.
    asked = query("q", ("d1", 120, 180))
    recall, precision, iou = span_figures(read_units([unit("d1", 100, 400)]), asked)
    assert (recall, precision, iou) == (1.0, 0.2, 0.2)


def test_overlapping_units_count_once_in_recall_and_precision() -> None:
    asked = query("q", ("d1", 120, 180))
    read = read_units([unit("d1", 100, 160), unit("d1", 140, 200), unit("d1", 100, 160)])
    assert span_figures(read, asked) == (1.0, 0.6, 0.6)


def test_a_short_fact_in_a_long_parent_and_a_short_child_in_a_long_passage_are_both_found() -> None:
    assert finds(unit("d", 0, 1600), Passage("d", 700, 740))
    assert finds(unit("d", 700, 740), Passage("d", 0, 1600))


@pytest.mark.parametrize(("start", "found"), [(50, True), (51, False), (99, False), (100, False)])
def test_a_unit_finds_a_span_from_half_of_the_shorter_one(start: int, found: bool) -> None:
    assert finds(unit("d", start, start + 400), Passage("d", 0, 100)) is found


def test_the_same_offsets_in_another_document_find_nothing() -> None:
    assert not finds(unit("other", 0, 100), Passage("d", 0, 100))


def test_sufficient_begins_at_90_percent_of_the_gold() -> None:
    asked = query("q", ("d", 0, 100))
    assert is_sufficient(read_units([unit("d", 0, 90)]), asked)
    assert not is_sufficient(read_units([unit("d", 0, 89)]), asked)


def test_two_children_that_tile_the_gold_are_sufficient_together() -> None:
    asked = query("q", ("d", 0, 200))
    figures = judge(asked, [unit("d", 100, 200), unit("d", 0, 100)])
    assert (figures["sufficient@1"], figures["sufficient@3"]) == (0.0, 1.0)
    assert (figures["found@1"], figures["all_found@1"]) == (1.0, 1.0)


def test_all_spans_are_needed_and_any_one_is_found() -> None:
    asked = query("q", ("d", 0, 100), ("e", 0, 300))
    units = [unit("d", 0, 100), unit("x", 0, 100), unit("x", 100, 200), unit("e", 0, 300)]
    figures = judge(asked, units)
    assert (figures["found@3"], figures["all_found@3"], figures["sufficient@3"]) == (1, 0, 0)
    assert (figures["found@5"], figures["all_found@5"], figures["sufficient@5"]) == (1, 1, 1)
    assert coverage(read_units(units[:3]), asked) == 0.25


def test_reading_a_repeat_of_the_gold_text_is_as_good_and_no_waste() -> None:
    places = (Passage("d", 0, 100), Passage("e", 500, 600))
    asked = Query("q", "?", "fact", (Evidence("q:0", "x" * 100, places),))
    read = read_units([unit("e", 500, 600)])
    assert is_sufficient(read, asked)
    assert span_figures(read, asked) == (1.0, 1.0, 1.0)


def test_the_last_unit_is_truncated_where_the_budget_ends() -> None:
    units = [unit("d", 0, 400), unit("d", 1000, 1400)]  # 100 tokens each, 4 characters a token
    read = read_budget(units, 150)
    assert read.intervals == {"d": [(0, 400), (1000, 1200)]}
    assert read.tokens == pytest.approx(150)
    assert read_budget(units, 150, whole_units=True).intervals == {"d": [(0, 400)]}


def test_text_already_read_is_free() -> None:
    units = [unit("d", 0, 400), unit("d", 200, 600), unit("d", 0, 400)]
    assert read_units(units).tokens == pytest.approx(150)
    assert read_budget(units, 150).intervals == {"d": [(0, 600)]}
    # A unit read around what is known: its two new pieces are paid, the last is truncated.
    around = [unit("d", 400, 800), unit("d", 0, 1200)]
    assert read_budget(around, 250).intervals == {"d": [(0, 1000)]}


def test_a_given_token_measure_decides_where_the_budget_ends() -> None:
    def one_a_character(_: ReturnedUnit, start: int, end: int) -> float:
        return end - start

    read = read_budget([unit("d", 0, 400)], 150, one_a_character)
    assert read.intervals == {"d": [(0, 150)]}


def test_large_units_are_cut_by_a_budget_that_small_ones_fit() -> None:
    asked = query("q", ("d", 8000, 8400))
    large = judge(asked, [unit("d", 0, 4000), unit("d", 4000, 8400)])  # 1,000 + 1,100 tokens
    small = judge(asked, [unit("d", 0, 400), unit("d", 8000, 8400)])
    assert (large["sufficient@5"], small["sufficient@5"]) == (1.0, 1.0)
    assert (large["sufficient@1000t"], small["sufficient@1000t"]) == (0.0, 1.0)
    assert large["tokens@5"] == 2100
    assert large["sufficient@4000t"] == 1.0


def test_a_question_without_results_counts_zero_everywhere() -> None:
    figures = judge(query("q", ("d", 0, 100)), [])
    assert set(figures.values()) == {0.0}
