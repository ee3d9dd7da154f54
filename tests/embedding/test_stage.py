"""The stages from files to vectors: what did not change is not done again."""

from pathlib import Path

import numpy as np
import pytest

from momentry_assets.chunking.stage import ChunkReceipt, chunk_collection
from momentry_assets.descriptions.writers import Writers, open_writers
from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.stage import EMBEDDINGS, EmbedReceipt, embed_level, vector_matrix
from momentry_assets.errors import TableError
from momentry_assets.integrity import embedding_problems, hierarchy_problems, segment_problems
from momentry_assets.model import Level
from momentry_assets.schemas import CHILD_CHUNKS, CHILD_EMBEDDINGS, PARENT_CHUNKS
from momentry_assets.settings import ChunkingSettings, ContextSettings, load_settings
from momentry_assets.sources.stage import ReadReceipt, read_collection
from momentry_assets.sources.walk import walk
from momentry_assets.tables import TableStore

D1 = "# A\n\nOne.\n\nTwo.\n"


class Collection:
    """One collection of files and its tables, without stores."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        self.corpus = folder / "corpus"
        self.tables = TableStore(folder / "tables")
        self.encoder = encoder
        self.settings = load_settings(home=folder)

    @property
    def writers(self) -> Writers:
        return open_writers(self.settings, self.settings.chunking, self.encoder)

    def write(self, **files: str) -> None:
        for name, text in files.items():
            path = self.corpus / "docs" / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run(self) -> tuple[ReadReceipt, ChunkReceipt, EmbedReceipt, EmbedReceipt]:
        entries = list(walk(self.corpus).entries)
        read = read_collection(entries, self.tables, "docs")
        chunked = chunk_collection(
            self.tables, "docs", self.settings.chunking, self.encoder.profile, self.writers
        )
        context = self.settings.context
        parents = embed_level(Level.PARENT, self.tables, "docs", self.encoder, context)
        children = embed_level(Level.CHILD, self.tables, "docs", self.encoder, context)
        return read, chunked, parents, children

    def children(self) -> dict[str, str]:
        rows = self.tables.read(CHILD_CHUNKS, "docs", ["chunk_id", "text_content"]).to_pylist()
        return {row["chunk_id"]: row["text_content"] for row in rows}

    def vectors(self) -> dict[str, bytes]:
        table = self.tables.read(CHILD_EMBEDDINGS, "docs", ["chunk_id", "embedding"])
        matrix = vector_matrix(table["embedding"])
        return {
            chunk_id: vector.tobytes()
            for chunk_id, vector in zip(table["chunk_id"].to_pylist(), matrix, strict=True)
        }

    def problems(self) -> list[str]:
        found = [*segment_problems(self.tables, "docs"), *hierarchy_problems(self.tables, "docs")]
        for level in Level:
            found += embedding_problems(self.tables, "docs", level, self.encoder.profile)
        return found


@pytest.fixture
def collection(tmp_path: Path, encoder: Encoder) -> Collection:
    return Collection(tmp_path, encoder)


def files_of(store: TableStore) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (store.folder / "docs").iterdir()}


def test_a_second_run_writes_no_row_and_embeds_no_text(collection: Collection) -> None:
    collection.write(d1=D1)
    first = collection.run()
    assert [one.unchanged for one in first] == [False] * 4
    before = files_of(collection.tables)
    second = collection.run()
    assert [one.unchanged for one in second] == [True] * 4
    assert (second[2].embedded, second[3].embedded) == (0, 0)
    assert files_of(collection.tables) == before
    assert collection.problems() == []


def test_ids_and_vectors_are_the_same_from_another_folder(
    collection: Collection, tmp_path: Path, encoder: Encoder
) -> None:
    other = Collection(tmp_path / "somewhere" / "else", encoder)
    for one in (collection, other):
        one.write(d1=D1)
        one.run()
    assert collection.children() == other.children()
    assert collection.vectors() == other.vectors()


def _book(changed: bool = False, inserted: bool = False) -> str:
    lines: list[str] = []
    for section in range(1, 21):
        lines.append(f"## Section {section}\n")
        for paragraph in range(1, 6):
            # Not the first paragraph: that one is its parent's description, which is embedded
            # with every child of the section.
            word = "altered" if changed and (section, paragraph) == (9, 5) else "usual"
            lines.append(
                f"Paragraph {paragraph} of section {section} says the {word} thing about pumps, "
                f"oil and the {section * paragraph} keys that hang beside the harbour door.\n"
            )
            if inserted and (section, paragraph) == (5, 2):
                lines.append("An inserted paragraph moves all the offsets that stand behind it.\n")
    return "\n".join(lines)


def test_one_changed_word_embeds_one_child_and_leaves_every_other_vector(
    collection: Collection,
) -> None:
    collection.write(book=_book())
    assert collection.run()[3].embedded == 100
    before = collection.vectors()
    collection.write(book=_book(changed=True))
    receipt = collection.run()[3]
    assert (receipt.embedded, receipt.reused) == (1, 99)
    after = collection.vectors()
    assert before.keys() == after.keys()
    changed = [key for key in before if before[key] != after[key]]
    assert changed == ["docs/book.md#section-9!5"]


def test_an_inserted_paragraph_embeds_no_child_of_another_section(collection: Collection) -> None:
    collection.write(book=_book())
    collection.run()
    before = collection.vectors()
    collection.write(book=_book(inserted=True))
    receipt = collection.run()[3]
    assert receipt.rows == 101
    assert 1 <= receipt.embedded <= 6
    after = collection.vectors()
    elsewhere = [key for key in before if "#section-5!" not in key]
    assert len(elsewhere) == 95
    assert all(before[key] == after[key] for key in elsewhere)


def test_equal_texts_are_embedded_once_and_have_a_row_each(collection: Collection) -> None:
    text = "---\ntitle: The same\n---\nHello world.\n"
    collection.write(d1=text, d2=text)
    receipt = collection.run()[3]
    assert (receipt.rows, receipt.embedded) == (2, 1)
    assert len(set(collection.children())) == 2


def test_a_deleted_document_leaves_nothing_and_the_others_as_they_are(
    collection: Collection,
) -> None:
    collection.write(d1="alpha beta.\n", d2="gamma delta.\n")
    collection.run()
    before = collection.vectors()
    (collection.corpus / "docs" / "d1.md").unlink()
    receipt = collection.run()[3]
    assert (receipt.rows, receipt.embedded) == (1, 0)
    assert set(collection.children().values()) == {"gamma delta."}
    assert collection.vectors() == {key: before[key] for key in before if "d2" in key}


@pytest.mark.parametrize("content", ["", " \n\t"])
def test_a_collection_of_empty_documents_has_empty_tables(
    collection: Collection, content: str
) -> None:
    collection.write(d1="Hi.")
    collection.run()
    collection.write(d1=content)
    read, chunked, parents, children = collection.run()
    assert len(read.empty) == 1
    assert (chunked.parents, chunked.children, parents.rows, children.rows) == (0, 0, 0, 0)
    assert collection.problems() == []


@pytest.mark.parametrize("damage", ["lost", "no parquet", "cut"])
@pytest.mark.parametrize("table", [PARENT_CHUNKS, CHILD_CHUNKS, *EMBEDDINGS.values()])
def test_a_lost_or_damaged_table_is_made_again(
    collection: Collection, table: object, damage: str
) -> None:
    collection.write(d1=D1)
    collection.run()
    before = collection.vectors()
    (file,) = (collection.tables.folder / "docs").glob(f"{table.name}-*")  # type: ignore[attr-defined]
    if damage == "lost":
        file.unlink()
    else:
        file.write_bytes(b"no parquet" if damage == "no parquet" else file.read_bytes()[:-20])
    collection.run()
    assert collection.problems() == []
    after = collection.vectors()
    assert before.keys() == after.keys()
    for key, vector in before.items():
        cosine = np.frombuffer(vector, np.float32) @ np.frombuffer(after[key], np.float32)
        assert cosine == pytest.approx(1.0, abs=1e-5)


def test_a_stage_before_its_input_says_what_to_materialise(
    tmp_path: Path, encoder: Encoder
) -> None:
    store = TableStore(tmp_path)
    writers = open_writers(load_settings(home=tmp_path), ChunkingSettings(), encoder)
    with pytest.raises(TableError, match="materialise raw_segments"):
        chunk_collection(store, "docs", ChunkingSettings(), encoder.profile, writers)
    with pytest.raises(TableError, match="materialise parent_chunks"):
        embed_level(Level.CHILD, store, "docs", encoder, ContextSettings())


def test_no_text_of_the_collection_is_over_the_limit_of_the_model(collection: Collection) -> None:
    collection.write(
        giant="x" * 10_000,
        heading="# " + "word " * 700 + "\n",
        table="| " + "column | " * 300 + "\n|" + "---|" * 300 + "\n| " + "x | " * 300 + "\n",
    )
    _, _, parents, children = collection.run()
    assert (parents.over_limit, children.over_limit) == (0, 0)
    assert collection.problems() == []
