"""What all tests share: offline, one embedded PostgreSQL server, one loaded model."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
# ranx compiles for most of a minute; once for all tests is enough.
os.environ["NUMBA_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "momentry-tests-numba")

from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.profile import read_profile
from momentry_assets.settings import load_settings
from momentry_assets.stores.embedded_postgres import EmbeddedPostgres

# Not pytest's temporary folder: as root the server runs as nobody, who must be let through, and
# each pytest that starts shuts that folder to everybody else again.


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own variables must not change what a test sees."""
    for name in [name for name in os.environ if name.startswith("MOMENTRY_")]:
        if not name.startswith("MOMENTRY_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("DAGSTER_HOME", raising=False)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The server that the session's tests share."""
    with tempfile.TemporaryDirectory(prefix="momentry-test-") as folder:
        server = EmbeddedPostgres(Path(folder))
        yield server.start()
        server.close(wait=True)


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    """The bundled model, loaded once."""
    return Encoder(read_profile(load_settings()))
