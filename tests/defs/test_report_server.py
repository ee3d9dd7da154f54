"""The report server: the files of one folder on loopback and nothing else."""

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from momentry_assets.report_server import make_server


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    folder = tmp_path / "reports"
    (folder / "below").mkdir(parents=True)
    (folder / "latest.html").write_text("<p>the verdict</p>", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("not for you", encoding="utf-8")
    (folder / "way-out.txt").symlink_to(tmp_path / "secret.txt")
    with make_server(folder, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert server.server_address[0] == "127.0.0.1"
        yield server.server_address[1]
        server.shutdown()


def _get(port: int, path: str, method: str = "GET") -> tuple[int, str, dict[str, str]]:
    # http.client sends the path as it is; a browser or urllib would tidy it first.
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path)
    answer = connection.getresponse()
    body = answer.read().decode("utf-8", "replace")
    connection.close()
    return answer.status, body, {name.lower(): value for name, value in answer.getheaders()}


def test_a_report_is_served_and_never_cached(port: int) -> None:
    status, body, headers = _get(port, "/latest.html")
    assert (status, body) == (200, "<p>the verdict</p>")
    assert headers["cache-control"] == "no-store"
    assert headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("path", ["/", "/below/", "/missing.html"])
def test_a_folder_is_not_listed(port: int, path: str) -> None:
    status, body, _ = _get(port, path)
    assert status == 404
    assert "latest.html" not in body


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/below/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "//etc/passwd",
        "/way-out.txt",
    ],
)
def test_nothing_outside_the_folder_is_served(port: int, path: str) -> None:
    status, body, _ = _get(port, path)
    assert status == 404
    assert "not for you" not in body
    assert "root:" not in body


def test_nothing_can_be_written(port: int) -> None:
    assert _get(port, "/latest.html", "PUT")[0] == 501
    assert _get(port, "/latest.html", "DELETE")[0] == 501
