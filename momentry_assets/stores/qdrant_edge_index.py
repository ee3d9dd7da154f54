"""The vector index in this process: one Qdrant Edge shard a generation, no server.

Layout below its folder::

    <name>                      link to the generation's live folder; replaced atomically
    .<name>.<pid>-<time>        a shard with `generation.json`, written last
    write.lock                  held by the one process that builds or drops; holds its pid

The link is the only thing that makes a folder a generation, so a build that dies leaves the
former one in place, and what no link names is removed by the next build.

Shards are made without a write-ahead log: it would lock out every second process, and a build
that dies is thrown away anyway. Readers of many processes load the same folder at once; one that
is removed while they have it open goes on answering from its mapped files.
"""

import fcntl
import json
import os
import re
import shutil
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import qdrant_edge as edge

from momentry_assets.errors import StoreError, StoreLockedError
from momentry_assets.model import Level, point_id
from momentry_assets.stores import vectors as rules
from momentry_assets.stores.vectors import (
    BuildReceipt,
    Condition,
    Intake,
    PointBatch,
    VectorFilters,
    VectorHit,
    Vectors,
)

LOCK_FILE = "write.lock"
MARKER = "generation.json"
_FORMAT = 1
_UPSERT_POINTS = 1000
_SCROLL_POINTS = 1000
_OPEN_ATTEMPTS = 3
_GENERATION_FOLDER = re.compile(r"\.[A-Za-z0-9._-]+\.\d+-\d+")
_NEW_LINK = re.compile(r"\.[A-Za-z0-9._-]+\.link-\d+")


@dataclass(frozen=True, slots=True)
class _Generation:
    """A live folder and what its marker says."""

    folder: Path
    dimension: int
    points: int


class QdrantEdgeIndex:
    """A `VectorIndex` in a folder. Safe to use from several threads and processes.

    Args:
        folder: where the generations live; made by the first build.
        exact_up_to_points: larger generations get an HNSW graph, smaller ones are scanned.
    """

    def __init__(self, folder: Path, *, exact_up_to_points: int = rules.EXACT_UP_TO_POINTS) -> None:
        self.folder = folder
        self.exact_up_to_points = exact_up_to_points
        self._opened: dict[str, tuple[_Generation, edge.EdgeShard]] = {}
        self._guard = threading.Lock()

    def build(self, name: str, dimension: int, batches: Iterable[PointBatch]) -> BuildReceipt:
        """See `VectorIndex.build`."""
        rules.check_name(name)
        if dimension < 1:
            raise StoreError(f"a vector generation wants a dimension of at least 1: {dimension}")
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._write_lock():
            self._remove_leftovers()
            self._refuse_other_dimension(name, dimension)
            target = self.folder / f".{name}.{os.getpid()}-{time.time_ns()}"
            target.mkdir()
            try:
                receipt = self._fill(target, name, dimension, batches)
                marker = {"format": _FORMAT, "dimension": dimension, "points": receipt.points}
                (target / MARKER).write_text(json.dumps(marker), encoding="utf-8")
                _sync_tree(target)
                self._publish(name, target)
            except BaseException:
                shutil.rmtree(target, ignore_errors=True)
                raise
            self._remove_leftovers()
        return receipt

    def names(self) -> list[str]:
        """See `VectorIndex.names`."""
        if not self.folder.is_dir():
            return []
        return sorted(
            entry.name
            for entry in self.folder.iterdir()
            if not entry.name.startswith(".") and (entry / MARKER).is_file()
        )

    def drop(self, name: str) -> bool:
        """See `VectorIndex.drop`. A damaged generation can be dropped too."""
        link = self.folder / rules.check_name(name)
        if not os.path.lexists(link):
            return False
        with self._write_lock():
            with self._guard:
                self._opened.pop(name, None)
            self._unlink(link)
            self._remove_leftovers()
        return True

    def count(self, name: str, level: Level | None = None) -> int:
        """See `VectorIndex.count`."""
        generation, shard = self._open(name)
        if level is None:
            return generation.points
        with _engine(generation.folder):
            return shard.count(edge.CountRequest(exact=True, filter=_filter(level=level)))

    def chunk_ids(self, name: str, level: Level | None = None) -> Iterator[str]:
        """See `VectorIndex.chunk_ids`."""
        generation, shard = self._open(name)
        offset: edge.PointId | None = None
        while True:
            request = edge.ScrollRequest(
                offset=offset,
                limit=_SCROLL_POINTS,
                filter=_filter(level=level),
                with_payload=["chunk_id"],
                with_vector=False,
            )
            with _engine(generation.folder):
                records, offset = shard.scroll(request)
            for record in records:
                yield _chunk_id(record)
            if offset is None:
                return

    def dimension(self, name: str) -> int:
        """See `VectorIndex.dimension`."""
        return self._generation(name).dimension

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
        with _engine(target, "written"):
            shard = edge.EdgeShard.create(str(target), self._config(dimension))
        try:
            with _engine(target, "written"):
                for field in rules.KEYWORD_FIELDS:
                    shard.update(_field_index(field, edge.PayloadSchemaType.Keyword))
                for field in rules.INTEGER_FIELDS:
                    shard.update(_field_index(field, edge.PayloadSchemaType.Integer))
            for batch in batches:
                accepted = intake.accept(batch)
                with _engine(target, "written"):
                    for points in _points(accepted):
                        shard.update(edge.UpdateOperation.upsert_points(points))
            with _engine(target, "written"):
                shard.flush()
                # Edge never optimizes by itself: without this call there is no graph.
                shard.optimize()
                shard.flush()
                return intake.receipt(shard.count(edge.CountRequest(exact=True)))
        finally:
            with _engine(target, "written"):
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
        if name not in self.names():
            return
        try:
            stored = self._generation(name).dimension
        except StoreError:
            return  # Damaged: this build replaces it.
        if stored != dimension:
            raise rules.other_dimension(name, str(self.folder), stored, dimension)

    def _publish(self, name: str, target: Path) -> None:
        link = self.folder / name
        if link.is_dir() and not link.is_symlink():
            self._unlink(link)  # A copy of the folder that followed the links.
        new_link = self.folder / f".{name}.link-{os.getpid()}"
        new_link.unlink(missing_ok=True)
        new_link.symlink_to(target.name)
        new_link.replace(link)
        _sync(self.folder)

    def _unlink(self, link: Path) -> None:
        """Make a generation invisible in one step; its folder goes with the leftovers."""
        if link.is_symlink():
            link.unlink()
        else:
            link.rename(self.folder / f".{link.name}.{os.getpid()}-{time.time_ns()}")
        _sync(self.folder)

    def _remove_leftovers(self) -> None:
        """Remove what no link names. Only under the write lock, when nobody else can build."""
        entries = list(self.folder.iterdir())
        live = {str(entry.readlink()) for entry in entries if entry.is_symlink()}
        for entry in entries:
            if entry.is_symlink() and _NEW_LINK.fullmatch(entry.name):
                entry.unlink()
            elif _GENERATION_FOLDER.fullmatch(entry.name) and entry.name not in live:
                shutil.rmtree(entry, ignore_errors=True)

    @contextmanager
    def _write_lock(self) -> Generator[None]:
        path = self.folder / LOCK_FILE
        with path.open("a+", encoding="ascii") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                raise StoreLockedError(
                    f"{path}: process {lock.read().strip() or 'unknown'} is writing the vector "
                    "index; wait until it is done or stop it, then try again"
                ) from None
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            yield

    def _generation(self, name: str) -> _Generation:
        link = self.folder / rules.check_name(name)
        try:
            folder = self.folder / link.readlink() if link.is_symlink() else link
            marker = json.loads((folder / MARKER).read_text(encoding="utf-8"))
            return _Generation(folder, int(marker["dimension"]), int(marker["points"]))
        except FileNotFoundError:
            if os.path.lexists(link):
                raise _damaged(link, f"{MARKER} is missing") from None
            raise rules.no_generation(name, str(self.folder)) from None
        except (ValueError, KeyError, TypeError) as error:
            raise _damaged(link, f"{MARKER} cannot be read: {error!r}") from error

    def _open(self, name: str) -> tuple[_Generation, edge.EdgeShard]:
        """The live generation, loaded once; loaded anew when the link has moved."""
        for attempt in range(_OPEN_ATTEMPTS):
            try:
                generation = self._generation(name)
                with self._guard:
                    opened = self._opened.get(name)
                    if opened is None or opened[0] != generation:
                        opened = (generation, _load(generation))
                        self._opened[name] = opened
                        self._forget_removed()
                    return opened
            except StoreError:
                # Replaced or dropped between reading the link and opening what it named?
                if attempt + 1 == _OPEN_ATTEMPTS or not self._moved(name):
                    with self._guard:
                        self._opened.pop(name, None)
                    raise
        raise AssertionError("unreachable")

    def _moved(self, name: str) -> bool:
        link = self.folder / name
        return link.is_symlink() and (link / MARKER).is_file()

    def _forget_removed(self) -> None:
        """Let go of the mapped files of generations that another process has removed."""
        for name, (generation, _) in list(self._opened.items()):
            if not generation.folder.exists():
                del self._opened[name]


def _load(generation: _Generation) -> edge.EdgeShard:
    with _engine(generation.folder):
        shard = edge.EdgeShard.load(str(generation.folder))
        points = shard.count(edge.CountRequest(exact=True))
    # Edge loads a folder without its segments as an empty shard.
    if points != generation.points:
        raise _damaged(generation.folder, f"it holds {points} of {generation.points} points")
    return shard


def _nearest(
    generation: _Generation,
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
    with _engine(generation.folder):
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
def _engine(folder: Path, doing: str = "read") -> Generator[None]:
    """Edge raises bare `Exception`, and its panics are not even that."""
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        raise _damaged(folder, f"it cannot be {doing}: {error}") from error
    except BaseException as error:
        # pyo3's PanicException cannot be imported; it derives from BaseException.
        if type(error).__name__ != "PanicException":
            raise
        raise _damaged(folder, f"it cannot be {doing}: {error}") from error


def _damaged(folder: Path, reason: str) -> StoreError:
    return StoreError(
        f"{folder}: this vector generation is not usable ({reason}); materialize qdrant_index to "
        "build it again from the embeddings, nothing else is lost"
    )


def _sync_tree(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
