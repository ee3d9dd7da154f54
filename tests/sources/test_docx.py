"""Word documents: real headings, tables, properties."""

import pytest

from momentry_assets.errors import SourceError
from momentry_assets.model import Document, DocumentStatus
from momentry_assets.sources.docx import DocxReader
from momentry_assets.sources.reader import SourceFile

from .samples import docx, paragraph, table

CORE = (
    "<dc:title>Pump &amp; well</dc:title><cp:keywords>oil; rope</cp:keywords>"
    "<dc:language>de-DE</dc:language>"
)


def read(raw: bytes) -> Document:
    return DocxReader().read(SourceFile("office/paper.docx", "office", raw))


def test_headings_paragraphs_tables_and_quotes() -> None:
    body = (
        paragraph("The manual", "Title")
        + paragraph("First part", "Heading1")
        + paragraph("Oil & water <mix>.")
        + paragraph("Second part", "Heading2")
        + table([["A", "B"], ["1", "2"]])
        + paragraph("Said so.", "Quote")
    )
    document = read(docx(body))
    assert document.title == "The manual"
    assert [(part.kind.value, part.level, document.slice(part)) for part in document.segments] == [
        ("heading", 1, "The manual"),
        ("heading", 1, "First part"),
        ("paragraph", 0, "Oil & water <mix>."),
        ("heading", 2, "Second part"),
        ("table", 0, "| A | B |\n| 1 | 2 |"),
        ("quote", 0, "Said so."),
    ]


def test_properties_give_title_tags_and_language() -> None:
    document = read(docx(paragraph("Text."), CORE))
    assert document.title == "Pump & well"
    assert document.tags == ("oil", "rope")
    assert document.language == "de"


def test_a_document_without_text_is_empty_with_a_note() -> None:
    document = read(docx(paragraph("")))
    assert document.status is DocumentStatus.EMPTY
    assert document.note


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"PK\x03\x04 not a zip", "not a readable Word document"),
        (b"\xd0\xcf\x11\xe0" + b"x" * 600, r"save it as \.docx"),
        (docx(paragraph("x")).replace(b"word/document.xml", b"word/dokument.xml"), "no body"),
        (docx("<w:p>"), "damaged Word document"),
    ],
)
def test_a_damaged_document_is_an_error_that_says_why(raw: bytes, reason: str) -> None:
    with pytest.raises(SourceError, match=reason) as caught:
        read(raw)
    assert caught.value.reader == "docx"


def test_only_a_zip_with_a_body_is_taken_for_a_document() -> None:
    def sniff(raw: bytes) -> bool:
        return DocxReader().sniff(SourceFile("a/b.zip", "a", raw))

    assert sniff(docx(paragraph("x")))
    assert not sniff(b"PK\x03\x04")
    assert not sniff(b"text")
