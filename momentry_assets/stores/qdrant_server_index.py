"""The vector index on a Qdrant server: one collection a generation, published by an alias.

A build fills the collection ``<prefix>-build.<name>.<time>``; the alias ``<prefix>.<name>`` is
moved to it when it is complete. The alias is the only thing that makes a collection a generation,
so a half-built one is never listed and the former one answers until the switch.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from momentry_assets.errors import StoreError
from momentry_assets.model import Level, point_id
from momentry_assets.stores import vectors as rules
from momentry_assets.stores.qdrant_connection import connect, with_retries
from momentry_assets.stores.qdrant_requests import chunk_id_of, query_filter, upsert_requests
from momentry_assets.stores.vectors import (
    BuildReceipt,
    Intake,
    PointBatch,
    VectorFilters,
    VectorHit,
    Vectors,
)

if TYPE_CHECKING:
    # Importing qdrant_client takes 2 s: at run time only where a server is used.
    from qdrant_client import QdrantClient, models
    from qdrant_client.conversions import common_types as types

_SCROLL_POINTS = 1000
_SEGMENTS = 2
_ABANDONED_AFTER_SECONDS = 24 * 3600

Result = TypeVar("Result")


class QdrantServerIndex:
    """A `VectorIndex` on a server.

    Args:
        client: an open client; closed with this index.
        where: the server's address, for messages.
        prefix: begins every name on the server, so that several projects can share one.
        exact_up_to_points: larger generations get an HNSW graph, smaller ones are scanned.
    """

    def __init__(
        self,
        client: "QdrantClient",
        *,
        where: str,
        prefix: str = "momentry",
        exact_up_to_points: int = rules.EXACT_UP_TO_POINTS,
    ) -> None:
        self.client = client
        self.where = where
        self.exact_up_to_points = exact_up_to_points
        self._aliases = f"{prefix}."
        self._collections = f"{prefix}-build."
        self._dimensions: dict[str, int] = {}

    @classmethod
    def connect(
        cls, url: str, api_key: str | None = None, *, prefix: str = "momentry"
    ) -> "QdrantServerIndex":
        """Connect to a server, by gRPC when it answers there and by REST otherwise.

        Raises:
            StoreError: nothing answers at the address, or it refuses the key.
        """
        return cls(connect(url, api_key), where=url, prefix=prefix)

    def build(self, name: str, dimension: int, batches: Iterable[PointBatch]) -> BuildReceipt:
        """See `VectorIndex.build`. Two builds of one name at once are not locked out."""
        rules.check_name(name)
        rules.check_dimension(name, dimension)
        published = self._published()
        if name in published:
            stored = self._stored_dimension(name)
            if stored != dimension:
                raise rules.other_dimension(name, self.where, stored, dimension)
        self._remove_leftovers(name, set(published.values()))
        collection = f"{self._collections}{name}.{time.time_ns()}"
        try:
            receipt = self._fill(collection, name, dimension, batches)
            self._publish(name, collection, replace=name in published)
        except BaseException:
            self._delete_unpublished(collection)
            raise
        self._dimensions.pop(name, None)
        if name in published:
            self._delete(published[name])
        return receipt

    def names(self) -> list[str]:
        """See `VectorIndex.names`."""
        return sorted(self._published())

    def drop(self, name: str) -> bool:
        """See `VectorIndex.drop`."""
        from qdrant_client import models

        collection = self._published().get(rules.check_name(name))
        self._dimensions.pop(name, None)
        if collection is None:
            return False
        alias = models.DeleteAlias(alias_name=self._aliases + name)
        operation = models.DeleteAliasOperation(delete_alias=alias)
        self._once(f"dropping {name!r}", lambda: self.client.update_collection_aliases([operation]))
        self._delete(collection)
        return True

    def count(self, name: str, level: Level | None = None) -> int:
        """See `VectorIndex.count`."""
        chosen = query_filter(level=level)
        alias = self._alias(name)
        return self._asked(
            name, lambda: self.client.count(alias, count_filter=chosen, exact=True).count
        )

    def chunk_ids(self, name: str, level: Level | None = None) -> Iterator[str]:
        """See `VectorIndex.chunk_ids`."""
        collection = self._published().get(rules.check_name(name))
        if collection is None:
            raise rules.no_generation(name, self.where)
        return self._scroll(name, collection, query_filter(level=level))

    def dimension(self, name: str) -> int:
        """See `VectorIndex.dimension`."""
        known = self._dimensions.get(name)
        if known is None:
            known = self._dimensions[name] = self._stored_dimension(name)
        return known

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
        unit = rules.unit_query(name, self.where, self.dimension(name), vector)
        chosen = query_filter(level=level, document_id=document_id, filters=filters)
        return rules.ordered_hits(
            lambda asked: self._nearest(name, unit, asked, chosen, exact=False), limit
        )

    def scores(self, name: str, vector: Vectors, chunk_ids: Iterable[str]) -> dict[str, float]:
        """See `VectorIndex.scores`."""
        from qdrant_client import models

        unit = rules.unit_query(name, self.where, self.dimension(name), vector)
        ids: list[models.ExtendedPointId] = [
            str(point_id(chunk_id)) for chunk_id in dict.fromkeys(chunk_ids)
        ]
        if not ids:
            return {}
        chosen = models.Filter(must=[models.HasIdCondition(has_id=ids)])
        hits = self._nearest(name, unit, len(ids), chosen, exact=True)
        return {hit.chunk_id: hit.score for hit in hits}

    def close(self) -> None:
        """See `VectorIndex.close`."""
        self.client.close()

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
        self, collection: str, name: str, dimension: int, batches: Iterable[PointBatch]
    ) -> BuildReceipt:
        self._create(collection, dimension)
        intake = Intake(name, dimension)
        doing = f"loading {name!r}"
        for batch in batches:
            for points in upsert_requests(intake.accept(batch)):
                self._call(doing, partial(self.client.upsert, collection, points, wait=True))
        stored = self._call(doing, lambda: self.client.count(collection, exact=True).count)
        return intake.receipt(stored)

    def _create(self, collection: str, dimension: int) -> None:
        from qdrant_client import models

        kilobytes = self.exact_up_to_points * dimension * 4 // 1024
        self._once(
            f"creating {collection!r}",
            lambda: self.client.create_collection(
                collection,
                vectors_config={
                    rules.VECTOR_NAME: models.VectorParams(
                        size=dimension, distance=models.Distance.COSINE
                    )
                },
                hnsw_config=models.HnswConfigDiff(
                    m=rules.GRAPH_EDGES, ef_construct=rules.GRAPH_BUILD_WIDTH
                ),
                # The threshold counts a segment, the server spreads points over all of them; zero
                # would switch the graph off.
                optimizers_config=models.OptimizersConfigDiff(
                    default_segment_number=_SEGMENTS,
                    indexing_threshold=max(1, kilobytes // _SEGMENTS),
                ),
            ),
        )
        kinds = dict.fromkeys(rules.KEYWORD_FIELDS, models.PayloadSchemaType.KEYWORD)
        kinds |= dict.fromkeys(rules.INTEGER_FIELDS, models.PayloadSchemaType.INTEGER)
        for field, kind in kinds.items():
            self._call(
                f"indexing {field!r} of {collection!r}",
                partial(self.client.create_payload_index, collection, field, kind, wait=True),
            )

    def _publish(self, name: str, collection: str, *, replace: bool) -> None:
        from qdrant_client import models

        alias = self._aliases + name
        operations: list[models.AliasOperations] = []
        if replace:
            former = models.DeleteAlias(alias_name=alias)
            operations.append(models.DeleteAliasOperation(delete_alias=former))
        new = models.CreateAlias(collection_name=collection, alias_name=alias)
        operations.append(models.CreateAliasOperation(create_alias=new))
        # The server applies the list as one change: nobody sees the name without a generation.
        self._once(
            f"publishing {name!r}", lambda: self.client.update_collection_aliases(operations)
        )

    def _published(self) -> dict[str, str]:
        """Complete generations and their collections."""
        response = self._call("listing generations", self.client.get_aliases)
        return {
            entry.alias_name.removeprefix(self._aliases): entry.collection_name
            for entry in response.aliases
            if entry.alias_name.startswith(self._aliases)
        }

    def _remove_leftovers(self, name: str, live: set[str]) -> None:
        """Remove what dead builds of this name left, and old ones of any name."""
        listed = self._call("listing collections", self.client.get_collections).collections
        for entry in listed:
            if not entry.name.startswith(self._collections) or entry.name in live:
                continue
            built, _, started = entry.name.removeprefix(self._collections).rpartition(".")
            if not started.isdecimal():
                continue
            age = time.time() - int(started) / 1e9
            if built == name or age > _ABANDONED_AFTER_SECONDS:
                self._delete(entry.name)

    def _delete(self, collection: str) -> None:
        self._call(f"deleting {collection!r}", lambda: self.client.delete_collection(collection))

    def _delete_unpublished(self, collection: str) -> None:
        """Tidy up after a failure, which is what the caller must hear of, not of this."""
        try:
            if collection not in self._published().values():
                self._delete(collection)
        except StoreError:
            return  # Not reachable: the next build of this name removes it.

    def _stored_dimension(self, name: str) -> int:
        from qdrant_client import models

        alias = self._alias(name)
        config = self._asked(name, lambda: self.client.get_collection(alias).config.params.vectors)
        dense = config.get(rules.VECTOR_NAME) if isinstance(config, dict) else None
        if dense is None or dense.distance != models.Distance.COSINE:
            found = dense.distance.value if dense else f"no vector {rules.VECTOR_NAME!r}"
            raise StoreError(
                f"{self.where}: the vector generation {name!r} has {found}, expected "
                f"{models.Distance.COSINE.value}; it is not Momentry's: remove its alias or set "
                "another prefix"
            )
        return dense.size

    def _scroll(self, name: str, collection: str, chosen: "models.Filter | None") -> Iterator[str]:
        def page(
            offset: "types.PointId | None",
        ) -> "tuple[list[models.Record], types.PointId | None]":
            return self.client.scroll(
                collection,
                scroll_filter=chosen,
                limit=_SCROLL_POINTS,
                offset=offset,
                with_payload=["chunk_id"],
            )

        offset: types.PointId | None = None
        while True:
            records, offset = self._call(f"reading {name!r}", partial(page, offset))
            for record in records:
                yield chunk_id_of(record)
            if offset is None:
                return

    def _nearest(
        self,
        name: str,
        unit: Vectors,
        limit: int,
        chosen: "models.Filter | None",
        *,
        exact: bool,
    ) -> list[VectorHit]:
        from qdrant_client import models

        response = self._asked(
            name,
            lambda: self.client.query_points(
                self._alias(name),
                query=unit,
                using=rules.VECTOR_NAME,
                query_filter=chosen,
                limit=limit,
                with_payload=["chunk_id"],
                search_params=models.SearchParams(hnsw_ef=rules.GRAPH_SEARCH_WIDTH, exact=exact),
            ),
        )
        return [VectorHit(chunk_id_of(point), point.score) for point in response.points]

    def _alias(self, name: str) -> str:
        return self._aliases + rules.check_name(name)

    def _asked(self, name: str, action: Callable[[], Result]) -> Result:
        """Ask a generation; when that fails because it is gone, say so."""
        try:
            return self._call(f"asking {name!r}", action)
        except StoreError as error:
            self._dimensions.pop(name, None)
            if name not in self._published():
                raise rules.no_generation(name, self.where) from error
            raise

    def _call(self, doing: str, action: Callable[[], Result]) -> Result:
        return with_retries(action, doing=doing, where=self.where)

    def _once(self, doing: str, action: Callable[[], Result]) -> Result:
        """For what would fail the second time if the first had arrived after all."""
        return with_retries(action, doing=doing, where=self.where, attempts=1)
