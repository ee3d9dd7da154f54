"""The reader for Markdown. The canonical text is the whole decoded file, front matter included.

Every span a person reads is thereby the file's own text; front matter, comments, thematic breaks
and link definitions are in the text but in no segment.
"""

from momentry_assets.model import (
    Document,
    DocumentKind,
    DocumentStatus,
    Segment,
    SegmentKind,
    SourceWarning,
)
from momentry_assets.sources.front_matter import FrontMatter, read_front_matter
from momentry_assets.sources.markdown_blocks import read_blocks
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.text import looks_binary


class MarkdownReader:
    """CommonMark with tables, footnotes and YAML front matter."""

    name = "markdown"
    kind = DocumentKind.TEXT
    suffixes = (".md", ".markdown")

    def sniff(self, source: SourceFile) -> bool:
        """Never sure: every text is Markdown. Only the extension tells."""
        return False

    def read(self, source: SourceFile) -> Document:
        """Read a Markdown file (see the module)."""
        decoded = source.decoded
        if looks_binary(decoded.text):
            raise source.error("the content is not text", reader=self.name)
        front = read_front_matter(decoded.text)
        segments = read_blocks(decoded.text, front.body_start)
        return markdown_document(source, self.name, decoded.text, front, segments)


def markdown_document(
    source: SourceFile,
    reader: str,
    text: str,
    front: FrontMatter,
    segments: list[Segment],
    warnings: tuple[SourceWarning, ...] = (),
) -> Document:
    """The document of Markdown and its relatives: title, tags and language found, notes made.

    The title is the front matter's, else the first h1, else the first heading, else the file name.
    """
    status, note = DocumentStatus.READ, ""
    if not segments:
        status = DocumentStatus.EMPTY
        only = "front matter" if not text[front.body_start :].strip() else "marks without text"
        note = f"nothing to index: the file has only {only}"
    elif all(segment.kind is SegmentKind.HEADING for segment in segments):
        note = "headings only, no text below them"
    return source.document(
        kind=DocumentKind.TEXT,
        document_type=reader,
        reader=reader,
        text=text,
        segments=tuple(segments),
        title=front.title or title_of(segments),
        tags=front.tags,
        language=front.language,
        status=status,
        note=note,
        metadata=front.fields,
        warnings=(*front.warnings, *warnings, *_hidden_rest(text, front.body_start, segments)),
        decoded=source.decoded,
    )


def title_of(segments: list[Segment]) -> str:
    """The first h1 with a text, else the first heading with one, else empty."""
    headings = [part for part in segments if part.kind is SegmentKind.HEADING and part.label]
    first_h1 = next((part.label for part in headings if part.level == 1), "")
    return first_h1 or (headings[0].label if headings else "")


def _hidden_rest(text: str, body_start: int, segments: list[Segment]) -> list[SourceWarning]:
    """An HTML comment that never closes hides everything below it: say so."""
    opening = text.rfind("<!--", body_start)
    if opening < 0 or text.find("-->", opening) >= 0:
        return []
    if any(segment.start <= opening < segment.end for segment in segments):
        return []
    return [
        SourceWarning(
            place=f"line {text.count(chr(10), 0, opening) + 1}",
            message="an HTML comment is never closed; the rest of the file is not indexed",
        )
    ]
