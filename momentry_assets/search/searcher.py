"""`Searcher`: one question to ranked read units with their evidence."""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from momentry_assets.embedding.encoder import Encoder, Vectors
from momentry_assets.errors import SearchError, StoreError
from momentry_assets.model import Level
from momentry_assets.search.fusion import fuse
from momentry_assets.search.results import Match, SearchRequest, SearchResponse, SearchResult
from momentry_assets.stores.names import generation_name
from momentry_assets.stores.postgres import ChunkRow, PostgresStore
from momentry_assets.stores.vectors import VectorIndex

MAX_K = 1000
MAX_QUERY_CHARACTERS = 10_000
# A reload may switch the generation between two steps of a search; then it starts again.
_ATTEMPTS = 3


class Searcher:
    """Answers requests from PostgreSQL and the vector index.

    Args:
        postgres: rows and the lexical channel.
        vectors: the dense channel.
        encoder: embeds the query.
        candidates: candidates each channel delivers, whatever k is, so that the answer for a
            smaller k is a prefix of the answer for a larger one.
    """

    def __init__(
        self,
        postgres: PostgresStore,
        vectors: VectorIndex,
        encoder: Encoder,
        *,
        candidates: int = 100,
    ) -> None:
        self._postgres = postgres
        self._vectors = vectors
        self._encoder = encoder
        self._candidates = candidates
        self._built: set[str] = set()

    def search(self, request: SearchRequest) -> SearchResponse:
        """Answer one request.

        Raises:
            SearchError: for an empty or overlong query, k outside 1-1000, a weight outside 0-1
                or an unknown collection.
            StoreError: when a store cannot be reached.
        """
        return self.search_many([request])[0]

    def search_many(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        """Answer several requests; their queries are embedded together."""
        for request in requests:
            _check(request)
        clock = _Clock()
        with clock.stage("embed"):
            vectors = self._encoder.encode([request.query for request in requests], "query")
        share = clock.seconds["embed"] / max(1, len(requests))
        return [
            self._answer(request, vector, share)
            for request, vector in zip(requests, vectors, strict=True)
        ]

    def _answer(
        self, request: SearchRequest, vector: Vectors, embed_seconds: float
    ) -> SearchResponse:
        for _ in range(_ATTEMPTS - 1):
            live = self._live(request)
            try:
                response = self._answer_from(live, request, vector, embed_seconds)
            except StoreError:
                if self._live(request) == live:
                    raise
                continue
            if response.missing_parents == 0 or self._live(request) == live:
                return response
        return self._answer_from(self._live(request), request, vector, embed_seconds)

    def _live(self, request: SearchRequest) -> dict[str, str]:
        live = self._postgres.live_generations(request.collections)
        unknown = sorted(set(request.collections) - live.keys())
        if unknown:
            known = ", ".join(sorted(self._postgres.live_generations())) or "none"
            raise SearchError(f"unknown collection {', '.join(unknown)} (loaded: {known})")
        return live

    def _answer_from(
        self,
        live: Mapping[str, str],
        request: SearchRequest,
        vector: Vectors,
        embed_seconds: float,
    ) -> SearchResponse:
        clock = _Clock()
        with clock.stage("lexical"):
            found = self._postgres.lexical_search(
                request.query,
                generations=list(live.values()),
                level=request.match,
                limit=self._candidates,
                document_id=request.document_id,
            )
        lexical = dict(found.hits)
        with clock.stage("dense"):
            dense = self._dense(live, request, vector, lexical)
        with clock.stage("collapse"):
            fused = fuse(dense, lexical, request.dense_weight)
            ranked = sorted(fused, key=lambda chunk_id: (-fused[chunk_id], chunk_id))
            rows = self._postgres.fetch_chunks(list(live.values()), ranked)
            matches = [
                (row, _match(row, dense, lexical, fused[chunk_id]))
                for chunk_id in ranked
                if (row := rows.get(chunk_id)) is not None
            ]
            results = self._read_units(live, request, matches)
        return SearchResponse(
            request=request,
            results=tuple(results),
            lexical_mode=found.mode,
            seconds={"embed": embed_seconds, **clock.seconds},
            missing_parents=sum(result.parent_missing for result in results),
        )

    def _dense(
        self,
        live: Mapping[str, str],
        request: SearchRequest,
        vector: Vectors,
        lexical: Mapping[str, float],
    ) -> dict[str, float]:
        """Cosines of the nearest chunks, and of those that only the lexical channel found."""
        scores: dict[str, float] = {}
        for collection, generation in live.items():
            name = generation_name(collection, generation)
            if not self._has_vectors(collection, generation, name):
                continue
            hits = self._vectors.query(
                name,
                vector,
                limit=self._candidates,
                level=request.match,
                document_id=request.document_id,
            )
            scores |= {hit.chunk_id: hit.score for hit in hits}
            missing = [chunk_id for chunk_id in lexical if chunk_id not in scores]
            if missing:
                scores |= self._vectors.scores(name, vector, missing)
        best = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
        kept = set(best[: self._candidates]) | lexical.keys()
        return {chunk_id: score for chunk_id, score in scores.items() if chunk_id in kept}

    def _has_vectors(self, collection: str, generation: str, name: str) -> bool:
        """False for a collection without chunks; a lost index is an error of the query."""
        if name in self._built:
            return True
        if self._postgres.counts(collection, generation).vectors == 0:
            return False
        self._built.add(name)
        return True

    def _read_units(
        self,
        live: Mapping[str, str],
        request: SearchRequest,
        matches: Sequence[tuple[ChunkRow, Match]],
    ) -> list[SearchResult]:
        """The best k read units. Matches come best first, so a unit's first match is its score."""
        to_parent = request.match is Level.CHILD and request.read is Level.PARENT
        units: dict[str, list[tuple[ChunkRow, Match]]] = {}
        for row, match in matches:
            unit = row.parent_chunk_id if to_parent and row.parent_chunk_id else row.chunk_id
            units.setdefault(unit, []).append((row, match))
        best = list(units)[: request.k]
        parents = self._postgres.fetch_chunks(list(live.values()), best) if to_parent else {}
        results: list[SearchResult] = []
        for unit in best:
            found = units[unit]
            row = parents.get(unit) if to_parent else found[0][0]
            results.append(
                _result(
                    row or found[0][0],
                    tuple(match for _, match in found),
                    parent_missing=row is None,
                )
            )
        return results


def _check(request: SearchRequest) -> None:
    if not request.query.strip():
        raise SearchError("the query is empty; ask something")
    if len(request.query) > MAX_QUERY_CHARACTERS:
        raise SearchError(
            f"the query has {len(request.query):,} characters; at most {MAX_QUERY_CHARACTERS:,}"
        )
    if "\x00" in request.query:
        raise SearchError("the query contains a NUL character; remove it")
    if not 1 <= request.k <= MAX_K:
        raise SearchError(f"k is {request.k}; it must be between 1 and {MAX_K}")
    if not 0.0 <= request.dense_weight <= 1.0:
        raise SearchError(f"the dense weight is {request.dense_weight}; it must be in 0-1")
    if request.match is Level.PARENT and request.read is Level.CHILD:
        raise SearchError("matching parents and reading children is not a strategy")


def _match(
    row: ChunkRow, dense: Mapping[str, float], lexical: Mapping[str, float], score: float
) -> Match:
    return Match(
        chunk_id=row.chunk_id,
        start=row.start,
        end=row.end,
        text=row.text_content,
        dense=dense.get(row.chunk_id, 0.0),
        lexical=lexical.get(row.chunk_id, 0.0),
        score=score,
        start_ms=row.start_ms,
        end_ms=row.end_ms,
    )


def _result(row: ChunkRow, matches: tuple[Match, ...], *, parent_missing: bool) -> SearchResult:
    return SearchResult(
        chunk_id=row.chunk_id,
        document_id=row.document_id,
        collection=row.collection,
        document_title=row.document_title,
        document_type=row.document_type,
        tags=row.tags,
        section_hierarchy=row.section_hierarchy,
        text=row.text_content,
        start=row.start,
        end=row.end,
        start_ms=row.start_ms,
        end_ms=row.end_ms,
        token_count=row.token_count,
        chunk_index=row.chunk_index,
        total_chunks=row.total_chunks,
        score=matches[0].score,
        matches=matches,
        parent_missing=parent_missing,
    )


class _Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
