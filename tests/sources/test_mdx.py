"""MDX: the code of the page goes, what it encloses stays."""

import pytest

from momentry_assets.model import SegmentKind
from momentry_assets.sources.mdx import MdxReader, without_jsx
from momentry_assets.sources.reader import SourceFile


def left(text: str) -> str:
    return " ".join(without_jsx(text)[0].split())


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("import A from 'a';\n\nText", "Text"),
        ("import A, { b } from 'a'\nimport 'side-effect'\n\nText", "Text"),
        ("import {\n  a,\n\n  b,\n} from 'x';\n\nText", "Text"),
        ("import * as x from 'x'\nText of the same block\n\nText", "Text"),
        ("export const meta = {\n  title: 'T',\n\n  tags: ['a']\n};\n\nText", "Text"),
        ("export default ({children}) => <div>{children}</div>\n\nText", "Text"),
        ("export function f() {\n  return 1\n}\n\nText", "Text"),
        ("import the goods first.\n\nexport of grain", "import the goods first. export of grain"),
        ("Text.\nimport x from 'y'", "Text. import x from 'y'"),
        ("`import x from 'y'`", "`import x from 'y'`"),
        ("export const q = sql`\n\n# no\n`;\n\nText", "Text"),
        ("export const q = `never closed\n\nText", "Text"),
    ],
)
def test_imports_and_exports_are_taken_out(text: str, rest: str) -> None:
    assert left(text) == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ('<Note type="warning">\n\nText\n\n</Note>', "Text"),
        ("<Tabs\n  values={[{a: '>'}, {b: 1}]}\n  x='>'\n>\nText\n</Tabs>", "Text"),
        ("<>Text</>", "Text"),
        ("Close. <br/> Twice. <Ui.Badge />", "Close. Twice."),
        ("a < b and c > d, 1 <2", "a < b and c > d, 1 <2"),
        (
            "<https://example.org/x> and <me@example.org>",
            "<https://example.org/x> and <me@example.org>",
        ),
        ("`<Tabs>` and ``a ` <Note>``", "`<Tabs>` and ``a ` <Note>``"),
        ("```jsx\n<Tabs>\n{/* kept */}\n```\n<Tabs>", "```jsx <Tabs> {/* kept */} ```"),
        ("- item\n  ```\n  <Tabs>\n  ```\n- <b>two</b>", "- item ``` <Tabs> ``` - two"),
        ("Pump {depth} times.", "Pump {depth} times."),
        ("a {/* gone } { \n\n too */} b", "a b"),
        ("a { /* gone */ } b <!-- gone\n\n--> c", "a b c"),
        ("a {/* never closed", "a {/* never closed"),
        ("<style>{`\n# css\n`}</style>\n\nText", "Text"),
        ("{items.map((item) => (\n  <li>{item}</li>\n))}\n\nText", "Text"),
        ("Set {a: {b: 1}} and {c\n\nText", "Set {a: {b: 1}} and {c Text"),
        ("<Broken attr=", "<Broken attr="),
    ],
)
def test_tags_and_comments_are_taken_out_and_code_is_not(text: str, rest: str) -> None:
    assert left(text) == rest


def test_a_warning_counts_what_was_taken_out() -> None:
    _, (warning,) = without_jsx("import A from 'a'\n\n<A>x</A> {/* c */}")
    assert warning.message.startswith("taken out of the text: 1 import(s), 1 comment(s), 2 JSX")
    assert without_jsx("# Plain\n\ntext") == ("# Plain\n\ntext", ())


def test_indented_content_of_a_tag_is_text_not_code() -> None:
    raw = b"---\ntitle: T\n---\n<Tabs>\n    <TabItem>\n        Pump it.\n    </TabItem>\n</Tabs>\n"
    document = MdxReader().read(SourceFile("d/a.mdx", "d", raw))
    assert document.title == "T"
    (part,) = document.segments
    assert part.kind is SegmentKind.PARAGRAPH
    assert document.slice(part).strip() == "Pump it."


@pytest.mark.parametrize(
    "unit",
    [
        "<A x={1}>t</A>\n",
        "<a ",
        "<a {",
        '<a "',
        "{/*",
        "`",
        "``a`",
        "{",
        "import {\n",
        "<!--",
        "~~~\n",
    ],
)
def test_endless_openings_end(unit: str) -> None:
    without_jsx(unit * (200_000 // len(unit)))
