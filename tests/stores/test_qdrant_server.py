"""What only the server index promises: names on a shared server, bounded requests, retries."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from momentry_assets.errors import StoreError
from momentry_assets.model import Level
from momentry_assets.stores.qdrant_connection import with_retries
from momentry_assets.stores.qdrant_requests import upsert_requests
from momentry_assets.stores.qdrant_server_index import QdrantServerIndex
from momentry_assets.stores.vectors import PointBatch

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact"),
]


def points(count: int, dimension: int = 2, **payload: object) -> PointBatch:
    vectors = np.ones((count, dimension), dtype=np.float32)
    chunk_ids = [f"c{number}" for number in range(count)]
    return PointBatch(chunk_ids, vectors, [{"level": "child"} | payload] * count)


@pytest.fixture
def client() -> QdrantClient:
    return QdrantClient(":memory:")


def make(client: QdrantClient, name: str, distance: models.Distance) -> None:
    params = models.VectorParams(size=2, distance=distance)
    client.create_collection(name, vectors_config={"dense": params})


def listed(client: QdrantClient) -> set[str]:
    return {entry.name for entry in client.get_collections().collections}


def test_what_a_dead_build_left_is_not_a_generation_and_goes_with_the_next_build(
    client: QdrantClient,
) -> None:
    index = QdrantServerIndex(client, where=":memory:")
    now = time.time_ns()
    two_days_ago = now - 2 * 86_400 * 10**9
    dead, elsewhere = f"momentry-build.docs.{now}", f"momentry-build.media.{now}"
    for name in (dead, elsewhere, f"momentry-build.old.{two_days_ago}", "somebody-elses"):
        make(client, name, models.Distance.COSINE)
    assert index.names() == []
    index.build("docs", 2, [points(3)])
    index.build("docs", 2, [points(4)])
    (live,) = listed(client) - {elsewhere, "somebody-elses"}
    assert live != dead
    assert index.count("docs") == 4


def test_two_projects_share_a_server_without_seeing_each_other(client: QdrantClient) -> None:
    ours = QdrantServerIndex(client, where=":memory:")
    theirs = QdrantServerIndex(client, where=":memory:", prefix="theirs")
    ours.build("docs", 2, [points(1)])
    theirs.build("docs", 2, [points(2)])
    assert (ours.count("docs"), theirs.count("docs")) == (1, 2)
    assert ours.drop("docs")
    assert (ours.names(), theirs.names()) == ([], ["docs"])


def test_a_collection_of_another_distance_is_refused_by_name_and_left_alone(
    client: QdrantClient,
) -> None:
    make(client, "foreign", models.Distance.DOT)
    alias = models.CreateAlias(collection_name="foreign", alias_name="momentry.docs")
    client.update_collection_aliases([models.CreateAliasOperation(create_alias=alias)])
    index = QdrantServerIndex(client, where=":memory:")
    with pytest.raises(StoreError, match="'docs' has Dot, expected Cosine"):
        index.build("docs", 2, [points(1)])
    with pytest.raises(StoreError, match="'docs' has Dot, expected Cosine"):
        index.query("docs", np.ones(2, dtype=np.float32), limit=1, level=Level.CHILD)
    assert "foreign" in listed(client)


def test_requests_are_bounded_by_count_and_by_bytes() -> None:
    assert [len(request) for request in upsert_requests(points(600))] == [256, 256, 88]
    heavy = points(10, text="x" * 5_000_000)
    assert [len(request) for request in upsert_requests(heavy)] == [3, 3, 3, 1]


@contextmanager
def server_of(*answers: int) -> Generator[tuple[str, list[str]]]:
    """A server that answers GET with these statuses in turn; its address and what was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status = answers[min(len(asked), len(answers) - 1)]
            asked.append(self.path)
            body = b'{"result": {"aliases": []}, "status": "ok", "time": 0.0}'
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def test_a_server_that_is_overloaded_for_a_moment_is_asked_again() -> None:
    with server_of(503, 429, 200) as (url, asked):
        client = QdrantClient(url=url, check_compatibility=False)
        answer = with_retries(client.get_aliases, doing="listing", where=url)
    assert answer.aliases == []
    assert asked == ["/aliases"] * 3


def test_a_refusal_is_not_repeated_and_is_reported_with_its_place() -> None:
    with server_of(403) as (url, asked):
        client = QdrantClient(url=url, check_compatibility=False)
        with pytest.raises(StoreError, match=rf"{url}: Qdrant failed when listing: .*403"):
            with_retries(client.get_aliases, doing="listing", where=url)
    assert len(asked) == 1


def test_what_must_not_be_done_twice_is_tried_once() -> None:
    with server_of(503) as (url, asked):
        client = QdrantClient(url=url, check_compatibility=False)
        with pytest.raises(StoreError, match="when publishing"):
            with_retries(client.get_aliases, doing="publishing", where=url, attempts=1)
    assert len(asked) == 1
