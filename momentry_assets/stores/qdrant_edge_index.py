"""The vector index in this process: one Qdrant Edge shard a generation, no server.

Shards are made without a write-ahead log: it would lock out every second process, and a build
that dies is thrown away anyway. Readers of many processes load the same folder at once; one that
is removed while they have it open goes on answering from its mapped files.
"""

import shutil
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import qdrant_edge as edge

from momentry_assets.errors import StoreError
from momentry_assets.model import Level, point_id
from momentry_assets.stores import vectors as rules
from momentry_assets.stores.generation_folder import Generation, GenerationFolder, damaged
from momentry_assets.stores.vectors import (
    BuildReceipt,
    Condition,
    Intake,
    PointBatch,
    VectorFilters,
    VectorHit,
    Vectors,
)

_UPSERT_POINTS = 1000
_SCROLL_POINTS = 1000
_OPEN_ATTEMPTS = 3


class QdrantEdgeIndex:
    """A `VectorIndex` in a folder. Safe to use from several threads and processes.

    Args:
        folder: where the generations live; made by the first build.
        exact_up_to_points: larger generations get an HNSW graph, smaller ones are scanned.
    """

    def __init__(self, folder: Path, *, exact_up_to_points: int = rules.EXACT_UP_TO_POINTS) -> None:
        self.folder = folder
        self.exact_up_to_points = exact_up_to_points
        self._generations = GenerationFolder(folder)
        self._opened: dict[str, tuple[Generation, edge.EdgeShard]] = {}
        self._guard = threading.Lock()

    def build(self, name: str, dimension: int, batches: Iterable[PointBatch]) -> BuildReceipt:
        """See `VectorIndex.build`."""
        rules.check_name(name)
        rules.check_dimension(name, dimension)
        generations = self._generations
        with generations.write_lock():
            generations.remove_leftovers()
            self._refuse_other_dimension(name, dimension)
            target = generations.new(name)
            try:
                receipt = self._fill(target, name, dimension, batches)
                generations.publish(name, target, dimension=dimension, points=receipt.points)
            except BaseException:
                if generations.target(name) != target.name:
                    shutil.rmtree(target, ignore_errors=True)
                raise
            generations.remove_leftovers()
        return receipt

    def names(self) -> list[str]:
        """See `VectorIndex.names`."""
        return self._generations.names()

    def drop(self, name: str) -> bool:
        """See `VectorIndex.drop`. A damaged generation can be dropped too."""
        if not self._generations.exists(name):
            return False
        with self._generations.write_lock():
            if not self._generations.exists(name):
                return False
            with self._guard:
                self._opened.pop(name, None)
            self._generations.hide(name)
            self._generations.remove_leftovers()
        return True

    def count(self, name: str, level: Level | None = None) -> int:
        """See `VectorIndex.count`."""
        generation, shard = self._open(name)
        if level is None:
            return generation.points
        with _reading(generation.folder):
            return shard.count(edge.CountRequest(exact=True, filter=_filter(level=level)))

    def chunk_ids(self, name: str, level: Level | None = None) -> Iterator[str]:
        """See `VectorIndex.chunk_ids`."""
        generation, shard = self._open(name)
        return _scroll(generation, shard, _filter(level=level))

    def dimension(self, name: str) -> int:
        """See `VectorIndex.dimension`."""
        return self._generations.read(name).dimension

    def query(
        self,
        name: str,
        vector: Vectors,
        *,
        limit: int,
        level: Level,
        document_id: str | None = None,
        filters: VectorFilters = rules.NO_FILTERS,
    ) -> list[VectorHit]:
        """See `VectorIndex.query`."""
        chosen = _filter(level=level, document_id=document_id, filters=filters)
        generation, shard = self._open(name)
        unit = rules.unit_query(name, str(self.folder), generation.dimension, vector)
        return rules.ordered_hits(
            lambda asked: _nearest(generation, shard, unit, asked, chosen, exact=False), limit
        )

    def scores(self, name: str, vector: Vectors, chunk_ids: Iterable[str]) -> dict[str, float]:
        """See `VectorIndex.scores`."""
        generation, shard = self._open(name)
        unit = rules.unit_query(name, str(self.folder), generation.dimension, vector)
        ids: set[edge.PointId] = {point_id(chunk_id) for chunk_id in chunk_ids}
        if not ids:
            return {}
        chosen = edge.Filter(must=[edge.HasIdCondition(ids)])
        hits = _nearest(generation, shard, unit, len(ids), chosen, exact=True)
        return {hit.chunk_id: hit.score for hit in hits}

    def close(self) -> None:
        """See `VectorIndex.close`."""
        with self._guard:
            # Dropped, not closed: another thread may be inside a query of the same shard.
            self._opened.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _fill(
        self, target: Path, name: str, dimension: int, batches: Iterable[PointBatch]
    ) -> BuildReceipt:
        intake = Intake(name, dimension)
        with _writing(target):
            shard = edge.EdgeShard.create(str(target), self._config(dimension))
        try:
            with _writing(target):
                for field in rules.KEYWORD_FIELDS:
                    shard.update(_field_index(field, edge.PayloadSchemaType.Keyword))
                for field in rules.INTEGER_FIELDS:
                    shard.update(_field_index(field, edge.PayloadSchemaType.Integer))
            for batch in batches:
                accepted = intake.accept(batch)
                with _writing(target):
                    for points in _points(accepted):
                        shard.update(edge.UpdateOperation.upsert_points(points))
            with _writing(target):
                shard.flush()
                # Edge never optimizes by itself: without this call there is no graph.
                shard.optimize()
                shard.flush()
                return intake.receipt(shard.count(edge.CountRequest(exact=True)))
        finally:
            with _writing(target):
                shard.close()

    def _config(self, dimension: int) -> edge.EdgeConfig:
        kilobytes = self.exact_up_to_points * dimension * 4 // 1024
        return edge.EdgeConfig(
            vectors={
                rules.VECTOR_NAME: edge.EdgeVectorParams(
                    size=dimension, distance=edge.Distance.Cosine
                )
            },
            hnsw_config=edge.HnswIndexConfig(
                m=rules.GRAPH_EDGES,
                ef_construct=rules.GRAPH_BUILD_WIDTH,
                full_scan_threshold=10_000,
            ),
            # Zero would switch the graph off.
            optimizers=edge.EdgeOptimizersConfig(indexing_threshold=max(1, kilobytes)),
            wal_enabled=False,
        )

    def _refuse_other_dimension(self, name: str, dimension: int) -> None:
        if not self._generations.exists(name):
            return
        try:
            stored = self._generations.read(name).dimension
        except StoreError:
            return  # Damaged: this build replaces it.
        if stored != dimension:
            raise rules.other_dimension(name, str(self.folder), stored, dimension)

    def _open(self, name: str) -> tuple[Generation, edge.EdgeShard]:
        """The live generation, loaded once; loaded anew when the link has moved."""
        rules.check_name(name)
        for _ in range(_OPEN_ATTEMPTS - 1):
            target = self._generations.target(name)
            try:
                return self._open_now(name)
            except StoreError:
                # Was it replaced between reading the link and opening what it named?
                if self._generations.target(name) == target:
                    raise
        return self._open_now(name)

    def _open_now(self, name: str) -> tuple[Generation, edge.EdgeShard]:
        with self._guard:
            opened = self._opened.pop(name, None)
            generation = self._generations.read(name)
            if opened is None or opened[0] != generation:
                self._forget_removed()
                opened = (generation, _load(generation))
            self._opened[name] = opened
            return opened

    def _forget_removed(self) -> None:
        """Let go of the mapped files of generations that another process has removed."""
        for name, (generation, _) in list(self._opened.items()):
            if not generation.folder.exists():
                del self._opened[name]


def _load(generation: Generation) -> edge.EdgeShard:
    with _reading(generation.folder):
        shard = edge.EdgeShard.load(str(generation.folder))
        points = shard.count(edge.CountRequest(exact=True))
    # Edge loads a folder without its segments as an empty shard.
    if points != generation.points:
        raise damaged(generation.folder, f"it holds {points} of {generation.points} points")
    return shard


def _scroll(
    generation: Generation, shard: edge.EdgeShard, chosen: edge.Filter | None
) -> Iterator[str]:
    offset: edge.PointId | None = None
    while True:
        request = edge.ScrollRequest(
            offset=offset,
            limit=_SCROLL_POINTS,
            filter=chosen,
            with_payload=["chunk_id"],
            with_vector=False,
        )
        with _reading(generation.folder):
            records, offset = shard.scroll(request)
        for record in records:
            yield _chunk_id(record)
        if offset is None:
            return


def _nearest(
    generation: Generation,
    shard: edge.EdgeShard,
    unit: Vectors,
    limit: int,
    chosen: edge.Filter | None,
    *,
    exact: bool,
) -> list[VectorHit]:
    request = edge.QueryRequest(
        limit=limit,
        query=edge.Query.Nearest(unit.tolist(), rules.VECTOR_NAME),
        filter=chosen,
        with_payload=["chunk_id"],
        params=edge.SearchParams(hnsw_ef=rules.GRAPH_SEARCH_WIDTH, exact=exact),
    )
    with _reading(generation.folder):
        return [VectorHit(_chunk_id(point), point.score) for point in shard.query(request)]


def _points(batch: PointBatch) -> Iterator[list[edge.Point]]:
    """Edge takes numpy rows, but converts lists faster; a slice at a time bounds the floats."""
    for start in range(0, len(batch.chunk_ids), _UPSERT_POINTS):
        part = slice(start, start + _UPSERT_POINTS)
        yield [
            edge.Point(point_id(chunk_id), {rules.VECTOR_NAME: vector.tolist()}, dict(payload))
            for chunk_id, vector, payload in zip(
                batch.chunk_ids[part], batch.vectors[part], batch.payloads[part], strict=True
            )
        ]


def _field_index(field: str, kind: edge.PayloadSchemaType) -> edge.UpdateOperation:
    return edge.UpdateOperation.create_field_index(field, kind)


def _filter(
    *,
    level: Level | None,
    document_id: str | None = None,
    filters: VectorFilters = rules.NO_FILTERS,
) -> edge.Filter | None:
    must: list[edge.ConditionType] = [
        _field_condition(condition) for condition in rules.conditions(level, document_id, filters)
    ]
    return edge.Filter(must=must) if must else None


def _field_condition(condition: Condition) -> edge.FieldCondition:
    if condition.any_of:
        return edge.FieldCondition(condition.field, match=edge.MatchAny(list(condition.any_of)))
    bounds = edge.RangeFloat(gte=condition.at_least, lte=condition.at_most)
    return edge.FieldCondition(condition.field, range=bounds)


def _chunk_id(point: edge.ScoredPoint | edge.Record) -> str:
    return str((point.payload or {})["chunk_id"])


@contextmanager
def _reading(folder: Path) -> Generator[None]:
    """Turn the engine's failures into `StoreError`."""
    try:
        yield
    except BaseException as error:
        if not _is_engine_failure(error):
            raise
        raise damaged(folder, f"it cannot be read: {error}") from error


@contextmanager
def _writing(folder: Path) -> Generator[None]:
    """Turn the engine's failures into `StoreError`."""
    try:
        yield
    except BaseException as error:
        if not _is_engine_failure(error):
            raise
        raise StoreError(
            f"{folder}: the vector generation cannot be written ({error}); a former one of its "
            "name still answers; look for a full disk or an unusual payload, then build it again"
        ) from error


def _is_engine_failure(error: BaseException) -> bool:
    # Edge raises bare `Exception`. Its panics cannot be imported and derive from BaseException.
    if isinstance(error, Exception):
        return not isinstance(error, StoreError)
    return type(error).__name__ == "PanicException"
