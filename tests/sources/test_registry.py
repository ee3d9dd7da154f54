"""The one function that reads a file: which reader, which id, which errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.errors import SourceError
from momentry_assets.model import Document, DocumentKind, DocumentStatus, Segment, SegmentKind
from momentry_assets.sources import registry
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.registry import make_document_id, read_document

from .samples import docx, paragraph, pdf


def read(raw: bytes, path: str) -> Document:
    return read_document(raw, collection=path.split("/")[0], path=path)


@pytest.mark.parametrize(
    ("path", "document_id"),
    [
        ("docs/pump.md", "docs/pump.md"),
        ("docs/a#b%c.md", "docs/a%23b%25c.md"),
        ("docs/line\nbreak\t.md", "docs/line%0Abreak%09.md"),
        ("docs/next\x85line\u2028.md", "docs/next%C2%85line%E2%80%A8.md"),
        ("docs/caf\udce9.md", "docs/caf%E9.md"),
        ("docs/caf\u00e9.md", "docs/caf\u00e9.md"),
        ("docs/cafe\u0301.md", "docs/cafe\u0301.md"),
        ("docs/a, b|c[d] 泵.md", "docs/a, b|c[d] 泵.md"),
    ],
)
def test_the_document_id_is_the_path_with_only_the_unsafe_encoded(
    path: str, document_id: str
) -> None:
    assert make_document_id(path) == document_id


@given(st.text(max_size=12), st.text(max_size=12))
def test_two_paths_have_two_ids(first: str, second: str) -> None:
    assert (make_document_id(first) == make_document_id(second)) is (first == second)
    assert make_document_id(first).isprintable() or " " in first or not first.isprintable()
    assert "#" not in make_document_id(first)


def test_the_extension_decides_when_the_content_cannot() -> None:
    assert read(b"# A\n", "d/a.md").reader == "markdown"
    assert read(b"# A\n", "d/A.MD").reader == "markdown"
    assert read(b"# A\n", "d/a.txt").reader == "plaintext"
    assert read(b"# A\n", "d/a.mdx").reader == "mdx"
    assert read(b"<p>A</p>", "d/a.htm").reader == "html"


@pytest.mark.parametrize(
    ("raw", "path", "reader"),
    [
        (b"<!DOCTYPE html><p>Text</p>", "d/a.txt", "html"),
        (pdf([["Text"]]), "d/a.md", "pdf"),
        (docx(paragraph("Text")), "d/a.pdf", "docx"),
    ],
)
def test_the_content_decides_before_the_extension_and_both_are_named(
    raw: bytes, path: str, reader: str
) -> None:
    document = read(raw, path)
    assert document.reader == reader
    (warning,) = [item for item in document.warnings if item.field == "extension"]
    assert reader in warning.message
    assert path[-4:].lstrip("a") in warning.message


def test_a_document_says_where_it_comes_from_and_how_it_was_read() -> None:
    document = read("\ufeffÄ\r\n".encode(), "docs/deep/a#b.md")
    assert document.document_id == "docs/deep/a%23b.md"
    assert document.path == "docs/deep/a#b.md"
    assert document.collection == "docs"
    assert document.kind is DocumentKind.TEXT
    assert (document.reader, document.encoding) == ("markdown", "utf-8")
    assert (document.byte_order_mark, document.newline) == (True, "\r\n")


def test_names_that_are_no_utf8_can_be_stored() -> None:
    document = read(b"Text", "d\udcff/caf\udce9.txt")
    assert document.document_id == "d%FF/caf%E9.txt"
    assert (document.collection, document.path, document.title) == (
        "d%FF",
        "d%FF/caf%E9.txt",
        "caf%E9",
    )


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"\n \n\t\n", b"\xef\xbb\xbf", "\ufeff \u3000".encode("utf-16")),
        "\u200b\u200e\n\u2060\u00ad".encode(),
    ],
)
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.pdf", "a.json", "a.srt", "a", "a.xyz"])
def test_an_empty_file_is_a_success_with_a_note(raw: bytes, name: str) -> None:
    document = read(raw, f"d/{name}")
    assert document.status is DocumentStatus.EMPTY
    assert document.segments == ()
    assert document.note


def test_a_file_nobody_reads_is_an_error_with_its_name() -> None:
    with pytest.raises(SourceError) as caught:
        read(b"\x89PNG\r\n", "d/pump.png")
    assert caught.value.path == "d/pump.png"
    assert ".png" in caught.value.reason
    assert ".md" in caught.value.reason


class _BrokenReader:
    name = "broken"
    kind = DocumentKind.TEXT
    suffixes = (".broken",)

    def __init__(self, segment: Segment | None = None, *, in_sniff: bool = False) -> None:
        self.segment = segment
        self.in_sniff = in_sniff

    def sniff(self, source: SourceFile) -> bool:
        if self.in_sniff:
            raise KeyError("no such key")
        return False

    def read(self, source: SourceFile) -> Document:
        if self.segment is None:
            raise ZeroDivisionError("unforeseen")
        return source.document(
            kind=self.kind,
            document_type="broken",
            reader="broken",
            text="abc",
            segments=(self.segment,),
        )


@pytest.mark.parametrize(
    "reader",
    [
        _BrokenReader(),
        _BrokenReader(in_sniff=True),
        _BrokenReader(Segment(0, SegmentKind.PARAGRAPH, 0, 4)),
        _BrokenReader(Segment(0, SegmentKind.PARAGRAPH, 2, 1)),
        _BrokenReader(Segment(0, SegmentKind.SENTENCE, 0, 1, start_ms=5, end_ms=4)),
        _BrokenReader(Segment(0, SegmentKind.SENTENCE, 0, 1, start_ms=5)),
    ],
)
def test_whatever_goes_wrong_in_a_reader_is_a_source_error_that_names_it(
    reader: _BrokenReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "READERS", (reader,))
    with pytest.raises(SourceError) as caught:
        read(b"text", "d/a.broken")
    assert caught.value.reader == "broken"
    assert caught.value.path == "d/a.broken"
    assert caught.value.__cause__ is not None


def test_the_source_hash_covers_the_companions() -> None:
    def source_hash(companions: dict[str, bytes]) -> str:
        return SourceFile("a/b.json", "a", b"x", companions).source_hash

    hashes = [{}, {"b-Scenes.csv": b""}, {"b-Scenes.csv": b"1"}, {"c-Scenes.csv": b"1"}]
    assert len({source_hash(item) for item in hashes}) == 4
    assert source_hash({"a": b"1", "b": b"2"}) == source_hash({"b": b"2", "a": b"1"})
