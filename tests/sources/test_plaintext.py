"""Plain text: paragraphs by blank lines, offsets exact."""

import pytest

from momentry_assets.errors import SourceError
from momentry_assets.sources.plaintext import PlainTextReader, read_paragraphs
from momentry_assets.sources.reader import SourceFile


def paragraphs(text: str) -> list[str]:
    return [text[part.start : part.end] for part in read_paragraphs(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\nStill one.\n\nTwo.\n", ["One.\nStill one.", "Two."]),
        ("\n\n  indented\n \t\nnext  ", ["  indented", "next  "]),
        ("one line, no newline", ["one line, no newline"]),
        ("国。\n\u3000\n二。", ["国。", "二。"]),
        ("page\n\f\npage", ["page", "page"]),
        ("a\u2028b\x85c", ["a\u2028b\x85c"]),
    ],
)
def test_paragraphs_are_what_blank_lines_separate(text: str, expected: list[str]) -> None:
    assert paragraphs(text) == expected


def test_markdown_marks_mean_nothing_in_plain_text() -> None:
    assert paragraphs("# no heading\n\n    no code\n\n<!-- kept -->") == [
        "# no heading",
        "    no code",
        "<!-- kept -->",
    ]
    assert read_paragraphs("<!-- kept -->")[0].search_text == ""


def test_base64_is_not_matched() -> None:
    (part,) = read_paragraphs("see data:image/png;base64,iVBORw0KGgo= there")
    assert part.search_text == "see [image] there"


def test_the_title_is_the_file_name_and_binary_content_is_refused() -> None:
    source = SourceFile("notes/2026 plan.txt", "notes", b"Text.")
    assert PlainTextReader().read(source).title == "2026 plan"
    with pytest.raises(SourceError, match=r"notes/x\.txt: the content is not text"):
        PlainTextReader().read(SourceFile("notes/x.txt", "notes", bytes(range(1, 255)) * 20))
