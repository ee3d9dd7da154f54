"""One embedded PostgreSQL server for the tests of this folder, one schema for each test."""

import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from momentry_assets.stores.embedded_postgres import EmbeddedPostgres
from momentry_assets.stores.postgres import PostgresStore

# Not pytest's temporary folder: as root the server runs as nobody, who must be let through, and
# each pytest that starts shuts that folder to everybody else again.


@pytest.fixture
def server_folder() -> Iterator[Path]:
    """A folder for a server of one test."""
    with tempfile.TemporaryDirectory(prefix="momentry-test-") as folder:
        yield Path(folder).resolve()


@pytest.fixture(scope="module")
def made_server_folder() -> Iterator[Path]:
    """A folder with a database in it, so that not every test waits for initdb."""
    with tempfile.TemporaryDirectory(prefix="momentry-test-") as folder:
        server = EmbeddedPostgres(Path(folder).resolve())
        server.start()
        server.close(wait=True)
        yield Path(folder).resolve()


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresStore]:
    """An empty store in a schema of its own."""
    with PostgresStore(postgres_url, schema=f"test_{uuid.uuid4().hex[:12]}") as opened:
        opened.ensure_schema()
        yield opened
        opened.drop_schema()
