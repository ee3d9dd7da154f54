"""The reading stage: a collection's files to the tables of documents and raw segments."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from momentry_assets.errors import SourceError
from momentry_assets.model import Document, DocumentStatus
from momentry_assets.rows import documents_table, rejected_table, segments_table
from momentry_assets.schemas import DOCUMENTS, RAW_SEGMENTS, REJECTED_DOCUMENTS
from momentry_assets.sources.language_detection import with_language
from momentry_assets.sources.reader import storable_name
from momentry_assets.sources.registry import read_document
from momentry_assets.sources.walk import Entry
from momentry_assets.tables import TableStore, content_key

# Part of the content key: change it when the same bytes would be read differently.
READERS_VERSION = 4
_SPECS = (DOCUMENTS, RAW_SEGMENTS, REJECTED_DOCUMENTS)


@dataclass(frozen=True, slots=True)
class ReadReceipt:
    """What reading one collection gave.

    Attributes:
        unchanged: True when no file changed and nothing was written.
        rejected: files that could not be read, as ``path: place: reason``.
        empty: documents without text or speech, with the reason.
    """

    content_key: str
    unchanged: bool
    documents: int
    segments: int
    warnings: int
    rejected: tuple[str, ...]
    empty: tuple[str, ...]


def read_collection(
    entries: list[Entry],
    store: TableStore,
    partition: str,
    report: Callable[[str], None] = lambda _: None,
) -> ReadReceipt:
    """Read every file of a collection and publish its tables.

    A file that cannot be read lands in ``rejected_documents`` with place and reason; the rest
    goes on. Nothing is read twice: when no byte changed the tables stay as they are.

    Args:
        entries: the collection's files.
        store: where the tables go.
        partition: partition key of the collection.
        report: called with one line for every file that is refused or guessed at.
    """
    key = _key(entries)
    if not store.is_current(_SPECS, partition, key):
        documents: list[Document] = []
        rejected: list[SourceError] = []
        for entry in entries:
            try:
                document = _read(entry)
            except SourceError as error:
                report(f"rejected: {error}")
                rejected.append(error)
                continue
            for warning in document.warnings:
                report(f"{entry.path}: {warning.place}: {warning.message}")
            documents.append(document)
        store.publish(
            partition,
            key,
            {
                DOCUMENTS: documents_table(documents),
                RAW_SEGMENTS: segments_table(documents),
                REJECTED_DOCUMENTS: rejected_table(rejected),
            },
        )
        unchanged = False
    else:
        unchanged = True
    return _receipt(store, partition, key, unchanged)


def _read(entry: Entry) -> Document:
    try:
        raw = entry.file.read_bytes()
        companions = {file.name: file.read_bytes() for file in entry.companions}
    except OSError as error:
        raise SourceError(
            storable_name(entry.path), f"cannot be opened ({error.strerror})"
        ) from error
    return with_language(
        read_document(raw, collection=entry.collection, path=entry.path, companions=companions)
    )


def _key(entries: list[Entry]) -> str:
    files: list[tuple[str, str]] = []
    for entry in entries:
        for file in (entry.file, *entry.companions):
            try:
                with file.open("rb") as stream:
                    digest = sha256(stream.read()).hexdigest()
            except OSError as error:
                digest = f"unreadable: {error.strerror}"
            files.append((entry.path, digest))
    return content_key("read", READERS_VERSION, files)


def _receipt(store: TableStore, partition: str, key: str, unchanged: bool) -> ReadReceipt:
    documents = store.read(
        DOCUMENTS, partition, ["document_id", "status", "note", "warnings"]
    ).to_pylist()
    rejected = store.read(REJECTED_DOCUMENTS, partition).to_pylist()
    entry = store.entry(RAW_SEGMENTS, partition)
    return ReadReceipt(
        content_key=key,
        unchanged=unchanged,
        documents=len(documents),
        segments=entry.rows if entry else 0,
        warnings=sum(len(row["warnings"]) for row in documents),
        rejected=tuple(
            ": ".join(part for part in (row["path"], row["place"], row["reason"]) if part)
            for row in rejected
        ),
        empty=tuple(
            f"{row['document_id']}: {row['note'] or row['status']}"
            for row in documents
            if row["status"] != DocumentStatus.READ
        ),
    )
