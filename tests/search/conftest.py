"""A small world with the real stores and the real model: files in, answers out."""

import uuid
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest

from momentry_assets.chunking.stage import chunk_collection
from momentry_assets.descriptions.writers import open_writers
from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.stage import EmbedReceipt, embed_level
from momentry_assets.model import Level
from momentry_assets.search.results import SearchRequest, SearchResponse
from momentry_assets.search.searcher import Searcher
from momentry_assets.settings import Settings, load_settings
from momentry_assets.sources.stage import read_collection
from momentry_assets.sources.walk import partition_key, walk
from momentry_assets.stores.opened import Stores, open_stores
from momentry_assets.stores.stage import load_postgres, load_vectors, prune_collections
from momentry_assets.tables import TableStore


class World:
    """A corpus folder and everything built from it."""

    def __init__(self, settings: Settings, stores: Stores, encoder: Encoder) -> None:
        self.settings = settings
        self.stores = stores
        self.encoder = encoder
        self.tables = TableStore(settings.tables_dir)
        self.searcher = Searcher(
            stores.postgres, stores.vectors, encoder, candidates=settings.candidates
        )

    def write(self, files: dict[str, str | bytes]) -> None:
        """Put files into the corpus; paths begin with the collection."""
        for path, content in files.items():
            file = self.settings.corpus / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def prepare(self) -> dict[str, EmbedReceipt]:
        """Read, chunk and embed; returns what embedding the children did, by collection."""
        walked = walk(self.settings.corpus)
        profile = self.encoder.profile
        receipts: dict[str, EmbedReceipt] = {}
        for name in walked.collections:
            key = partition_key(name)
            entries = [entry for entry in walked.entries if entry.collection == name]
            read_collection(entries, self.tables, key)
            chunking = self.settings.chunking_of(name)
            context = self.settings.context_of(name)
            writers = open_writers(self.settings, chunking, self.encoder)
            chunk_collection(self.tables, key, chunking, profile, writers)
            embed_level(Level.PARENT, self.tables, key, self.encoder, context)
            receipts[name] = embed_level(Level.CHILD, self.tables, key, self.encoder, context)
        return receipts

    def load(self) -> None:
        """Load both stores."""
        names = walk(self.settings.corpus).collections
        stores = self.stores
        for name in names:
            key = partition_key(name)
            load_postgres(self.tables, key, name, stores.postgres, stores.vectors)
            load_vectors(self.tables, key, name, stores.postgres, stores.vectors)
        prune_collections(names, self.tables, stores.postgres, stores.vectors)

    def ingest(self, files: dict[str, str | bytes] | None = None) -> dict[str, EmbedReceipt]:
        """Write files, then build everything."""
        self.write(files or {})
        receipts = self.prepare()
        self.load()
        return receipts

    def search(self, query: str, k: int = 5, **fields: object) -> SearchResponse:
        """Answer a question."""
        return self.searcher.search(SearchRequest(query, k=k, **fields))  # type: ignore[arg-type]

    def execute(self, statement: str, *values: object) -> None:
        """Damage the rows by hand."""
        url = self.settings.postgres_url
        assert url is not None
        options = f"-c search_path={self.settings.postgres_schema}"
        with psycopg.connect(url, options=options) as connection:
            connection.execute(statement, values)  # type: ignore[arg-type]

    def child_rows(self) -> list[dict[str, object]]:
        """All child chunks in the tables."""
        from momentry_assets.schemas import CHILD_CHUNKS

        return [
            row
            for partition in self.tables.partitions()
            for row in self.tables.read(CHILD_CHUNKS, partition).to_pylist()
        ]


@pytest.fixture
def world(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    encoder: Encoder,
    postgres_url: str,
) -> Generator[World]:
    monkeypatch.setenv("MOMENTRY_POSTGRES_URL", postgres_url)
    monkeypatch.setenv("MOMENTRY_POSTGRES_SCHEMA", f"test_{uuid.uuid4().hex}")
    monkeypatch.setenv("MOMENTRY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MOMENTRY_CORPUS", str(tmp_path / "corpus"))
    (tmp_path / "corpus").mkdir()
    settings = load_settings()
    with open_stores(settings) as stores:
        yield World(settings, stores, encoder)
