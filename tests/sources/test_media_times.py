"""Numbers to milliseconds, loops, and how long reading takes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.sources.loops import LOOP_REPEATS, find_loops
from momentry_assets.sources.media_text import one_line
from momentry_assets.sources.times import milliseconds

from .media import segment


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        (0, 0),
        (1.2345, 1235),
        (1.0005, 1001),
        (2.6749999, 2675),
        (5.2, 5200),
        ("1.062,4", 1062400),
        ("1,062.4", 1062400),
        ("13.2s", 13200),
        ("0:00:13 200", 13200),
        ("10:30 2024", None),
        ("00:00:13;06", 13200),
        (-0.3, -300),
        (10**400, None),
        (1e300, None),
        (float("nan"), None),
        (float("inf"), None),
        ("NaN", None),
        ("sNaN", None),
        ("-Infinity", None),
        ("", None),
        ("1e-999999", 0),
        ("9" * 5000, None),
        (True, None),
        (None, None),
        ([1], None),
        (1_700_000_000, None),
    ],
)
def test_seconds_are_rounded_half_up_and_what_is_no_time_is_none(
    value: object, ms: int | None
) -> None:
    assert milliseconds(value) == ms


@given(st.one_of(st.floats(), st.integers(), st.text(max_size=30), st.none(), st.booleans()))
def test_no_value_raises(value: object) -> None:
    found = milliseconds(value)
    assert found is None or abs(found) <= 10**12


@given(st.lists(st.sampled_from("ab"), max_size=30))
def test_loops_are_runs_of_equal_rounds_and_do_not_overlap(keys: list[str]) -> None:
    reached = 0
    for loop in find_loops(keys):
        assert loop.start >= reached
        assert loop.rounds >= LOOP_REPEATS
        assert (
            keys[loop.start + loop.period : loop.end] == keys[loop.start : loop.end - loop.period]
        )
        reached = loop.end
    # Nothing of four or more equal items is left outside.
    for start in range(len(keys) - 3):
        if len(set(keys[start : start + 4])) == 1:
            assert any(loop.start < start + 4 and start < loop.end for loop in find_loops(keys))


@given(st.text())
def test_a_segments_text_is_one_line_that_every_store_can_hold(text: str) -> None:
    cleaned = one_line(text)
    assert cleaned == cleaned.strip()
    assert not set(cleaned) & set("\n\r\t\0\u200b\ufeff\u2028")
    cleaned.encode("utf-8")


def asr(count: int) -> tuple[str, str]:
    entries = [segment(n, n + 1, f"Sentence number {n} of the tide.") for n in range(count)]
    return "t.json", json.dumps({"segments": entries})


def subtitles(count: int) -> tuple[str, str]:
    cues = (
        f"{n}\n{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02},000 --> "
        f"{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02},900\n<i>Sentence number {n}.</i>\n"
        for n in range(count)
    )
    return "t.srt", "\n".join(cues)


def blanks(count: int) -> tuple[str, str]:
    return "t.srt", "1\n00:00:01,000 --> 00:00:02,000\n1:02" + " " * count + ">"


def tags(count: int) -> tuple[str, str]:
    return "t.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v" + " " * count + "<v a " * count
