"""SRT, WebVTT and SBV: times in any habit, tags, voices, rolling captions."""

import pytest

from momentry_assets.errors import SourceError
from momentry_assets.model import DocumentStatus
from momentry_assets.sources.cue_times import cue_times

from .media import read, texts, times

CUE = "00:00:01,000 --> 00:00:02,000"


def srt(*cues: tuple[str, str]) -> str:
    return "\n".join(f"{n}\n{line}\n{text}\n" for n, (line, text) in enumerate(cues, 1))


# Time lines


@pytest.mark.parametrize(
    ("line", "start", "end"),
    [
        ("00:00:01,000 --> 00:00:02,500", 1000, 2500),
        ("00:00:01.000 --> 00:00:02.500", 1000, 2500),
        ("0:0:1,0 --> 0:0:2,5", 1000, 2500),
        ("00:01.000 --> 00:02.500", 1000, 2500),
        ("00:01,0 -> 00:02,50", 1000, 2500),
        ("00:00:01,000-->00:00:02,500", 1000, 2500),
        ("00:00:01,000 - -> 00:00:02,500", 1000, 2500),
        ("  00: 00: 01, 000   -->  00 :00:02 ,500  ", 1000, 2500),
        ("00:00:01:000 --> 00:00:02:500", 1000, 2500),
        ("00:00:01 --> 00:00:02", 1000, 2000),
        ("00:00:01,0004 --> 00:00:02,5005", 1000, 2501),
        ("00:00:01,000000 --> 00:00:02,500000", 1000, 2500),
        ("00:00:01,1000 --> 00:00:02,1000", 2000, 3000),
        ("1.0 --> 2.5", 1000, 2500),
        ("00:00:01,000 → 00:00:02,500", 1000, 2500),
        ("00：00：01，000 --> 00：00：02，500", 1000, 2500),
        ("٠٠:٠٠:٠١,٠٠٠ --> ٠٠:٠٠:٠٢,٥٠٠", 1000, 2500),
        ("100:00:01.000 --> 100:00:02.500", 360_001_000, 360_002_500),
        ("-00:00:01,000 --> 00:00:02,500", -1000, 2500),
        ("0:00:01.000,0:00:02.500", 1000, 2500),
        ("0:00:01, 0:00:02", 1000, 2000),
        ("00:00:01;15 --> 00:00:02;00", 1500, 2000),
        ("00:00:01'000 --> 00:00:02'500", 1000, 2500),
        ("00:00:01 000 --> 00:00:02 500", 1000, 2500),
        ("00:00:01. --> 00:00:02.5", 1000, 2500),
        ("00:00:01,000 ---> 00:00:02,500", 1000, 2500),
        ("00:00:01,000 - 00:00:02,500", 1000, 2500),
        ("00:00:01.000 to 00:00:02.500", 1000, 2500),
        ("[00:01.000 --> 00:02.500]  said", 1000, 2500),
        ("[00:00:01.000 --> 00:00:02.500]", 1000, 2500),
        ("\u200f00:00:01,000\u200e --> \u202b00:00:02,500\u202c", 1000, 2500),
        ("0:00:01,000;0:00:02,500", 1000, 2500),
        ("00:00:01,000 --> ", 1000, None),
        ("00:00:01,000 --> soon", 1000, None),
        ("--> 00:00:02,500", None, 2500),
        ("00:00:01,000 --> 00:00:02,500 X1:10 X2:20 Y1:1 Y2:2", 1000, 2500),
        ("00:00:01,000 --> 00:00:02,500 align:start line:0%", 1000, 2500),
    ],
)
def test_a_time_line_in_any_habit_is_one(line: str, start: int | None, end: int | None) -> None:
    found = cue_times(line)
    assert found is not None
    assert (found.start.ms, found.end.ms) == (start, end)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "1984",
        "x < y --> z",
        "a -> b",
        "10:00 -> 11:00",
        "10:00 - 11:00",
        "at 00:00:01,000 - 00:00:02,500",
        "[10:00] --> see there",
        "from 10:00:00 to 11:00:00",
        "1 --> 2",
        "-->",
        "1:02,3:04",
        "> 0:01",
    ],
)
def test_a_line_of_text_is_no_time_line(line: str) -> None:
    assert cue_times(line) is None


# SRT


def test_cues_without_a_blank_line_between_keep_their_numbers_out_of_the_text() -> None:
    document = read("a.srt", f"1\n{CUE}\none\n2\n00:00:03,000 --> 00:00:04,000\ntwo\n")
    assert texts(document) == ["one", "two"]


def test_a_caption_that_is_a_number_stays() -> None:
    raw = f"1\n{CUE}\n1984\n\n00:00:03,000 --> 00:00:04,000\nand 1985\n"
    assert texts(read("a.srt", raw)) == ["1984", "and 1985"]
    countdown = srt((CUE, "3\n2"), ("00:00:03,000 --> 00:00:04,000", "3"))
    assert texts(read("a.srt", countdown)) == ["3 2", "3"]


@pytest.mark.parametrize("end", ["\n3", "\n3\n", "\n\n3\n\n"])
def test_the_number_of_a_cue_that_was_cut_off_is_no_text(end: str) -> None:
    whole = srt((CUE, "one"), ("00:00:03,000 --> 00:00:04,000", "two"))
    assert texts(read("a.srt", whole + end)) == ["one", "two"]


def test_files_put_together_have_marks_and_numbers_inside() -> None:
    second = srt(("00:00:03,000 --> 00:00:04,000", "three"), (CUE, "two"))
    assert texts(read("a.srt", f"\ufeff{srt((CUE, 'one'))}\n\ufeff{second}")) == [
        "one",
        "two",
        "three",
    ]
    both = vtt("00:01.000 --> 00:02.000\none") + "\n\ufeff" + vtt("00:02.000 --> 00:03.000\ntwo")
    assert texts(read("a.vtt", both)) == ["one", "two"]


def test_blank_lines_between_all_lines_and_inside_a_caption_lose_nothing() -> None:
    doubled = "\n\n".join(srt((CUE, "one"), ("00:00:03,000 --> 00:00:04,000", "two")).split("\n"))
    assert texts(read("a.srt", doubled)) == ["one", "two"]
    inside = srt((CUE, "one\n\nand more"), ("00:00:03,000 --> 00:00:04,000", "two"))
    assert texts(read("a.srt", inside)) == ["one and more", "two"]


def test_what_whisper_prints_is_a_transcript_under_any_name() -> None:
    raw = "[00:00:00.000 --> 00:00:02.500]  Hello there.\n[00:00:02.500 --> 00:00:04.000]  Bye.\n"
    for name in ("a.srt", "a.txt"):
        document = read(name, raw)
        assert texts(document) == ["Hello there.", "Bye."]
        assert times(document) == [(0, 2500), (2500, 4000)]


def test_a_number_said_behind_the_times_is_no_fraction() -> None:
    document = read("a.srt", "1\n00:00:01 --> 00:00:02 100 people came\n")
    assert (texts(document), times(document)) == (["100 people came"], [(1000, 2000)])


def test_text_behind_the_times_is_text_and_coordinates_are_not() -> None:
    raw = srt((f"{CUE} Hello there", "friend"), ("00:00:03,000 --> 00:00:04,000 X1:0 X2:9", "two"))
    assert texts(read("a.srt", raw)) == ["Hello there friend", "two"]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('<font color="red">a</font> <B>b</B> <i >c</ i>', "a b c"),
        (r"{\an8}{\pos(1,2)}up{y:i} there", "up there"),
        (r"one\Ntwo<br/>three[br]four", "one two three four"),
        (r"\h\hFive\h6 in C:\home", r"Five 6 in C:\home"),
        ("Salt &amp; tar&nbsp;&#39;n&#x27; rope &lt;i&gt;", "Salt & tar 'n' rope <i>"),
        ("R&notes AT&T &unknown; &amp", "R&notes AT&T &unknown; &amp"),
        ("x < y > z <3 <knots> {curly}", "x < y > z <3 <knots> {curly}"),
        ("C:\\new\\home", "C:\\new\\home"),
    ],
)
def test_tags_and_overrides_go_and_what_only_looks_like_them_stays(written: str, text: str) -> None:
    assert texts(read("a.srt", srt((CUE, written)))) == [text]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_unicode_encoding_and_newline_is_read(encoding: str, newline: str) -> None:
    said = ["Fête — “yes”", "שלום עולם", "港口的潮汐"]
    cues = [(f"00:00:0{n},000 --> 00:00:0{n},900", text) for n, text in enumerate(said)]
    raw = srt(*cues).replace("\n", newline).encode(encoding)
    assert texts(read("a.srt", raw)) == said


def test_negative_and_backward_times_are_repaired_and_marked() -> None:
    raw = srt(("-00:00:01,000 --> 00:00:00,500", "a"), ("00:00:09,000 --> 00:00:07,000", "b"))
    document = read("a.srt", raw)
    assert times(document) == [(0, 500), (9000, 10000)]
    assert [part.repaired for part in document.segments] == [True, True]
    assert [warning.original for warning in document.warnings][:2] == [
        "-00:00:01,000",
        "00:00:07,000",
    ]


def test_repeated_words_of_people_are_no_rolling_captions() -> None:
    raw = srt(
        ("00:00:01,000 --> 00:00:02,000", "No!"),
        ("00:00:02,000 --> 00:00:03,000", "No!"),
        ("00:00:03,000 --> 00:00:04,000", "No, never."),
        ("00:00:04,000 --> 00:00:05,000", "Why?"),
        ("00:00:05,000 --> 00:00:06,000", "Because."),
    )
    assert texts(read("a.srt", raw)) == ["No!", "No!", "No, never.", "Why?", "Because."]


def test_a_loop_in_subtitles_is_kept_and_searched_once() -> None:
    raw = srt(*((f"00:00:0{n},000 --> 00:00:0{n + 1},000", "Thank you.") for n in range(6)))
    document = read("a.srt", raw)
    assert document.text == "\n".join(["Thank you."] * 6)
    assert [part.search_text for part in document.segments] == ["Thank you.", *[" "] * 5]


def test_growing_captions_become_the_whole_sentence() -> None:
    raw = srt(
        ("00:00:00,000 --> 00:00:01,000", "the tide"),
        ("00:00:01,000 --> 00:00:02,000", "the tide is"),
        ("00:00:02,000 --> 00:00:03,000", "the tide is high"),
        ("00:00:09,000 --> 00:00:10,000", "new line"),
    )
    document = read("a.srt", raw)
    assert texts(document) == ["the tide is high", "new line"]
    assert times(document) == [(0, 3000), (9000, 10000)]


@pytest.mark.parametrize("name", ["a.srt", "a.sbv", "a.vtt"])
@pytest.mark.parametrize("content", ["hello\nworld\n", "1\n\n2\n", "WEBVTT\n\nNOTE nothing\n"])
def test_a_subtitle_file_without_a_cue_is_refused(name: str, content: str) -> None:
    with pytest.raises(SourceError, match="no cue"):
        read(name, content)


def test_cues_without_text_are_no_speech() -> None:
    assert read("a.srt", f"1\n{CUE}\n<i></i>\n").status is DocumentStatus.NO_SPEECH


def test_subtitles_under_another_name_are_known_by_their_content() -> None:
    document = read("a.txt", srt((CUE, "one")))
    assert document.document_type == "srt"
    assert any(warning.field == "extension" for warning in document.warnings)


def test_a_text_that_quotes_a_time_line_is_no_subtitle() -> None:
    assert read("a.txt", f"An SRT cue looks so:\n\n{CUE}\nHello\n").document_type == "plaintext"


# WebVTT


def vtt(*blocks: str) -> str:
    return "WEBVTT\n\n" + "\n\n".join(blocks) + "\n"


def test_automatic_captions_of_youtube_are_unrolled() -> None:
    raw = vtt(
        "00:00:00.000 --> 00:00:02.000 align:start position:0%\n \nhello<00:00:00.500><c> and</c>",
        "00:00:02.000 --> 00:00:02.010 align:start position:0%\nhello and\n ",
        "00:00:02.010 --> 00:00:04.000\nhello and\nwelcome<00:00:02.500><c> to</c>",
        "00:00:04.000 --> 00:00:04.010\nwelcome to\n ",
        "00:00:04.010 --> 00:00:06.000\nwelcome to\nthe<00:00:05.000><c> show</c>",
    )
    document = read("a.vtt", raw)
    assert texts(document) == ["hello and", "welcome to", "the show"]
    assert times(document) == [(0, 2000), (2010, 4000), (4010, 6000)]


def test_voices_are_speakers_and_two_in_a_cue_are_two_segments() -> None:
    raw = vtt(
        "00:01.000 --> 00:02.000\n<v.loud Ann &amp; Co>Hi</v> there\n<v Bob>Yo",
        "00:03.000 --> 00:04.000\nNobody",
    )
    document = read("a.vtt", raw)
    assert texts(document) == ["Hi there", "Yo", "Nobody"]
    assert [part.speaker for part in document.segments] == ["Ann & Co", "Bob", ""]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("<c.yellow.bg_blue>a</c> <lang en>b</lang> <u>c</u>", "a b c"),
        ("<ruby>港<rt>minato</rt></ruby>口", "港口"),
        ("a <00:01.500>b <3 x < y", "a b <3 x < y"),
        ("&lt;v Bob&gt; &lrm;a&rlm;", "<v Bob> \u200ea\u200f"),
        ("a <c.loud\n.red>b</c\n> c", "a b c"),
        ("{\\an8}a {b} <b>c</b>", "a {b} c"),
    ],
)
def test_cue_text_loses_tags_and_nothing_else(written: str, text: str) -> None:
    assert texts(read("a.vtt", vtt(f"00:01.000 --> 00:02.000\n{written}"))) == [text]


def test_a_dash_in_front_of_a_voice_belongs_to_it() -> None:
    document = read("a.vtt", vtt("00:01.000 --> 00:02.000\n- <v Bob>One</v>\n- <v Ann>Two</v>"))
    assert [(part.speaker, document.slice(part)) for part in document.segments] == [
        ("Bob", "- One"),
        ("Ann", "- Two"),
    ]


def test_comments_styles_and_identifiers_give_no_text() -> None:
    raw = vtt(
        "STYLE\n::cue { color: red }",
        "NOTE\nno --> arrow of a cue",
        "7\n00:01.000 --> 00:02.000 line:0\none",
        "NOTE last",
    )
    document = read("a.vtt", raw)
    assert texts(document) == ["one"]
    assert document.segments[0].source_key == "7"


def test_what_belongs_to_no_cue_leaves_a_warning() -> None:
    raw = vtt(
        "00:01.000 --> 00:02.000\none",
        "orphan line",
        "00:bad --> 00:0x\nlost",
        "NOTE a --> b",
        "x --> y",
    )
    document = read("a.vtt", raw)
    assert texts(document) == ["one"]
    assert [(item.place, item.original) for item in document.warnings] == [
        ("line 6", "orphan line"),
        ("line 8", "00:bad --> 00:0x"),
        ("line 13", "x --> y"),
    ]


@pytest.mark.parametrize(
    "raw",
    ["00:01.000 --> 00:02.000\n<v Ann>Hi\n", "webvtt\n\n00:01.000 --> 00:02.000\n<v Ann>Hi\n"],
)
def test_a_vtt_without_its_first_line_is_still_read(raw: str) -> None:
    document = read("a.vtt", raw)
    assert (document.document_type, texts(document)) == ("webvtt", ["Hi"])
    assert document.segments[0].speaker == "Ann"
