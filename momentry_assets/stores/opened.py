"""The stores that the settings name, opened: embedded ones by default, servers by one setting."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from momentry_assets.settings import Settings
from momentry_assets.stores.embedded_postgres import EmbeddedPostgres
from momentry_assets.stores.open_vectors import open_vector_index
from momentry_assets.stores.postgres import PostgresStore
from momentry_assets.stores.vectors import VectorIndex


@dataclass(frozen=True, slots=True)
class Stores:
    """Both stores, ready to use."""

    postgres: PostgresStore
    vectors: VectorIndex


@contextmanager
def open_stores(settings: Settings) -> Generator[Stores]:
    """Open both stores for as long as the block runs.

    Without ``postgres_url`` the embedded server is started when nobody has it running, and stops
    by itself soon after its last user has gone.
    """
    with ExitStack() as stack:
        url = settings.postgres_url
        if url is None:
            url = stack.enter_context(EmbeddedPostgres(settings.home / "postgres")).url
        postgres = stack.enter_context(PostgresStore(url, settings.postgres_schema))
        postgres.ensure_schema()
        vectors = stack.enter_context(open_vector_index(settings))
        yield Stores(postgres, vectors)
