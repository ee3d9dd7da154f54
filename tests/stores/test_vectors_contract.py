"""One contract for every vector index. The client's local mode stands in for a server's API;
with MOMENTRY_TEST_QDRANT_URL the same suite runs against a real server."""

import json
import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from momentry_assets.errors import StoreError
from momentry_assets.model import Level, point_id
from momentry_assets.stores.qdrant_edge_index import QdrantEdgeIndex
from momentry_assets.stores.qdrant_server_index import QdrantServerIndex
from momentry_assets.stores.vectors import (
    BuildReceipt,
    PointBatch,
    RejectedPoint,
    VectorFilters,
    VectorHit,
    VectorIndex,
    Vectors,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact"),
]
CASE = Path(__file__).parents[1] / "cases" / "40-store-mixed-b"
SERVER = os.environ.get("MOMENTRY_TEST_QDRANT_URL")


@pytest.fixture(
    params=[
        "edge",
        "local",
        pytest.param("server", marks=pytest.mark.skipif(not SERVER, reason="no server named")),
    ]
)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorIndex]:
    if request.param == "edge":
        opened: VectorIndex = QdrantEdgeIndex(tmp_path / "qdrant")
    elif request.param == "local":
        from qdrant_client import QdrantClient

        opened = QdrantServerIndex(QdrantClient(":memory:"), where=":memory:")
    else:
        opened = QdrantServerIndex.connect(str(SERVER), prefix=f"test-{uuid.uuid4().hex[:12]}")
    with opened:
        yield opened
        for name in opened.names():
            opened.drop(name)


def batch(*rows: tuple[str, list[float]], **payload: object) -> PointBatch:
    """Points that share a payload; children unless it says otherwise."""
    return PointBatch(
        [chunk_id for chunk_id, _ in rows],
        np.array([vector for _, vector in rows], dtype=np.float32),
        [{"level": "child"} | payload for _ in rows],
    )


def vector(*numbers: float) -> Vectors:
    return np.array(numbers, dtype=np.float32)


def asked(index: VectorIndex, filters: VectorFilters) -> list[str]:
    hits = index.query("docs", vector(1, 1), limit=10, level=Level.CHILD, filters=filters)
    return sorted(hit.chunk_id for hit in hits)


def test_nearest_chunks_come_first_with_their_cosine(index: VectorIndex) -> None:
    index.build("docs", 2, [batch(("a", [3, 0]), ("b", [1, 1]), ("c", [0, 5]), ("d", [-1, 0]))])
    hits = index.query("docs", vector(7, 0), limit=3, level=Level.CHILD)
    assert [hit.chunk_id for hit in hits] == ["a", "b", "c"]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.5**0.5, 0.0], abs=1e-6)


def test_a_query_answers_with_the_level_it_was_asked_for(index: VectorIndex) -> None:
    index.build("docs", 2, [batch(("c", [1, 0])), batch(("p", [1, 0]), level="parent")])
    for level, expected in ((Level.CHILD, "c"), (Level.PARENT, "p")):
        hits = index.query("docs", vector(1, 0), limit=5, level=level)
        assert [hit.chunk_id for hit in hits] == [expected]
        assert index.count("docs", level) == 1
        assert list(index.chunk_ids("docs", level)) == [expected]
    assert index.count("docs") == 2
    assert sorted(index.chunk_ids("docs")) == ["c", "p"]


def test_equal_scores_come_by_chunk_id_even_when_the_limit_cuts_through_them(
    index: VectorIndex,
) -> None:
    ids = [f"chunk-{number:03}" for number in range(100)]
    rows = [(chunk_id, [1.0, 0.0]) for chunk_id in reversed(ids)]
    index.build("docs", 2, [batch(*rows), batch(("best", [1, 1]), ("worst", [-1, 0]))])
    hits = index.query("docs", vector(1, 1), limit=4, level=Level.CHILD)
    assert [hit.chunk_id for hit in hits] == ["best", *ids[:3]]


def test_filters_narrow_what_is_asked(index: VectorIndex) -> None:
    index.build(
        "docs",
        2,
        [
            batch(
                ("m1", [1, 0]),
                collection="media",
                document_id="media/talk.srt",
                document_type="srt",
                tags=("pumps", "north"),
                language="en",
                start_ms=1000,
                end_ms=2000,
            ),
            batch(
                ("d1", [0, 1]),
                collection="docs",
                document_id="docs/a.md",
                document_type="markdown",
                tags=["pumps"],
                language="de",
                start_ms=None,
                end_ms=None,
            ),
        ],
    )
    assert asked(index, VectorFilters()) == ["d1", "m1"]
    assert asked(index, VectorFilters(collections=("media",))) == ["m1"]
    assert asked(index, VectorFilters(document_types=("markdown", "plaintext"))) == ["d1"]
    assert asked(index, VectorFilters(tags=("pumps",))) == ["d1", "m1"]
    assert asked(index, VectorFilters(tags=("north", "south"))) == ["m1"]
    assert asked(index, VectorFilters(languages=("de",))) == ["d1"]
    assert asked(index, VectorFilters(from_ms=1500)) == ["m1"]
    assert asked(index, VectorFilters(from_ms=2001)) == []
    assert asked(index, VectorFilters(until_ms=999)) == []
    assert asked(index, VectorFilters(from_ms=500, until_ms=1000, tags=("pumps",))) == ["m1"]
    of_document = index.query(
        "docs", vector(1, 0), limit=5, level=Level.CHILD, document_id="docs/a.md"
    )
    assert of_document == [VectorHit("d1", 0.0)]


def test_chunks_that_only_the_words_found_get_their_dense_score(index: VectorIndex) -> None:
    index.build("docs", 2, [batch(("a", [1, 0]), ("b", [1, 1]), ("c", [-2, 0]))])
    scores = index.scores("docs", vector(4, 0), ["c", "b", "not there", "b"])
    assert scores == {"b": pytest.approx(0.5**0.5), "c": pytest.approx(-1.0)}
    assert index.scores("docs", vector(4, 0), []) == {}
    (hit,) = index.query("docs", vector(3, 1), limit=1, level=Level.CHILD)
    assert index.scores("docs", vector(3, 1), [hit.chunk_id])[hit.chunk_id] == pytest.approx(
        hit.score, abs=1e-6
    )


def test_bad_vectors_are_refused_one_by_one_and_the_rest_is_stored(index: VectorIndex) -> None:
    case = json.loads((CASE / "input-points.json").read_text(encoding="utf-8"))
    batches = [
        batch((str(point["id"]), point["vector"]), collection="case") for point in case["points"]
    ]
    receipt = index.build("case", case["dim"], batches)
    assert receipt == BuildReceipt(
        points=3,
        rejected=(
            RejectedPoint("manual:12:3", "dimension 3 != 4"),
            RejectedPoint("-5", "zero vector"),
        ),
        repeated=("manual:12:3",),
    )
    assert sorted(index.chunk_ids("case")) == ["18446744073709551616", "manual:12:3", "ok-5"]


def test_vectors_that_are_not_finite_are_refused(index: VectorIndex) -> None:
    rows = batch(("nan", [np.nan, 1]), ("inf", [np.inf, 1]), ("ok", [1, 2]))
    receipt = index.build("docs", 2, [rows])
    assert [point.reason for point in receipt.rejected] == ["not finite", "not finite"]
    assert list(index.chunk_ids("docs")) == ["ok"]


@pytest.mark.parametrize("length", [1e-30, 1e30])
def test_very_short_and_very_long_vectors_have_a_cosine(index: VectorIndex, length: float) -> None:
    index.build("docs", 2, [batch(("a", [length, 0]), ("b", [0, length]))])
    hits = index.query("docs", vector(length, 0), limit=2, level=Level.CHILD)
    assert [(hit.chunk_id, round(hit.score, 5)) for hit in hits] == [("a", 1.0), ("b", 0.0)]


def test_of_a_repeated_chunk_the_last_is_kept_once(
    index: VectorIndex, caplog: pytest.LogCaptureFixture
) -> None:
    batches = [
        batch(("a", [1, 0]), ("a", [0, 1]), ("b", [1, 1])),
        batch(("b", [0, 1]), level="parent"),
    ]
    receipt = index.build("docs", 2, batches)
    assert (receipt.points, receipt.repeated) == (2, ("a", "b"))
    assert index.scores("docs", vector(0, 1), ["a", "b"]) == {
        "a": pytest.approx(1.0),
        "b": pytest.approx(1.0),
    }
    assert index.count("docs", Level.PARENT) == 1
    assert "the last is kept: a, b" in caplog.text


def test_a_build_replaces_the_whole_generation_of_its_name(index: VectorIndex) -> None:
    index.build("docs", 2, [batch(("old-1", [1, 0]), ("old-2", [0, 1]))])
    assert len(index.query("docs", vector(1, 0), limit=9, level=Level.CHILD)) == 2
    index.build("docs", 2, [batch(("new", [1, 0]))])
    assert index.names() == ["docs"]
    assert index.count("docs") == 1
    assert [h.chunk_id for h in index.query("docs", vector(1, 0), limit=9, level=Level.CHILD)] == [
        "new"
    ]


def test_a_half_built_generation_is_never_seen(index: VectorIndex) -> None:
    index.build("docs", 2, [batch(("old", [1, 0]))])
    seen: list[tuple[list[str], list[str]]] = []

    def batches() -> Iterator[PointBatch]:
        yield batch(("new", [1, 0]))
        seen.append((index.names(), list(index.chunk_ids("docs"))))
        raise KeyError("the source broke")

    for name in ("docs", "other"):
        with pytest.raises(KeyError, match="the source broke"):
            index.build(name, 2, batches())
    assert seen == [(["docs"], ["old"])] * 2
    assert index.names() == ["docs"]
    assert list(index.chunk_ids("docs")) == ["old"]


def test_generations_are_listed_and_dropped_by_name(index: VectorIndex) -> None:
    assert index.names() == []
    for name in ("b.v1", "a", "b"):
        index.build(name, 2, [batch((name, [1, 0]))])
    assert index.names() == ["a", "b", "b.v1"]
    assert index.drop("b") is True
    assert index.drop("b") is False
    assert index.names() == ["a", "b.v1"]
    with pytest.raises(StoreError, match=r"no vector generation 'b'.*qdrant_index"):
        index.query("b", vector(1, 0), limit=1, level=Level.CHILD)
    assert index.dimension("b.v1") == 2


def test_an_empty_generation_answers_with_nothing(index: VectorIndex) -> None:
    assert index.build("docs", 3, []) == BuildReceipt(points=0)
    assert index.names() == ["docs"]
    assert index.dimension("docs") == 3
    assert index.query("docs", vector(1, 0, 0), limit=5, level=Level.CHILD) == []
    assert (index.count("docs"), list(index.chunk_ids("docs"))) == (0, [])


def test_another_dimension_is_an_error_that_names_both_and_drops_nothing(
    index: VectorIndex,
) -> None:
    index.build("docs", 2, [batch(("a", [1, 0]))])
    both = r"'docs' has dimension 2, asked for 3"
    with pytest.raises(StoreError, match=both):
        index.build("docs", 3, [batch(("a", [1, 0, 0]))])
    with pytest.raises(StoreError, match=both):
        index.query("docs", vector(1, 0, 0), limit=1, level=Level.CHILD)
    with pytest.raises(StoreError, match=both):
        index.scores("docs", vector(1, 0, 0), ["a"])
    assert list(index.chunk_ids("docs")) == ["a"]
    index.drop("docs")
    index.build("docs", 3, [batch(("a", [1, 0, 0]))])
    assert index.dimension("docs") == 3
    assert len(index.query("docs", vector(1, 0, 0), limit=1, level=Level.CHILD)) == 1


QUESTIONS: dict[str, Callable[[VectorIndex], object]] = {
    "count": lambda index: index.count("nope"),
    "count of a level": lambda index: index.count("nope", Level.CHILD),
    "chunk ids": lambda index: index.chunk_ids("nope"),
    "dimension": lambda index: index.dimension("nope"),
    "query": lambda index: index.query("nope", vector(1, 0), limit=1, level=Level.CHILD),
    "scores": lambda index: index.scores("nope", vector(1, 0), ["a"]),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_generation_that_is_not_there_is_an_error_not_an_empty_answer(
    index: VectorIndex, question: str
) -> None:
    with pytest.raises(StoreError, match="no vector generation 'nope'"):
        QUESTIONS[question](index)


def test_a_query_without_direction_or_limit_is_an_error(index: VectorIndex) -> None:
    index.build("docs", 2, [batch(("a", [1, 0]))])
    for query in (vector(0, 0), vector(np.nan, 1)):
        with pytest.raises(StoreError, match="zero or not finite"):
            index.query("docs", query, limit=1, level=Level.CHILD)
    with pytest.raises(StoreError, match="limit of at least 1, got 0"):
        index.query("docs", vector(1, 0), limit=0, level=Level.CHILD)


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "a b", "ä", "x" * 201, "a\n"])
def test_a_name_that_cannot_be_a_folder_is_refused(index: VectorIndex, name: str) -> None:
    with pytest.raises(StoreError, match="cannot name a vector generation"):
        index.build(name, 2, [])
    with pytest.raises(StoreError, match="cannot name a vector generation"):
        index.drop(name)


def test_the_longest_name_and_thousands_of_points_are_stored(index: VectorIndex) -> None:
    name, rng = "n" * 200, np.random.default_rng(1)
    vectors = rng.standard_normal((2500, 8)).astype(np.float32)
    ids = [f"chunk {number}" for number in range(2500)]
    payloads = [{"level": "child", "document_id": f"d/{row % 7}"} for row in range(2500)]
    receipt = index.build(name, 8, [PointBatch(ids, vectors, payloads)])
    assert receipt == BuildReceipt(2500)
    assert set(index.chunk_ids(name)) == set(ids)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = np.argsort(-(units @ vectors[17]))[:5]
    hits = index.query(name, vectors[17], limit=5, level=Level.CHILD)
    assert [hit.chunk_id for hit in hits] == [ids[row] for row in expected]


def test_columns_of_a_batch_must_fit_together() -> None:
    with pytest.raises(StoreError, match="1 chunk ids, 2 vectors and 1 payloads"):
        PointBatch(["a"], np.zeros((2, 2), dtype=np.float32), [{}])
    with pytest.raises(StoreError, match=r"shape \(points, dimension\), got \(2,\)"):
        PointBatch(["a"], np.zeros(2, dtype=np.float32), [{}])


def test_point_ids_are_uuids_of_the_chunk_id() -> None:
    assert point_id("a") == uuid.uuid5(uuid.NAMESPACE_URL, "a")
