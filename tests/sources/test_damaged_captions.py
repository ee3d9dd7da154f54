"""One damaged time costs that time, never the text beside it; a lost first line costs nothing."""

import pytest

from .media import read, spoken, texts, times

VTT = "00:01.000 --> 00:02.000\n<v Anna>First\n\n{line}\nSecond\n\n00:08.000 --> 00:09.000\nThird\n"


@pytest.mark.parametrize("name", ["t.vtt", "t.srt"])
@pytest.mark.parametrize(
    ("line", "span", "field", "original"),
    [
        ("00:aa --> 00:05.000", (2000, 5000), "start", "00:aa"),
        ("NaN --> 00:05.000", (2000, 5000), "start", "NaN"),
        ("00:00:04.000 --> 00:00:NaN", (4000, 8000), "end", "00:00:NaN"),
        ("00:00:04.000 --> null", (4000, 8000), "end", "null"),
    ],
)
def test_a_damaged_time_is_estimated_and_its_cue_stays_apart(
    name: str, line: str, span: tuple[int, int], field: str, original: str
) -> None:
    head = "WEBVTT\n\n" if name == "t.vtt" else ""
    document = read(name, head + VTT.format(line=line).replace("<v Anna>", ""))
    assert texts(document) == ["First", "Second", "Third"]
    assert times(document)[1] == span
    assert spoken(document)[1].repaired
    (warning,) = [warning for warning in document.warnings if warning.field == field]
    assert (warning.place, warning.original) == ("cue 2", original)


def test_settings_set_off_by_a_comma_do_not_damage_the_end() -> None:
    document = read("t.srt", "1\n00:00:01,000 --> 00:00:02,500, align:start\nText\n")
    assert (times(document), texts(document)) == ([(1000, 2500)], ["Text"])


def test_a_vtt_without_its_first_line_keeps_its_voices() -> None:
    document = read("t.vtt", VTT.format(line="00:04.000 --> 00:05.000"))
    assert (document.document_type, spoken(document)[0].speaker) == ("webvtt", "Anna")


def test_positional_segments_of_one_word_stay_segments() -> None:
    rows = [[1, 0, 0.0, 2.0, " Hello", [1], -0.2], [2, 0, 2.0, 3.0, " there", [1], -0.2]]
    document = read("t.json", rows)
    assert texts(document) == ["Hello", "there"]
    assert [part.source_key for part in document.segments] == ["1", "2"]


def test_a_phrase_repeated_inside_one_segment_is_searched_once() -> None:
    text = " the sea" * 40
    document = read("t.json", {"segments": [{"start": 0, "end": 30, "text": text}]})
    assert texts(document) == [text.strip()]
    assert document.segments[0].search_text == "the sea"


@pytest.mark.parametrize("number", ["6e9991560", "-6e9991560", "1e-9991560", "0e9991560"])
def test_a_number_beyond_all_exponents_costs_its_row_at_most(number: str) -> None:
    header = "Scene Number,Start Time (seconds),End Time (seconds),Length (seconds)\n"
    scenes = f"{header}1,0,{number},1\n2,{number},5,5\n3,5,9,4\n"
    content = {
        "segments": [{"start": 1, "end": 2, "text": "Here."}, {"start": number, "text": "x"}]
    }
    document = read("t.json", content, {"t-Scenes.csv": scenes.encode()})
    assert "Here." in texts(document)
    assert document.segments[-1].source_key == "3"
