"""HTML to a readable text with segments, for the HTML and the DOCX reader.

The canonical text here is not the file: it is the text of the page, made block by block, blocks
apart by a blank line, list items with ``-`` or their number, table rows as ``| a | b |``. Every
offset counts in that text. The walk keeps its own stack, so no nesting can exhaust Python's.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from momentry_assets.model import Segment, SegmentKind
from momentry_assets.sources.markup import search_text_of

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
# No text of the page: code, what a browser does not show, and menus.
_LEFT_OUT = frozenset(
    (
        *("head", "script", "style", "template", "noscript", "iframe", "object", "svg", "canvas"),
        *("audio", "video", "select", "button", "nav", "datalist", "-comment", "-doctype"),
    )
)
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn"),
        *("em", "font", "i", "ins", "kbd", "label", "mark", "math", "q", "rp", "rt", "ruby", "s"),
        *("samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var"),
        *("wbr", "picture", "source", "output", "-text", "img", "br", "input"),
    )
)
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
# ASCII white space of the HTML standard; a no-break space stays.
_BLANKS = re.compile(r"[ \t\n\f\r]+")
_BLANK_ROUND_BREAK = re.compile(r" *\n *")
_NESTING_TAG = re.compile(
    r"<(/?)(?:div|span|section|article|ul|ol|table|blockquote|b|i|u|em|strong|font|small|big|a)\b",
    re.IGNORECASE,
)
# The standard's tree construction takes quadratic time in the depth (0.03 s at this one).
_DEEPEST = 5000


class NestedTooDeeplyError(ValueError):
    """The elements are nested so deeply that only an attack or damage explains it."""


@dataclass(slots=True)
class Page:
    """What a page holds.

    Attributes:
        text: canonical text.
        segments: its blocks, in order.
        title: of ``<title>``.
        language: the ``lang`` attribute of the root as it stands there.
        metadata: ``<meta name=… content=…>``, names in lower case.
    """

    text: str = ""
    segments: list[Segment] = field(default_factory=list[Segment])
    title: str = ""
    language: str = ""
    metadata: dict[str, str] = field(default_factory=dict[str, str])


def read_page(markup: str) -> Page:
    """Parse a page; never raises for bad markup, HTML has an answer for everything.

    Raises:
        NestedTooDeeplyError: see there.
    """
    _refuse_depth(markup)
    tree = LexborHTMLParser(markup)
    page = Page()
    if tree.root is not None:
        page.language = tree.root.attributes.get("lang") or ""
    title = tree.css_first("head > title")
    page.title = _collapse(title.text()) if title is not None else ""
    for meta in tree.css("meta[name][content]"):
        name = (meta.attributes.get("name") or "").strip().lower()
        content = _collapse(meta.attributes.get("content") or "")
        if name and content:
            page.metadata.setdefault(name, content)
    body = tree.body if tree.body is not None else tree.root
    if body is not None:
        builder = _Builder(_holders_of_headings(tree))
        builder.read(body)
        page.text, page.segments = "".join(builder.parts), builder.segments
    return page


def _refuse_depth(markup: str) -> None:
    depth = 0
    for tag in _NESTING_TAG.finditer(markup):
        depth = max(depth - 1, 0) if tag[1] else depth + 1
        if depth > _DEEPEST:
            raise NestedTooDeeplyError(f"elements are nested more than {_DEEPEST} deep")


def _holders_of_headings(tree: LexborHTMLParser) -> set[int]:
    """Elements with a heading somewhere inside: a list or table among them is mere layout."""
    holders: set[int] = set()
    for heading in tree.css("h1, h2, h3, h4, h5, h6"):
        parent = heading.parent
        while parent is not None and parent.mem_id not in holders:
            holders.add(parent.mem_id)
            parent = parent.parent
    return holders


def _walk(root: LexborNode) -> Iterator[tuple[bool, LexborNode]]:
    """All nodes below `root` as (entered or left, node); what is left out is not entered."""
    stack = [(True, node) for node in reversed(_children(root))]
    while stack:
        entered, node = stack.pop()
        yield entered, node
        if entered and node.tag != "-text":
            stack.append((False, node))
            stack.extend((True, child) for child in reversed(_children(node)))


def _children(node: LexborNode) -> list[LexborNode]:
    children: list[LexborNode] = []
    child = node.child
    while child is not None:
        if child.tag == "-text" or (child.tag not in _LEFT_OUT and not _is_hidden(child)):
            children.append(child)
        child = child.next
    return children


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes if (node.tag or "-")[0] not in "-!" else {}
    return "hidden" in attributes


def _inline_of(node: LexborNode) -> str:
    """What a node adds to the line it stands in."""
    if node.tag == "-text":
        return _BLANKS.sub(" ", node.text_content or "")
    if node.tag == "br":
        return "\n"
    if node.tag == "img":
        return node.attributes.get("alt") or ""
    return ""


def _collapse(text: str) -> str:
    return _BLANKS.sub(" ", text).strip(" ")


def _line_text(pieces: list[str]) -> str:
    text = re.sub(r" {2,}", " ", "".join(pieces))
    return _BLANK_ROUND_BREAK.sub("\n", text).strip(" \n")


def _flat_text(node: LexborNode) -> str:
    """The text of a heading or table cell in one line."""
    pieces: list[str] = []
    for entered, inner in _walk(node):
        if entered:
            pieces.append(_inline_of(inner).replace("\n", " "))
        if inner.tag not in _INLINE:
            pieces.append(" ")
    return _collapse("".join(pieces))


class _Builder:
    """Collects blocks; `parts` joined is the canonical text."""

    def __init__(self, holders: set[int]) -> None:
        self.holders = holders
        self.parts: list[str] = []
        self.segments: list[Segment] = []
        self.length = 0
        self.inline: list[str] = []

    def read(self, body: LexborNode) -> None:
        stack = [(True, node) for node in reversed(_children(body))]
        while stack:
            entered, node = stack.pop()
            tag = node.tag or ""
            if not entered:
                self.flush()
            elif tag in _INLINE:
                self.inline.append(_inline_of(node))
                stack.extend((True, child) for child in reversed(_children(node)))
            elif not self._whole_block(node, tag):
                self.flush()
                stack.append((False, node))
                stack.extend((True, child) for child in reversed(_children(node)))
        self.flush()

    def flush(self) -> None:
        text = _line_text(self.inline)
        self.inline.clear()
        self.add(SegmentKind.PARAGRAPH, text)

    def add(
        self,
        kind: SegmentKind,
        text: str,
        *,
        level: int = 0,
        breaks: tuple[int, ...] = (),
        header_end: int | None = None,
    ) -> None:
        """Append a block; ``breaks`` and ``header_end`` count from its beginning."""
        if not text.strip():
            return
        if self.parts:
            self.parts.append("\n\n")
            self.length += 2
        start = self.length
        self.parts.append(text)
        self.length += len(text)
        self.segments.append(
            Segment(
                index=len(self.segments),
                kind=kind,
                start=start,
                end=self.length,
                level=level,
                label=text if kind is SegmentKind.HEADING else "",
                breaks=tuple(start + offset for offset in breaks if 0 < offset < len(text)),
                header_end=None if header_end is None else start + header_end,
                search_text=search_text_of(text, is_code=True),
            )
        )

    def _whole_block(self, node: LexborNode, tag: str) -> bool:
        """Add the node as one block; False when it only encloses blocks."""
        if tag in _HEADINGS:
            self.flush()
            self.add(SegmentKind.HEADING, _flat_text(node), level=int(tag[1]))
        elif tag == "pre":
            self.flush()
            text = _verbatim(node)
            self.add(SegmentKind.CODE, text, breaks=tuple(_line_starts(text)))
        elif node.mem_id in self.holders:
            return False
        elif tag in _LISTS:
            self.flush()
            text, items = _list_text(node)
            self.add(SegmentKind.LIST, text, breaks=tuple(items[1:]))
        elif tag == "table" and node.css_first("table table") is None:
            self.flush()
            self._add_table(node)
        elif tag == "blockquote":
            self.flush()
            self.add(SegmentKind.QUOTE, _list_text(node)[0])
        else:
            return False
        return True

    def _add_table(self, table: LexborNode) -> None:
        rows: list[str] = []
        header_end: int | None = None
        breaks: list[int] = []
        length = 0
        for entered, node in _walk(table):
            if entered and node.tag == "caption":
                self.add(SegmentKind.PARAGRAPH, _flat_text(node))
            if not entered or node.tag != "tr":
                continue
            cells = [cell for cell in _children(node) if cell.tag in ("td", "th")]
            texts = [_flat_text(cell).replace("|", "\\|") for cell in cells]
            if not any(texts):
                continue
            row = f"| {' | '.join(texts)} |"
            if not rows and all(cell.tag == "th" for cell in cells):
                row += f"\n|{' --- |' * len(cells)}"
                header_end = len(row) + 1
            elif rows:
                breaks.append(length)
            rows.append(row)
            length += len(row) + 1
        text = "\n".join(rows)
        if header_end is not None:
            header_end = min(header_end, len(text))
        self.add(SegmentKind.TABLE, text, breaks=tuple(breaks), header_end=header_end)


def _verbatim(node: LexborNode) -> str:
    pieces: list[str] = []
    for entered, inner in _walk(node):
        if entered:
            pieces.append("\n" if inner.tag == "br" else inner.text_content or "")
    return "".join(pieces).replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def _line_starts(text: str) -> Iterator[int]:
    position = text.find("\n") + 1
    while position:
        yield position
        position = text.find("\n", position) + 1


@dataclass(slots=True)
class _OpenList:
    number: int | None
    indent: str


def _list_text(root: LexborNode) -> tuple[str, list[int]]:
    """A list (or quotation) as lines, and the offsets of its own items."""
    writer = _ListWriter()
    if root.tag in _LISTS:
        writer.open(root)
    for entered, node in _walk(root):
        tag = node.tag or ""
        if tag in _INLINE:
            writer.pieces.extend([_inline_of(node)] if entered else [])
        elif tag in _LISTS:
            writer.flush()
            writer.open(node) if entered else writer.close()
        elif tag == "li" and entered:
            writer.flush()
            writer.begin_item()
        else:
            writer.flush()
    writer.flush()
    return "\n".join(writer.lines), writer.items


class _ListWriter:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.items: list[int] = []
        self.pieces: list[str] = []
        self.lists: list[_OpenList] = []
        self.length = 0
        self.first = self.following = ""
        self.is_own_item = False

    def open(self, node: LexborNode) -> None:
        number = None
        if node.tag == "ol":
            start = node.attributes.get("start") or "1"
            number = int(start) if re.fullmatch(r"-?[0-9]{1,9}", start) else 1
        self.lists.append(_OpenList(number, self.following))

    def close(self) -> None:
        self.first = self.following = self.lists.pop().indent if self.lists else ""

    def begin_item(self) -> None:
        here = self.lists[-1] if self.lists else _OpenList(None, "")
        marker = "- " if here.number is None else f"{here.number}. "
        if here.number is not None:
            here.number += 1
        self.first, self.following = here.indent + marker, here.indent + " " * len(marker)
        self.is_own_item = len(self.lists) <= 1

    def flush(self) -> None:
        text = _line_text(self.pieces)
        self.pieces.clear()
        if not text:
            return
        if self.is_own_item:
            self.items.append(self.length)
            self.is_own_item = False
        for line in text.split("\n"):
            self.lines.append(self.first + line)
            self.length += len(self.first) + len(line) + 1
            self.first = self.following
