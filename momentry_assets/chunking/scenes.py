"""Which scene a piece of speech belongs to (issue 3, story variant; requirement 18).

Times are half-open: a scene ends where the next one begins.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from momentry_assets.model import Segment


@dataclass(frozen=True, slots=True)
class Assignment:
    """Where one speech segment belongs.

    Attributes:
        scene: position of the scene in the sequence that was given, from 0.
        outside: True when the speech lies in no scene and went to the nearest.
    """

    scene: int
    outside: bool


def assign_scenes(speech: Sequence[Segment], scenes: Sequence[Segment]) -> list[Assignment]:
    """Give every speech segment to exactly one scene.

    The longest overlap decides, ties go to the earlier scene. Speech that overlaps no scene goes
    to the nearest one (ties: the earlier) and is marked. A segment without length belongs to the
    scene it lies in; on a border, to the one that begins there.

    Neither sequence need be in order, and scenes may overlap. Two bisections a segment, plus one
    step for every scene it touches.

    Raises:
        ValueError: when there is speech but no scene with times to give it to.
    """
    if not speech:
        return []
    timeline = _Timeline(scenes)
    return [timeline.assign(*_times(segment)) for segment in speech]


class _Timeline:
    """Scenes in order of their start, made for bisection."""

    def __init__(self, scenes: Sequence[Segment]) -> None:
        timed = [position for position, scene in enumerate(scenes) if scene.start_ms is not None]
        if not timed:
            raise ValueError("there is no scene with times to assign speech to")
        self._positions = sorted(timed, key=lambda position: _times(scenes[position])[0])
        spans = [_times(scenes[position]) for position in self._positions]
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]
        # The greatest end so far and who has it: scenes may overlap, so ends alone are not sorted.
        self._reached: list[int] = []
        self._reaching: list[int] = []
        for index, end in enumerate(self._ends):
            if not self._reached or end > self._reached[-1]:
                self._reached.append(end)
                self._reaching.append(index)
            else:
                self._reached.append(self._reached[-1])
                self._reaching.append(self._reaching[-1])

    def assign(self, start: int, end: int) -> Assignment:
        is_moment = start == end
        # Scenes before `first` end at or before the start; from `last` on they begin after the end.
        first = bisect_right(self._reached, start)
        last = (bisect_right if is_moment else bisect_left)(self._starts, end)
        best, longest = 0, 0
        for index in range(first, last):
            overlap = min(end, self._ends[index]) - max(start, self._starts[index])
            if is_moment:
                overlap = 1 if start < self._ends[index] else 0
            if overlap > longest:
                best, longest = index, overlap
        if longest:
            return Assignment(self._positions[best], outside=False)

        candidates = [self._reaching[first - 1]] if first else []
        candidates.extend(range(first, min(last + 1, len(self._starts))))
        best = min(candidates, key=lambda index: self._distance(index, start, end))
        outside = not is_moment or self._distance(best, start, end) > 0
        return Assignment(self._positions[best], outside)

    def _distance(self, index: int, start: int, end: int) -> int:
        return max(0, self._starts[index] - end, start - self._ends[index])


def _times(segment: Segment) -> tuple[int, int]:
    start = segment.start_ms or 0
    return start, start if segment.end_ms is None else max(start, segment.end_ms)
