"""What a reader is, and the file it is given. The readers themselves know no file system.

A reader is an object with a name, the extensions its format is usual under, a `sniff` that looks
at the content and a `read` that gives a `Document` or raises `SourceError`.
`momentry_assets.sources.registry` chooses among them.
"""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Protocol

from momentry_assets.errors import SourceError
from momentry_assets.model import (
    Document,
    DocumentKind,
    DocumentStatus,
    Segment,
    SourceWarning,
)
from momentry_assets.sources.text import DecodedText, clean, decode


def make_document_id(path: str) -> str:
    """The document id of a path below the corpus; another path always gives another id.

    ``#`` separates document and structure in chunk ids and so becomes ``%23``, ``%`` becomes
    ``%25``; control characters, line separators and bytes that are no UTF-8 (Python's surrogate
    escapes) become ``%XX`` for every byte. Unicode is not normalised: café in NFC and in NFD
    are two files, so they are two documents.
    """
    return "".join(_escaped(character) for character in path)


def _escaped(character: str) -> str:
    if character not in "#%" and unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp"):
        return character
    if "\udc80" <= character <= "\udcff":
        return f"%{ord(character) - 0xDC00:02X}"
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def storable_name(name: str) -> str:
    """A file name as it is shown and stored: only what no store can hold is percent-encoded."""
    return "".join(
        _escaped(character)
        if unicodedata.category(character) == "Cs" or character == "\0"
        else character
        for character in name
    )


@dataclass(frozen=True)
class SourceFile:
    """One file of the corpus, not yet read.

    Attributes:
        path: path below the corpus with ``/``; its first part is the collection.
        collection: the first folder below the corpus.
        raw: the bytes of the file.
        companions: files that belong to it, by file name (``talk-Scenes.csv`` of ``talk.json``).
    """

    path: str
    collection: str
    raw: bytes
    companions: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    @property
    def suffix(self) -> str:
        """The extension in lower case with its dot, empty when there is none."""
        return PurePosixPath(self.path).suffix.lower()

    @property
    def stem(self) -> str:
        """The file name without folder and extension, safe to store; the last resort as a title."""
        return clean(storable_name(PurePosixPath(self.path).stem))

    @property
    def document_id(self) -> str:
        """See `make_document_id`."""
        return make_document_id(self.path)

    @cached_property
    def decoded(self) -> DecodedText:
        """The file as text (see `momentry_assets.sources.text.decode`), made once."""
        return decode(self.raw)

    @cached_property
    def json_value(self) -> object:
        """The file parsed as one JSON value, None when it is no JSON; made once for all readers.

        Python's JSON writer puts bare NaN and Infinity into files; they are read as such, so
        that a warning can name them, and ``1e999`` becomes infinite: check with `isfinite`.
        Strings are not cleaned and may hold bare newlines and tabs, as JSON made by hand does.
        """
        if self.decoded.text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            return json.loads(self.decoded.text, strict=False)
        except (ValueError, RecursionError):
            return None

    @cached_property
    def source_hash(self) -> str:
        """SHA-256 of the bytes; with companions, of every part with its name and length."""
        digest = hashlib.sha256(self.raw)
        for name in sorted(self.companions):
            content = self.companions[name]
            digest.update(f"\0{name}\0{len(content)}\0".encode("utf-8", "surrogatepass"))
            digest.update(content)
        return digest.hexdigest()

    def error(self, reason: str, *, reader: str, place: str = "") -> SourceError:
        """A `SourceError` about this file."""
        return SourceError(storable_name(self.path), reason, place=place, reader=reader)

    def document(
        self,
        *,
        kind: DocumentKind,
        document_type: str,
        reader: str,
        text: str,
        segments: tuple[Segment, ...] = (),
        title: str = "",
        tags: tuple[str, ...] = (),
        language: str = "und",
        status: DocumentStatus = DocumentStatus.READ,
        note: str = "",
        duration_ms: int | None = None,
        metadata: Mapping[str, object] | None = None,
        warnings: tuple[SourceWarning, ...] = (),
        decoded: DecodedText | None = None,
    ) -> Document:
        """The `Document` of this file with everything filled in that only the file decides.

        Args:
            kind, document_type, reader, text, segments, title, tags, language, status, note,
            duration_ms, metadata: see `Document`. Without a title the file's stem is taken.
            warnings: the reader's own; those of decoding are put before them.
            decoded: how the bytes became text; None for formats that are not text.
        """
        before = decoded.warnings if decoded else ()
        return Document(
            document_id=self.document_id,
            collection=storable_name(self.collection),
            path=storable_name(self.path),
            kind=kind,
            document_type=document_type,
            title=clean(title).strip() or self.stem,
            text=text,
            segments=segments,
            source_hash=self.source_hash,
            tags=tags,
            language=language,
            status=status,
            note=note,
            reader=reader,
            encoding=decoded.encoding if decoded else "binary",
            byte_order_mark=decoded.byte_order_mark if decoded else False,
            newline=decoded.newline if decoded else "\n",
            duration_ms=duration_ms,
            metadata=metadata or {},
            warnings=before + warnings,
        )


class Reader(Protocol):
    """One format. Readers hold no state and are safe to share between threads."""

    @property
    def name(self) -> str:
        """What documents and errors call it: ``markdown``, ``srt``, ``whisperx`` …"""
        ...

    @property
    def kind(self) -> DocumentKind:
        """Which of the two worlds its documents belong to."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Extensions (lower case, with dot) the format is usual under."""
        ...

    def sniff(self, source: SourceFile) -> bool:
        """True when the *content* is surely this format, whatever the file is called."""
        ...

    def read(self, source: SourceFile) -> Document:
        """Read the file.

        Raises:
            SourceError: when it is not this format or nothing is found in it.
        """
        ...
