"""The reader for PDF: the text layer page by page (PDFium).

PDF (ISO 32000) knows no headings and no paragraphs. A page opens a section of its own: a segment
of kind ``PAGE`` without text (start == end), labelled ``Page 3``, and behind it the paragraphs
of the page, found by the gaps between the lines. The canonical text is the text layer: lines as
they stand, words divided at a line end put together.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from momentry_assets.model import Document, DocumentKind, Segment, SegmentKind, SourceWarning
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.text import clean

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

# ISO 32000-1, Annex H (implementation note 13): the header may stand within 1024 bytes.
_HEADER_WITHIN = 1024
# A gap that much larger than the usual distance of lines begins a paragraph.
_PARAGRAPH_GAP = 1.35
_HYPHENS = "-\u00ad\u2010\u0002\ufffe"
# PDFium must not be called from two threads at once.
_PDFIUM = threading.Lock()


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    top: float


class PdfReader:
    """PDF files with a text layer. Scanned pages have none: they need OCR first."""

    name = "pdf"
    kind = DocumentKind.TEXT
    suffixes = (".pdf",)

    def sniff(self, source: SourceFile) -> bool:
        """The signature ``%PDF-``, which may stand behind some bytes of something else."""
        head = source.raw[:_HEADER_WITHIN]
        return head.startswith(b"%PDF-") or (b"%PDF-" in head and source.suffix == ".pdf")

    def read(self, source: SourceFile) -> Document:
        """Read the pages; the title is the document property, else the file name."""
        # 0.07 s at import.
        from pypdfium2 import PdfDocument, PdfiumError

        with _PDFIUM:
            try:
                pdf = PdfDocument(source.raw)
            except PdfiumError as error:
                locked = "password" in str(error).lower()
                reason = "needs a password" if locked else f"damaged PDF ({error})"
                raise source.error(reason, reader=self.name) from error
            try:
                properties = {
                    key: value
                    for key, raw in pdf.get_metadata_dict().items()
                    if (value := " ".join(clean(str(raw)).split()))
                }
                pages, warnings = _pages(pdf)
            finally:
                pdf.close()
        builder = _Builder()
        for number, lines in enumerate(pages, 1):
            builder.add_page(number, list(_paragraphs(lines)))
        if not builder.has_text:
            raise source.error(
                f"none of the {len(pages)} page(s) has a text layer; run OCR first",
                reader=self.name,
            )
        return source.document(
            kind=self.kind,
            document_type=self.name,
            reader=self.name,
            text="".join(builder.parts),
            segments=tuple(builder.segments),
            title=properties.get("Title", ""),
            metadata=properties,
            warnings=tuple(warnings + builder.warnings),
        )


def _pages(pdf: "PdfDocument") -> tuple[list[list[_Line]], list[SourceWarning]]:
    from pypdfium2 import PdfiumError

    pages: list[list[_Line]] = []
    warnings: list[SourceWarning] = []
    for index in range(len(pdf)):
        try:
            page = pdf[index]
            pages.append(_lines(page))
            page.close()
        except PdfiumError as error:
            pages.append([])
            warnings.append(
                SourceWarning(f"page {index + 1}", f"the page could not be read ({error})")
            )
    return pages, warnings


def _lines(page: "PdfPage") -> list[_Line]:
    import pypdfium2.raw as pdfium

    textpage = page.get_textpage()
    lines: list[_Line] = []
    characters: list[str] = []
    top = 0.0
    try:
        for index in range(textpage.count_chars()):
            character = chr(pdfium.FPDFText_GetUnicode(textpage.raw, index))
            if character in "\r\n":
                lines.append(_Line(_cleaned(characters), top))
                characters.clear()
                continue
            if not characters and not character.isspace():
                top = textpage.get_charbox(index, loose=True)[3]
            if characters or not character.isspace():
                characters.append(character)
        lines.append(_Line(_cleaned(characters), top))
    finally:
        textpage.close()
    return [line for line in lines if line.text]


def _cleaned(characters: list[str]) -> str:
    # PDFium marks a word divided at a line end with U+0002 or U+FFFE in the hyphen's place.
    text = "".join(characters).rstrip()
    divided = text[-1:] in ("\u0002", "\ufffe")
    return clean(text[:-1] + "\u00ad" if divided else text)


def _paragraphs(lines: list[_Line]) -> Iterator[str]:
    """Lines of a page joined to paragraphs at the wider gaps, words put together again."""
    steps = [before.top - line.top for before, line in pairwise(lines)]
    downwards = [step for step in steps if step > 0]
    usual = median(downwards) if downwards else 0.0
    text = ""
    for line, step in zip(lines, [0.0, *steps], strict=False):
        # A step upwards is a new column: a sentence may go on there.
        ended = text.endswith((".", "!", "?", ":", "。", "！", "？", "؟", "।"))
        if text and (step > usual * _PARAGRAPH_GAP or (step < 0 and ended)):
            yield text
            text = ""
        text = _joined(text, line.text)
    if text:
        yield text.rstrip("\u00ad")


def _joined(text: str, line: str) -> str:
    if not text:
        return line
    if text[-1] == "\u00ad":
        return text[:-1] + line
    if text[-1] in _HYPHENS and text[-2:-1].isalpha() and line[0].islower():
        return text[:-1] + line
    if _is_unspaced(text[-1]) and _is_unspaced(line[0]):
        return text + line
    return f"{text}\n{line}"


def _is_unspaced(character: str) -> bool:
    """Han, kana and their punctuation: scripts that put no blank between words."""
    return "\u3000" <= character <= "\u9fff" or "\uf900" <= character <= "\uffef"


class _Builder:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.segments: list[Segment] = []
        self.warnings: list[SourceWarning] = []
        self.length = 0

    @property
    def has_text(self) -> bool:
        return bool(self.parts)

    def add_page(self, number: int, paragraphs: list[str]) -> None:
        if not paragraphs:
            self.warnings.append(SourceWarning(f"page {number}", "the page has no text layer"))
            return
        for position, paragraph in enumerate(paragraphs):
            if self.parts:
                self.parts.append("\n\n")
                self.length += 2
            if position == 0:
                self._add(SegmentKind.PAGE, self.length, f"Page {number}")
            start = self.length
            self.parts.append(paragraph)
            self.length += len(paragraph)
            self._add(SegmentKind.PARAGRAPH, start)

    def _add(self, kind: SegmentKind, start: int, label: str = "") -> None:
        self.segments.append(
            Segment(
                index=len(self.segments),
                kind=kind,
                start=start,
                end=self.length,
                level=1 if label else 0,
                label=label,
            )
        )
