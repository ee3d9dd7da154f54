"""What the tests of the media readers share: reading bytes, and seeing what came of them."""

import json
from collections.abc import Mapping

from momentry_assets.model import Document, Segment, SegmentKind
from momentry_assets.sources.registry import read_document


def read(
    name: str, content: str | bytes | object, companions: Mapping[str, bytes] | None = None
) -> Document:
    """Read a file of the collection ``c``; what is no text is written as JSON first."""
    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    raw = content if isinstance(content, bytes) else content.encode("utf-8")
    return read_document(raw, collection="c", path=f"c/{name}", companions=companions)


def spoken(document: Document) -> list[Segment]:
    return [part for part in document.segments if part.kind is not SegmentKind.SCENE]


def texts(document: Document) -> list[str]:
    return [document.slice(part) for part in spoken(document)]


def times(document: Document) -> list[tuple[int | None, int | None]]:
    return [(part.start_ms, part.end_ms) for part in spoken(document)]


def segment(start: object, end: object, text: object, **further: object) -> dict[str, object]:
    return {"start": start, "end": end, "text": text, **further}
