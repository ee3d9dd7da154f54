"""PDF: text by page."""

import pytest

from momentry_assets.errors import SourceError
from momentry_assets.model import Document
from momentry_assets.sources.pdf import PdfReader
from momentry_assets.sources.reader import SourceFile

from .samples import pdf


def read(raw: bytes) -> Document:
    return PdfReader().read(SourceFile("papers/scan.pdf", "papers", raw))


def test_a_page_opens_a_section_and_its_paragraphs_follow() -> None:
    first = ["The pump is oiled", "every month by the com-", "pany.", "", "The well is", "not."]
    document = read(pdf([first, [], ["Page three (last)."]], "Pumps"))
    assert document.title == "Pumps"
    assert [
        (part.kind.value, part.level, part.label, document.slice(part))
        for part in document.segments
    ] == [
        ("page", 1, "Page 1", ""),
        ("paragraph", 0, "", "The pump is oiled\nevery month by the company."),
        ("paragraph", 0, "", "The well is\nnot."),
        ("page", 1, "Page 3", ""),
        ("paragraph", 0, "", "Page three (last)."),
    ]
    assert [warning.place for warning in document.warnings] == ["page 2"]


def test_without_a_title_property_the_file_name_is_the_title() -> None:
    assert read(pdf([["x"]])).title == "scan"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [(pdf([[], []]), "run OCR first"), (b"%PDF-1.7\nnothing", "damaged PDF")],
)
def test_a_pdf_without_text_or_sense_is_an_error(raw: bytes, reason: str) -> None:
    with pytest.raises(SourceError, match=reason) as caught:
        read(raw)
    assert caught.value.reader == "pdf"


def test_the_signature_decides() -> None:
    assert PdfReader().sniff(SourceFile("a/b.txt", "a", b"%PDF-1.4"))
    assert PdfReader().sniff(SourceFile("a/b.pdf", "a", b"\n\n%PDF-1.4"))
    assert not PdfReader().sniff(SourceFile("a/b.md", "a", b"About %PDF-1.4"))
