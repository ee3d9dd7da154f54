"""Chunking a collection: what an endpoint did not write is asked for again, nothing else is."""

from pathlib import Path

import pytest

from momentry_assets.chunking.stage import ChunkReceipt, chunk_collection
from momentry_assets.descriptions.writers import open_writers
from momentry_assets.embedding.encoder import Encoder
from momentry_assets.schemas import CHILD_CHUNKS, PARENT_CHUNKS
from momentry_assets.settings import ChunkingSettings, LlmSettings, Settings, load_settings
from momentry_assets.sources.stage import read_collection
from momentry_assets.sources.walk import walk
from momentry_assets.tables import TableStore
from tests.descriptions.chat_server import chat_server, completion, error

TEXT = "# Pumps\n\nThe pump is red.\n\n# Valves\n\nThe valve sticks in winter.\n"


class Collection:
    """One collection of one file, read and ready to be cut."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        file = folder / "corpus" / "docs" / "d1.md"
        file.parent.mkdir(parents=True)
        file.write_text(TEXT, encoding="utf-8")
        self.folder = folder
        self.encoder = encoder
        self.tables = TableStore(folder / "tables")
        read_collection(list(walk(folder / "corpus").entries), self.tables, "docs")

    def chunk(self, llm: LlmSettings | None = None, **fields: object) -> ChunkReceipt:
        settings: Settings = load_settings(home=self.folder, llm=llm or LlmSettings())
        chunking = ChunkingSettings(**fields)  # type: ignore[arg-type]
        writers = open_writers(settings, chunking, self.encoder)
        return chunk_collection(self.tables, "docs", chunking, self.encoder.profile, writers)

    def column(self, name: str, *, level: str = "parent") -> list[object]:
        spec = PARENT_CHUNKS if level == "parent" else CHILD_CHUNKS
        return self.tables.read(spec, "docs", [name])[name].to_pylist()


@pytest.fixture
def collection(tmp_path: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> Collection:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return Collection(tmp_path, encoder)


def test_descriptions_are_extractive_unless_something_else_is_asked_for(
    collection: Collection,
) -> None:
    receipt = collection.chunk()
    assert (receipt.describer, receipt.fallbacks) == ("extractive", 0)
    assert collection.column("writer") == ["extractive"] * 2
    assert collection.column("description") == ["The pump is red.", "The valve sticks in winter."]
    assert collection.column("writer", level="child") == ["", ""]


def test_an_endpoint_that_failed_is_asked_again_by_the_next_run(collection: Collection) -> None:
    with chat_server() as server:
        llm = LlmSettings(base_url=server.url, model="test", attempts=1)
        server.respond = lambda *_: error(400, "not now")
        first = collection.chunk(llm, describer="llm")
        assert first.fallbacks == 2
        assert collection.column("writer") == ["extractive"] * 2
        assert all("not now" in str(one) for one in collection.column("fallback"))
        again = collection.chunk(llm, describer="llm")
        assert (again.unchanged, again.content_key) == (True, first.content_key)
        server.respond = lambda *_: completion("Something about it.")
        second = collection.chunk(llm, describer="llm")
        assert (second.unchanged, second.fallbacks) == (False, 0)
        assert second.content_key != first.content_key
        assert collection.column("description") == ["Something about it."] * 2
        assert collection.column("writer") == ["llm:test"] * 2
        asked = len(server.requests)
        assert collection.chunk(llm, describer="llm").unchanged
        assert len(server.requests) == asked


def test_summaries_and_questions_stand_for_their_parents(collection: Collection) -> None:
    receipt = collection.chunk(
        variant="summary_indexed", generated_child="both", questions_per_parent=2
    )
    assert receipt.variant == "summary_indexed"
    types = collection.column("chunk_type", level="child")
    assert types.count("summary") == 2
    assert types.count("question") >= 2
    assert set(collection.column("writer", level="child")) == {"extractive", "heading_key_phrases"}
    assert "The pump is red." in collection.column("search_text", level="child")


def test_a_changed_setting_cuts_again(collection: Collection) -> None:
    first = collection.chunk()
    assert collection.chunk().unchanged
    second = collection.chunk(variant="whole_document")
    assert not second.unchanged
    assert (first.parents, second.parents) == (2, 1)
