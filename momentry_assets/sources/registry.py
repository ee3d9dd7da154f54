"""Which reader reads a file, and the one function that reads it.

The content decides before the extension: the first reader whose `sniff` is sure of the content,
else the reader the extension belongs to. Whatever goes wrong inside a reader leaves here as a
`SourceError` that names the file and the reader, so that a run goes on without the file.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from momentry_assets.errors import SourceError
from momentry_assets.model import Document, DocumentKind, DocumentStatus, SourceWarning
from momentry_assets.sources.asr_json import ASR_READERS
from momentry_assets.sources.detections import DETECTION_READERS
from momentry_assets.sources.docx import DocxReader
from momentry_assets.sources.html import HtmlReader
from momentry_assets.sources.markdown import MarkdownReader
from momentry_assets.sources.mdx import MdxReader
from momentry_assets.sources.pdf import PdfReader
from momentry_assets.sources.plaintext import PlainTextReader
from momentry_assets.sources.reader import Reader, SourceFile, make_document_id
from momentry_assets.sources.subtitles import SUBTITLE_READERS
from momentry_assets.sources.text import is_blank
from momentry_assets.sources.youtube import YOUTUBE_READERS

__all__ = ["KNOWN_SUFFIXES", "MEDIA_SUFFIXES", "READERS", "make_document_id", "read_document"]

_Result = TypeVar("_Result")

# Formats with a signature first, formats that take any text last.
READERS: tuple[Reader, ...] = (
    PdfReader(),
    DocxReader(),
    *ASR_READERS,
    *YOUTUBE_READERS,
    *DETECTION_READERS,
    *SUBTITLE_READERS,
    HtmlReader(),
    MdxReader(),
    MarkdownReader(),
    PlainTextReader(),
)

KNOWN_SUFFIXES = frozenset(suffix for reader in READERS for suffix in reader.suffixes)
MEDIA_SUFFIXES = frozenset(
    suffix for reader in READERS if reader.kind is DocumentKind.MEDIA for suffix in reader.suffixes
)


def read_document(
    raw: bytes, *, collection: str, path: str, companions: Mapping[str, bytes] | None = None
) -> Document:
    """Read one file of the corpus.

    Args:
        raw: the whole file.
        collection: the top folder it lies below.
        path: path below the corpus with ``/``, the collection included.
        companions: files that belong to it, by file name (see `momentry_assets.sources.walk`).

    Returns:
        The document; one without any text but white space has status ``EMPTY`` and a note.

    Raises:
        SourceError: when no reader fits, or the reader finds nothing in a file that is not empty.
    """
    source = SourceFile(path, collection, raw, companions or {})
    if not raw.strip() or is_blank(source.decoded.text):
        return _empty(source)
    for reader in READERS:
        if _guarded(source, reader, reader.sniff):
            document = _guarded(source, reader, reader.read)
            return _with_suffix_warning(source, reader, document)
    readers = _readers_of_suffix(source)
    try:
        return _guarded(source, readers[0], readers[0].read)
    except SourceError as error:
        if len(readers) == 1 or error.__cause__ is not None:
            raise
        raise _tried(source, readers, error) from error


def _guarded(source: SourceFile, reader: Reader, step: Callable[[SourceFile], _Result]) -> _Result:
    """One step of a reader; whatever it raises leaves as a `SourceError` that names it."""
    try:
        result = step(source)
        if isinstance(result, Document):
            _check(result)
    except SourceError as error:
        if error.reader:
            raise
        raise SourceError(
            error.path, error.reason, place=error.place, reader=reader.name
        ) from error
    except Exception as error:
        reason = f"the {reader.name} reader failed: {type(error).__name__}: {error}"
        raise source.error(reason, reader=reader.name) from error
    return result


def _empty(source: SourceFile) -> Document:
    reader = next((item for item in READERS if source.suffix in item.suffixes), None)
    return source.document(
        kind=reader.kind if reader else DocumentKind.TEXT,
        document_type=reader.name if reader else "plaintext",
        reader=reader.name if reader else "plaintext",
        text=source.decoded.text,
        status=DocumentStatus.EMPTY,
        note="the file has no bytes" if not source.raw else "the file has only white space",
        decoded=source.decoded,
    )


def _readers_of_suffix(source: SourceFile) -> list[Reader]:
    readers = [reader for reader in READERS if source.suffix in reader.suffixes]
    if not readers:
        known = " ".join(sorted(KNOWN_SUFFIXES))
        raise source.error(
            f"no reader knows the content, and none the extension {source.suffix!r} "
            f"(known: {known})",
            reader="",
        )
    return readers


def _tried(source: SourceFile, readers: list[Reader], error: SourceError) -> SourceError:
    """The error of the first of several readers of an extension, with what was found instead."""
    names = ", ".join(reader.name for reader in readers)
    reason = f"{error.reason}{_seen(source)}; none of the {source.suffix} readers fits: {names}"
    return source.error(reason, reader=error.reader or readers[0].name, place=error.place)


def _seen(source: SourceFile) -> str:
    """What a JSON file has instead, for the error."""
    value = source.json_value
    if isinstance(value, dict):
        keys = [str(key)[:40] for key in cast(dict[object, object], value)][:8]
        return f" (an object with the keys {', '.join(keys)})" if keys else " (an empty object)"
    if isinstance(value, list):
        return f" (a list of {len(cast(list[object], value))})"
    return ""


def _with_suffix_warning(source: SourceFile, reader: Reader, document: Document) -> Document:
    if not reader.suffixes or source.suffix in reader.suffixes:
        return document
    warning = SourceWarning(
        place="file",
        message=f"the content is {reader.name}, though the file is named {source.suffix or '?'}",
        field="extension",
        original=source.suffix,
    )
    return replace(document, warnings=(*document.warnings, warning))


def _check(document: Document) -> None:
    """The promises of `Segment`, once for every reader: a wrong offset must not get any further."""
    document.text.encode("utf-8")
    length = len(document.text)
    for segment in document.segments:
        if not 0 <= segment.start <= segment.end <= length:
            raise ValueError(f"segment {segment.index} has offsets outside the text")
        start_ms, end_ms = segment.start_ms, segment.end_ms
        if (start_ms is None) is not (end_ms is None):
            raise ValueError(f"segment {segment.index} has half a time")
        if start_ms is not None and end_ms is not None and not 0 <= start_ms <= end_ms:
            raise ValueError(f"segment {segment.index} has its times out of order")
