"""Markdown: every block a segment with exact offsets, nothing that is not one."""

from itertools import pairwise

import pytest

from momentry_assets.model import Document, DocumentStatus, SegmentKind
from momentry_assets.sources.markdown import MarkdownReader
from momentry_assets.sources.markdown_blocks import heading_label
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.text import decode, encode


def read(text: str, name: str = "note.md") -> Document:
    return MarkdownReader().read(SourceFile(f"docs/{name}", "docs", text.encode()))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(segment.kind.value, document.slice(segment)) for segment in document.segments]


def headings(document: Document) -> list[tuple[int, str]]:
    return [
        (segment.level, segment.label)
        for segment in document.segments
        if segment.kind is SegmentKind.HEADING
    ]


def test_headings_follow_commonmark_not_the_look_of_a_line() -> None:
    document = read(
        "intro\n\n# T\n\n~~~sh\n# not a heading\n~~~\n\n## B\n\n# U\n### V\nx\n\n## W\ny\n"
    )
    assert headings(document) == [(1, "T"), (2, "B"), (1, "U"), (3, "V"), (2, "W")]
    assert blocks(document) == [
        ("paragraph", "intro"),
        ("heading", "# T"),
        ("code", "~~~sh\n# not a heading\n~~~"),
        ("heading", "## B"),
        ("heading", "# U"),
        ("heading", "### V"),
        ("paragraph", "x"),
        ("heading", "## W"),
        ("paragraph", "y"),
    ]


def test_a_setext_heading_is_one_segment_with_its_underline() -> None:
    document = read("Title\n=====\n\nx\n")
    assert headings(document) == [(1, "Title")]
    assert blocks(document)[0] == ("heading", "Title\n=====")


def test_offsets_are_code_points_of_the_canonical_text() -> None:
    document = read("# é🙂\n\n\tcode\u00a0x\n\n## 见《书》\n\n见《书》。\n")
    assert [(part.start, part.end) for part in document.segments] == [
        (0, 4),
        (6, 13),
        (15, 22),
        (24, 29),
    ]
    assert blocks(document)[1] == ("code", "\tcode\u00a0x")
    assert blocks(document)[3] == ("paragraph", "见《书》。")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_reading_loses_nothing(newline: str, mark: str) -> None:
    lines = (
        *(
            "---",
            "title: x",
            "---",
            "# .NET ¾ naïve ¿Qué? 《x》",
            "",
            "《y》 a\u00a0b  ",
            "",
            "```",
        ),
        *("\tcode", "```", "", "<!-- hidden -->", "", "***", "", ".NET again", "", ""),
    )
    raw = (mark + newline.join(lines)).encode()
    document = MarkdownReader().read(SourceFile("docs/a.md", "docs", raw))
    assert document.text == "\n".join(lines)
    assert encode(decode(raw)) == raw
    assert (document.newline, document.byte_order_mark) == (newline, bool(mark))
    assert blocks(document)[0] == ("heading", "# .NET ¾ naïve ¿Qué? 《x》")
    assert blocks(document)[1] == ("paragraph", "《y》 a\u00a0b  ")
    assert blocks(document)[-1] == ("paragraph", ".NET again")


def test_the_title_is_front_matter_then_first_h1_then_first_heading_then_file_name() -> None:
    assert read("---\ntitle: Given\n---\n# One\n").title == "Given"
    assert read("## Two\n\n# One\n").title == "One"
    assert read("###\n\n## Two\n").title == "Two"
    assert read("Text only.\n", "field notes.md").title == "field notes"


@pytest.mark.parametrize(
    ("content", "label"),
    [
        ("The **big** `x_y` and [a *link*](http://u)", "The big x_y and a link"),
        ("Fish &amp; chips \\# 1", "Fish & chips # 1"),
        ("Pictures ![of *it*](x.png)", "Pictures of it"),
        ("With id {#with-id}", "With id"),
        ("snake_case_name", "snake_case_name"),
        ("~~Old~~ <b>new</b>", "Old new"),
        ("two\nlines", "two lines"),
        ("《书》 שלום", "《书》 שלום"),
    ],
)
def test_a_heading_label_has_no_marks(content: str, label: str) -> None:
    assert heading_label(content) == label


def test_an_image_inside_a_heading_is_no_part_of_its_name() -> None:
    document = read(f"# ![logo](data:image/png;base64,{'A' * 5000}) Pump\n\ntext\n")
    assert document.segments[0].label == document.title == "logo Pump"


def test_a_table_knows_its_header_and_rows() -> None:
    document = read("| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 \\| 5 |\n\nafter\n")
    table = document.segments[0]
    assert table.kind is SegmentKind.TABLE
    assert table.header_end is not None
    assert document.text[table.start : table.header_end] == "| A | B |\n|---|---|\n"
    starts = [*table.breaks, table.end + 1]
    rows = [document.text[a : b - 1] for a, b in pairwise(starts)]
    assert rows == ["| 1 | 2 |", "| 3 | 4 \\| 5 |"]


def test_a_table_without_rows_is_all_header() -> None:
    table = read("| A | B |\n|---|---|\n").segments[0]
    assert (table.header_end, table.breaks) == (table.end, ())


def test_a_list_breaks_at_its_own_items() -> None:
    document = read("- a\n  - deep\n- b\n\n  more of b\n- c\n")
    (part,) = document.segments
    assert part.kind is SegmentKind.LIST
    assert [document.text[offset:].split("\n")[0] for offset in part.breaks] == ["- b", "- c"]


def test_a_long_list_item_breaks_at_the_items_below_it() -> None:
    text = "- top\n" + "".join(f"  - {'word ' * 20}{n}\n" for n in range(30)) + "- last\n"
    document = read(text)
    (part,) = document.segments
    assert len(part.breaks) == 31
    assert document.text[part.breaks[0] :].startswith("  - word")


def test_code_breaks_at_its_lines_and_an_unclosed_fence_runs_to_the_end() -> None:
    document = read("```\na\nb\n\n## c\n\n")
    (part,) = document.segments
    assert document.slice(part) == "```\na\nb\n\n## c"
    assert [document.text[offset] for offset in part.breaks] == ["a", "b", "\n", "#"]


def test_footnotes_carry_their_label() -> None:
    document = read("A[^n].\n\n[^n]: Colza oil.\n    More.\n[^2]: Next.\n")
    notes = [part for part in document.segments if part.kind is SegmentKind.FOOTNOTE]
    assert [part.source_key for part in notes] == ["n", "2"]
    assert document.slice(notes[0]) == "[^n]: Colza oil.\n    More."


def test_comments_are_not_indexed_but_stay_in_the_text() -> None:
    document = read(
        "<!-- secret\n\n## Hidden\n-->\n\nSeen <!-- todo --> here, `<!-- code -->`.\n\n"
        "```\n<!-- code -->\n```\n\n<!-- a --> tail\n"
    )
    assert "secret" in document.text
    assert [part.kind.value for part in document.segments] == ["paragraph", "code", "html"]
    assert document.segments[0].search_text == "Seen  here, `<!-- code -->`."
    assert document.segments[1].search_text == ""
    assert document.segments[2].search_text == "tail"


def test_a_comment_that_never_closes_is_named_in_a_warning() -> None:
    document = read("# A\n\nx\n\n<!-- open\n\n# B\n")
    assert headings(document) == [(1, "A")]
    assert document.warnings[0].place == "line 5"


def test_html_blocks_are_matched_by_their_text() -> None:
    document = read(
        '<div align="center">\n<img src="x.png" alt="A pump">\n<p>Oil &amp; water</p>\n</div>\n\n'
        "<br/>\n\n</details>\n"
    )
    (part,) = document.segments
    assert part.kind is SegmentKind.HTML
    assert part.search_text == "A pump\nOil & water"


def test_base64_images_are_not_matched() -> None:
    data = "data:image/png;base64," + "iVBORw0KGgo" * 500 + "=="
    document = read(f"Before ![A pump]({data}) after.\n\n[ref]: {data}\n\n`{data}`\n")
    assert [part.search_text for part in document.segments] == [
        "Before ![A pump]([image]) after.",
        "`[image]`",
    ]
    assert data in document.text


@pytest.mark.parametrize(
    "text", ["---\ntitle: x\n---\n", "<!-- only -->\n", "***\n", "[a]: http://b\n"]
)
def test_nothing_to_index_is_a_success_with_a_note(text: str) -> None:
    document = read(text)
    assert document.status is DocumentStatus.EMPTY
    assert document.segments == ()
    assert document.note


def test_deep_lists_do_not_swallow_the_rest() -> None:
    text = "".join("  " * depth + f"- level {depth}\n" for depth in range(20)) + "\n# After\n\nx\n"
    assert headings(read(text)) == [(1, "After")]


def test_block_marks_in_right_to_left_and_cjk_text() -> None:
    document = read("# שלום עולם\n\nפסקה ראשונה.\n\n## 第二章 泵\n\n每月加油。\n")
    assert headings(document) == [(1, "שלום עולם"), (2, "第二章 泵")]
    assert blocks(document)[3] == ("paragraph", "每月加油。")


UNIT = (
    "# Head *one*\n\nSome `code` text.\nMore.\n\n- a\n- b\n\n```\nx\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n\n<div>x</div>\n\n"
)
