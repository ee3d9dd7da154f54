"""What holds for every document reader on any bytes: hypothesis damages a sample of each."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.errors import SourceError
from momentry_assets.model import Document, SegmentKind
from momentry_assets.sources import markdown_blocks
from momentry_assets.sources.registry import read_document

from .samples import docx, paragraph, pdf, table

MARKDOWN = """\ufeff---
title: Pump
tags: [a, b]
lang: en-GB
---
# Head *one* {#id}

Text `code` <!-- no --> ![x](data:image/png;base64,AAAA) 水泵。 שלום

- a
  - b

1. c

| A | B |
|---|---|
| 1 | \\| |

> quote

```sh
# no
```

    indented

Setext
======

[^1]: Note.

<div>
<p>x</p>
</div>
"""
MDX = (
    "import A from 'a'\n\nexport const b = {c: 1}\n\n<A x={1}>\n\n"
    f"{MARKDOWN[1:]}\n\n</A> {{/* c */}}\n"
)
HTML = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title></head><body>"
    "<h1>A</h1><p>b &amp; c<br>d<ul><li>e<ul><li>f</ul></ul><ol start=2><li>g</ol>"
    "<table><tr><th>h<tr><td>i</table><pre>j\nk</pre><blockquote>l</blockquote><!-- m --></body>"
)
SAMPLES = {
    "a.md": MARKDOWN.encode(),
    "b.md": MARKDOWN.encode("utf-16"),
    "c.md": MARKDOWN[1:].replace("\n", "\r\n").encode("utf-16-le"),
    "a.mdx": MDX.encode(),
    "a.txt": "One.\n\n  Two.\nThree 水泵。\n".encode(),
    "b.txt": "Größe — “x”.\r\n\r\nZwei.".encode("cp1252"),
    "a.html": HTML.encode(),
    "a.docx": docx(paragraph("A", "Heading1") + paragraph("b") + table([["c", "d"]])),
    "a.pdf": pdf([["A line", "another-", "one"], ["Page two"]], "T"),
}


def check(document: Document) -> None:
    """The promises of `Segment` that every reader keeps."""
    document.text.encode("utf-8")
    document.title.encode("utf-8")
    assert "\0" not in document.text
    assert "\r" not in document.text
    position = 0
    for index, part in enumerate(document.segments):
        assert part.index == index
        assert position <= part.start <= part.end <= len(document.text)
        assert part.start < part.end or part.kind is SegmentKind.PAGE
        assert part.start_ms is None
        assert list(part.breaks) == sorted(set(part.breaks))
        assert all(part.start < offset < part.end for offset in part.breaks)
        assert part.header_end is None or part.start < part.header_end <= part.end
        assert document.slice(part).strip() or part.kind is SegmentKind.PAGE
        assert not document.slice(part).endswith("\n")
        position = part.end


def check_outcome(raw: bytes, name: str) -> SourceError | None:
    """The document keeps the promises, or the reader itself says why there is none."""
    try:
        document = read_document(raw, collection="d", path=f"d/{name}")
    except SourceError as error:
        if "reader failed" in error.reason:
            raise
        return error
    check(document)
    return None


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_keeps_the_promises(name: str) -> None:
    document = read_document(SAMPLES[name], collection="d", path=f"d/{name}")
    check(document)
    assert document.segments


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes]:
    name = draw(st.sampled_from(sorted(SAMPLES)))
    raw = bytearray(SAMPLES[name])
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(raw)))
        match draw(st.integers(0, 3)):
            case 0:
                raw[at:at] = draw(st.binary(max_size=8))
            case 1:
                raw[at : at + draw(st.integers(1, 12))] = draw(st.binary(max_size=3))
            case 2:
                del raw[at : at + draw(st.integers(1, 200))]
            case _:
                other = draw(st.integers(0, len(raw)))
                raw[at:at] = raw[other : other + draw(st.integers(1, 80))]
    return name, bytes(raw)


@given(damaged())
@settings(max_examples=400, deadline=None)
def test_damaged_bytes_raise_nothing_but_source_errors(sample: tuple[str, bytes]) -> None:
    name, raw = sample
    error = check_outcome(raw, name)
    assert error is None or error.path == f"d/{name}"


@given(
    st.sampled_from(["a.md", "a.mdx", "a.txt", "a.html"]),
    st.lists(
        st.sampled_from(
            [
                *(
                    "# ",
                    "\n",
                    "\n\n",
                    "    ",
                    "\t",
                    "- ",
                    "1. ",
                    "> ",
                    "```",
                    "~~~",
                    "|",
                    "|-|",
                    "a",
                ),
                *("---", "===", "<!--", "-->", "<div>", "</div>", "[^1]: ", "[a]: b", "`", "国。"),
                *(
                    "<li>",
                    "<table>",
                    "<td>",
                    "<pre>",
                    "<h2>",
                    "import {",
                    "{/*",
                    "*/}",
                    "<A ",
                    "🙂",
                ),
                *("\u00a0", "\f", "\v", "\u2028", "\x85", " ", "data:;base64,AA", "\ufeff", "\\"),
            ]
        ),
        max_size=40,
    ),
)
@settings(max_examples=400, deadline=None)
def test_any_heap_of_marks_is_read_with_exact_offsets(name: str, marks: list[str]) -> None:
    raw = "".join(marks).encode()
    error = check_outcome(raw, name)
    assert error is None or name == "a.html"


MARKS = [
    *(
        "# ",
        "## x ##",
        "#",
        "\n",
        "\n",
        "\n\n",
        "\n\n",
        " ",
        "    ",
        "\t",
        "- ",
        "* ",
        "1. ",
        "12 ",
        "1) ",
    ),
    *(
        "> ",
        "```",
        "````",
        "~~~",
        "``` sh",
        "`a`",
        "``a",
        "|",
        "|-|",
        "a|b",
        "---",
        "===",
        "a",
        "Zoë",
    ),
    *(
        "**b**",
        "*",
        '"q"',
        "(",
        "国。",
        "[^1]: ",
        "[a]: b",
        "<!--",
        "-->",
        "<div>",
        "\u00a0",
        "\\",
        "_",
    ),
    *(
        "- a\n",
        "  - a\n",
        " - a\n",
        "* a\n",
        "1. a\n",
        "2) a\n",
        "   1. a\n",
        "    a\n",
        "| a | b |\n|---|---|\n",
        "| c |\n",
        "> q\n",
        "[a](b)",
        "![a](b)",
    ),
]


@given(st.lists(st.sampled_from(MARKS), max_size=30), st.booleans())
@settings(max_examples=800, deadline=None)
def test_the_short_way_through_simple_markdown_finds_what_the_rules_find(
    marks: list[str], indented_code: bool
) -> None:
    text = "".join(marks)
    short = markdown_blocks.read_blocks(text, indented_code=indented_code)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown_blocks, "_SIMPLE_BLOCK", re.compile(r"(?!)"))
        assert short == markdown_blocks.read_blocks(text, indented_code=indented_code)
