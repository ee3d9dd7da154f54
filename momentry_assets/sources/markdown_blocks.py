"""Markdown text to segments: one for every top-level block, by markdown-it-py's block rules.

CommonMark 0.31.2 with GFM tables and footnotes. The inline rules are not run: they cost nearly
all of the time and give no offsets. The block rules are driven from here one top-level block
at a time, so that the tokens of a block are gone before the next one is read; with all tokens
of a document alive, time grows faster than its length (Python's garbage collector).

Blocks that can be nothing else (headings, fences, paragraphs, lists without a blank line, quotes,
tables) are found without the rules, which takes a tenth of the time; a test holds both ways
against each other.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from momentry_assets.model import Segment, SegmentKind
from momentry_assets.sources.markup import search_text_of

_KINDS = {
    "heading_open": SegmentKind.HEADING,
    "paragraph_open": SegmentKind.PARAGRAPH,
    "bullet_list_open": SegmentKind.LIST,
    "ordered_list_open": SegmentKind.LIST,
    "table_open": SegmentKind.TABLE,
    "fence": SegmentKind.CODE,
    "code_block": SegmentKind.CODE,
    "blockquote_open": SegmentKind.QUOTE,
    "footnote_reference_open": SegmentKind.FOOTNOTE,
    "html_block": SegmentKind.HTML,
}
# markdown-it's own limit (20) makes a list of ten levels swallow the rest of the document.
_DEEPEST = 100
# Inside a list item longer than this the items below it are breaks as well.
_LONG_ITEM = 2000
_LONGEST_LABEL = 1000
_HEADING_ID = re.compile(r"\s*\{#[^{}\s]*\}\s*$")
_MARKS = re.compile(r"[\\`*_~\[\]<>&!]")


# Lines that begin a paragraph or go on with it and can never interrupt one: a letter, an opening
# quotation mark, emphasis, inline code, a link, an image or a number that is no list marker.
_PLAIN_LINE = (
    r"""(?:[^\W\d_]|["'(“„‘«¿¡—…]|\*{1,2}[^\W_]|`[^`\n]|\d+[^\d.)\n]|!?\[[^\]\[\n^]++\]\()[^\n]*+"""
)
# A list without a blank line in it. An item below another stands at least as far in as its text.
_ITEMS = r"""(?:\n(?:[ ]*+{plain}|{marker}[ ]{plain}
    |[ ]{{{inside},40}}+(?:[-*+]|\d{{1,2}}\.)[ ]{plain}))*+
    (?=(?:\n[ \t]*+)*+\Z|\n(?:[ \t]*+\n)++(?![ \t]|{first}))"""
_BULLETS = _ITEMS.format(plain=_PLAIN_LINE, marker="(?P=bullet)", inside=2, first="(?P=bullet)")
_STEPS = _ITEMS.format(plain=_PLAIN_LINE, marker=r"\d{1,2}(?P=dot)", inside=4, first=r"\d")
_BLANK_LINE = r"(?=\Z|\n[ \t]*+(?:\n|\Z))"
_SIMPLE_BLOCK = re.compile(
    rf"""(?P<paragraph>{_PLAIN_LINE}(?:\n{_PLAIN_LINE})*+){_BLANK_LINE}
    |(?P<heading>(?P<level>\#{{1,6}})(?:[ \t][^\n]*+)?)(?=\n|\Z)
    |(?P<fence>(?P<mark>`{{3,}})[^`\n]*+|(?P<tildes>~{{3,}})[^\n]*+)(?=\n|\Z)
    |(?P<bullets>(?P<bullet>[-*+])[ ]{_PLAIN_LINE}{_BULLETS})
    |(?P<steps>\d{{1,2}}(?P<dot>[.)])[ ]{_PLAIN_LINE}{_STEPS})
    |(?P<table>\|(?P<names>(?:[^|\\\n]++\|)++)[ \t]*+
        \n\|(?P<columns>(?:[ ]*+:?-++:?[ ]*+\|)++)[ \t]*+(?:\n\|[^\n]*+)*+){_BLANK_LINE}
    |(?P<quote>>[^\n]*+(?:\n>[^\n]*+)*+){_BLANK_LINE}""",
    re.VERBOSE,
)
_ITEM_OF = {
    "bullets": re.compile(r"^[-*+] ", re.MULTILINE),
    "steps": re.compile(r"^\d{1,2}[.)] ", re.MULTILINE),
}
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+[ \t]*$")


def read_blocks(text: str, body_start: int = 0, *, indented_code: bool = True) -> list[Segment]:
    """The blocks of a canonical text from `body_start` on, in order.

    Offsets count from the beginning of ``text``. A block runs from the beginning of its first
    line (indentation included) to the end of its last line that is not blank, without newline.
    Thematic breaks, link definitions, white space and HTML without any text are no segments.

    Args:
        text: canonical text.
        body_start: where the Markdown begins, behind front matter.
        indented_code: False for MDX, in which indentation makes no code.
    """
    if body_start >= len(text):
        return []
    parser = _parser(indented_code)
    tokens: list[Token] = []
    state = StateBlock(text[body_start:], parser, {}, tokens)
    rules: list[Callable[[StateBlock, int, int, bool], bool]] = parser.block.ruler.getRules("")
    blocks = _Blocks(state, body_start)
    line = state.skipEmptyLines(0)
    while line < state.lineMax:
        end = blocks.add_simple(state.bMarks[line])
        if end:
            line = state.skipEmptyLines(bisect_left(state.bMarks, end, line))
            continue
        state.line = line
        # The paragraph rule comes last and takes everything.
        if not any(rule(state, line, state.lineMax, False) for rule in rules):
            break
        if tokens:
            blocks.add_tokens(tokens)
            tokens.clear()
        line = state.skipEmptyLines(max(state.line, line + 1))
    return blocks.segments


@lru_cache(maxsize=2)
def _parser(indented_code: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    parser.use(footnote_plugin)
    return parser if indented_code else parser.disable("code")


@lru_cache(maxsize=1)
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")


class _Blocks:
    """Collects segments; all offsets inside count from the beginning of the Markdown."""

    def __init__(self, state: StateBlock, base: int) -> None:
        self.state = state
        self.base = base
        self.segments: list[Segment] = []

    def add_simple(self, start: int) -> int:
        """Add the block that begins here when it is surely simple; its end, 0 when it is not."""
        source = self.state.src
        match = _SIMPLE_BLOCK.match(source, start)
        if match is None:
            return 0
        end = match.end()
        kind = match.lastgroup
        if kind == "paragraph":
            self.add(SegmentKind.PARAGRAPH, start, end)
        elif kind == "heading":
            content = source[match.end("level") : end]
            label = heading_label(_CLOSING_MARKS.sub("", content))
            self.add(SegmentKind.HEADING, start, end, level=len(match["level"]), label=label)
        elif kind == "quote":
            self.add(SegmentKind.QUOTE, start, end)
        elif kind == "table":
            if match["names"].count("|") != match["columns"].count("|"):
                return 0
            rows = _line_starts(source, start, end)[1:]
            self.add(
                SegmentKind.TABLE, start, end, breaks=rows, header_end=rows[0] if rows else end
            )
        elif kind in ("bullets", "steps"):
            items = [item.start() for item in _ITEM_OF[kind].finditer(source, start, end)]
            if any(after - item > _LONG_ITEM for item, after in pairwise([*items, end])):
                return 0
            self.add(SegmentKind.LIST, start, end, breaks=items[1:])
        else:
            mark = match["mark"] or match["tildes"]
            closing = _closing_fence(mark[0], len(mark)).search(source, end)
            if closing is None:
                return 0
            end = closing.end()
            self.add(SegmentKind.CODE, start, end, breaks=_line_starts(source, start, end))
        return end

    def add_tokens(self, tokens: Sequence[Token]) -> None:
        """Add the block these tokens stand for, unless it is one that is left out."""
        first, state = tokens[0], self.state
        kind = _KINDS.get(first.type)
        if kind is None or not first.map:
            return
        first_line, after_line = first.map
        while after_line > first_line + 1 and state.isEmpty(after_line - 1):
            after_line -= 1
        start, end = state.bMarks[first_line], state.eMarks[after_line - 1]
        if kind is SegmentKind.HEADING:
            label = heading_label(tokens[1].content)
            self.add(kind, start, end, level=int(first.tag[1:]), label=label)
        elif kind is SegmentKind.LIST:
            items = [state.bMarks[line] for line in _item_lines(state, tokens)]
            self.add(kind, start, end, breaks=items)
        elif kind is SegmentKind.TABLE:
            # Header row and delimiter row; the offset is where the first body row begins.
            rows = state.bMarks[first_line + 2 : after_line]
            self.add(kind, start, end, breaks=rows, header_end=rows[0] if rows else end)
        elif kind is SegmentKind.CODE:
            self.add(kind, start, end, breaks=_line_starts(state.src, start, end))
        elif kind is SegmentKind.FOOTNOTE:
            self.add(kind, start, end, source_key=str(first.meta.get("label", "")))
        else:
            self.add(kind, start, end)

    def add(
        self,
        kind: SegmentKind,
        start: int,
        end: int,
        *,
        level: int = 0,
        label: str = "",
        breaks: Sequence[int] = (),
        header_end: int | None = None,
        source_key: str = "",
    ) -> None:
        """Add a segment, unless it is white space or HTML without text."""
        content = self.state.src[start:end]
        # A line of no-break spaces is a paragraph to CommonMark.
        if content.isspace():
            return
        is_html, is_code = kind is SegmentKind.HTML, kind is SegmentKind.CODE
        search_text = search_text_of(content, is_html=is_html, is_code=is_code)
        if is_html and search_text == " ":
            return
        base = self.base
        self.segments.append(
            Segment(
                index=len(self.segments),
                kind=kind,
                start=base + start,
                end=base + end,
                level=level,
                label=label,
                breaks=tuple(base + offset for offset in breaks) if breaks else (),
                header_end=None if header_end is None else base + header_end,
                source_key=source_key,
                search_text=search_text,
            )
        )


@lru_cache(maxsize=64)
def _closing_fence(character: str, length: int) -> re.Pattern[str]:
    return re.compile(rf"^ {{0,3}}{character}{{{length},}}[ \t]*$", re.MULTILINE)


def _line_starts(text: str, start: int, end: int) -> list[int]:
    """The beginnings of all lines but the first."""
    starts: list[int] = []
    position = text.find("\n", start, end) + 1
    while position:
        starts.append(position)
        position = text.find("\n", position, end) + 1
    return starts


def _item_lines(state: StateBlock, tokens: Sequence[Token]) -> list[int]:
    """First lines of the list's items but the first; of deeper items where an item is long."""
    lines: set[int] = set()
    long_until = 0
    for token in tokens:
        if token.type != "list_item_open" or not token.map:
            continue
        first_line, after_line = token.map
        if token.level == 1:
            lines.add(first_line)
            length = state.eMarks[after_line - 1] - state.bMarks[first_line]
            long_until = after_line if length > _LONG_ITEM else 0
        elif first_line < long_until:
            lines.add(first_line)
    return sorted(lines)[1:]


def heading_label(content: str) -> str:
    """A heading's text without marks: ``The **big** `x` {#big}`` is ``The big x``."""
    content = _HEADING_ID.sub("", content)
    # An image inside a heading must not become its name.
    content = search_text_of(content) or content
    if _MARKS.search(content) and len(content) <= _LONGEST_LABEL:
        content = "".join(_shown(token) for token in _inline_parser().parseInline(content))
    return " ".join(content.split())


def _shown(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " "
    if token.type == "image" or token.type == "inline":
        return "".join(_shown(child) for child in token.children or ())
    return token.content if token.type in ("text", "text_special", "code_inline") else ""
