"""The shared cases for media, each on its own copy of the input (tests/cases/<case>)."""

from pathlib import Path

import pytest

from momentry_assets.chunking.scenes import assign_scenes
from momentry_assets.errors import SourceError
from momentry_assets.model import Document, DocumentStatus, Segment, SegmentKind
from momentry_assets.sources.registry import read_document
from momentry_assets.sources.scenes import read_scenes

CASES = Path(__file__).parent.parent / "cases"


def read(case: str, name: str, scenes: str = "") -> Document:
    raw = (CASES / case / name).read_bytes()
    stem = Path(name).stem
    companions = {f"{stem}-Scenes.csv": (CASES / case / scenes).read_bytes()} if scenes else {}
    document = read_document(raw, collection="cases", path=f"cases/{name}", companions=companions)
    document.text.encode("utf-8")
    return document


def spoken(document: Document) -> list[Segment]:
    return [part for part in document.segments if part.kind is not SegmentKind.SCENE]


def lines(document: Document) -> list[tuple[int | None, int | None, str]]:
    """Times and texts, white space as the cases compare it."""
    return [
        (part.start_ms, part.end_ms, " ".join(document.slice(part).split()))
        for part in spoken(document)
    ]


# 02: ASR JSON whose last end is null


def test_case_02_both_files_give_the_same_three_texts() -> None:
    expected = ["The tram leaves at nine.", "Mind the step.", "The last stop is the depot"]
    for name in ("input-chunks.json", "input-verbose.json"):
        assert [text for _, _, text in lines(read("02-asr-null-end", name))] == expected


def test_case_02_an_unknown_last_end_is_estimated_and_marked() -> None:
    document = read("02-asr-null-end", "input-chunks.json")
    assert document.document_type == "transformers"
    assert [times[:2] for times in lines(document)[:2]] == [(0, 4500), (4500, 9000)]
    last = document.segments[2]
    # 26 characters at 15 a second.
    assert (last.start_ms, last.end_ms, last.repaired) == (9000, 10733, True)
    (warning,) = document.warnings
    assert (warning.place, warning.field, warning.original) == ("chunks[2]", "end", "null")
    assert "estimated" in warning.message


def test_case_02_an_unknown_last_end_is_the_duration_even_as_a_string() -> None:
    document = read("02-asr-null-end", "input-verbose.json")
    assert (document.document_type, document.language) == ("verbose_json", "en")
    assert document.duration_ms == 13200
    assert [times[:2] for times in lines(document)] == [(0, 4500), (4500, 9000), (9000, 13200)]


# 04: segments out of order, overlapping, before zero and past the end of the media


def test_case_04_sorted_with_overlaps_kept_and_ends_clamped() -> None:
    document = read("04-asr-unsorted-overlap", "input.json")
    assert lines(document) == [
        (0, 400, "Um."),
        (500, 6000, "Can we wash the nets today?"),
        (5200, 12800, "The water is cold and the rope is short."),
        (12000, 15500, "Yes, but only after lunch."),
        (28000, 30000, "Then we are done."),
    ]
    assert [part.repaired for part in document.segments] == [True, False, False, False, True]
    assert [part.speaker[-2:] for part in document.segments] == ["00", "00", "02", "01", "01"]
    assert {warning.original for warning in document.warnings} >= {"-0.3", "34.7"}


# 06: cleared, blank and absent segments; media without speech


def test_case_06_only_segments_with_text_and_their_own_ids() -> None:
    document = read("06-asr-empty-segments", "input.json")
    assert lines(document) == [(0, 4000, "First the flour."), (9000, 12500, "Then the water.")]
    assert [part.source_key for part in document.segments] == ["0", "3"]


def test_case_06_media_without_speech_is_a_success_that_says_so() -> None:
    document = read("06-asr-empty-segments", "input-nospeech.json")
    assert document.status is DocumentStatus.NO_SPEECH
    assert (document.segments, document.text, document.duration_ms) == ((), "", 0)
    assert "no speech" in document.note


# 08: YouTube transcript JSON


def test_case_08_display_durations_duplicates_and_zero_width_characters() -> None:
    document = read("08-yt-json-overlap", "input.json")
    assert document.document_type == "youtube"
    assert lines(document) == [
        (30, 3210, "hello and welcome"),
        (3210, 6000, "today we repair a wooden boat"),
        (6000, 9000, "[Music]"),
        (9500, 12000, "don't sand it dry"),
        (12000, 14500, ">> why not"),
    ]
    kinds = [part.kind for part in document.segments]
    assert kinds.index(SegmentKind.SOUND) == 2
    assert kinds.count(SegmentKind.SENTENCE) == 4


def test_case_08_two_videos_in_a_file_are_refused() -> None:
    with pytest.raises(SourceError, match="2 videos") as error:
        read("08-yt-json-overlap", "input-two.json")
    assert error.value.reader == "youtube"
    assert error.value.path == "cases/input-two.json"


# 10: JSON escapes for NUL, a lone surrogate and a real emoji


def test_case_10_four_storable_segments() -> None:
    document = read("10-asr-nul-surrogate", "input.json")
    assert lines(document) == [
        (0, 2000, "Liftoff in three."),
        (2000, 4000, "Half an emoji \ufffd here."),
        (4000, 6000, "A whole one \U0001f680 here."),
        (6000, 8000, "Tab here and bell."),
    ]
    assert [warning.place for warning in document.warnings] == [
        "segments[0]",
        "segments[1]",
        "segments[3]",
    ]


# 12: SRT in Windows-1252

LOAVES = [
    (1000, 3000, "“Two loaves,” she said — €4 each."),
    (3500, 6000, "A piñata for the fête"),
    (6500, 8000, "It’s naïve, isn’t it…"),
]


def test_case_12_windows_1252_is_read_as_that_and_the_guess_recorded() -> None:
    document = read("12-srt-cp1252", "input.srt")
    assert lines(document) == LOAVES
    assert document.encoding == "cp1252"
    assert any("cp1252" in warning.message for warning in document.warnings)


def test_case_12_only_the_undefined_byte_is_replaced() -> None:
    document = read("12-srt-cp1252", "input-undefined.srt")
    assert document.text.count("\ufffd") == 1
    assert [(a, b, text.replace("\ufffd", "")) for a, b, text in lines(document)] == LOAVES


# 14: SRT with BOM, CRLF, leading blank lines, missing and repeated indexes


def test_case_14_cues_are_found_by_their_time_lines() -> None:
    document = read("14-srt-bom-noindex", "input.srt")
    assert lines(document) == [
        (1000, 2500, "The ferry is late."),
        (3000, 4000, "No number above me"),
        (5000, 6000, "The count jumps"),
        (7000, 8000, "and repeats"),
    ]
    assert document.byte_order_mark
    assert document.newline == "\r\n"
    assert [part.source_key for part in document.segments] == ["1", "", "7", "7"]


def test_case_14_sbv_under_the_name_srt_is_read_as_sbv() -> None:
    document = read("14-srt-bom-noindex", "input-sbv.srt")
    assert document.document_type == "sbv"
    assert [times[:2] for times in lines(document)] == [(5440, 9360), (9360, 15320)]
    assert any(".srt" in warning.message for warning in document.warnings)


# 16: SRT with tags, ASS overrides, entities, overlaps, duplicates, disorder


def test_case_16_tags_go_comparisons_stay_and_duplicates_count_once() -> None:
    document = read("16-srt-tags-overlap", "input.srt")
    assert lines(document) == [
        (1000, 2000, "Salt & tar, if x < y then <3"),
        (5000, 8000, "Upper deck only"),
        (6500, 9000, "- Who says so? - The mate."),
        (9000, 10000, "Unclosed bold"),
    ]
    assert any("same as cue 1" in warning.message for warning in document.warnings)


# 18: WebVTT header lines, STYLE, REGION, NOTE, settings, voices


def test_case_18_only_cue_text_reaches_the_transcript() -> None:
    document = read("18-vtt-blocks-header", "input.vtt")
    assert lines(document) == [
        (1000, 2000, "Mind the rope & ring. Two <knots> hold it."),
        (3000, 4500, "Stand back!"),
        (360001000, 360002000, "A very long tape"),
    ]
    assert [part.speaker for part in document.segments] == ["Keeper One", "", ""]
    assert document.language == "en"
    assert document.metadata["X-TIMESTAMP-MAP"] == "LOCAL:00:00:00.000,MPEGTS:900000"


# 20: PySceneDetect CSV: bare first row, other delimiters, the old five columns


@pytest.mark.parametrize(
    "name", ["input-api.csv", "input-pipe.csv", "input-v04.csv", "input-excel.csv"]
)
def test_case_20_every_form_gives_the_same_four_scenes(name: str) -> None:
    raw = (CASES / "20-cuts-bare-row-delim" / name).read_bytes()
    found = read_scenes(raw, f"cases/{name}", None)
    assert [(scene.start_ms, scene.end_ms) for scene in found.scenes] == [
        (0, 12480),
        (12480, 30000),
        (30000, 31000),
        (31000, 62400),
    ]
    assert [scene.number for scene in found.scenes] == ["1", "2", "3", "4"]
    assert not any(scene.repaired for scene in found.scenes)


def test_case_20_a_blank_first_row_gives_the_one_scene() -> None:
    raw = (CASES / "20-cuts-bare-row-delim" / "input-api-one.csv").read_bytes()
    (scene,) = read_scenes(raw, "cases/input-api-one.csv", None).scenes
    assert (scene.start_ms, scene.end_ms) == (0, 62400)


# 22: variable frame rate


def test_case_22_a_last_scene_that_ends_before_it_starts_is_repaired() -> None:
    document = read("22-cuts-vfr-last-end", "input-asr.json", "input-scenes.csv")
    scenes = [part for part in document.segments if part.kind is SegmentKind.SCENE]
    assert [(scene.start_ms, scene.end_ms) for scene in scenes] == [
        (0, 10000),
        (10000, 22900),
        (24000, 31500),
    ]
    assert [scene.repaired for scene in scenes] == [False, False, True]
    lengths = [warning for warning in document.warnings if warning.field == "length"]
    assert len(lengths) == 1
    assert lengths[0].place == "input-asr-Scenes.csv: line 4"
    repaired = [warning for warning in document.warnings if warning.field == "end"]
    assert [warning.original for warning in repaired] == ["19.200"]
    assert [found.scene + 1 for found in assign_scenes(spoken(document), scenes)] == [1, 2, 3]


# 24: scenes without speech, speech outside every scene


def test_case_24_silent_scenes_have_times_and_no_text() -> None:
    document = read("24-align-silent-scenes", "input-asr.json", "input-scenes.csv")
    scenes = [part for part in document.segments if part.kind is SegmentKind.SCENE]
    assert [(scene.start_ms, scene.end_ms) for scene in scenes] == [
        (5000, 10000),
        (10000, 20000),
        (20000, 30000),
        (30000, 40000),
        (40000, 50000),
    ]
    assert all(document.slice(scene) == "" for scene in scenes)
    found = assign_scenes(spoken(document), scenes)
    assert [item.scene + 1 for item in found] == [1, 1, 3, 5, 5]
    assert [index for index, item in enumerate(found) if item.outside] == [0, 4]
    assert {1, 2, 3, 4, 5} - {item.scene + 1 for item in found} == {2, 4}
