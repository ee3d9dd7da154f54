"""Momentry's points and filters as qdrant_client writes them."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from momentry_assets.model import Level, point_id
from momentry_assets.stores import vectors as rules
from momentry_assets.stores.vectors import Condition, PointBatch, VectorFilters

if TYPE_CHECKING:
    # Importing qdrant_client takes 2 s: at run time only where a server is used.
    from qdrant_client import models

_UPSERT_POINTS = 256
_UPSERT_BYTES = 16 * 1024 * 1024
# A float32 written as JSON, which is what REST sends, with its comma; gRPC needs 4.
_BYTES_A_NUMBER = 14


def upsert_requests(batch: PointBatch) -> "Iterator[list[models.PointStruct]]":
    """Requests of bounded count and size; only one holds its vectors as Python floats."""
    from qdrant_client import models

    request: list[models.PointStruct] = []
    size = 0
    for chunk_id, vector, payload in zip(
        batch.chunk_ids, batch.vectors, batch.payloads, strict=True
    ):
        plain = dict(payload)
        weight = vector.size * _BYTES_A_NUMBER + len(json.dumps(plain, default=str))
        if request and (len(request) == _UPSERT_POINTS or size + weight > _UPSERT_BYTES):
            yield request
            request, size = [], 0
        request.append(
            models.PointStruct(
                id=str(point_id(chunk_id)),
                vector={rules.VECTOR_NAME: vector.tolist()},
                payload=plain,
            )
        )
        size += weight
    if request:
        yield request


def query_filter(
    *,
    level: Level | None,
    document_id: str | None = None,
    filters: VectorFilters = rules.NO_FILTERS,
) -> "models.Filter | None":
    """The conditions of a query as the client writes them, None when there are none."""
    from qdrant_client import models

    must: list[models.Condition] = [
        _field_condition(condition) for condition in rules.conditions(level, document_id, filters)
    ]
    return models.Filter(must=must) if must else None


def _field_condition(condition: Condition) -> "models.FieldCondition":
    from qdrant_client import models

    if condition.any_of:
        match = models.MatchAny(any=list(condition.any_of))
        return models.FieldCondition(key=condition.field, match=match)
    bounds = models.Range(gte=condition.at_least, lte=condition.at_most)
    return models.FieldCondition(key=condition.field, range=bounds)


def chunk_id_of(point: "models.ScoredPoint | models.Record") -> str:
    """The chunk id a point carries."""
    return str((point.payload or {})["chunk_id"])
