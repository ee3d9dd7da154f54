"""The reader for MDX 3: Markdown with imports, exports, expressions and JSX between the blocks.

Here the canonical text is *not* the file: imports, exports, comments and JSX tags are taken out
(a warning says how many), so that no code of the page is embedded or shown. What the tags
enclose stays, and so do expressions on one line (``{depth}``) and everything inside code.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from momentry_assets.model import Document, DocumentKind, SourceWarning
from momentry_assets.sources.front_matter import read_front_matter
from momentry_assets.sources.markdown import markdown_document
from momentry_assets.sources.markdown_blocks import read_blocks
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.text import looks_binary

# Only what can be JavaScript is a module line: "import the goods first" is prose.
_TOKEN = re.compile(
    r"""
      (?P<fence>^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence_mark>`{3,}(?=[^`\n]*$)|~{3,}))
    | (?P<module>^import\b\s*(?:["'{*]|type\b|[\w$]+\s*(?:,|\bfrom\b))
        |^export\s+(?:const|let|var|function|class|default|async|type|interface|enum)\b
        |^export\s*[{*])
    | (?P<code>`+)
    | (?P<html_comment><!--)
    | (?P<comment>\{\s*/\*)
    | (?P<expression>\{)
    | (?P<tag></?[A-Za-z][\w.:-]*(?=\s|/?>)|</?(?=>))
    """,
    re.MULTILINE | re.VERBOSE,
)
_BLANK_LINE = re.compile(r"\n[ \t]*(?:\n|\Z)")
_COMMENT_END = re.compile(r"\*/\s*\}")
_ATTRIBUTES = re.compile(r"""[^"'{<>`]*""")
_LINE = re.compile(r"[^\n]*")
_BRACKET = re.compile(r"[{}()\[\]]")
_BRACKET_OR_TEMPLATE = re.compile(r"[{}()\[\]`]")
_REMOVED: tuple[str, ...] = ("import", "export", "expression", "comment", "JSX tag")
# Bounds the work on text that only begins like a tag.
_MOST_ATTRIBUTES = 200


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    what: str


class MdxReader:
    """MDX files. See the module for what is left out."""

    name = "mdx"
    kind = DocumentKind.TEXT
    suffixes = (".mdx",)

    def sniff(self, source: SourceFile) -> bool:
        """Never sure: only the extension tells MDX from Markdown."""
        return False

    def read(self, source: SourceFile) -> Document:
        """Read an MDX file; offsets point into the text without the code of the page."""
        if looks_binary(source.decoded.text):
            raise source.error("the content is not text", reader=self.name)
        front = read_front_matter(source.decoded.text)
        text, warnings = without_jsx(source.decoded.text, front.body_start)
        segments = read_blocks(text, front.body_start, indented_code=False)
        return markdown_document(source, self.name, text, front, segments, warnings)


def without_jsx(text: str, body_start: int = 0) -> tuple[str, tuple[SourceWarning, ...]]:
    """The text without imports, exports, comments and JSX tags, and a warning that counts them."""
    counts: dict[str, int] = dict.fromkeys(_REMOVED, 0)
    kept: list[str] = []
    position = 0
    for span in _removable(text, body_start):
        counts[span.what] += 1
        kept.append(text[position : span.start])
        position = span.end
    if not position:
        return text, ()
    kept.append(text[position:])
    listed = ", ".join(f"{count} {what}(s)" for what, count in counts.items() if count)
    warning = SourceWarning(
        place="file",
        message=f"taken out of the text: {listed}; offsets count without them",
        field="text",
    )
    return "".join(kept), (warning,)


def _removable(text: str, body_start: int) -> Iterator[_Span]:
    """What is taken out, in order. Code is passed over whole, in one walk through the text."""
    partners = _brackets(text)
    position, paragraph_end, comments_close = body_start, body_start, True
    line_end = -1
    while (token := _TOKEN.search(text, position)) is not None:
        start, end = token.span()
        what = token.lastgroup or ""
        if what == "fence":
            position = _fence_end(text, token)
            continue
        if what == "code":
            if end > paragraph_end:
                blank = _BLANK_LINE.search(text, end)
                paragraph_end = blank.start() if blank else len(text)
            position = _code_end(text, token, paragraph_end)
            continue
        after = 0
        if what == "module":
            what = "import" if token[0].startswith("import") else "export"
            if start == position or _is_below_blank_line(text, body_start, start):
                after = _statement_end(text, start, partners)
        elif what == "html_comment":
            what = "comment"
            after = text.find("-->", start + 2) + 3
            after = after if after >= 3 else len(text)
        elif what == "expression":
            # ``{depth}`` in a sentence is text; one over several lines is code of the page.
            if start > line_end:
                line_end = text.find("\n", start)
                line_end = len(text) if line_end < 0 else line_end
            closing = partners.get(start, 0)
            after = closing + 1 if closing > line_end else 0
        elif what == "comment":
            # A comment that never closes is no comment, nor is any after it.
            comment = _COMMENT_END.search(text, end) if comments_close else None
            comments_close = comment is not None
            after = comment.end() if comment else 0
        else:
            what = "JSX tag"
            after = _tag_end(text, end, partners)
        if after:
            yield _Span(start, after, what)
        position = after or end


def _fence_end(text: str, token: re.Match[str]) -> int:
    mark = token["fence_mark"]
    closing = re.compile(rf"^[ \t>]*{mark}{mark[0]}*[ \t]*$", re.MULTILINE)
    end = closing.search(text, token.end())
    return end.end() if end else len(text)


def _code_end(text: str, token: re.Match[str], paragraph_end: int) -> int:
    same = re.compile(rf"(?<!`){token[0]}(?!`)")
    end = same.search(text, token.end(), paragraph_end)
    return end.end() if end else token.end()


def _tag_end(text: str, position: int, partners: dict[int, int]) -> int:
    """The offset after a tag's ``>``, 0 when this is no tag."""
    for _ in range(_MOST_ATTRIBUTES):
        names = _ATTRIBUTES.match(text, position)
        position = names.end() if names else position
        mark = text[position : position + 1]
        if mark == ">":
            return position + 1
        if mark == '"' or mark == "'":
            position = text.find(mark, position + 1) + 1
        elif mark == "{":
            position = partners.get(position, -1) + 1
        else:
            return 0
        if not position:
            return 0
    return 0


def _is_below_blank_line(text: str, body_start: int, start: int) -> bool:
    """True where MDX allows a statement: at the beginning and below a blank line."""
    if start <= body_start:
        return True
    line_before = text.rfind("\n", body_start, start - 1) + 1
    return not text[max(line_before, body_start) : start].strip()


def _statement_end(text: str, start: int, partners: dict[int, int]) -> int:
    """The end of an import or export, its last newline included.

    A statement goes on while a bracket or a template string is open (MDX asks a JavaScript
    parser), else to the line before a blank one or before the next statement. One that never
    closes counts as text.
    """
    position = start
    while True:
        line_end = text.find("\n", position)
        line_end = len(text) if line_end < 0 else line_end
        bracket = _BRACKET_OR_TEMPLATE.search(text, position, line_end)
        if bracket is not None:
            opening = bracket.start()
            if bracket[0] == "`":
                position = max(text.find("`", opening + 1), opening) + 1
            else:
                position = partners.get(opening, opening) + 1
            continue
        position = line_end + 1
        if position >= len(text):
            return len(text)
        following = _LINE.match(text, position)
        token = _TOKEN.match(text, position)
        if not (following and following[0].strip()) or (token and token.lastgroup == "module"):
            return position


def _brackets(text: str) -> dict[int, int]:
    """Opening bracket to its closing one; brackets in strings count, which is right enough."""
    partners: dict[int, int] = {}
    open_ones: list[tuple[str, int]] = []
    pairs = {"}": "{", ")": "(", "]": "["}
    for match in _BRACKET.finditer(text):
        mark = match[0]
        if mark not in pairs:
            open_ones.append((mark, match.start()))
        elif open_ones and open_ones[-1][0] == pairs[mark]:
            partners[open_ones.pop()[1]] = match.start()
    return partners
