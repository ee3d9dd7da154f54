"""Half-open intervals of code points: the arithmetic under every definition of the judge.

A list of intervals is *disjoint* when it is sorted and its members neither overlap nor touch.
"""

from collections.abc import Iterable, Sequence

Interval = tuple[int, int]


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The disjoint list that covers the same code points; empty intervals vanish."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if end <= start:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def length(disjoint: Iterable[Interval]) -> int:
    """Code points in a disjoint list."""
    return sum(end - start for start, end in disjoint)


def shared(disjoint: Iterable[Interval], start: int, end: int) -> list[Interval]:
    """The parts of ``[start, end)`` that a disjoint list covers."""
    return [
        (max(start, low), min(end, high)) for low, high in disjoint if low < end and start < high
    ]


def uncovered(disjoint: Sequence[Interval], start: int, end: int) -> list[Interval]:
    """The parts of ``[start, end)`` that a disjoint list does not cover."""
    gaps: list[Interval] = []
    position = start
    for low, high in shared(disjoint, start, end):
        if position < low:
            gaps.append((position, low))
        position = high
    if position < end:
        gaps.append((position, end))
    return gaps
