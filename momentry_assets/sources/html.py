"""The reader for HTML: the text of the page with its headings, lists, tables and code.

Menus (``nav``), scripts, styles, forms' buttons and hidden elements are left out. The canonical
text is the page's text, not its source (see `momentry_assets.sources.html_blocks`).
"""

import re

from momentry_assets.model import Document, DocumentKind
from momentry_assets.sources.languages import language_code
from momentry_assets.sources.markdown import title_of
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.text import decode, looks_binary

_BEGINNING = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)?(?:<!doctype\s+html\b|<html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
# WHATWG HTML looks for the declaration in the first 1024 bytes.
_DECLARED = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
_DECLARED_WITHIN = 1024


class HtmlReader:
    """HTML of any age. See the module."""

    name = "html"
    kind = DocumentKind.TEXT
    suffixes = (".html", ".htm", ".xhtml")

    def sniff(self, source: SourceFile) -> bool:
        """A page begins with its doctype or its root element."""
        return _BEGINNING.match(source.decoded.text) is not None

    def read(self, source: SourceFile) -> Document:
        """Read a page; its title is ``<title>``, else the first heading, else the file name."""
        # 0.03 s at import.
        from momentry_assets.sources.html_blocks import NestedTooDeeplyError, read_page

        declared = _DECLARED.search(source.raw[:_DECLARED_WITHIN])
        decoded = (
            decode(source.raw, declared=declared[1].decode("ascii", "replace"))
            if declared
            else source.decoded
        )
        if looks_binary(decoded.text):
            raise source.error("the content is not text", reader=self.name)
        try:
            page = read_page(decoded.text)
        except NestedTooDeeplyError as error:
            raise source.error(str(error), reader=self.name) from error
        if not page.segments:
            raise source.error(
                "the page has no text; if a script makes it, save the page from a browser",
                reader=self.name,
            )
        keywords = (word.strip() for word in page.metadata.get("keywords", "").split(","))
        return source.document(
            kind=self.kind,
            document_type=self.name,
            reader=self.name,
            text=page.text,
            segments=tuple(page.segments),
            title=page.title or title_of(page.segments),
            tags=tuple(dict.fromkeys(word for word in keywords if word)),
            language=language_code(page.language),
            metadata=page.metadata,
            decoded=decoded,
        )
