"""The shared cases for documents, each on its own copy of the input (tests/cases/<case>)."""

import json
from pathlib import Path

import pytest

from momentry_assets.model import Document, DocumentStatus, SegmentKind
from momentry_assets.sources.registry import read_document
from momentry_assets.sources.text import clean, decode
from momentry_assets.sources.walk import partition_key, walk

CASES = Path(__file__).parent.parent / "cases"


def read(case: str, name: str) -> Document:
    raw = (CASES / case / name).read_bytes()
    return read_document(raw, collection="cases", path=f"cases/{name}")


def headings(document: Document) -> list[tuple[int, str]]:
    return [
        (segment.level, segment.label)
        for segment in document.segments
        if segment.kind is SegmentKind.HEADING
    ]


def indexed(document: Document) -> str:
    """All that can be matched."""
    return "\n".join(part.search_text or document.slice(part) for part in document.segments)


def sections(document: Document) -> list[tuple[list[str], str]]:
    """Heading paths and the text of the segments under them."""
    found: list[tuple[list[str], str]] = [([], "")]
    open_ones: list[tuple[int, str]] = []
    for part in document.segments:
        if part.kind is SegmentKind.HEADING:
            open_ones = [item for item in open_ones if item[0] < part.level]
            open_ones.append((part.level, part.label))
            found.append(([label for _, label in open_ones], ""))
        else:
            found[-1] = (found[-1][0], found[-1][1] + document.slice(part) + "\n")
    return found


# 10: JSON escapes for NUL, a lone surrogate and a real emoji


def test_case_10_strings_of_json_become_storable() -> None:
    value = json.loads((CASES / "10-asr-nul-surrogate" / "input.json").read_bytes())
    texts = [" ".join(clean(segment["text"]).split()) for segment in value["segments"]]
    assert texts == [
        "Liftoff in three.",
        "Half an emoji \ufffd here.",
        "A whole one \U0001f680 here.",
        "Tab here and bell.",
    ]
    for text in texts:
        text.encode("utf-8")


# 12: SRT in Windows-1252, one with a byte that code page does not define

CUES_12 = ["“Two loaves,” she said — €4 each.", "A piñata for the fête", "It’s naïve, isn’t it…"]


def test_case_12_windows_1252_is_decoded_right_and_the_guess_is_recorded() -> None:
    decoded = decode((CASES / "12-srt-cp1252" / "input.srt").read_bytes())
    for cue in CUES_12:
        assert cue in decoded.text
    assert decoded.encoding == "cp1252"
    assert [warning.field for warning in decoded.warnings] == ["encoding"]


def test_case_12_only_the_undefined_byte_is_lost() -> None:
    right = decode((CASES / "12-srt-cp1252" / "input.srt").read_bytes()).text
    damaged = decode((CASES / "12-srt-cp1252" / "input-undefined.srt").read_bytes()).text
    assert damaged.count("\ufffd") == 1
    assert damaged.replace("\ufffd", "") == right


def test_case_12_utf8_is_never_taken_for_windows_1252() -> None:
    right = decode((CASES / "12-srt-cp1252" / "input.srt").read_bytes()).text
    again = decode(right.encode("utf-8"))
    assert (again.text, again.encoding, again.warnings) == (right, "utf-8", ())


# 26: a rule at the top that is not front matter; real front matter behind a BOM


def test_case_26_a_rule_at_the_top_is_no_front_matter() -> None:
    document = read("26-md-rule-not-frontmatter", "input-rule.md")
    assert document.metadata == {}
    assert headings(document) == []
    for text in ("Subject: spring cleaning", "Empty the lower store.", "Keep the labels."):
        assert text in indexed(document)


def test_case_26_front_matter_is_read_behind_a_byte_order_mark() -> None:
    document = read("26-md-rule-not-frontmatter", "input-bom.md")
    assert document.title == "Spring cleaning"
    assert document.tags == ("store", "labels")
    assert headings(document) == [(1, "Order of work")]
    assert document.byte_order_mark


def test_case_26_front_matter_that_never_closes_is_text() -> None:
    document = read("26-md-rule-not-frontmatter", "input-unclosed.md")
    assert document.metadata == {}
    assert "title: never closed" in indexed(document)
    assert "The text goes on." in indexed(document)


# 28: `#` lines inside fences, tildes, indented code and a fence that never closes


def test_case_28_lines_in_code_are_no_headings_and_fences_are_whole() -> None:
    document = read("28-md-fences-hash", "input.md")
    assert headings(document) == [(1, "Setup"), (2, "Check")]
    setup, check = sections(document)[1:]
    assert setup[0] == ["Setup"]
    for text in ("# install the pump", "## not a heading", "## still not", "# indented code"):
        assert text in setup[1]
    assert check[0] == ["Setup", "Check"]
    for text in ("# unclosed fence runs to the end", "## also code"):
        assert text in check[1]
    code = [document.slice(part) for part in document.segments if part.kind is SegmentKind.CODE]
    assert code == [
        "```bash\n# install the pump\n./pump --level 3\n```",
        "~~~~text\n## not a heading\n~~~\n## still not\n~~~~",
        "    # indented code",
        "```python\n# unclosed fence runs to the end\ndef f():\n    return 1\n\n## also code",
    ]


# 30: no headings at all, text before the first one, and lines that only look like headings


def test_case_30_only_headings_are_headings_and_no_text_is_lost() -> None:
    document = read("30-md-no-headings-nospace", "input.md")
    assert headings(document) == [(2, "Tools"), (2, ""), (3, "Three spaces still count")]
    preamble = sections(document)[0]
    assert preamble[0] == []
    for text in (
        *("A line before any heading.", "#NoSpace is text", "####### seven marks are text"),
        r"\# escaped is text",
    ):
        assert text in preamble[1]
    assert "Under an empty heading." in indexed(document)
    assert "### four spaces are code" in indexed(document)


def test_case_30_a_plain_note_has_two_paragraphs_and_the_file_name_as_title() -> None:
    document = read("30-md-no-headings-nospace", "input-plain.md")
    assert [part.kind for part in document.segments] == [SegmentKind.PARAGRAPH] * 2
    assert document.title == "input-plain"


def test_case_30_a_lone_heading_is_read_with_a_note() -> None:
    document = read("30-md-no-headings-nospace", "input-only-heading.md")
    assert headings(document) == [(1, "Alone")]
    assert document.note


# 32: MDX imports, JSX wrappers, comments


def test_case_32_the_code_of_the_page_is_gone_and_its_text_is_kept() -> None:
    document = read("32-md-mdx-comments", "input.mdx")
    assert headings(document) == [(1, "Wells"), (2, "After")]
    for text in (
        *("Never lean over the rim.", "Pump {depth} times.", "Close the lid.", "Twice."),
        "import pump from 'pump';",
    ):
        assert text in indexed(document)
    for text in (
        *("@theme/Tabs", "./note", "export const", "ask the digger", "Hidden heading"),
        *("comment for editors", "<Tabs", "<TabItem", "<Note", "<br"),
    ):
        assert text not in document.text
    assert "taken out" in document.warnings[0].message


# 34: table, nested list, quote and footnote as whole blocks with offsets

BLOCKS_34 = [
    (10, 118, "| Item | Place | Note |"),
    (120, 232, "1. Open the door"),
    (234, 267, "> Quote line one"),
    (269, 301, "[^1]: Colza oil, a litre a week."),
    (303, 314, "Last words."),
]


def test_case_34_blocks_are_whole_with_offsets_in_the_lf_text() -> None:
    document = read("34-md-table-list-footnote", "input.md")
    assert document.newline == "\r\n"
    heading, *blocks = document.segments
    assert heading.label == "Stores"
    assert [
        (part.start, part.end, document.slice(part).split("\n")[0]) for part in blocks
    ] == BLOCKS_34
    table, steps, quote, footnote, last = blocks
    assert [part.kind.value for part in blocks] == [
        *("table", "list", "quote", "footnote", "paragraph"),
    ]
    assert table.header_end is not None
    header = document.text[table.start : table.header_end]
    assert header == "| Item | Place | Note |\n|------|:-----:|------|\n"
    assert [document.text[offset:].split("\n")[0] for offset in table.breaks] == [
        "| rope | bay 1 | 20 m \\| tarred |",
        "| lamp | bay 2 | oil[^1] |",
    ]
    assert document.text[steps.breaks[0] : steps.end] == "2. Close it"
    assert "A second paragraph of step one." in document.text[steps.start : steps.breaks[0]]
    assert "quote line two" in document.slice(quote)
    assert footnote.source_key == "1"
    assert document.slice(last) == "Last words."


# 36: one line, no newline, with a word of 2,561 characters (the reading part)


def test_case_36_a_giant_line_is_one_paragraph() -> None:
    document = read("36-txt-giant-line", "input.txt")
    assert len(document.text) == 58638
    (part,) = document.segments
    assert (part.start, part.end) == (0, 58638)
    assert max(len(word) for word in document.slice(part).split()) == 2561
    assert all(f"{number:04d}" in document.slice(part) for number in range(700))


# 38: the same document in two collections; empty files; names that break partition keys


@pytest.fixture
def corpus_38(tmp_path: Path) -> Path:
    tree = json.loads(
        (CASES / "38-walk-collections-partition-names" / "input-tree.json").read_bytes()
    )
    for path, text in tree["files"].items():
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text.encode("utf-8"))
    return tmp_path


def test_case_38_every_file_is_a_document_of_its_own(corpus_38: Path) -> None:
    found = walk(corpus_38)
    documents = [
        read_document(entry.file.read_bytes(), collection=entry.collection, path=entry.path)
        for entry in found.entries
    ]
    assert len(documents) == 12
    assert len({document.document_id for document in documents}) == 12
    empty = [item.path for item in documents if item.status is DocumentStatus.EMPTY]
    assert empty == ["manuals/blank.md", "manuals/empty.md"]
    assert all(item.note for item in documents if item.status is DocumentStatus.EMPTY)
    assert [item.path for item in found.skipped] == ["manuals/pump"]
    twins = [item for item in documents if item.path.endswith("/pump.md")]
    assert [item.collection for item in twins] == ["archive", "manuals"]
    assert twins[0].source_hash == twins[1].source_hash
    titles = {item.title for item in documents}
    assert {"NFC", "NFD", "Upper", "Lower", "Range", "Marks", "Break", "Long"} <= titles
    for document in documents:
        assert "\n" not in document.document_id


def test_case_38_partition_keys_are_safe_and_unique_for_every_name(corpus_38: Path) -> None:
    found = walk(corpus_38)
    assert [partition_key(name) for name in found.collections] == ["archive", "manuals"]
    names = [*found.collections, *(entry.path for entry in found.entries)]
    keys = [partition_key(name) for name in names]
    assert len(set(keys)) == len(names)
    for key in keys:
        assert "..." not in key
        assert "/" not in key
        assert key.isascii()
        assert 1 <= len(key) <= 120
        assert not set(key) - set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
        )
