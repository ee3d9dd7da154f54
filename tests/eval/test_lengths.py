"""Parent lengths: percentiles are lengths that occur, bins are fixed."""

from momentry_eval.lengths import distribution, returned_lengths
from momentry_eval.strategies import PARENT_CHILD
from tests.eval.worlds import run_of, unit


def test_percentiles_and_fixed_bins_by_hand() -> None:
    tokens = [99, 100, 150, 399, 400, 600, 799, 800, 2000, 5000]
    found = distribution("parents", [(n, 4 * n) for n in tokens])
    assert (found.tokens.p50, found.tokens.p90, found.tokens.p95) == (400, 2000, 5000)
    assert (found.tokens.max, found.characters.max) == (5000, 20_000)
    assert [(one.label, one.count) for one in found.bins] == [
        ("0–100", 1),
        ("100–200", 2),
        ("200–300", 0),
        ("300–400", 1),
        ("400–600", 1),
        ("600–800", 2),
        ("800–1200", 1),
        ("1200–2000", 0),
        ("2000+", 2),
    ]


def test_lengths_as_returned_count_the_first_five_units_of_every_answer() -> None:
    units = [unit("d", 0, 400)] * 4 + [unit("d", 0, 800)] * 3
    found = returned_lengths(run_of(PARENT_CHILD, {"q1": units, "q2": [], "q3": units[:1]}))
    assert (found.count, found.tokens.max, found.characters.p50) == (6, 200, 400)


def test_no_units_have_no_lengths() -> None:
    assert distribution("none", []).tokens.max == 0
