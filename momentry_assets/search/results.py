"""What a search answers with. Scores are never None; times are milliseconds of the media."""

from collections.abc import Mapping
from dataclasses import dataclass

from momentry_assets.model import Level


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One question and how to answer it.

    Attributes:
        query: the question as asked.
        k: how many read units to return; counts parents, not children.
        match: the level whose chunks are matched.
        read: the level that is handed over. ``match=child, read=parent`` is parent/child,
            ``child, child`` the single small index, ``parent, parent`` the single large one.
        dense_weight: share of the dense channel; the lexical channel has the rest.
        collections: only these, all when empty.
        document_id: only this document, when given.
    """

    query: str
    k: int = 5
    match: Level = Level.CHILD
    read: Level = Level.PARENT
    dense_weight: float = 0.7
    collections: tuple[str, ...] = ()
    document_id: str | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk that matched, listed under the result it led to.

    ``dense`` is the cosine and ``lexical`` the lexical engine's own score, 0.0 where the channel
    did not find the chunk; ``score`` is the fused score.
    """

    chunk_id: str
    start: int
    end: int
    text: str
    dense: float
    lexical: float
    score: float
    start_ms: int | None = None
    end_ms: int | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One read unit with its evidence.

    ``parent_missing`` is True when the parent's row was gone and the best fragment stands in.
    """

    chunk_id: str
    document_id: str
    collection: str
    document_title: str
    document_type: str
    tags: tuple[str, ...]
    section_hierarchy: tuple[str, ...]
    text: str
    start: int
    end: int
    start_ms: int | None
    end_ms: int | None
    token_count: int
    chunk_index: int
    total_chunks: int
    score: float
    matches: tuple[Match, ...]
    parent_missing: bool = False


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """The answer to one request.

    Attributes:
        lexical_mode: ``and`` when every word was required, ``or`` when that found nothing,
            ``none`` when the query has no searchable word.
        seconds: time by stage: ``embed``, ``dense``, ``lexical``, ``collapse``.
        missing_parents: how many results fell back to their fragment.
    """

    request: SearchRequest
    results: tuple[SearchResult, ...]
    lexical_mode: str
    seconds: Mapping[str, float]
    missing_parents: int = 0
