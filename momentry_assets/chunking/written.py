"""What is written about parents: their descriptions and, if asked for, children to match them by.

Source 002's summary-indexed variant: "the child is not an excerpt at all, it is a generated
summary or a list of questions the parent answers". Such a child spans its whole parent; what is
matched is its ``search_text``, and ``writer`` says who wrote it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from momentry_assets.chunking.drafts import Hierarchy
from momentry_assets.descriptions import Description, ParentText, Questions
from momentry_assets.model import Chunk, Document, Level


def parent_texts(document: Document, hierarchy: Hierarchy) -> list[ParentText]:
    """What describers get to see of the parents of one document."""
    own: dict[str | None, list[str]] = {}
    for child in hierarchy.children:
        # A table's header, which a child repeats before its rows, is in the parent once.
        text = min(child.search_text or child.text_content, child.text_content, key=len)
        own.setdefault(child.parent_chunk_id, []).append(text)
    return [
        ParentText(
            text="\n\n".join(own.get(parent.chunk_id, ())),
            section_hierarchy=parent.section_hierarchy,
            document_title=document.title,
            language=document.language,
        )
        for parent in hierarchy.parents
    ]


def with_descriptions(hierarchy: Hierarchy, descriptions: Sequence[Description]) -> Hierarchy:
    """Parents with their descriptions; those of media begin with their times (source 000)."""
    parents = tuple(
        replace(
            parent,
            description=f"{_marker(parent)}{written.text}",
            writer=written.writer,
            fallback=written.fallback,
        )
        for parent, written in zip(hierarchy.parents, descriptions, strict=True)
    )
    return Hierarchy(parents, hierarchy.children)


def with_generated_children(
    hierarchy: Hierarchy,
    descriptions: Sequence[Description] | None,
    questions: Sequence[Questions] | None,
) -> Hierarchy:
    """Written children in place of excerpts: a summary, questions, or both, for each parent.

    Args:
        hierarchy: of one document.
        descriptions: one a parent, None for no summary.
        questions: one record a parent, None for no questions.
    """
    children: list[Chunk] = []
    parents: list[Chunk] = []
    spans = _covered(hierarchy)
    for row, parent in enumerate(hierarchy.parents):
        texts: list[tuple[str, str, str, str]] = []
        if descriptions is not None:
            one = descriptions[row]
            texts.append(("summary", one.text, one.writer, one.fallback))
        if questions is not None:
            asked = questions[row]
            texts.extend(("question", text, asked.writer, asked.fallback) for text in asked.texts)
        own = [
            _written(parent, spans[parent.chunk_id], number, *written)
            for number, written in enumerate(texts, start=1)
            if written[1].strip()
        ]
        if not own:
            # Nothing could be written: the excerpts stay, so that the parent can be found.
            own = [one for one in hierarchy.children if one.parent_chunk_id == parent.chunk_id]
        children.extend(own)
        parents.append(replace(parent, child_chunk_ids=tuple(one.chunk_id for one in own)))
    numbered = tuple(
        replace(child, index=index, total=len(children)) for index, child in enumerate(children)
    )
    return Hierarchy(tuple(parents), numbered)


def _covered(hierarchy: Hierarchy) -> Mapping[str, tuple[int, int]]:
    """From the first to the last child of every parent: the parent without blank ends."""
    spans: dict[str, tuple[int, int]] = {}
    for child in hierarchy.children:
        assert child.parent_chunk_id is not None
        start, end = spans.get(child.parent_chunk_id, (child.start, child.end))
        spans[child.parent_chunk_id] = (min(start, child.start), max(end, child.end))
    return spans


def _written(
    parent: Chunk,
    span: tuple[int, int],
    number: int,
    chunk_type: str,
    text: str,
    writer: str,
    fallback: str,
) -> Chunk:
    start, end = span
    content = parent.text_content[start - parent.start : end - parent.start]
    return replace(
        parent,
        chunk_id=f"{parent.chunk_id}?{chunk_type}{number}",
        level=Level.CHILD,
        chunk_type=chunk_type,
        text_content=content,
        search_text=text,
        start=start,
        end=end,
        content_hash=sha256(content.encode()).hexdigest(),
        parent_chunk_id=parent.chunk_id,
        start_in_parent=start - parent.start,
        child_chunk_ids=(),
        description="",
        writer=writer,
        fallback=fallback,
    )


def _marker(parent: Chunk) -> str:
    if parent.start_ms is None or parent.end_ms is None:
        return ""
    return f"[{parent.start_ms // 1000}s-{parent.end_ms // 1000}s] "
