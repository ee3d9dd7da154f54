"""The reader for Word documents: mammoth makes HTML of them, then they are read like a page."""

import html
import io
import re
import zipfile

from momentry_assets.model import Document, DocumentKind, DocumentStatus, SourceWarning
from momentry_assets.sources.languages import language_code
from momentry_assets.sources.markdown import title_of
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.text import clean

_BODY = "word/document.xml"
_PROPERTIES = "docProps/core.xml"
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Heading 7'] => h6:fresh
p[style-name='Heading 8'] => h6:fresh
p[style-name='Heading 9'] => h6:fresh
p[style-name='Quote'] => blockquote:fresh
p[style-name='Intense Quote'] => blockquote:fresh
p[style-name='HTML Preformatted'] => pre:separator('\\n')
"""
# The arrow that mammoth puts behind a footnote to lead back.
_BACK_LINK = re.compile(r'\s*<a href="#(?:foot|end)note-ref-[^"<>]*">[^<]*</a>')
# A few kilobytes of zip can hold gigabytes; text of this size is no document.
_LARGEST_PART = 256 * 1024 * 1024
_MOST_WARNINGS = 20


class DocxReader:
    """Office Open XML documents (ECMA-376), also templates and macro-enabled ones."""

    name = "docx"
    kind = DocumentKind.TEXT
    suffixes = (".docx",)

    def sniff(self, source: SourceFile) -> bool:
        """A zip file with the body of a Word document in it."""
        if not source.raw.startswith(b"PK\x03\x04"):
            return False
        try:
            with zipfile.ZipFile(io.BytesIO(source.raw)) as archive:
                return _BODY in archive.namelist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            return False

    def read(self, source: SourceFile) -> Document:
        """Read a Word document; its title is a property, else the first heading, else the name."""
        # mammoth 0.1 s, selectolax 0.03 s at import.
        import mammoth

        from momentry_assets.sources.html_blocks import NestedTooDeeplyError, Page, read_page

        properties = self._open(source)
        try:
            result = mammoth.convert_to_html(
                io.BytesIO(source.raw),
                style_map=_STYLES,
                convert_image=mammoth.images.img_element(_without_content),
            )
            page: Page = read_page(clean(_BACK_LINK.sub("", str(result.value))))
        except NestedTooDeeplyError as error:
            raise source.error(str(error), reader=self.name) from error
        except Exception as error:
            # mammoth raises what the damaged part makes it stumble over: KeyError, ExpatError …
            reason = f"damaged Word document ({type(error).__name__}: {error})"
            raise source.error(reason, reader=self.name) from error
        messages = dict.fromkeys(str(message.message) for message in result.messages)
        warnings = [SourceWarning("file", text) for text in list(messages)[:_MOST_WARNINGS]]
        keywords = re.split(r"[,;]", properties.get("keywords", ""))
        return source.document(
            kind=self.kind,
            document_type=self.name,
            reader=self.name,
            text=page.text,
            segments=tuple(page.segments),
            title=properties.get("title", "") or title_of(page.segments),
            tags=tuple(dict.fromkeys(word.strip() for word in keywords if word.strip())),
            language=language_code(properties.get("language")),
            status=DocumentStatus.READ if page.segments else DocumentStatus.EMPTY,
            note="" if page.segments else "the document has no text",
            metadata=properties,
            warnings=tuple(warnings),
        )

    def _open(self, source: SourceFile) -> dict[str, str]:
        """The document's properties, after a look at whether it can be opened at all."""
        try:
            with zipfile.ZipFile(io.BytesIO(source.raw)) as archive:
                names = archive.namelist()
                if _BODY not in names:
                    raise source.error("not a Word document: it has no body", reader=self.name)
                if any(part.file_size > _LARGEST_PART for part in archive.infolist()):
                    raise source.error("a part of the document is too large", reader=self.name)
                core = archive.read(_PROPERTIES) if _PROPERTIES in names else b""
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError) as error:
            reason = f"not a readable Word document ({error})"
            if source.raw.startswith(b"\xd0\xcf\x11\xe0"):
                reason = "an old Word document or an encrypted one: save it as .docx"
            raise source.error(reason, reader=self.name) from error
        return _properties(core.decode("utf-8", "replace"))


def _without_content(_image: object) -> dict[str, str]:
    """An image by its alternative text alone; its bytes would only be made base64 here."""
    return {"src": ""}


def _properties(core: str) -> dict[str, str]:
    """Title, creator, keywords … of the core properties: flat XML, one element each."""
    found: dict[str, str] = {}
    for name, value in re.findall(r"<(?:dc|cp|dcterms):(\w+)[^<>]*>([^<]*)</", core):
        text = " ".join(clean(html.unescape(value)).split())
        if text:
            found.setdefault(name, text)
    return found
