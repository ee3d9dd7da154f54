"""Windows stop at their section, are slices of the source and never repeat a character."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.search.windows import Piece, united, window_spans, window_within


def pieces(*sections: str) -> list[Piece]:
    """Six sentences of three characters with two spaces between them."""
    return [
        Piece(f"s{n + 1}", n, n * 5, n * 5 + 3, sections[n] if sections else "X") for n in range(6)
    ]


def test_a_window_stops_at_the_section() -> None:
    ordered = pieces("X", "X", "X", "Y", "Y", "Y")
    assert window_spans(ordered, {"s3"}, 2) == [(0, 13)]
    assert window_spans(ordered, {"s4"}, 2) == [(15, 28)]


def test_overlapping_windows_are_one() -> None:
    assert window_spans(pieces(), {"s2", "s4"}, 1) == [(0, 23)]
    assert window_spans(pieces(), {"s1", "s6"}, 1) == [(0, 8), (20, 28)]


def test_a_width_of_nothing_is_the_hit_alone() -> None:
    assert window_spans(pieces(), {"s3"}, 0) == [(10, 13)]


def test_two_sections_of_the_same_name_are_not_joined_over_another() -> None:
    ordered = pieces("X", "X", "Y", "X", "X", "X")
    assert window_spans(ordered, {"s2", "s4"}, 5) == [(0, 8), (15, 28)]


def test_a_piece_that_was_not_fetched_is_no_neighbour() -> None:
    ordered = [one for one in pieces() if one.chunk_id not in {"s3", "s4"}]
    assert window_spans(ordered, {"s2"}, 1) == [(0, 8)]


def test_the_largest_window_within_a_budget_grows_on_both_sides() -> None:
    length = lambda span: span[1] - span[0]  # noqa: E731
    assert window_within(pieces(), "s3", 3, length) == (10, 13)
    assert window_within(pieces(), "s3", 8, length) == (10, 18)
    assert window_within(pieces(), "s3", 13, length) == (5, 18)
    assert window_within(pieces(), "s1", 18, length) == (0, 18)
    assert window_within(pieces(), "s6", 100, length) == (0, 28)
    assert window_within(pieces(), "s3", 2, length) is None


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)).map(lambda p: (p[0], p[0] + p[1])))
)
def test_united_spans_cover_the_same_and_never_overlap(spans: list[tuple[int, int]]) -> None:
    found = united(spans)
    assert {at for start, end in spans for at in range(start, end)} == {
        at for start, end in found for at in range(start, end)
    }
    assert all(before[1] < after[0] for before, after in itertools.pairwise(found))
