"""`assign_scenes`: every speech segment to exactly one scene, by longest overlap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.chunking.scenes import Assignment, assign_scenes
from momentry_assets.model import Segment, SegmentKind

Span = tuple[int, int]


def _speech(*spans: Span) -> list[Segment]:
    return [
        Segment(index, SegmentKind.SENTENCE, 0, 1, start_ms=start, end_ms=end)
        for index, (start, end) in enumerate(spans)
    ]


def _scenes(*spans: Span) -> list[Segment]:
    return [
        Segment(
            index, SegmentKind.SCENE, 9, 9, start_ms=start, end_ms=end, source_key=str(index + 1)
        )
        for index, (start, end) in enumerate(spans)
    ]


def _assigned(speech: list[Segment], scenes: list[Segment]) -> list[tuple[str, bool]]:
    return [
        (scenes[found.scene].source_key, found.outside) for found in assign_scenes(speech, scenes)
    ]


def test_speech_in_a_gap_stays_whole_in_the_scene_it_overlaps() -> None:
    """Case 22: the gap 22900-24000 belongs to no scene."""
    speech = _speech((1000, 8000), (11000, 23500), (25000, 31000))
    scenes = _scenes((0, 10000), (10000, 22900), (24000, 31500))
    assert _assigned(speech, scenes) == [("1", False), ("2", False), ("3", False)]


def test_speech_outside_every_scene_goes_to_the_nearest_and_is_marked() -> None:
    """Case 24: scenes 2 and 4 stay without speech."""
    speech = _speech((1000, 4000), (6000, 9000), (21000, 29000), (41000, 49000), (55000, 58000))
    scenes = _scenes((5000, 10000), (10000, 20000), (20000, 30000), (30000, 40000), (40000, 50000))
    assert _assigned(speech, scenes) == [
        ("1", True),
        ("1", False),
        ("3", False),
        ("5", False),
        ("5", True),
    ]


def test_speech_over_a_cut_belongs_to_one_scene_and_a_tie_to_the_earlier() -> None:
    """Requirement 18: a cut at 60 s, a segment from 58 s to 62 s."""
    scenes = _scenes((0, 60000), (60000, 700000))
    speech = _speech((0, 2000), (2000, 5500), (58000, 62000), (59000, 62000), (600000, 605000))
    assert [scene for scene, _ in _assigned(speech, scenes)] == ["1", "1", "1", "2", "2"]


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (0, ("1", False)),
        (9999, ("1", False)),
        (10000, ("2", False)),
        (20000, ("2", False)),
        (24000, ("2", True)),
        (25000, ("2", True)),
        (26000, ("3", True)),
        (30000, ("3", False)),
        (50000, ("3", True)),
    ],
)
def test_a_segment_without_length_belongs_where_it_lies(
    moment: int, expected: tuple[str, bool]
) -> None:
    scenes = _scenes((0, 10000), (10000, 20000), (30000, 40000))
    assert _assigned(_speech((moment, moment)), scenes) == [expected]


def test_neither_speech_nor_scenes_need_be_in_order() -> None:
    scenes = _scenes((20000, 30000), (0, 10000), (10000, 20000))
    speech = _speech((21000, 22000), (1000, 2000), (12000, 13000))
    assert [scene for scene, _ in _assigned(speech, scenes)] == ["1", "2", "3"]


def test_a_scene_without_length_never_takes_speech_from_another() -> None:
    scenes = _scenes((0, 10000), (5000, 5000), (10000, 20000))
    speech = _speech((4000, 6000), (5000, 5000))
    assert [scene for scene, _ in _assigned(speech, scenes)] == ["1", "1"]


def test_no_speech_needs_no_scene_and_speech_needs_one() -> None:
    assert assign_scenes([], []) == []
    with pytest.raises(ValueError, match="no scene with times"):
        assign_scenes(_speech((0, 1)), [])


_SPANS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda pair: (pair[0], sum(pair))),
    max_size=8,
)


def _by_definition(start: int, end: int, scenes: list[Span]) -> Assignment:
    """The rule, scene by scene."""
    order = sorted(range(len(scenes)), key=lambda index: scenes[index][0])
    overlaps = {index: min(end, scenes[index][1]) - max(start, scenes[index][0]) for index in order}
    if start == end:
        overlaps = {index: int(scenes[index][0] <= start < scenes[index][1]) for index in order}
    longest = max(order, key=overlaps.__getitem__)
    if overlaps[longest] > 0:
        return Assignment(longest, outside=False)
    distances = {index: max(0, scenes[index][0] - end, start - scenes[index][1]) for index in order}
    nearest = min(order, key=distances.__getitem__)
    return Assignment(nearest, outside=start != end or distances[nearest] > 0)


@given(speech=_SPANS, scenes=_SPANS.filter(bool))
def test_the_bisection_gives_what_the_rule_says(speech: list[Span], scenes: list[Span]) -> None:
    found = assign_scenes(_speech(*speech), _scenes(*scenes))
    expected = [_by_definition(start, end, scenes) for start, end in speech]
    kinds = [
        (item.outside, _gain(span, scenes[item.scene]))
        for item, span in zip(found, speech, strict=True)
    ]
    assert kinds == [
        (item.outside, _gain(span, scenes[item.scene]))
        for item, span in zip(expected, speech, strict=True)
    ]
    assert [scenes[item.scene][0] for item in found if not item.outside] == [
        scenes[item.scene][0] for item in expected if not item.outside
    ]


def _gain(speech: Span, scene: Span) -> int:
    """Overlap when positive, minus the distance otherwise."""
    return min(speech[1], scene[1]) - max(speech[0], scene[0])
