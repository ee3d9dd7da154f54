"""The words of the domain as frozen records: document, segment, chunk.

Everything that crosses a border between two stages in Python is one of these; inside a stage
the same rows travel as Arrow tables (`momentry_assets.schemas`).

Offsets are half-open and count Unicode code points of the document's canonical text.
Times are integer milliseconds with ``0 <= start_ms <= end_ms``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import NAMESPACE_URL, UUID, uuid5


class DocumentKind(StrEnum):
    """Which of the two worlds a document belongs to; decides the default chunking variant."""

    MEDIA = "media"
    TEXT = "text"


class DocumentStatus(StrEnum):
    """What reading a file gave. All of them are successes; failures are `SourceError`."""

    READ = "read"
    EMPTY = "empty"
    NO_SPEECH = "no_speech"


class SegmentKind(StrEnum):
    """What a segment is. ``SENTENCE`` is speech as a recogniser or subtitle delivered it."""

    SENTENCE = "sentence"
    SOUND = "sound"
    SCENE = "scene"
    DETECTION = "detection"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"
    FOOTNOTE = "footnote"
    HTML = "html"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class SourceWarning:
    """Something a reader guessed or repaired.

    Attributes:
        place: where, for example ``"segments[3]"``, ``"cue 12"`` or ``"line 4"``.
        message: what was done and why, with the original value.
        field: the field that was repaired, empty when the warning is about more than one.
        original: the value as it stood in the file, empty when there was none.
    """

    place: str
    message: str
    field: str = ""
    original: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """The smallest piece a reader yields: an ASR segment, a scene, a Markdown block.

    Attributes:
        index: position among the document's segments, from 0.
        kind: what it is.
        start, end: code-point offsets into the canonical text. A scene and a page (its beginning)
            have no text: start == end.
        start_ms, end_ms: times for media, None for text documents.
        speaker: as the source names the speaker, empty when it does not.
        level: heading level 1-6, otherwise 0.
        label: the heading's text without marks; a detection's own type; a page's name, which is
            the heading path of what follows (level 1); empty otherwise.
        breaks: offsets inside the segment where it may best be split (list items, table rows,
            lines of code), in order, without start and end.
        header_end: for a table, the offset where its header rows end; otherwise None.
        source_key: the segment's own id or number in the source, empty when it has none.
        repaired: True when a value was changed by the reader (see the document's warnings).
        search_text: what to match instead of the slice, empty when it is the slice itself
            (a recogniser's loop collapsed, a base64 image left out).
    """

    index: int
    kind: SegmentKind
    start: int
    end: int
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str = ""
    level: int = 0
    label: str = ""
    breaks: tuple[int, ...] = ()
    header_end: int | None = None
    source_key: str = ""
    repaired: bool = False
    search_text: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """One file of the corpus after reading.

    Attributes:
        document_id: ``<collection>/<relative path>``; never depends on the content.
        collection: the first folder below the corpus, as it is named there.
        path: path below the corpus, with ``/``.
        kind: media or text.
        document_type: the reader's format: ``markdown``, ``plaintext``, ``whisper``, ``srt`` …
        title: from front matter, first heading or file name.
        text: the canonical text; every offset in the system points into it.
        segments: in order of start (ties: file order).
        source_hash: SHA-256 of the bytes read (companion files included), hex.
        tags: from front matter.
        language: ISO 639-1 code, ``und`` when unknown.
        status: read, empty or no_speech.
        note: why the document is empty, when it is.
        reader: which reader was used. encoding: which encoding was found.
        byte_order_mark: True when the file began with one.
        newline: ``"\\n"``, ``"\\r\\n"``, ``"\\r"`` or ``"mixed"`` as found in the file.
        duration_ms: length of the media when the source says it.
        metadata: the source's own fields (front matter), values kept as the source wrote them.
        warnings: everything guessed or repaired.
    """

    document_id: str
    collection: str
    path: str
    kind: DocumentKind
    document_type: str
    title: str
    text: str
    segments: tuple[Segment, ...]
    source_hash: str
    tags: tuple[str, ...] = ()
    language: str = "und"
    status: DocumentStatus = DocumentStatus.READ
    note: str = ""
    reader: str = ""
    encoding: str = "utf-8"
    byte_order_mark: bool = False
    newline: str = "\n"
    duration_ms: int | None = None
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    warnings: tuple[SourceWarning, ...] = ()

    def slice(self, segment: Segment) -> str:
        """The canonical text of one segment."""
        return self.text[segment.start : segment.end]

    def slice_span(self, span: tuple[int, int]) -> str:
        """The canonical text of a half-open pair of offsets."""
        return self.text[span[0] : span[1]]


class Level(StrEnum):
    """The two levels of the hierarchy: children match, parents are read."""

    CHILD = "child"
    PARENT = "parent"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A child or a parent. Both carry the same fields (source 002).

    Attributes:
        chunk_id: ``<document_id>#<structure>`` (see `momentry_assets.chunking.ids`).
        level: child or parent.
        chunk_type: ``sentence``, ``paragraph``, ``list``, ``code``, ``summary`` … for children,
            ``section``, ``story``, ``fixed``, ``window`` or ``document`` for parents.
        text_content: ``document.text[start:end]`` for every variant that excerpts.
        section_id: the section, or the run of speech between two cuts, that it is part of; a
            window around a child never leaves it.
        section_hierarchy: heading path from the root, empty outside headings and for media.
        index, total: position among the document's chunks of the same level, from 0.
        token_count: tokens of ``text_content`` by the embedder's tokenizer, without special tokens.
        content_hash: SHA-256 of ``text_content``, hex.
        parent_chunk_id, start_in_parent: for children, otherwise None.
        child_chunk_ids, description: for parents, otherwise empty.
        search_text: the text to match when it differs from ``text_content``, otherwise empty.
        writer: who wrote the description or the generated ``search_text`` (``lead``,
            ``extractive``, ``llm:<model>`` …), empty for a child that is an excerpt.
        fallback: why another writer than the chosen one wrote it, empty when it did not fail.
    """

    chunk_id: str
    level: Level
    chunk_type: str
    document_id: str
    text_content: str
    start: int
    end: int
    section_id: str
    section_hierarchy: tuple[str, ...]
    index: int
    total: int
    token_count: int
    content_hash: str
    start_ms: int | None = None
    end_ms: int | None = None
    speakers: tuple[str, ...] = ()
    parent_chunk_id: str | None = None
    start_in_parent: int | None = None
    child_chunk_ids: tuple[str, ...] = ()
    description: str = ""
    search_text: str = ""
    writer: str = ""
    fallback: str = ""


def point_id(chunk_id: str) -> UUID:
    """Qdrant's point id of a chunk: UUIDv5 of the chunk id in the URL namespace (RFC 9562)."""
    return uuid5(NAMESPACE_URL, chunk_id)
