"""Recognisers' JSON: every dialect, and numbers and segments of any kind of damage."""

import json

import pytest

from momentry_assets.errors import SourceError
from momentry_assets.model import DocumentStatus, SegmentKind

from .media import read, segment, spoken, texts, times


def words(*items: tuple[str, float, float], **further: object) -> list[dict[str, object]]:
    return [{"word": word, "start": start, "end": end, **further} for word, start, end in items]


# Dialects


def test_openai_whisper_is_read() -> None:
    document = read("talk.json", {"text": " Hi.", "segments": [segment(0, 1.5, " Hi.", id=7)]})
    assert (document.document_type, document.reader) == ("whisper", "whisper")
    assert (texts(document), times(document)) == (["Hi."], [(0, 1500)])
    assert document.segments[0].source_key == "7"


def test_whisperx_speakers_come_from_the_segment_or_most_of_its_words() -> None:
    document = read(
        "talk.json",
        {
            "segments": [
                segment(0, 2, " One two.", words=words(("One", 0, 1), ("two.", 1, 2), speaker="B")),
                segment(2, 4, " Three.", speaker="A", words=[{"word": "Three."}]),
            ],
            "word_segments": [{"word": "One"}],
            "language": "en",
        },
    )
    assert document.document_type == "whisperx"
    assert [part.speaker for part in document.segments] == ["B", "A"]


def test_a_segment_without_times_takes_those_of_its_words() -> None:
    entry = {"text": "In 2019", "words": [{"word": "2019"}, *words(("In", 1.2, 1.5))]}
    document = read("talk.json", {"segments": [entry]})
    assert times(document) == [(1200, 1500)]
    assert document.segments[0].repaired
    assert {warning.field for warning in document.warnings} == {"start", "end"}


@pytest.mark.parametrize(
    "content",
    [
        [segment(0, 1, " One.", id=1, seek=0), segment(1, 2, " Two.", id=2, seek=0)],
        '{"start": 0, "end": 1, "text": " One."}\n\n{"start": 1, "end": 2, "text": " Two."}\n',
        [[1, 0, 0.0, 1.0, " One.", [50364], -0.2], [2, 0, 1.0, 2.0, " Two.", [50364], -0.2]],
        [[0.0, 1.0, " One.", None, -0.2, 0.1], [1.0, 2.0, " Two.", None, -0.2, 0.1]],
    ],
    ids=["list", "lines", "named tuples", "old named tuples"],
)
def test_faster_whisper_dumps_of_every_age_are_read(content: object) -> None:
    document = read("talk.jsonl" if isinstance(content, str) else "talk.json", content)
    assert document.document_type == "faster_whisper"
    assert (texts(document), times(document)) == (["One.", "Two."], [(0, 1000), (1000, 2000)])


def test_named_tuples_may_stand_below_a_key_with_their_info_beside_them() -> None:
    rows = [[1, 0, 0.0, 1.0, " One.", [50364]], [2, 0, 1.0, None, " Two.", [50364]]]
    document = read("t.json", {"segments": rows, "info": {"language": "en", "duration": 1.5}})
    assert (texts(document), times(document)) == (["One.", "Two."], [(0, 1000), (1000, 1500)])
    assert (document.language, document.duration_ms) == ("en", 1500)


def test_one_damaged_json_line_never_takes_the_others_with_it() -> None:
    lines = [json.dumps(segment(0, 1, "a")), '{"start": 1, "te', json.dumps(segment(2, 3, "b"))]
    document = read("talk.jsonl", "\n".join(lines))
    assert texts(document) == ["a", "b"]
    assert [warning.place for warning in document.warnings] == ["line 2"]


def test_whisper_timestamped_is_read() -> None:
    entry = segment(0, 1, "Hey", words=[{"text": "Hey", "start": 0, "end": 1, "confidence": 0.9}])
    assert read("t.json", {"segments": [entry]}).document_type == "whisper_timestamped"


def test_whisper_cpp_offsets_are_milliseconds_and_timestamps_stand_in_for_them() -> None:
    document = read(
        "talk.json",
        {
            "result": {"language": "de"},
            "transcription": [
                {"offsets": {"from": 0, "to": 2500}, "text": " eins"},
                {"timestamps": {"from": "00:00:02,500", "to": "00:00:04,000"}, "text": " zwei"},
            ],
        },
    )
    assert (document.document_type, document.language) == ("whisper_cpp", "de")
    assert times(document) == [(0, 2500), (2500, 4000)]


def test_top_level_words_alone_become_sentences_by_punctuation_and_pauses() -> None:
    said = words(("Mind", 0, 0.3), ("Dr.", 0.3, 0.5), ("Dahl.", 0.5, 0.9), ("The", 1, 1.2))
    document = read("t.json", {"words": [*said, *words(("tide", 1.2, 1.5), ("turns", 3.0, 3.4))]})
    assert texts(document) == ["Mind Dr. Dahl.", "The tide", "turns"]
    assert times(document) == [(0, 900), (1000, 1500), (3000, 3400)]


def test_transformers_word_chunks_keep_their_own_blanks() -> None:
    pieces = [" It", "'s", " late", " now."]
    chunks = [{"text": text, "timestamp": [n, n + 1]} for n, text in enumerate(pieces)]
    assert texts(read("t.json", {"text": "", "chunks": chunks})) == ["It's late now."]


def test_chinese_words_are_joined_without_blanks() -> None:
    said = words(("今天", 0, 0.5), ("去", 0.5, 0.7), ("港口。", 0.7, 1.2), ("好", 1.2, 1.4))
    assert texts(read("t.json", {"words": said})) == ["今天去港口。", "好"]


def test_one_word_segments_of_a_recogniser_stay_segments() -> None:
    entries = [segment(n, n + 1, word) for n, word in enumerate(["Yes", "no", "well"])]
    assert texts(read("t.json", {"segments": entries})) == ["Yes", "no", "well"]


def test_a_transcript_one_level_down_is_found() -> None:
    document = read("t.json", {"output": {"segments": [segment(0, 1, "in")], "language": "en"}})
    assert (texts(document), document.language) == (["in"], "en")


# Numbers


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "-Infinity", "1e999", "null", '"soon"', "true"])
def test_an_end_that_is_no_time_is_estimated_as_the_next_start(bad: str) -> None:
    raw = (
        '{"segments": [{"start": 0, "end": %s, "text": "a"}, {"start": 2, "end": 3, "text": "b"}]}'
    )
    document = read("t.json", raw % bad)
    assert times(document) == [(0, 2000), (2000, 3000)]
    assert [part.repaired for part in document.segments] == [True, False]
    assert "estimated" in document.warnings[0].message
    assert document.warnings[0].place == "segments[0]"
    assert document.warnings[0].original.strip('"') in (bad.strip('"'), "Infinity")


@pytest.mark.parametrize("bad", ["NaN", "1e999", "null", '"soon"', "[]"])
def test_a_start_that_is_no_time_is_estimated_as_the_end_before(bad: str) -> None:
    raw = (
        '{"segments": [{"start": 0, "end": 2, "text": "a"}, {"start": %s, "end": 3, "text": "b"}]}'
    )
    document = read("t.json", raw % bad)
    assert times(document) == [(0, 2000), (2000, 3000)]
    assert document.segments[1].repaired


def test_times_as_strings_in_any_habit_are_times() -> None:
    entries = [segment("1.5", "2,25", "a"), segment("00:00:03,5", " 4.0005 ", "b")]
    document = read("t.json", {"segments": entries})
    assert times(document) == [(1500, 2250), (3500, 4001)]
    assert not document.warnings


def test_an_end_before_its_start_is_unknown_and_the_original_kept() -> None:
    document = read("t.json", {"segments": [segment(5, 4, "a"), segment(7, 8, "b")]})
    assert times(document) == [(5000, 7000), (7000, 8000)]
    assert document.warnings[0].original == "4"


def test_a_guess_never_lasts_longer_than_a_window_of_whisper() -> None:
    document = read("t.json", {"segments": [segment(0, None, "a"), segment(600, 605, "b")]})
    assert times(document) == [(0, 1000), (600000, 605000)]


def test_a_segment_of_no_length_keeps_its_time() -> None:
    document = read("t.json", {"segments": [segment(4, 4, "a")]})
    assert times(document) == [(4000, 4000)]
    assert not document.segments[0].repaired


def test_a_duration_before_most_of_the_speech_is_not_believed() -> None:
    entries = [segment(10, 12, "a"), segment(12, 15, "b")]
    document = read("t.json", {"segments": entries, "duration": 0.03})
    assert times(document) == [(10000, 12000), (12000, 15000)]
    assert document.duration_ms is None
    assert document.warnings[0].place == "duration"


# Segments


def test_what_is_no_segment_is_left_out_and_named() -> None:
    entries: list[object] = [segment(0, 1, "a"), None, "b", 7, [], segment(1, 2, "c")]
    document = read("t.json", {"segments": entries})
    assert texts(document) == ["a", "c"]
    assert [warning.place for warning in document.warnings] == [
        "segments[1]",
        "segments[2]",
        "segments[3]",
        "segments[4]",
    ]


def test_the_text_is_the_segments_texts_joined_by_one_newline_blank_ones_too() -> None:
    said = ["One  with two blanks.", "", "Three\nlines\tof it.", " "]
    entries = [segment(n, n + 1, text) for n, text in enumerate(said)]
    document = read("t.json", {"segments": entries})
    assert document.text == "One  with two blanks.\n\nThree lines of it.\n"
    assert [(part.start, part.end) for part in document.segments] == [(0, 21), (23, 41)]


def test_marks_of_sounds_are_no_sentences() -> None:
    said = [
        "[Music]",
        " (applause) ",
        "♪♪",
        "【拍手】",
        "*sighs* [door]",
        "♪ Row the boat ♪",
        "(a) yes",
    ]
    document = read("t.json", {"segments": [segment(n, n + 1, t) for n, t in enumerate(said)]})
    assert [part.kind is SegmentKind.SOUND for part in document.segments] == [True] * 5 + [
        False
    ] * 2


def test_only_sounds_are_no_speech() -> None:
    document = read("t.json", {"segments": [segment(0, 1, "[BLANK_AUDIO]")]})
    assert document.status is DocumentStatus.NO_SPEECH


def test_decoder_tokens_are_no_text() -> None:
    document = read("t.json", {"segments": [segment(0, 1, "<|0.00|> Low <|tide|> a <| b<|1.00|>")]})
    assert texts(document) == ["Low  a <| b"]


def test_right_to_left_and_joined_characters_stay_as_they_are() -> None:
    said = "می\u200cخواهم \u200f(ب)"
    assert texts(read("t.json", {"segments": [segment(0, 1, said)]})) == [said]


def test_text_without_segments_is_not_lost() -> None:
    document = read("t.json", {"text": "Only text.", "duration": 3.5})
    assert (texts(document), times(document)) == (["Only text."], [(0, 3500)])
    assert document.segments[0].repaired


# Loops


def test_a_loop_keeps_its_text_and_is_searched_once() -> None:
    said = ["Low tide.", *["Thank you."] * 5, "High tide."]
    entries = [segment(n, n + 1, text) for n, text in enumerate(said)]
    document = read("t.json", {"segments": entries})
    assert document.text == "\n".join(said)
    assert [part.search_text for part in document.segments] == [
        "",
        "Thank you.",
        " ",
        " ",
        " ",
        " ",
        "",
    ]
    (warning,) = document.warnings
    assert warning.place == "segments[1] to segments[5]"
    assert "5 times (1000 ms to 6000 ms)" in warning.message


def test_three_equal_segments_and_four_speakers_who_agree_are_no_loop() -> None:
    entries = [segment(n, n + 1, "Yes.") for n in range(3)]
    entries += [segment(n, n + 1, "No.", speaker=str(n)) for n in range(3, 7)]
    document = read("t.json", {"segments": entries})
    assert not any(part.search_text for part in document.segments)


def test_a_cycle_of_segments_and_a_phrase_in_one_segment_are_loops() -> None:
    entries = [segment(n, n + 1, ["Bye.", "See you."][n % 2]) for n in range(8)]
    entries.append(segment(9, 30, "Thanks for watching! " * 20))
    document = read("t.json", {"segments": entries})
    searched = [part.search_text for part in document.segments]
    assert searched == ["Bye.", "See you.", *[" "] * 6, "Thanks for watching!"]


# Refusals


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"segments": [{"start": 0,\n "text": "a"}, {"st', "line 2 column"),
        ({"segments": [1, 2]}, "unknown form"),
        ({"a": 1}, "unknown form"),
        ([1, 2, 3], "unknown form"),
        ('{"text": ' + "[" * 100_000, "deeply"),
    ],
)
def test_a_file_that_is_no_transcript_is_refused_with_place_and_reason(
    content: object, reason: str
) -> None:
    with pytest.raises(SourceError, match=reason) as error:
        read("talk.json", content)
    assert error.value.path == "c/talk.json"


def test_media_with_an_empty_list_have_no_speech() -> None:
    assert read("t.json", "[]").status is DocumentStatus.NO_SPEECH


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("english", "en"),
        ("en-US", "en"),
        ("DEU", "de"),
        ("Cantonese", "zh"),
        ("x", "und"),
        (7, "und"),
    ],
)
def test_languages_by_code_and_by_name(named: object, code: str) -> None:
    document = read("t.json", {"segments": [segment(0, 1, "a")], "language": named})
    assert document.language == code


def test_the_title_is_the_file_name_with_blanks() -> None:
    document = read("2026-03_harbour--walk.json", {"segments": [segment(0, 1, "a")]})
    assert document.title == "2026 03 harbour walk"
    assert len(spoken(document)) == 1


# Numbers that are none, other units, damaged streams


def test_nan_is_neither_a_text_nor_a_name_and_costs_only_its_field() -> None:
    raw = (
        '{"duration": NaN, "segments": [{"id": NaN, "start": 0.0, "end": 2.0, "text": " One.",'
        ' "speaker": NaN, "avg_logprob": -Infinity, "words": [{"word": " One.", "start": NaN,'
        ' "end": 2.0, "probability": NaN}]}, {"id": 1, "start": 2.0, "end": 3.0, "text": NaN}]}'
    )
    document = read("t.json", raw)
    assert (texts(document), times(document)) == (["One."], [(0, 2000)])
    (part,) = document.segments
    assert (part.speaker, part.source_key, part.repaired) == ("", "", False)
    assert document.metadata == {}
    assert {(item.place, item.original) for item in document.warnings} == {
        ("duration", "NaN"),
        ("segments[1]", ""),
    }


@pytest.mark.parametrize("duration", [{}, {"duration": 13.2}])
def test_whole_numbers_nobody_could_speak_in_as_seconds_are_milliseconds(
    duration: dict[str, float],
) -> None:
    said = [
        (0, 4500, "The tram leaves at nine."),
        (4500, 9000.0, "Mind the step."),
        (
            9000,
            13200,
        ),
    ]
    entries = [segment(*item, *[""] * (3 - len(item))) for item in said]
    entries[2]["words"] = [{"word": "Depot.", "start": 9000, "end": 13200}]
    del entries[2]["start"], entries[2]["text"]
    document = read("t.json", {"segments": entries, **duration})
    assert times(document) == [(0, 4500), (4500, 9000), (9000, 13200)]
    warning = next(item for item in document.warnings if "milliseconds" in item.message)
    assert (warning.place, warning.field, warning.original) == ("segments", "start, end", "0, 4500")


@pytest.mark.parametrize(
    "entries",
    [
        [segment(0, 600, "Thank you.")],
        [segment(0, 30, "No."), segment(30, 60, "Yes."), segment(60, 90, "No.")],
        [segment(0, 1800, "a " * 9000 + "b."), segment(1800, 3600, "c.")],
        [segment(0.5, 4500, "One."), segment(4500, 9000, "Two.")],
        [segment("0", "4500", "One."), segment("4500", "9000", "Two.")],
    ],
)
def test_slow_long_and_fractional_times_stay_seconds(entries: list[dict[str, object]]) -> None:
    document = read("t.json", {"segments": entries})
    assert document.segments[-1].end_ms == float(str(entries[-1]["end"])) * 1000
    assert not any("milliseconds" in item.message for item in document.warnings)


ONE, TWO = segment(0, 1.5, " One.", id=1), segment(1.5, 3, " Two.", id=2)


@pytest.mark.parametrize(
    ("raw", "damaged"),
    [
        (f"{json.dumps(ONE)}\n{json.dumps(TWO)}\n" + '{"id": 3, "start": 3, "en', "line 3"),
        (f"{json.dumps(ONE)}\nPartial\n{json.dumps(TWO)}", "line 2"),
        (f"[{json.dumps(ONE)},\n{json.dumps(TWO)},\n" + '{"id": 3, "start"', "line 3"),
        (json.dumps(ONE) + json.dumps(TWO) + '\n{"id": 3,', "line 2"),
        (f"{json.dumps(ONE, indent=1)}\n{json.dumps(TWO, indent=1)}\n" + '{"id', "line 13"),
        (f"\x1e{json.dumps(ONE)}\n\x1e{json.dumps(TWO)}\n", ""),
        (f"{json.dumps(ONE)}, {json.dumps(TWO)},", ""),
    ],
)
def test_segments_written_one_by_one_are_read_up_to_where_writing_stopped(
    raw: str, damaged: str
) -> None:
    document = read("t.jsonl", raw)
    assert texts(document) == ["One.", "Two."]
    assert [item.place for item in document.warnings] == [damaged] * bool(damaged)


def test_a_single_object_that_was_cut_off_is_refused_with_the_place() -> None:
    whole = json.dumps({"text": "One. Two.", "segments": [ONE, TWO]}, indent=1)
    with pytest.raises(SourceError, match=r"line \d+ column \d+: no valid JSON"):
        read("t.json", whole[:-30])


def test_a_loop_whose_rounds_are_differently_long_is_one() -> None:
    said = ["Thanks for watching! " * count for count in (4, 1, 4, 2, 3)]
    entries = [segment(n, n + 1, text) for n, text in enumerate(["Hello.", *said, "Bye."])]
    document = read("t.json", {"segments": entries})
    assert [part.search_text.strip() for part in document.segments] == [
        "",
        "Thanks for watching!",
        *[""] * 5,
    ]
    assert [part.search_text for part in document.segments][2:6] == [" "] * 4
    loop = next(item for item in document.warnings if "loop" in item.message)
    assert loop.place == "segments[1] to segments[5]"
    assert "5 times (1000 ms to 6000 ms)" in loop.message
    assert document.text.count("Thanks") == 14


def test_speech_in_brackets_is_speech() -> None:
    said = {
        "(I never told him that.)": True,
        "(What?)": True,
        "（そんなことはない。）": True,
        "(speaking French) Bonjour": True,
        "(laughs)": False,
        "(Laughter.)": False,
        "(speaking French)": False,
        "[Music plays.]": False,
        "- (door slams) [sighs]": False,
        "(...)": False,
    }
    document = read(
        "t.json", {"segments": [segment(n, n + 1, text) for n, text in enumerate(said)]}
    )
    kinds = [part.kind is SegmentKind.SENTENCE for part in document.segments]
    assert dict(zip(said, kinds, strict=True)) == said


def test_json_made_by_hand_may_have_newlines_and_tabs_in_its_strings() -> None:
    document = read("t.json", '{"segments": [{"start": 0, "end": 1, "text": "One\n\ttwo"}]}')
    assert texts(document) == ["One two"]


def test_what_the_recogniser_itself_doubts_is_kept_and_named() -> None:
    entries = [
        segment(0, 1, "Sure.", avg_logprob=-0.2, no_speech_prob=0.9, compression_ratio=1.2),
        segment(1, 2, "Noise.", avg_logprob=-1.4, no_speech_prob=0.9, compression_ratio=None),
        segment(2, 3, "Again again again.", avg_logprob=-0.2, compression_ratio=2.8),
        segment(3, 4, "", avg_logprob=-1.4, no_speech_prob=0.9, compression_ratio=2.8),
    ]
    document = read("t.json", {"segments": entries})
    assert len(document.segments) == 3
    assert [(item.place, item.field, item.original) for item in document.warnings] == [
        ("segments[1]", "no_speech_prob", "0.9"),
        ("segments[2]", "compression_ratio", "2.8"),
        ("segments[3]", "text", ""),
    ]


def test_a_start_that_is_no_time_lies_behind_what_was_said_before_it() -> None:
    raw = (
        '{"segments": [{"start": 2.0, "end": Infinity, "text": "Two."},'
        ' {"start": -Infinity, "end": 9.0, "text": "Three."}]}'
    )
    assert times(read("t.json", raw)) == [(2000, 3000), (3000, 9000)]
