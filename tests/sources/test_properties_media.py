"""Whatever the bytes of a media file: a document with exact offsets and ordered times, or an error
that names the file."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from momentry_assets.errors import SourceError
from momentry_assets.model import Document, DocumentKind, SegmentKind
from momentry_assets.sources.registry import read_document

CASES = Path(__file__).parent.parent / "cases"
MEDIA_CASES = ("02-", "04-", "06-", "08-", "10-", "12-", "14-", "16-", "18-", "20-", "22-", "24-")
SAMPLES = sorted(
    path
    for folder in CASES.iterdir()
    if folder.name.startswith(MEDIA_CASES)
    for path in folder.iterdir()
)
# The dialects no case has, one file each.
_WORDS = '{"word": "One", "speaker": "S0"}, {"word": "2", "start": 1, "score": 0.1}'
_TIMED_WORD = '{"text": "One", "start": 0.5, "end": 2, "confidence": 0.9}'


def _segment(words: str) -> str:
    return f'{{"id": 1, "start": 0.5, "end": 2, "text": " One \\u6c34.", "words": [{words}]}}'


DIALECTS = {
    "whisper_timestamped.json": f'{{"segments": [{_segment(_TIMED_WORD)}], "language": "fr"}}',
    "whisperx.json": f'{{"segments": [{_segment(_WORDS)}], "word_segments": [{_WORDS}]}}',
    "whisper_cpp.json": """{"result": {"language": "de"}, "transcription": [
        {"timestamps": {"from": "00:00:00,500", "to": "00:00:02,000"},
         "offsets": {"from": 500, "to": 2000}, "text": "One"}]}""",
    "faster_whisper.json": f"[{_segment('null')}, {_segment('')}]",
    "faster_whisper.jsonl": f"{_segment('')}\n{_segment('')}\n",
    "positional.json": '[[0, 0, 0.5, 2.0, " One", [1]], [1, 0, 2.0, 3.5, " Two", [2]]]',
    "words.json": """{"words": [{"word": "One.", "start": 0, "end": 1},
        {"word": "Two", "start": 1}]}""",
    "milliseconds.json": """[{"start": 0, "end": 4500, "text": "One"},
        {"start": 4500, "end": 9000, "text": "Two"}]""",
    "captions.json3": """{"wireMagic": "pb3", "events": [
        {"tStartMs": 500, "dDurationMs": 2000, "segs": [{"utf8": "One"}, {"utf8": " two"}]},
        {"tStartMs": 900, "aAppend": 1, "segs": [{"utf8": "more", "tOffsetMs": 300}]}]}""",
    "detections.jsonl": """{"start": 0.5, "end": 2, "text": "EXIT", "type": "ocr"}
        {"start": 3, "text": "cat", "type": "object"}""",
    "rolling.vtt": """WEBVTT

00:00.000 --> 00:02.000
<v Ann>one<00:00.500><c> two</c>

00:02.000 --> 00:04.000
<v Ann>one two
three<00:02.500><c> four</c>
""",
    "a.sbv": "0:00:01.000,0:00:02.000\nOne[br]two\n\n0:00:02.000,0:00:03.000\nThree\n",
}
_OTHER_NAMES = {
    "positional.json": ("faster_whisper",),
    "words.json": ("verbose_json",),
    "milliseconds.json": ("faster_whisper",),
    "captions.json3": ("json3",),
    "rolling.vtt": ("webvtt",),
    "a.sbv": ("sbv",),
}
MARKS = [
    b"NaN", b"1e999", b"-1", b"null", b'"', b"\\ud83d", b"\0", b"\xff\xfe", b"-->", b"\n\n", b"\r",
    b"[", b"{", b"}", b"]", b",", b"<", b">", b"&#0;", b"&#55357;", b"WEBVTT", b"99999999999999999",
    b"\xe2\x80\x8b", b"\xed\xa0\x80", b"Infinity", b":", b";", b"Scene Number",
]  # fmt: skip

# A busy machine is no defect of a reader.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

_EDITS = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 12),
        st.one_of(st.sampled_from(MARKS), st.binary(max_size=4)),
    ),
    min_size=1,
    max_size=6,
)
KEYS = [
    "segments", "chunks", "transcription", "text", "start", "end", "words", "word", "timestamp",
    "offsets", "from", "to", "events", "segs", "utf8", "tStartMs", "dDurationMs", "duration",
    "snippets", "type", "speaker", "id", "language",
]  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=25,
)


def check(document: Document) -> None:
    reached, before = 0, 0
    document.text.encode("utf-8")
    for index, part in enumerate(document.segments):
        assert part.index == index
        assert part.start_ms is not None
        assert part.end_ms is not None
        assert 0 <= part.start_ms <= part.end_ms
        assert reached <= part.start <= part.end <= len(document.text)
        reached = part.end
        if part.kind is SegmentKind.SCENE:
            assert document.slice(part) == ""
            continue
        assert before <= part.start_ms
        before = part.start_ms
        text = document.slice(part)
        assert text
        assert text == text.strip()
        assert "\n" not in text
        # Segments are lines of the canonical text.
        assert part.end == len(document.text) or document.text[part.end] == "\n"
        part.speaker.encode("utf-8")
    for warning in document.warnings:
        assert warning.place
        assert warning.message
        (warning.original + warning.place).encode("utf-8")
    json.dumps(document.metadata, allow_nan=False, ensure_ascii=False).encode("utf-8")


def read(raw: bytes, name: str, companions: dict[str, bytes] | None = None) -> None:
    found = outcome(raw, name, companions)
    if isinstance(found, SourceError):
        assert found.path == f"c/{name}"
        # One that stands for an exception nobody expected would be a reader's defect.
        assert "reader failed" not in found.reason
    elif found.kind is DocumentKind.MEDIA:
        check(found)


def outcome(raw: bytes, name: str, companions: dict[str, bytes] | None) -> Document | SourceError:
    try:
        return read_document(raw, collection="c", path=f"c/{name}", companions=companions)
    except SourceError as error:
        return error


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parent.name}-{path.name}")
@given(edits=_EDITS)
@settings(UNHURRIED, max_examples=60)
def test_mutated_bytes_give_a_right_document_or_a_source_error(
    sample: Path, edits: list[tuple[float, int, bytes]]
) -> None:
    raw = sample.read_bytes()
    for place, removed, inserted in edits:
        at = int(place * len(raw))
        raw = raw[:at] + inserted + raw[at + removed :]
    if sample.suffix == ".csv":
        transcript = b'{"segments": [{"start": 0, "end": 1, "text": "a"}], "language": "en"}'
        read(transcript, "a.json", {"a-Scenes.csv": raw})
    else:
        read(raw, sample.name)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_sample_of_each_dialect_is_read(name: str) -> None:
    document = read_document(DIALECTS[name].encode(), collection="c", path=f"c/{name}")
    check(document)
    assert document.segments
    assert document.document_type in (name.split(".")[0], *_OTHER_NAMES.get(name, ()))


@pytest.mark.parametrize("name", DIALECTS)
@given(edits=_EDITS, encoding=st.sampled_from(["utf-8", "utf-16", "utf-16-be", "cp1252"]))
@settings(UNHURRIED, max_examples=60)
def test_mutated_bytes_of_every_dialect_too(
    name: str, edits: list[tuple[float, int, bytes]], encoding: str
) -> None:
    raw = DIALECTS[name].encode(encoding, "replace")
    for place, removed, inserted in edits:
        at = int(place * len(raw))
        raw = raw[:at] + inserted + raw[at + removed :]
    read(raw, name)


@given(value=_JSON, lines=st.booleans())
@settings(UNHURRIED, max_examples=400)
def test_json_of_any_shape_gives_a_right_document_or_a_source_error(
    value: object, lines: bool
) -> None:
    read(json.dumps(value).encode(), "a.json")
    if lines and isinstance(value, list):
        read("\n".join(json.dumps(item) for item in value).encode(), "a.jsonl")


@given(raw=st.binary(max_size=200), suffix=st.sampled_from(["srt", "vtt", "sbv", "json", "jsonl"]))
@settings(UNHURRIED, max_examples=200)
def test_any_bytes_give_a_right_document_or_a_source_error(raw: bytes, suffix: str) -> None:
    read(raw, f"a.{suffix}")
