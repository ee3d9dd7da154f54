"""HTML: the page's text in blocks."""

import pytest

from momentry_assets.errors import SourceError
from momentry_assets.model import Document
from momentry_assets.sources.html import HtmlReader
from momentry_assets.sources.reader import SourceFile


def read(markup: str | bytes) -> Document:
    raw = markup if isinstance(markup, bytes) else markup.encode()
    return HtmlReader().read(SourceFile("web/page.html", "web", raw))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(segment.kind.value, document.slice(segment)) for segment in document.segments]


PAGE = """<!doctype html><html lang="en-GB"><head><title>The  Page</title>
<meta name="keywords" content="pump, oil, pump"><style>x{}</style></head><body><nav>menu</nav>
intro <b>bold</b> &amp; <a href=x>link</a><br>second
<h1>Top <em>level</em></h1><p>Para one
wrapped&nbsp;here.</p><div>Loose<p>Inner</p>tail</div>
<pre>
def f():
    return 1
</pre><blockquote><p>q1</p><p>q2</p></blockquote>
<img src="data:image/png;base64,AAAA" alt="A picture"><script>no()</script><p hidden>hid</p>
<table><tr><td><h2>Layout</h2><p>In layout</p></td></tr></table></body></html>"""


def test_blocks_of_a_page() -> None:
    document = read(PAGE)
    assert (document.title, document.language, document.tags) == ("The Page", "en", ("pump", "oil"))
    assert blocks(document) == [
        ("paragraph", "intro bold & link\nsecond"),
        ("heading", "Top level"),
        ("paragraph", "Para one wrapped\u00a0here."),
        ("paragraph", "Loose"),
        ("paragraph", "Inner"),
        ("paragraph", "tail"),
        ("code", "def f():\n    return 1"),
        ("quote", "q1\nq2"),
        ("paragraph", "A picture"),
        ("heading", "Layout"),
        ("paragraph", "In layout"),
    ]
    assert [part.level for part in document.segments if part.level] == [1, 2]


def test_lists_keep_their_order_and_depth() -> None:
    document = read(
        "<ul><li>One<ul><li>deep</li></ul></li><li><p>Two</p><p>more</p></li></ul>"
        "<ol start=3><li>c<li>d</ol>"
    )
    assert blocks(document) == [
        ("list", "- One\n  - deep\n- Two\n  more"),
        ("list", "3. c\n4. d"),
    ]
    first = document.segments[0]
    assert [document.text[offset:][:5] for offset in first.breaks] == ["- Two"]


def test_tables_have_rows_and_a_header() -> None:
    document = read(
        "<table><caption>Stores</caption><tr><th>A</th><th>B</th></tr>"
        "<tr><td>1|2</td><td>x<br>y</td></tr><tr><td>3</td><td></td></tr></table>"
        "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
    )
    caption, table, headless = document.segments
    assert document.slice(caption) == "Stores"
    assert document.slice(table) == "| A | B |\n| --- | --- |\n| 1\\|2 | x y |\n| 3 |  |"
    assert table.header_end == table.breaks[0]
    assert headless.header_end is None
    assert document.text[headless.breaks[0] : headless.end] == "| c | d |"


def test_the_declared_encoding_counts_when_the_page_is_no_utf8() -> None:
    page = '<html><head><meta charset="iso-8859-2"></head><body><p>Zażółć gęślą</p>'
    assert read(page.encode("iso-8859-2")).text == "Zażółć gęślą"
    assert read(page.encode()).text == "Zażółć gęślą"
    assert read(page.replace("8859-2", "8859-1").encode("utf-16")).text == "Zażółć gęślą"


def test_only_a_page_is_taken_for_one() -> None:
    def sniff(text: str) -> bool:
        return HtmlReader().sniff(SourceFile("a/b.txt", "a", text.encode()))

    assert sniff("\n<!DOCTYPE html>\n<p>x")
    assert sniff('<?xml version="1.0"?><!-- c --><HTML lang=en>')
    assert not sniff("<div>\n\nMarkdown\n\n</div>")
    assert not sniff("text <html>")


def test_a_page_without_text_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(SourceError, match="save the page from a browser"):
        read('<!doctype html><div id="app"></div><script>x()</script>')


def test_a_page_nested_beyond_reason_is_refused() -> None:
    with pytest.raises(SourceError, match="nested"):
        read("<div>" * 300_000)
    assert read("<div>" * 4000 + "x").text == "x"
