"""What of a piece of marked-up text is matched: data URIs, comments and tags taken out.

Nothing here changes the canonical text; the results go into `Segment.search_text`.
All functions take linear time on any input: no pattern here can look ahead twice over the same
characters.
"""

import html
import re
from bisect import bisect_right
from collections import defaultdict

# RFC 2397. The media type is bounded so that a text full of "data:" cannot slow the pattern.
_DATA_URI = re.compile(
    r"data:[\w.+-]{0,80}(?:/[\w.+-]{1,80})?(?:;[\w.+-]{1,40}(?:=[\w.+-]{1,40})?){0,4};base64,"
    r"[A-Za-z0-9+/=_%-]*",
    re.IGNORECASE,
)
_BACKTICKS = re.compile("`+")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<[!?][^<>]*>")
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_HIDDEN_CONTENT = re.compile(r"<(script|style|template)\b", re.IGNORECASE)
_BREAKING = re.compile(r"</?(?:p|div|li|tr|td|th|br|h[1-6]|summary|dt|dd)\b", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]+")
_NOTHING = " "


def search_text_of(text: str, *, is_html: bool = False, is_code: bool = False) -> str:
    """What to match instead of a segment's text, empty when it is the text itself.

    Base64 data URIs become ``[image]``. HTML comments are left out, except in code; of an HTML
    block only the text between the tags and the ``alt`` texts stay. A single blank means that
    nothing is left to match.
    """
    matched = text
    if "base64," in matched:
        matched = _DATA_URI.sub("[image]", matched)
    if is_html:
        matched = text_of_html(matched)
    elif not is_code and "<!--" in matched:
        matched = without_comments(matched)
    if matched == text:
        return ""
    return matched if matched.strip() else _NOTHING


def data_uris(text: str, *, is_code: bool = False) -> list[tuple[int, int]]:
    """Where base64 data URIs stand in a text; outside of code with the tag around each."""
    found: list[tuple[int, int]] = []
    for match in _DATA_URI.finditer(text) if "base64," in text else ():
        start, end = match.span()
        opening = text.rfind("<", found[-1][1] if found else 0, start)
        if not is_code and opening >= 0 and text.find(">", opening, start) < 0:
            closing = text.find(">", end)
            start, end = opening, closing + 1 if closing >= 0 else end
        found.append((start, end))
    return found


def code_spans(text: str) -> list[tuple[int, int]]:
    """The inline code spans of a text as (start, end), in order (CommonMark 0.31.2, 6.1).

    A span runs from a string of backticks to the next string of equal length.
    """
    runs = [(match.start(), match.end()) for match in _BACKTICKS.finditer(text)]
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for start, end in runs:
        by_length[end - start].append(start)
    spans: list[tuple[int, int]] = []
    position = 0
    for start, end in runs:
        if start < position:
            continue
        same = by_length[end - start]
        following = bisect_right(same, start)
        if following < len(same):
            position = same[following] + end - start
            spans.append((start, position))
    return spans


def without_comments(text: str) -> str:
    """The text without ``<!-- … -->``, inline code left alone; an unclosed comment stays."""
    kept: list[str] = []
    position = 0
    spans = iter([*code_spans(text), (len(text), len(text))])
    span_start, span_end = next(spans)
    search_from = 0
    while (opening := text.find("<!--", search_from)) >= 0:
        while span_end <= opening and span_start < len(text):
            span_start, span_end = next(spans)
        if span_start <= opening < span_end:
            search_from = span_end
            continue
        closing = text.find("-->", opening + 2)
        if closing < 0:
            break
        kept.append(text[position:opening])
        position = search_from = closing + 3
    kept.append(text[position:])
    return "".join(kept)


def text_of_html(text: str) -> str:
    """The visible text of a raw HTML block: comments, scripts, styles and tags out.

    An unclosed comment, script or style hides the rest, as it does in a browser.
    """
    text = _without_hidden(text)
    text = _TAG.sub(_shown_for_tag, text)
    lines = (_BLANKS.sub(" ", line).strip() for line in html.unescape(text).split("\n"))
    return "\n".join(line for line in lines if line)


def _without_hidden(text: str) -> str:
    kept: list[str] = []
    position = 0
    comment = text.find("<!--")
    while True:
        if 0 <= comment < position:
            comment = text.find("<!--", position)
        hidden = _HIDDEN_CONTENT.search(text, position, comment if comment >= 0 else len(text))
        if hidden:
            opening, closer = hidden.start(), re.compile(f"</{hidden[1]}\\s*>", re.IGNORECASE)
        elif comment >= 0:
            opening, closer = comment, re.compile("-->")
        else:
            kept.append(text[position:])
            return "".join(kept)
        kept.append(text[position:opening])
        closing = closer.search(text, opening + 2)
        if closing is None:
            return "".join(kept)
        position = closing.end()


def _shown_for_tag(match: re.Match[str]) -> str:
    tag = match[0]
    if tag[:4].lower() == "<img":
        alt = _ALT.search(tag)
        return f" {alt[1] or alt[2] or ''} " if alt else ""
    return "\n" if _BREAKING.match(tag) else ""
