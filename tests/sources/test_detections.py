"""Detections: anything with a time, as JSON lines."""

import json

import pytest

from momentry_assets.errors import SourceError
from momentry_assets.model import DocumentStatus, SegmentKind

from .media import read, segment, texts, times


def test_each_line_is_a_segment_of_its_own_type() -> None:
    lines = [segment(0, 1.5, "EXIT 4", type="ocr"), segment(0.5, 3, "a red boat", type="object")]
    document = read("d.jsonl", "\n".join(map(json.dumps, lines)))
    assert document.document_type == "detections"
    assert (texts(document), times(document)) == (
        ["EXIT 4", "a red boat"],
        [(0, 1500), (500, 3000)],
    )
    assert [part.label for part in document.segments] == ["ocr", "object"]
    assert {part.kind for part in document.segments} == {SegmentKind.DETECTION}


def test_without_an_end_a_detection_is_a_moment() -> None:
    document = read("d.jsonl", '{"start": 2, "text": "face", "type": "face"}')
    assert times(document) == [(2000, 2000)]
    assert not document.segments[0].repaired
    document = read("d.jsonl", '{"start": 2, "end": NaN, "text": "face", "type": "face"}')
    assert times(document) == [(2000, 2000)]
    assert document.segments[0].repaired
    assert document.warnings[0].original == "NaN"


def test_a_list_of_detections_is_read_too_and_bad_lines_are_left_out() -> None:
    document = read("d.json", [segment(1, 2, "boat", type="object"), 7, None])
    assert texts(document) == ["boat"]
    lines = "{\n" + json.dumps(segment(1, 2, "boat", type="object")) + "\n[1]\n"
    document = read("d.jsonl", lines)
    assert texts(document) == ["boat"]
    assert {warning.place for warning in document.warnings} == {"line 1", "line 3"}


def test_the_same_thing_seen_for_long_is_no_loop_of_a_recogniser() -> None:
    lines = [segment(n, n + 1, "boat", type="object") for n in range(6)]
    document = read("d.jsonl", "\n".join(map(json.dumps, lines)))
    assert not any(part.search_text for part in document.segments)


def test_detections_without_text_are_an_empty_document() -> None:
    document = read("d.jsonl", '{"start": 2, "type": "face"}')
    assert document.status is DocumentStatus.EMPTY


@pytest.mark.parametrize("content", ['{"type": "x"}\n{"type": "y"}', "{}\n{}", "no json"])
def test_json_lines_of_something_else_are_refused(content: str) -> None:
    with pytest.raises(SourceError):
        read("d.jsonl", content)
