"""PySceneDetect's CSV, alone and as the companion of a transcript."""

import pytest

from momentry_assets.errors import SourceError
from momentry_assets.model import Document, SegmentKind
from momentry_assets.sources.scenes import read_scenes

from .media import read, segment

HEADER = (
    "Scene Number,Start Frame,Start Timecode,Start Time (seconds),End Frame,End Timecode,"
    "End Time (seconds),Length (frames),Length (timecode),Length (seconds)"
)


def row(number: object, start: object, end: object, length: object = "") -> str:
    return f"{number},1,x,{start},2,x,{end},3,x,{length}"


def spans(csv: str, media_end_ms: int | None = None) -> list[tuple[int, int, bool]]:
    found = read_scenes(csv.encode(), "c/a-Scenes.csv", media_end_ms)
    return [(scene.start_ms, scene.end_ms, scene.repaired) for scene in found.scenes]


def csv(*rows: str) -> str:
    return "\n".join([HEADER, *rows]) + "\n"


@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t", "~"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "#"])
@pytest.mark.parametrize("first", ["", "Timecode List:,00:00:10.000", "\n", "00:00:10.000"])
def test_delimiters_row_separators_and_first_rows_are_found(
    delimiter: str, newline: str, first: str
) -> None:
    rows = [first, HEADER, row(1, "0.000", "10.000"), row(2, "10.000", "20.5005"), ""]
    raw = "\n".join(rows).replace(",", delimiter).replace("\n", newline)
    assert spans(raw) == [(0, 10000, False), (10000, 20501, False)]


def test_quoted_cells_and_other_encodings_are_read() -> None:
    raw = ",".join(f'"{name}"' for name in HEADER.split(",")) + '\n"1","0","x","0,5","2","x","1,25"'
    found = read_scenes(raw.encode("utf-16"), "c/a.csv", None)
    assert [(scene.start_ms, scene.end_ms) for scene in found.scenes] == [(500, 1250)]


def test_a_video_without_cuts_is_a_success_that_says_so() -> None:
    for raw in (HEADER, HEADER + "\n\n", "", " \n"):
        found = read_scenes(raw.encode(), "c/a-Scenes.csv", None)
        assert found.scenes == ()
        assert "no cuts" in found.warnings[-1].message


@pytest.mark.parametrize("end", ["5.0", "nan", "inf", "", "x", "-1"])
def test_an_end_that_is_none_is_the_next_start_or_the_end_of_the_media(end: str) -> None:
    raw = csv(row(1, "10.0", end), row(2, "20.0", end))
    assert spans(raw, 31000) == [(10000, 20000, True), (20000, 31000, True)]
    found = read_scenes(raw.encode(), "c/a.csv", 31000)
    assert [warning.place for warning in found.warnings] == ["line 2", "line 3"]
    assert {warning.original for warning in found.warnings} == {end}


def test_without_an_end_of_the_media_the_length_helps_or_the_scene_is_empty() -> None:
    assert spans(csv(row(1, "10.0", "", "2.5"))) == [(10000, 12500, True)]
    assert spans(csv(row(1, "10.0", "", "-2.5")), 9000) == [(10000, 10000, True)]


def test_scenes_are_sorted_a_negative_start_is_zero_and_a_repeated_row_counts_once() -> None:
    raw = csv(row(2, "10.0", "20.0"), row(1, "-0.1", "10.0"), row(3, "10.0", "20.0"))
    assert spans(raw) == [(0, 10000, True), (10000, 20000, False)]


@pytest.mark.parametrize("start", ["nan", "-inf", "?", ""])
def test_a_scene_whose_start_is_no_number_begins_where_the_one_before_ends(start: str) -> None:
    raw = csv(row(1, start, "5.0"), row(2, start, "9.0"))
    assert spans(raw) == [(0, 5000, True), (5000, 9000, True)]
    found = read_scenes(raw.encode(), "c/a.csv", None).warnings
    assert [(item.place, item.field, item.original) for item in found] == [
        ("line 2", "start", start),
        ("line 3", "start", start),
    ]


def test_a_row_without_start_and_end_is_left_out_and_named() -> None:
    found = read_scenes(csv(row(1, "0", "5"), row("Total", "", "")).encode(), "c/a.csv", None)
    assert len(found.scenes) == 1
    assert found.warnings[0].place == "line 3"


@pytest.mark.parametrize(
    "header",
    [
        "End Time (seconds),Scene Number,Start Time (seconds)",
        "Start Time (seconds),End Time (seconds),Scene Number",
        "scene  number , START TIME (SECONDS) , end time (seconds)",
    ],
)
def test_columns_are_found_by_name_wherever_they_stand(header: str) -> None:
    names = [" ".join(name.lower().split()) for name in header.split(",")]
    cells = {"scene number": "7", "start time (seconds)": "1.5", "end time (seconds)": "4.0"}
    raw = f"{header}\n{','.join(cells[name] for name in names)}\n".encode()
    (scene,) = read_scenes(raw, "c/a.csv", None).scenes
    assert (scene.number, scene.start_ms, scene.end_ms) == ("7", 1500, 4000)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("foo,bar\n1,2\n", "Scene Number"),
        ("Scene Number,Start Frame,Start Timecode\n1,0,0\n", "seconds"),
        (csv("1,1,00:00:00,000,0,000,312,00:00:12,480,12,480,312,0,1,12,480"), "decimal commas"),
        (csv(row(1, "x", "y")), "no row has a start"),
    ],
)
def test_what_is_no_scene_list_is_refused_with_the_reason(raw: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason) as error:
        read_scenes(raw.encode(), "c/a-Scenes.csv", None)
    assert error.value.path == "c/a-Scenes.csv"


def with_scenes(raw: bytes) -> Document:
    transcript = {"segments": [segment(1, 4, "One."), segment(11, 14, "Two.")]}
    return read("talk.json", transcript, {"talk-Scenes.csv": raw})


def test_scenes_of_a_companion_stand_after_the_speech_without_text() -> None:
    document = with_scenes(csv(row(1, "0", "10"), row(2, "10", "")).encode())
    assert [part.kind for part in document.segments] == [SegmentKind.SENTENCE] * 2 + [
        SegmentKind.SCENE
    ] * 2
    assert [part.index for part in document.segments] == [0, 1, 2, 3]
    last = document.segments[-1]
    # Without a duration the media end with the last speech.
    assert (last.start_ms, last.end_ms, last.source_key) == (10000, 14000, "2")
    assert last.start == last.end == len(document.text)


@pytest.mark.parametrize("raw", [b"foo,bar\n1,2\n", b"\xff\xfe\x00", b"\x00\x01", HEADER.encode()])
def test_a_bad_companion_never_loses_the_transcript(raw: bytes) -> None:
    document = with_scenes(raw)
    assert document.text == "One.\nTwo."
    assert len(document.segments) == 2
    assert any("talk-Scenes.csv" in warning.place for warning in document.warnings)


def test_the_companion_is_part_of_the_source_hash() -> None:
    assert with_scenes(b"a").source_hash != with_scenes(b"b").source_hash


def test_media_without_speech_keep_their_scenes() -> None:
    document = read(
        "talk.srt",
        "1\n00:00:01,000 --> 00:00:02,000\n\n",
        {"talk-Scenes.csv": csv(row(1, "0", "10")).encode()},
    )
    assert document.text == ""
    assert [part.kind for part in document.segments] == [SegmentKind.SCENE]
