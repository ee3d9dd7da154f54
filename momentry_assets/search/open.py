"""A searcher over the stores and the model that the settings name."""

from collections.abc import Generator
from contextlib import contextmanager

from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.profile import read_profile
from momentry_assets.errors import SearchError
from momentry_assets.search.searcher import Searcher
from momentry_assets.settings import Settings
from momentry_assets.stores.opened import open_stores


@contextmanager
def open_searcher(settings: Settings) -> Generator[Searcher]:
    """Open stores and encoder for as long as the block runs.

    Raises:
        SearchError: when nothing was ever loaded.
    """
    encoder = Encoder(
        read_profile(settings),
        device=settings.embedding_device,
        batch_tokens=settings.embedding_batch_tokens,
    )
    with open_stores(settings) as stores:
        if not stores.postgres.live_generations():
            raise SearchError(
                f"nothing is loaded in {settings.home}: `make run` (or `momentry run`) reads "
                f"{settings.corpus} first"
            )
        yield Searcher(stores.postgres, stores.vectors, encoder, candidates=settings.candidates)
