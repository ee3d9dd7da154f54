"""The vector index as the rest of Momentry sees it: records, the interface, and its shared rules.

A *generation* is a whole index under a name, for example one collection as loaded by one run. It
is built apart, becomes visible in one step and never changes afterwards. Two engines implement
`VectorIndex` and pass one contract suite: `qdrant_edge_index` and `qdrant_server_index`.

What a vector may be, how filters read and in which order hits come is decided here, once.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from momentry_assets.errors import StoreError
from momentry_assets.model import Level

VECTOR_NAME = "dense"
KEYWORD_FIELDS = ("level", "collection", "document_id", "document_type", "tags", "language")
INTEGER_FIELDS = ("start_ms", "end_ms")

# Measured on two cores: an exact scan of 10,000 vectors of 384 numbers takes 1.7 ms and its recall
# is 1, while building the graph for 20,000 takes 8 s. So a graph only pays far above that.
EXACT_UP_TO_POINTS = 100_000
# The graph's usual parameters; a search width of 512 finds 0.998 of 20,000 random vectors of 64
# numbers (128: 0.93) and costs a millisecond.
GRAPH_EDGES = 16
GRAPH_BUILD_WIDTH = 100
GRAPH_SEARCH_WIDTH = 512

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
_TIE_MARGIN = 16
_MOST_TIES = 16_384
_log = logging.getLogger(__name__)

Vectors = NDArray[np.float32]
Payload = Mapping[str, object]


@dataclass(frozen=True, slots=True, eq=False)
class PointBatch:
    """Points to load, in columns.

    Attributes:
        chunk_ids: one a point.
        vectors: float32 of shape (points, dimension); they need not have unit length.
        payloads: one a point: level, collection, document_id, document_type, tags, language,
            start_ms, end_ms. The chunk id is added to it.

    Raises:
        StoreError: the three are not equally long or the vectors are no matrix.
    """

    chunk_ids: Sequence[str]
    vectors: Vectors
    payloads: Sequence[Payload]

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2:
            raise StoreError(
                "a point batch wants vectors of shape (points, dimension), "
                f"got {self.vectors.shape}"
            )
        if not len(self.chunk_ids) == len(self.vectors) == len(self.payloads):
            raise StoreError(
                f"a point batch has {len(self.chunk_ids)} chunk ids, {len(self.vectors)} vectors "
                f"and {len(self.payloads)} payloads; one of each a point is needed"
            )


@dataclass(frozen=True, slots=True)
class RejectedPoint:
    """A point that was not stored, and why: ``dimension 3 != 4``, ``zero vector``, …"""

    chunk_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class BuildReceipt:
    """What a build stored.

    Attributes:
        points: how many points the generation holds.
        rejected: points that were refused; the others of their batch were stored.
        repeated: chunk ids that came more than once, in order; the last storable one is kept.
    """

    points: int
    rejected: tuple[RejectedPoint, ...] = ()
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VectorFilters:
    """What a hit must satisfy beside its level. Empty means everything.

    Attributes:
        collections, document_types, languages: one of these.
        tags: at least one of these.
        from_ms, until_ms: the chunk's time touches this window; chunks without times never do.
    """

    collections: tuple[str, ...] = ()
    document_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    from_ms: int | None = None
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A chunk and the cosine of its vector with the query's."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a payload field: equal to one of some words, or within bounds."""

    field: str
    any_of: tuple[str, ...] = ()
    at_least: int | None = None
    at_most: int | None = None


NO_FILTERS = VectorFilters()


class VectorIndex(Protocol):
    """Generations of vectors, by name. Every method but `close` may raise `StoreError`.

    A name that has no generation, a vector of another dimension than the generation's, a vector
    without direction and a limit below 1 are `StoreError`, never an empty answer.
    """

    def build(self, name: str, dimension: int, batches: Iterable[PointBatch]) -> BuildReceipt:
        """Build a whole generation; it replaces one of the same name when it is complete.

        Until then, and when the build fails or dies, the former one answers.

        Raises:
            StoreError: the generation there has another dimension. Drop it first.
            StoreLockedError: another process is writing the same embedded index.
        """
        ...

    def names(self) -> list[str]:
        """The complete generations, sorted."""
        ...

    def drop(self, name: str) -> bool:
        """Remove a generation; False when there was none."""
        ...

    def count(self, name: str, level: Level | None = None) -> int:
        """How many points a generation holds, of one level or of both."""
        ...

    def chunk_ids(self, name: str, level: Level | None = None) -> Iterator[str]:
        """The chunk ids of a generation, in no particular order."""
        ...

    def dimension(self, name: str) -> int:
        """How many numbers a vector of the generation has."""
        ...

    def query(
        self,
        name: str,
        vector: Vectors,
        *,
        limit: int,
        level: Level,
        document_id: str | None = None,
        filters: VectorFilters = NO_FILTERS,
    ) -> list[VectorHit]:
        """The nearest chunks of a level by cosine, best first, equal scores by chunk id."""
        ...

    def scores(self, name: str, vector: Vectors, chunk_ids: Iterable[str]) -> dict[str, float]:
        """The cosine of given chunks; chunks that the generation does not hold are left out."""
        ...

    def close(self) -> None:
        """Release files and connections. The index may not be used afterwards."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def check_name(name: str) -> str:
    """The name, when it can be a folder and part of a Qdrant collection's name.

    Raises:
        StoreError: saying which characters are allowed.
    """
    if not _NAME.fullmatch(name):
        raise StoreError(
            f"{name!r} cannot name a vector generation: use 1 to 200 of the characters "
            "A-Z a-z 0-9 . _ - and no dot at the beginning"
        )
    return name


def check_dimension(name: str, dimension: int) -> int:
    """The dimension, when vectors can have it.

    Raises:
        StoreError: it is below 1.
    """
    if dimension < 1:
        raise StoreError(f"the vector generation {name!r} wants a dimension of at least 1")
    return dimension


def no_generation(name: str, where: str) -> StoreError:
    """The error of asking for a generation that does not exist."""
    return StoreError(
        f"{where}: there is no vector generation {name!r}; materialize qdrant_index to load it"
    )


def other_dimension(name: str, where: str, stored: int, asked: int) -> StoreError:
    """The error of two dimensions that do not match; names both."""
    return StoreError(
        f"{where}: the vector generation {name!r} has dimension {stored}, asked for {asked}; "
        "use the model it was built with, or drop it and load it again"
    )


def unit_query(name: str, where: str, stored: int, vector: Vectors) -> Vectors:
    """A query vector at unit length.

    Raises:
        StoreError: it has another dimension than the generation, or no direction.
    """
    query = np.asarray(vector, dtype=np.float32).reshape(-1)
    if query.size != stored:
        raise other_dimension(name, where, stored, query.size)
    length = float(np.linalg.norm(query.astype(np.float64)))
    if not np.isfinite(length) or length == 0.0:
        raise StoreError(
            f"{where}: the query vector is zero or not finite, so it has no cosine with anything"
        )
    return (query / length).astype(np.float32)


def conditions(
    level: Level | None, document_id: str | None = None, filters: VectorFilters = NO_FILTERS
) -> list[Condition]:
    """All that must hold, in the order of the payload fields."""
    wanted = [
        Condition("level", (level.value,) if level else ()),
        Condition("collection", filters.collections),
        Condition("document_id", (document_id,) if document_id is not None else ()),
        Condition("document_type", filters.document_types),
        Condition("tags", filters.tags),
        Condition("language", filters.languages),
        Condition("start_ms", at_most=filters.until_ms),
        Condition("end_ms", at_least=filters.from_ms),
    ]
    return [
        condition
        for condition in wanted
        if condition.any_of or condition.at_least is not None or condition.at_most is not None
    ]


def ordered_hits(fetch: Callable[[int], list[VectorHit]], limit: int) -> list[VectorHit]:
    """The best hits, equal scores by chunk id, also when a tie crosses the limit.

    Args:
        fetch: asks the engine for the so many best.
        limit: how many are wanted.

    Raises:
        StoreError: the limit is below 1.
    """
    if limit < 1:
        raise StoreError(f"a vector query wants a limit of at least 1, got {limit}")
    asked = limit + _TIE_MARGIN
    while True:
        hits = sorted(fetch(asked), key=lambda hit: (-hit.score, hit.chunk_id))
        # An engine cuts equal scores where it likes. Only when the last hit is worse than the
        # limit's are all of its equals here.
        if len(hits) < asked or hits[limit - 1].score > hits[-1].score or asked > _MOST_TIES:
            return hits[:limit]
        asked *= 2


@dataclass(slots=True)
class Intake:
    """Decides point by point what a build stores, and remembers the rest for its receipt."""

    name: str
    dimension: int
    _seen: set[str] = field(default_factory=set[str])
    _stored: set[str] = field(default_factory=set[str])
    _rejected: list[RejectedPoint] = field(default_factory=list[RejectedPoint])
    _repeated: dict[str, None] = field(default_factory=dict[str, None])

    def accept(self, batch: PointBatch) -> PointBatch:
        """The storable points of a batch, each chunk once, at unit length, payloads completed."""
        reasons, vectors = self._judge(np.asarray(batch.vectors, dtype=np.float32))
        kept: dict[str, int] = {}
        for row, (chunk_id, reason) in enumerate(zip(batch.chunk_ids, reasons, strict=True)):
            if chunk_id in self._seen:
                self._repeated[chunk_id] = None
            self._seen.add(chunk_id)
            if reason:
                self._rejected.append(RejectedPoint(chunk_id, reason))
            else:
                kept[chunk_id] = row
        self._stored.update(kept)
        return PointBatch(
            list(kept),
            vectors[list(kept.values())],
            [_completed(chunk_id, batch.payloads[row]) for chunk_id, row in kept.items()],
        )

    def receipt(self, points: int) -> BuildReceipt:
        """The receipt, once the engine has said how many points it holds.

        Raises:
            StoreError: the engine holds another number than it was given.
        """
        if points != len(self._stored):
            raise StoreError(
                f"the vector generation {self.name!r} was given {len(self._stored)} points but "
                f"holds {points}; it was not published, build it again"
            )
        if self._repeated:
            _log.warning(
                "vector generation %s: %d chunk ids came more than once, the last is kept: %s",
                self.name,
                len(self._repeated),
                ", ".join(list(self._repeated)[:5]),
            )
        return BuildReceipt(points, tuple(self._rejected), tuple(self._repeated))

    def _judge(self, vectors: Vectors) -> tuple[list[str], Vectors]:
        """A reason for each refused row, empty for the others, and the rows at unit length."""
        count, width = vectors.shape
        if width != self.dimension:
            return [f"dimension {width} != {self.dimension}"] * count, vectors
        # Qdrant leaves vectors that are very short as they are, and their squares may overflow in
        # float32: lengths are taken in float64 and made 1 here.
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        reasons = [
            "" if np.isfinite(length) and length > 0 else _fault(float(length))
            for length in lengths[:, 0]
        ]
        with np.errstate(invalid="ignore", divide="ignore"):
            units = np.where(np.abs(lengths - 1.0) < 1e-6, vectors, vectors / lengths)
        return reasons, units.astype(np.float32)


def _fault(length: float) -> str:
    return "zero vector" if length == 0.0 else "not finite"


def _completed(chunk_id: str, payload: Payload) -> dict[str, object]:
    """The payload with its chunk id, without nulls, with lists for tuples."""
    complete: dict[str, object] = {
        key: list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType]
        for key, value in payload.items()
        if value is not None
    }
    complete["chunk_id"] = chunk_id
    return complete
