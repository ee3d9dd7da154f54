import tempfile
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def numba_cache() -> Path:
    # Kept over test runs: compiling what ranx needs takes more than a minute.
    return Path(tempfile.gettempdir()) / "momentry-tests-numba"
