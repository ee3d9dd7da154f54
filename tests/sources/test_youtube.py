"""YouTube transcripts: the API's forms and json3."""

import pytest

from momentry_assets.errors import SourceError
from momentry_assets.model import DocumentStatus

from .media import read, texts, times


def snippet(text: object, start: object, duration: object) -> dict[str, object]:
    return {"text": text, "start": start, "duration": duration}


SNIPPETS = [snippet("one", 0.5, 4), snippet("two", 2.5, 1.25)]


@pytest.mark.parametrize(
    "content",
    [
        SNIPPETS,
        [SNIPPETS],
        [[], SNIPPETS],
        {"video_id": "x", "snippets": SNIPPETS},
        [{"video_id": "x", "snippets": SNIPPETS}],
        [
            {"text": s["text"], "start": str(s["start"]), "dur": str(s["duration"])}
            for s in SNIPPETS
        ],
    ],
    ids=["list", "list of lists", "an empty video", "object", "objects", "strings"],
)
def test_every_form_of_one_video_is_read(content: object) -> None:
    document = read("v.json", content)
    assert document.document_type == "youtube"
    assert (texts(document), times(document)) == (["one", "two"], [(500, 2500), (2500, 3750)])


def test_the_language_of_a_dumped_transcript_is_kept() -> None:
    top = {"language": "German (auto-generated)", "language_code": "de", "snippets": SNIPPETS}
    assert read("v.json", top).language == "de"


def test_two_dumped_videos_are_refused_too() -> None:
    with pytest.raises(SourceError, match="2 videos"):
        read("v.json", [{"snippets": SNIPPETS}, {"snippets": SNIPPETS}])


def test_a_video_without_captions_is_no_speech() -> None:
    assert read("v.json", [[]]).status is DocumentStatus.NO_SPEECH


def test_entities_escaped_twice_are_decoded() -> None:
    said = "it&amp;#39;s &quot;low&quot;\n&amp;amp; dry&nbsp;"
    assert texts(read("v.json", [snippet(said, 0, 1)])) == ['it\'s "low" & dry']


def test_captions_at_one_start_are_not_cut_to_nothing() -> None:
    said = [snippet("a", 1, 2), snippet("b", 1, 3), snippet("c", 2, 1)]
    assert times(read("v.json", said)) == [(1000, 2000), (1000, 2000), (2000, 3000)]


@pytest.mark.parametrize("bad", ["NaN", "1e999", "null", "-3", '"x"'])
def test_a_duration_that_is_none_is_estimated(bad: str) -> None:
    raw = '[{"text": "a", "start": 0, "duration": %s}, {"text": "b", "start": 2, "duration": 1}]'
    document = read("v.json", raw % bad)
    assert times(document) == [(0, 2000), (2000, 3000)]
    assert document.segments[0].repaired


def test_json3_events_are_milliseconds_and_windows_have_no_text() -> None:
    events = [
        {"tStartMs": 0, "dDurationMs": 90000, "id": 1, "wpWinPosId": 1},
        {"tStartMs": 80, "dDurationMs": 4000, "segs": [{"utf8": "low"}, {"utf8": " tide"}]},
        {"tStartMs": 2000, "dDurationMs": 2080, "aAppend": 1, "segs": [{"utf8": "\n"}]},
        {"tStartMs": "2500", "dDurationMs": "1500", "segs": [{"utf8": "it&#39;s"}, {}]},
        {"tStartMs": 5000, "segs": [{"utf8": "end"}]},
    ]
    document = read("v.json3", {"wireMagic": "pb3", "events": events})
    assert document.document_type == "json3"
    assert texts(document) == ["low tide", "it's", "end"]
    assert times(document) == [(80, 2500), (2500, 4000), (5000, 6000)]


def test_json3_without_captions_is_no_speech() -> None:
    document = read("v.json", {"wireMagic": "pb3", "events": []})
    assert document.status is DocumentStatus.NO_SPEECH
