"""The language of a document that does not name its own."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.model import Document, DocumentStatus
from momentry_assets.schemas import DOCUMENTS
from momentry_assets.sources.language_detection import (
    DETECTED,
    SAMPLE_CHARACTERS,
    detect_language,
    with_language,
)
from momentry_assets.sources.languages import UNKNOWN, language_code
from momentry_assets.sources.registry import read_document
from momentry_assets.sources.stage import read_collection
from momentry_assets.sources.walk import walk
from momentry_assets.tables import TableStore


def read(name: str, text: str) -> Document:
    return with_language(read_document(text.encode(), collection="d", path=f"d/{name}"))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The pump stopped because nobody had opened the valve.", "en"),
        ("Die Pumpe blieb stehen, weil niemand das Ventil geöffnet hatte.", "de"),
        ("La pompe s'est arrêtée parce que personne n'avait ouvert la vanne.", "fr"),
        ("La bomba se detuvo porque nadie había abierto la válvula.", "es"),
        ("La pompa si è fermata perché nessuno aveva aperto la valvola.", "it"),
        ("A bomba parou porque ninguém tinha aberto a válvula.", "pt"),
        ("De pomp stopte omdat niemand de klep had geopend.", "nl"),
        ("Pumpen stannade eftersom ingen hade öppnat ventilen.", "sv"),
        ("Pompa stanęła, ponieważ nikt nie otworzył zaworu.", "pl"),
        ("Kimse vanayı açmadığı için pompa durdu.", "tr"),
        ("Насос остановился, потому что никто не открыл клапан.", "ru"),
        ("Η αντλία σταμάτησε επειδή κανείς δεν άνοιξε τη βαλβίδα.", "el"),
        ("توقفت المضخة لأن أحدا لم يفتح الصمام.", "ar"),
        ("水泵停了，因为没有人打开阀门。", "zh"),
        ("誰もバルブを開けなかったので、ポンプが止まった。", "ja"),
        ("아무도 밸브를 열지 않아서 펌프가 멈췄다.", "ko"),
    ],
)
def test_one_sentence_is_enough(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "42", "Pumpe", "ERR_4021", "kubectl get pods -n north", "🙂🙂🙂", "x" * 100_000],
)
def test_too_little_to_tell_is_unknown(text: str) -> None:
    assert detect_language(text) == UNKNOWN


CODE = (
    "```python\n"
    + "# the value of the pump that was read when it started\n"
    + "def read_the_value(from_the_pump):\n    return from_the_pump.value\n" * 40
    + "```\n"
)


def test_code_urls_and_front_matter_do_not_decide() -> None:
    text = (
        "---\nsummary: This is what the page says about the pump and the valve\n---\n\n"
        f"{CODE}\n"
        "Das Ventil bleibt mit `open the valve and wait for it` zu, siehe\n"
        "https://example.org/what-to-do-when-the-valve-does-not-open/and-the-pump-stops.\n\n"
        f"{CODE}"
    )
    assert read("a.md", text).language == "de"
    assert read("a.md", CODE).language == UNKNOWN


def test_headings_and_tables_decide_only_where_there_is_no_prose() -> None:
    table = (
        "# Übersicht der Pumpen\n\n| Gerät | Zustand |\n|---|---|\n"
        "| Pumpe Nord | läuft wieder seit gestern |\n| Ventil | geschlossen, wird geprüft |\n"
    )
    assert read("a.md", table).language == "de"
    prose = "\nNothing in this list has been checked by anybody since the last storm.\n"
    assert read("a.md", table + prose).language == "en"


def test_a_transcript_without_a_language_has_the_one_that_is_spoken() -> None:
    cues = ["Also, wir fangen an.", "Habt ihr die Pumpe gesehen?", "Nein, noch nicht."]
    srt = "".join(
        f"{number}\n00:00:0{number},000 --> 00:00:0{number},900\n{cue}\n\n"
        for number, cue in enumerate(cues, start=1)
    )
    assert read("talk.srt", srt).language == "de"


def test_the_sample_is_spread_over_the_document() -> None:
    english = "This notice is in English, and it is put before every manual. " * 80
    german = "Die Pumpe läuft nur, wenn das Ventil ganz geöffnet worden ist. " * 400
    assert len(english) > SAMPLE_CHARACTERS
    assert detect_language(english) == "en"
    assert detect_language(english + german) == "de"


def test_the_sources_own_language_stays() -> None:
    text = "The pump stopped because nobody had opened the valve.\n"
    declared = read("a.md", f"---\nlang: fr\n---\n\n{text}")
    assert (declared.language, declared.note) == ("fr", "")


def test_detection_is_a_note_and_no_warning() -> None:
    document = read("a.txt", "Die Pumpe blieb stehen, weil niemand das Ventil geöffnet hatte.")
    assert (document.language, document.note, document.warnings) == ("de", DETECTED, ())
    empty = read("a.txt", "\n")
    assert (empty.status, empty.language) == (DocumentStatus.EMPTY, UNKNOWN)
    assert empty.note != DETECTED


def test_reading_a_collection_fills_in_the_language(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    (corpus / "docs").mkdir(parents=True)
    sentence = "Die Pumpe blieb stehen, weil niemand das Ventil geöffnet hatte.\n"
    (corpus / "docs" / "a.md").write_text(sentence, encoding="utf-8")
    tables = TableStore(tmp_path / "tables")
    receipt = read_collection(list(walk(corpus).entries), tables, "docs")
    assert (receipt.documents, receipt.warnings) == (1, 0)
    assert tables.read(DOCUMENTS, "docs", ["language"])["language"].to_pylist() == ["de"]


@given(st.text())
def test_every_text_has_a_code_or_is_unknown(text: str) -> None:
    language = detect_language(text)
    assert language == UNKNOWN or language_code(language) == language
    assert detect_language(text) == language
