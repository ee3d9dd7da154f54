"""What is known around the chunks of a collection, from its tables."""

from typing import Any

import pyarrow as pa

from momentry_assets.context.embedding_text import ChildContext, Layers, ParentContext
from momentry_assets.context.neighbours import (
    first_characters,
    last_characters,
    neighbour_characters,
)
from momentry_assets.model import DocumentKind
from momentry_assets.settings import ContextSettings

Row = dict[str, Any]
_CHILD_COLUMNS = [
    "chunk_id",
    "chunk_type",
    "document_id",
    "document_title",
    "document_type",
    "document_tags",
    "language",
    "section_id",
    "section_hierarchy",
    "speakers",
    "text_content",
    "search_text",
    "token_count",
    "parent_chunk_id",
]
_PARENT_COLUMNS = [
    "chunk_id",
    "document_id",
    "document_title",
    "document_type",
    "document_tags",
    "section_hierarchy",
    "description",
    "child_chunk_ids",
]


def child_contexts(
    documents: pa.Table, parents: pa.Table, children: pa.Table, settings: ContextSettings
) -> list[ChildContext]:
    """One record a child, in the order of the table.

    Neighbours are those of the same section, so that a change elsewhere embeds nothing again.
    """
    media = _media(documents)
    descriptions: dict[str, str] = {
        row["chunk_id"]: row["description"]
        for row in parents.select(["chunk_id", "description"]).to_pylist()
    }
    rows = children.select(_CHILD_COLUMNS).to_pylist()
    found: list[ChildContext] = []
    for place, row in enumerate(rows):
        is_media = row["document_id"] in media
        wanted = is_media if settings.parent is None else settings.parent
        description = descriptions[row["parent_chunk_id"]] if wanted else None
        content = row["search_text"] or row["text_content"]
        if is_media:
            speaker = ", ".join(row["speakers"]) if settings.speakers else ""
            layers = Layers(description=description)
            found.append(ChildContext(row["chunk_type"], content, layers, speaker))
            continue
        count = neighbour_characters(content, row["token_count"], row["language"], settings)
        layers = _document_layers(
            row,
            settings,
            description,
            previous=last_characters(_neighbour(rows, place, -1), count),
            following=first_characters(_neighbour(rows, place, 1), count),
        )
        found.append(ChildContext(row["chunk_type"], content, layers))
    return found


def parent_contexts(
    documents: pa.Table, parents: pa.Table, children: pa.Table, settings: ContextSettings
) -> list[ParentContext]:
    """One record a parent, in the order of the table."""
    media = _media(documents)
    # A parent holds its table's header once; a child's search text repeats it before its rows.
    texts: dict[str, str] = {
        row["chunk_id"]: min(
            row["search_text"] or row["text_content"], row["text_content"], key=len
        )
        for row in children.select(["chunk_id", "search_text", "text_content"]).to_pylist()
    }
    found: list[ParentContext] = []
    for row in parents.select(_PARENT_COLUMNS).to_pylist():
        own = tuple(texts[child] for child in row["child_chunk_ids"])
        if row["document_id"] in media:
            layers = Layers(description=row["description"])
        else:
            layers = _document_layers(row, settings, row["description"])
        found.append(ParentContext(own, layers))
    return found


def _document_layers(
    row: Row,
    settings: ContextSettings,
    description: str | None,
    *,
    previous: str = "",
    following: str = "",
) -> Layers:
    return Layers(
        title=row["document_title"] if settings.title else "",
        document_type=row["document_type"] if settings.document_type else "",
        tags=tuple(row["document_tags"]) if settings.tags else (),
        section_hierarchy=tuple(row["section_hierarchy"]) if settings.section else (),
        previous=previous,
        following=following,
        description=description,
    )


def _neighbour(rows: list[Row], place: int, step: int) -> str:
    """The text next to a child in its section, empty at the section's end."""
    if not 0 <= place + step < len(rows):
        return ""
    row, other = rows[place], rows[place + step]
    same = ("document_id", "section_id")
    return other["text_content"] if all(row[one] == other[one] for one in same) else ""


def _media(documents: pa.Table) -> set[str]:
    """Documents without title and section lines: a bare title hurts the vectors of transcripts."""
    rows = documents.select(["document_id", "kind"]).to_pylist()
    return {row["document_id"] for row in rows if row["kind"] == DocumentKind.MEDIA}
