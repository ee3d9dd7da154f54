"""The shared cases for media, each on its own copy of the input (tests/cases/<case>)."""

import json
import re
from pathlib import Path

import pytest

from momentry_assets.chunking.scenes import assign_scenes
from momentry_assets.errors import SourceError
from momentry_assets.model import Document, DocumentStatus, Segment, SegmentKind, SourceWarning
from momentry_assets.sources.registry import read_document
from momentry_assets.sources.scenes import Scenes, read_scenes

CASES = Path(__file__).parent.parent / "cases"


def read(case: str, name: str, scenes: str = "") -> Document:
    raw = (CASES / case / name).read_bytes()
    stem = name.rsplit(".", 1)[0]
    companions = {f"{stem}-Scenes.csv": (CASES / case / scenes).read_bytes()} if scenes else {}
    return read_document(raw, collection="cases", path=f"cases/{name}", companions=companions)


def cuts(name: str) -> Scenes:
    case = "20-cuts-bare-row-delim"
    return read_scenes((CASES / case / name).read_bytes(), f"cases/{name}", None)


def spoken(document: Document) -> list[Segment]:
    return [part for part in document.segments if part.kind is not SegmentKind.SCENE]


def scenes_of(document: Document) -> list[Segment]:
    return [part for part in document.segments if part.kind is SegmentKind.SCENE]


def rows(document: Document) -> list[tuple[int | None, int | None, str]]:
    """Times and text of everything that is heard."""
    return [(part.start_ms, part.end_ms, document.slice(part)) for part in spoken(document)]


def about(document: Document, field: str) -> list[SourceWarning]:
    return [warning for warning in document.warnings if warning.field == field]


# 02: the last end is null


@pytest.mark.parametrize("name", ["input-chunks.json", "input-verbose.json"])
def test_a_last_end_of_null_leaves_every_text(name: str) -> None:
    texts = [text for _, _, text in rows(read("02-asr-null-end", name))]
    assert texts == ["The tram leaves at nine.", "Mind the step.", "The last stop is the depot"]


def test_an_end_nobody_knows_is_estimated_and_marked() -> None:
    document = read("02-asr-null-end", "input-chunks.json")
    assert rows(document)[:2] == [
        (0, 4500, "The tram leaves at nine."),
        (4500, 9000, "Mind the step."),
    ]
    last = document.segments[-1]
    # start + max(1 s, 26 characters / 15 s)
    assert (last.start_ms, last.end_ms, last.repaired) == (9000, 10733, True)
    (warning,) = about(document, "end")
    assert (warning.place, warning.original) == ("chunks[2]", "null")


def test_a_missing_last_end_is_the_duration_even_when_that_is_a_string() -> None:
    document = read("02-asr-null-end", "input-verbose.json")
    assert [(start, end) for start, end, _ in rows(document)] == [
        (0, 4500),
        (4500, 9000),
        (9000, 13200),
    ]
    assert document.duration_ms == 13200
    assert document.language == "en"
    assert document.document_type == "verbose_json"


# 04: out of order, overlapping, before zero and past the end


def test_segments_are_sorted_overlaps_kept_and_times_outside_the_media_repaired() -> None:
    document = read("04-asr-unsorted-overlap", "input.json")
    assert [
        (*row, part.repaired) for row, part in zip(rows(document), spoken(document), strict=True)
    ] == [
        (0, 400, "Um.", True),
        (500, 6000, "Can we wash the nets today?", False),
        (5200, 12800, "The water is cold and the rope is short.", False),
        (12000, 15500, "Yes, but only after lunch.", False),
        (28000, 30000, "Then we are done.", True),
    ]
    assert [part.speaker[-2:] for part in spoken(document)] == ["00", "00", "02", "01", "01"]
    originals = {(warning.place, warning.original) for warning in document.warnings}
    assert {("segments[3]", "-0.3"), ("segments[4]", "34.7")} <= originals


# 06: empty segments, media without speech


def test_blank_segments_are_no_sentences_and_ids_stay() -> None:
    document = read("06-asr-empty-segments", "input.json")
    assert rows(document) == [(0, 4000, "First the flour."), (9000, 12500, "Then the water.")]
    assert [part.source_key for part in document.segments] == ["0", "3"]


def test_media_without_speech_is_read_and_says_so() -> None:
    document = read("06-asr-empty-segments", "input-nospeech.json")
    assert (document.segments, document.text) == ((), "")
    assert document.status is DocumentStatus.NO_SPEECH
    assert document.note
    assert document.duration_ms == 0


# 08: YouTube transcript JSON


def test_times_on_screen_are_cut_to_the_next_start_and_duplicates_count_once() -> None:
    document = read("08-yt-json-overlap", "input.json")
    assert rows(document) == [
        (30, 3210, "hello and welcome"),
        (3210, 6000, "today we repair a wooden boat"),
        (6000, 9000, "[Music]"),
        (9500, 12000, "don't sand it dry"),
        (12000, 14500, ">> why not"),
    ]
    assert [part.kind.value for part in document.segments].index("sound") == 2
    assert sum(part.kind is SegmentKind.SOUND for part in document.segments) == 1


def test_two_videos_in_one_file_are_an_error_that_says_so() -> None:
    with pytest.raises(SourceError, match="2 videos") as caught:
        read("08-yt-json-overlap", "input-two.json")
    assert caught.value.path == "cases/input-two.json"
    assert caught.value.reader == "youtube"


# 10: escapes for NUL, a lone surrogate and a real pair


def test_characters_no_store_can_hold_are_cleaned_and_reported() -> None:
    document = read("10-asr-nul-surrogate", "input.json")
    assert rows(document) == [
        (0, 2000, "Liftoff in three."),
        (2000, 4000, "Half an emoji \ufffd here."),
        (4000, 6000, "A whole one \U0001f680 here."),
        (6000, 8000, "Tab here and bell."),
    ]
    assert "\0" not in document.text
    assert document.text.encode("utf-8").decode("utf-8") == document.text
    found = [(warning.place, warning.original) for warning in about(document, "text")]
    assert [place for place, _ in found] == ["segments[0]", "segments[1]", "segments[3]"]
    assert "\\x00" in found[0][1]


# 12: SRT in Windows-1252


def test_windows_1252_is_read_with_its_punctuation_and_the_guess_recorded() -> None:
    document = read("12-srt-cp1252", "input.srt")
    assert rows(document) == [
        (1000, 3000, "“Two loaves,” she said — €4 each."),
        (3500, 6000, "A piñata for the fête"),
        (6500, 8000, "It’s naïve, isn’t it…"),
    ]
    assert document.encoding == "cp1252"
    assert about(document, "encoding")


def test_only_the_byte_the_code_page_does_not_define_is_lost() -> None:
    right = read("12-srt-cp1252", "input.srt").text
    damaged = read("12-srt-cp1252", "input-undefined.srt").text
    assert damaged.count("\ufffd") == 1
    assert damaged.replace("\ufffd", "") == right


# 14: SRT with BOM, CRLF, leading blank lines, missing and repeated indexes


def test_numbers_of_cues_mean_nothing() -> None:
    document = read("14-srt-bom-noindex", "input.srt")
    assert rows(document) == [
        (1000, 2500, "The ferry is late."),
        (3000, 4000, "No number above me"),
        (5000, 6000, "The count jumps"),
        (7000, 8000, "and repeats"),
    ]
    assert (document.byte_order_mark, document.newline) == (True, "\r\n")
    assert not re.search(r"[\ufeff\r\d]", document.text)


def test_sbv_under_the_name_srt_is_read_and_said() -> None:
    document = read("14-srt-bom-noindex", "input-sbv.srt")
    assert rows(document) == [
        (5440, 9360, "Times in SBV form"),
        (9360, 15320, "but named .srt"),
    ]
    assert document.document_type == "sbv"
    assert about(document, "extension")


# 16: tags, overrides, entities, overlaps, duplicates, disorder


def test_tags_go_and_text_that_looks_like_tags_stays() -> None:
    assert rows(read("16-srt-tags-overlap", "input.srt")) == [
        (1000, 2000, "Salt & tar, if x < y then <3"),
        (5000, 8000, "Upper deck only"),
        (6500, 9000, "- Who says so? - The mate."),
        (9000, 10000, "Unclosed bold"),
    ]


# 18: WebVTT blocks and header


def test_webvtt_blocks_headers_and_settings_give_no_text() -> None:
    document = read("18-vtt-blocks-header", "input.vtt")
    assert [
        (*row, part.speaker) for row, part in zip(rows(document), spoken(document), strict=True)
    ] == [
        (1000, 2000, "Mind the rope & ring. Two <knots> hold it.", "Keeper One"),
        (3000, 4500, "Stand back!", ""),
        (360001000, 360002000, "A very long tape", ""),
    ]
    assert document.language == "en"
    assert document.metadata["X-TIMESTAMP-MAP"] == "LOCAL:00:00:00.000,MPEGTS:900000"


# 20: PySceneDetect CSV of every version and separator


@pytest.mark.parametrize(
    "name", ["input-api.csv", "input-pipe.csv", "input-v04.csv", "input-excel.csv"]
)
def test_every_form_of_a_scene_list_gives_the_same_scenes(name: str) -> None:
    found = cuts(name)
    assert [(scene.start_ms, scene.end_ms) for scene in found.scenes] == [
        (0, 12480),
        (12480, 30000),
        (30000, 31000),
        (31000, 62400),
    ]
    assert not any(scene.repaired for scene in found.scenes)


def test_a_blank_first_row_means_one_scene() -> None:
    (scene,) = cuts("input-api-one.csv").scenes
    assert (scene.number, scene.start_ms, scene.end_ms) == ("1", 0, 62400)


# 22: variable frame rate


def test_a_last_scene_that_ends_before_it_starts_is_repaired() -> None:
    document = read("22-cuts-vfr-last-end", "input-asr.json", "input-scenes.csv")
    scenes = scenes_of(document)
    assert [(scene.start_ms, scene.end_ms, scene.repaired) for scene in scenes] == [
        (0, 10000, False),
        (10000, 22900, False),
        (24000, 31500, True),
    ]
    assert {(scene.start, scene.end) for scene in scenes} == {(len(document.text),) * 2}
    assert len(about(document, "length")) == 1
    (warning,) = about(document, "end")
    assert warning.original == "19.200"
    assigned = assign_scenes(spoken(document), scenes)
    assert [scenes[item.scene].source_key for item in assigned] == ["1", "2", "3"]


# 24: scenes without speech, speech outside every scene


def test_silent_scenes_are_kept_without_text_and_speech_outside_is_marked() -> None:
    document = read("24-align-silent-scenes", "input-asr.json", "input-scenes.csv")
    scenes = scenes_of(document)
    assert [(scene.start_ms, scene.end_ms) for scene in scenes] == [
        (5000, 10000),
        (10000, 20000),
        (20000, 30000),
        (30000, 40000),
        (40000, 50000),
    ]
    assigned = assign_scenes(spoken(document), scenes)
    numbers = [scenes[item.scene].source_key for item in assigned]
    assert numbers == ["1", "1", "3", "5", "5"]
    assert [position for position, item in enumerate(assigned) if item.outside] == [0, 4]
    assert {scene.source_key for scene in scenes} - set(numbers) == {"2", "4"}


def test_a_bad_scene_list_never_loses_the_transcript() -> None:
    transcript = {"segments": [{"start": 0, "end": 1, "text": "Still here."}]}
    document = read_document(
        json.dumps(transcript).encode(),
        collection="cases",
        path="cases/talk.json",
        companions={"talk-Scenes.csv": b"not,a,scene,list\n1,2,3,4\n"},
    )
    assert rows(document) == [(0, 1000, "Still here.")]
    assert scenes_of(document) == []
    (warning,) = document.warnings
    assert warning.place == "talk-Scenes.csv"
    assert "Scene Number" in warning.message
