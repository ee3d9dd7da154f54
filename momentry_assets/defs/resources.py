"""Resources: what an asset needs beside its inputs."""

from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache

import dagster as dg

from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.profile import EncoderProfile, read_profile
from momentry_assets.settings import Settings, load_settings
from momentry_assets.stores.opened import Stores, open_stores
from momentry_assets.tables import TableStore


class SettingsResource(dg.ConfigurableResource[Settings]):
    """The settings, read when a step runs: ``MOMENTRY_*`` variables over ``momentry.toml``."""

    def load(self) -> Settings:
        """The settings as they are now."""
        return load_settings()


class TableStoreResource(dg.ConfigurableResource[TableStore]):
    """The Parquet tables below ``MOMENTRY_HOME``."""

    settings: dg.ResourceDependency[SettingsResource]

    def open(self) -> TableStore:
        """The tables by name and partition."""
        return TableStore(self.settings.load().tables_dir)


class StoresResource(dg.ConfigurableResource[Stores]):
    """PostgreSQL and Qdrant: embedded, or the servers that the settings name."""

    settings: dg.ResourceDependency[SettingsResource]

    @contextmanager
    def open(self) -> Generator[Stores]:
        """Both stores for the time of a step."""
        with open_stores(self.settings.load()) as stores:
            yield stores


class EncoderResource(dg.ConfigurableResource[Encoder]):
    """The sentence-transformers model; loaded at the first text and once a process."""

    settings: dg.ResourceDependency[SettingsResource]

    def profile(self) -> EncoderProfile:
        """The model's limits and prompts; does not load it."""
        return read_profile(self.settings.load())

    def open(self) -> Encoder:
        """The encoder."""
        settings = self.settings.load()
        return shared_encoder(
            read_profile(settings), settings.embedding_device, settings.embedding_batch_tokens
        )


@lru_cache(maxsize=1)
def shared_encoder(profile: EncoderProfile, device: str | None, batch_tokens: int) -> Encoder:
    """One encoder a process: loading the model twice would cost seconds and memory."""
    return Encoder(profile, device=device, batch_tokens=batch_tokens)


def default_resources() -> dict[str, object]:
    """The resources of production; tests replace what they need by name."""
    settings = SettingsResource()
    return {
        "settings": settings,
        "tables": TableStoreResource(settings=settings),
        "stores": StoresResource(settings=settings),
        "encoder": EncoderResource(settings=settings),
    }
