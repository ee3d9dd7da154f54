"""The reader for plain text: paragraphs are what blank lines separate."""

import re

from momentry_assets.model import Document, DocumentKind, Segment, SegmentKind
from momentry_assets.sources.markup import search_text_of
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.text import looks_binary

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class PlainTextReader:
    """Text files. One line without an end is one paragraph, however long."""

    name = "plaintext"
    kind = DocumentKind.TEXT
    suffixes = (".txt", ".text")

    def sniff(self, source: SourceFile) -> bool:
        """Never sure: everything is text. Only the extension tells."""
        return False

    def read(self, source: SourceFile) -> Document:
        """Read a text file; the title is the file name."""
        decoded = source.decoded
        if looks_binary(decoded.text):
            raise source.error("the content is not text", reader=self.name)
        return source.document(
            kind=self.kind,
            document_type=self.name,
            reader=self.name,
            text=decoded.text,
            segments=tuple(read_paragraphs(decoded.text)),
            decoded=decoded,
        )


def read_paragraphs(text: str) -> list[Segment]:
    """The paragraphs of a text; a line of white space of any kind separates them.

    A paragraph runs from the beginning of its first line to the end of its last, without newline.
    """
    segments: list[Segment] = []
    start, end = -1, -1
    for line in _LINE.finditer(text):
        if not line[0].isspace():
            start = line.start() if start < 0 else start
            end = line.end() - line[0].endswith("\n")
        elif start >= 0:
            segments.append(_paragraph(text, len(segments), start, end))
            start = -1
    if start >= 0:
        segments.append(_paragraph(text, len(segments), start, end))
    return segments


def _paragraph(text: str, index: int, start: int, end: int) -> Segment:
    matched = search_text_of(text[start:end], is_code=True)
    return Segment(
        index=index, kind=SegmentKind.PARAGRAPH, start=start, end=end, search_text=matched
    )
