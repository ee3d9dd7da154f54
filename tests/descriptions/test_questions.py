"""Questions without a model: heading and key phrases, in any language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.descriptions import ParentText, Questions
from momentry_assets.descriptions.questions import (
    MAX_WORD_CHARACTERS,
    WRITER,
    KeyPhraseQuestionWriter,
    key_phrases,
)


def _of(parent: ParentText, count: int = 3) -> tuple[str, ...]:
    (written,) = KeyPhraseQuestionWriter(count).questions([parent])
    assert written == Questions(written.texts, WRITER, "")
    return written.texts


def test_a_question_is_the_nearest_heading_with_a_key_phrase() -> None:
    parent = ParentText(
        "The previous configuration is restored from the release archive.",
        ("Failed deploys", "Rolling back"),
        language="en",
    )
    assert _of(parent) == (
        "Rolling back: previous configuration?",
        "Rolling back: release archive?",
        "Rolling back: restored?",
    )


def test_words_of_long_and_frequent_phrases_come_first() -> None:
    text = "Replica lag is bad. Replica lag alarms, and the disk. It is the pump."
    # By hand: replica (2+3)/2, lag (2+3)/2, alarms 3, bad 1, disk 1, pump 1.
    assert key_phrases(text, "en", 4) == ["Replica lag alarms", "bad", "disk", "pump"]


def test_a_word_that_is_only_repeated_does_not_beat_a_phrase() -> None:
    # By hand: spare 2/1 and valve 2/1, pump 4/4.
    assert key_phrases("The pump. The pump. The pump. The pump. A spare valve.", "en", 2) == [
        "spare valve",
        "pump",
    ]


def test_the_heading_itself_is_not_asked_for() -> None:
    assert _of(ParentText("Replica lag. The alarm.", ("Replica lag",), language="en")) == (
        "Replica lag: alarm?",
    )


@pytest.mark.parametrize(
    ("text", "language", "questions"),
    [
        (
            "Die Datenbank wird jede Nacht gesichert.",
            "de",
            ("Sicherung: Nacht gesichert?", "Sicherung: Datenbank?"),
        ),
        ("数据库的备份是每天进行的。", "zh", ("Sicherung: 每天进行?", "Sicherung: 数据库?")),
        (
            "データベースの監視は夜間に行う。",
            "ja",
            ("Sicherung: データベース?", "Sicherung: 監視?"),
        ),
        ("데이터베이스 백업.", "ko", ("Sicherung: 데이터베이스 백업?",)),
        ("สำรองข้อมูล", "th", None),
    ],
)
def test_other_languages_get_no_english_words(
    text: str, language: str, questions: tuple[str, ...] | None
) -> None:
    found = _of(ParentText(text, ("Sicherung",), language=language), count=2)
    assert found == questions or (questions is None and found)


def test_stop_words_of_an_unknown_language_are_those_of_all() -> None:
    assert key_phrases("die Pumpe und the valve", "und", 5) == ["Pumpe", "valve"]


@pytest.mark.parametrize(
    ("parent", "questions"),
    [
        (ParentText("It is.", ("Pumps",)), ("Pumps: It is?",)),
        (ParentText("", ("Pumps",)), ("Pumps?",)),
        (ParentText("", ("What now?",)), ("What now?",)),
        (ParentText("The pump.", (), "Handbook", "en"), ("Handbook: pump?",)),
        (ParentText("The pump.", language="en"), ("pump?",)),
        (ParentText("12 34"), ("12 34?",)),
        (ParentText("x" * 5000), ("x" * MAX_WORD_CHARACTERS + "?",)),
        (ParentText("中"), ("中?",)),
        (ParentText(" --- \n"), ()),
    ],
)
def test_what_little_there_is_gets_a_question(
    parent: ParentText, questions: tuple[str, ...]
) -> None:
    assert _of(parent) == questions


def test_technical_words_stay_whole() -> None:
    found = key_phrases("Send `ERR_4021` to client/server, then node.js; (v1.2.3).", "en", 9)
    assert set(found) == {"Send", "ERR_4021", "client/server", "node.js", "v1.2.3"}


@given(st.text(max_size=300), st.integers(1, 5), st.sampled_from(["en", "ja", "zh", "und"]))
def test_a_text_with_a_word_has_distinct_phrases_that_stand_in_it(
    text: str, count: int, language: str
) -> None:
    phrases = key_phrases(text, language, count)
    assert bool(phrases) == any(character.isalnum() for character in text)
    assert len(phrases) <= count
    assert len({phrase.casefold() for phrase in phrases}) == len(phrases)
    for phrase in phrases:
        assert all(word in text for word in phrase.split())
    assert phrases == key_phrases(text, language, count)


def test_what_is_written_does_not_depend_on_the_other_parents() -> None:
    parents = [ParentText(f"The pump {number} leaks oil.", ("Pumps",)) for number in range(5)]
    writer = KeyPhraseQuestionWriter(3)
    seen: list[tuple[int, int]] = []
    together = writer.questions(parents, lambda done, total: seen.append((done, total)))
    assert together == [writer.questions([one])[0] for one in parents]
    assert seen[-1] == (5, 5)
