"""Documents: what stays whole, what is matched, and what no block may do to the limits."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.chunking import Hierarchy
from momentry_assets.chunking.spans import Ruler
from momentry_assets.context.embedding_text import (
    ChildContext,
    Layers,
    ParentContext,
    TokenBudget,
    child_texts,
    parent_texts,
)
from momentry_assets.model import Document, SegmentKind

from .test_requirements import COUNTER, check, chunk, read

CASES = Path(__file__).parents[1] / "cases"


def longest(document: Document, made: Hierarchy, limit: int) -> int:
    """Tokens of the longest embedding text of either level."""
    budget = TokenBudget(COUNTER, limit)
    children = {one.chunk_id: one for one in made.children}
    contexts = [
        ParentContext(
            tuple(children[child].text_content for child in one.child_chunk_ids),
            Layers(document.title, section_hierarchy=one.section_hierarchy, description="About."),
        )
        for one in made.parents
    ]
    texts = [text for parts in parent_texts(budget, contexts) for text in parts]
    texts += child_texts(
        budget,
        [
            ChildContext(
                one.chunk_type, one.search_text or one.text_content, Layers(description="About.")
            )
            for one in made.children
        ],
    )
    return max(budget.tokens(texts), default=0)


def test_case_28_every_fence_is_whole_in_its_section() -> None:
    document = read((CASES / "28-md-fences-hash" / "input.md").read_bytes())
    made = chunk(document)
    check(document, made)
    assert {one.section_hierarchy for one in made.parents} == {("Setup",), ("Setup", "Check")}
    expected = {
        ("Setup",): [
            "# install the pump",
            "## not a heading\n~~~\n## still not",
            "# indented code",
        ],
        ("Setup", "Check"): ["# unclosed fence runs to the end\ndef f():\n", "## also code"],
    }
    for path, texts in expected.items():
        for text in texts:
            holders = [one for one in made.children if text in one.text_content]
            assert [one.section_hierarchy for one in holders] == [path]
    fences = [one for one in document.segments if one.kind is SegmentKind.CODE]
    assert len(fences) == 4
    for fence in fences:
        assert any(one.start <= fence.start and fence.end <= one.end for one in made.children)


def test_case_34_blocks_are_whole_with_their_offsets() -> None:
    document = read((CASES / "34-md-table-list-footnote" / "input.md").read_bytes())
    made = chunk(document)
    check(document, made)
    blocks = {
        (10, 118): "| Item | Place | Note |",
        (120, 232): "1. Open the door",
        (234, 267): "> Quote line one",
        (269, 301): "[^1]: Colza oil, a litre a week.",
        (303, 314): "Last words.",
    }
    for (start, end), first in blocks.items():
        (holder,) = [one for one in made.children if one.start <= start and end <= one.end]
        assert document.text[start:end].startswith(first)
        assert holder.section_hierarchy == ("Stores",)
    assert any("colza" in one.text_content.lower() for one in made.children)


def test_case_34_a_split_table_repeats_its_header_and_cuts_no_row() -> None:
    document = read((CASES / "34-md-table-list-footnote" / "input.md").read_bytes())
    made = chunk(document, child_max_tokens=40)
    rows = [one for one in made.children if one.chunk_type == "table"]
    assert len(rows) > 1
    for one in rows:
        assert (one.search_text or one.text_content).startswith("| Item | Place | Note |")
        assert all(line.endswith("|") for line in one.text_content.splitlines())


PROSE = st.lists(
    st.sampled_from(["pump", "valve.", "to", "internationalization"]), min_size=1, max_size=40
).map(" ".join)
LINES = st.lists(st.sampled_from(["ab", "run it", "pump --level 3"]), min_size=1, max_size=6)
FENCES = LINES.map(lambda lines: "```\n" + "\n".join(lines) + "\n```")
TABLES = LINES.map(
    lambda lines: "| a | b |\n|---|---|\n" + "\n".join(f"| {x} | 1 |" for x in lines)
)


@given(
    blocks=st.lists(st.one_of(PROSE, FENCES, TABLES, st.just("Ok:")), min_size=1, max_size=6),
    limit=st.sampled_from([16, 24, 40]),
)
@settings(max_examples=300, deadline=None)
def test_a_fence_or_table_that_fits_is_never_cut_and_only_it_may_pass_the_limit(
    blocks: list[str], limit: int
) -> None:
    document = read("# A\n\n" + "\n\n".join(blocks) + "\n")
    made = chunk(document, 100, child_max_tokens=limit, parent_max_tokens=60)
    check(document, made)
    ruler = Ruler(document.text, COUNTER.positions(document.text), limit)
    for block in document.segments:
        if block.kind in (SegmentKind.CODE, SegmentKind.TABLE) and ruler.fits(
            (block.start, block.end)
        ):
            assert any(one.start <= block.start and block.end <= one.end for one in made.children)
    for one in made.children:
        assert one.token_count <= limit or (
            one.chunk_type in ("code", "table") and one.token_count <= 100
        )


@pytest.mark.parametrize("length", [101, 599, 600, 1108, 10_000])
def test_no_piece_of_a_giant_word_is_over_the_limit(length: int) -> None:
    word = ("qzxjvkw" * length)[:length]
    document = read(f"# A\n\n{word}\n")
    made = chunk(document, TokenBudget(COUNTER, 64).content_tokens)
    assert "".join(one.text_content for one in made.children) == word
    assert longest(document, made, 64) <= 64
    assert max(COUNTER.count([one.text_content for one in made.children])) <= 64


def test_a_long_heading_without_a_body_is_cut_like_any_text() -> None:
    document = read("# " + "word " * 700 + "\n")
    made = chunk(document)
    check(document, made)
    assert max(one.token_count for one in made.children) <= 80
    assert longest(document, made, 512) <= 512


def test_a_table_header_that_leaves_no_room_is_not_repeated() -> None:
    names = [f"columnnumber{number}" for number in range(120)]
    row = "| " + " | ".join("x" for _ in names) + " |\n"
    document = read("| " + " | ".join(names) + " |\n|" + "---|" * 120 + "\n" + row * 5)
    made = chunk(document)
    check(document, made)
    assert longest(document, made, 512) <= 512


def test_a_table_behind_a_short_lead_has_its_header_once() -> None:
    rows = "".join(f"| pump {number} | house {number} |\n" for number in range(40))
    made = chunk(read(f"See:\n\n| Pump | Place |\n|---|---|\n{rows}"))
    assert len(made.children) > 2
    for one in made.children:
        assert (one.search_text or one.text_content).count("| Pump | Place |") == 1


def test_a_comment_between_two_joined_blocks_is_not_matched() -> None:
    (one,) = chunk(read("Run this:\n\n<!-- hidden from readers -->\n\nmake run\n")).children
    assert "hidden" in one.text_content
    assert "hidden" not in one.search_text
    assert "make run" in one.search_text


def test_many_tiny_blocks_leave_the_parent_within_the_budget() -> None:
    document = read("# A\n\n" + "pump\n\n" * 600)
    made = chunk(document, child_min_characters=0)
    assert len(made.children) == 600
    assert longest(document, made, 512) <= 512


def test_a_long_line_of_dots_does_not_stop_the_run() -> None:
    document = read("# A\n\n" + "." * 20_000 + "x\n")
    check(document, chunk(document))


LONG = " ".join(["pump"] * 79) + "."
LINE_OF_CODE = "run " + " ".join(["--pump"] * 36)


@pytest.mark.parametrize(
    "text",
    [
        f"Run this:\n\n{LONG}\n",
        f"Nineteen letters ok\n\n{LONG}\n",
        f"Note.\n\nAnd then\n\n{LONG}\n",
        f"{LONG}\n\nNote.\n\n{LONG}\n",
        f"{LONG}\n\nNote.\n",
        f"Run this:\n\n```\n{LINE_OF_CODE}\n```\n\nOk?\n",
        f"```\n{LINE_OF_CODE}\n{LINE_OF_CODE}\n}}\n```\n",
        f"| {LONG} | x |\n|---|---|\n| a | b |\n| {LONG} | x |\n| a | b |\n",
        f"- ok\n- {LONG}\n- no\n- {LONG}\n",
        "好。\n\n" + "国" * 79 + "。\n",
        "国" * 79 + "。好。\n",
    ],
)
def test_a_child_under_twenty_characters_is_its_whole_section(text: str) -> None:
    document = read(f"# A\n\n{text}\n## B\n\nYes.\n\n## C\n")
    made = chunk(document)
    check(document, made)
    short = [one.text_content for one in made.children if len(one.text_content) < 20]
    assert short == ["Yes.", "## C"]


IMAGE = "data:image/png;base64," + "iVBORw0KGgo+/AbC9" * 3000


@pytest.mark.parametrize(
    ("text", "matched"),
    [
        (f"![]({IMAGE})", "# A"),
        (f"Before it.\n\n![The pump]({IMAGE})\n\nAfter it.", "Before it.\n\n![The pump]("),
        (f"It shows the pump house: ![]({IMAGE}) and the wall.", "It shows the pump house: !"),
        (f'<p>The pump house.</p>\n<img src="{IMAGE}" alt="x">\n', "The pump house."),
        (f"```\nThe url of the pump: url({IMAGE})\n```", "```\nThe url of the pump: url("),
        (f"[pump house]: {IMAGE}\n\nThe pump house is this.", "The pump house is this."),
    ],
)
def test_a_file_in_base64_is_in_the_parent_and_in_no_child(text: str, matched: str) -> None:
    document = read(f"# A\n\n{text}\n")
    made = chunk(document)
    check(document, made)
    assert any(IMAGE in one.text_content for one in made.parents)
    texts = [one.search_text or one.text_content for one in made.children]
    assert texts[0].startswith(matched)
    assert not any("base64" in text or "iVBO" in text for text in texts)
    for one in made.children:
        assert one.token_count <= 80
    assert len(made.children) <= 2


def test_a_small_image_is_left_out_of_what_is_matched_only() -> None:
    (one,) = chunk(read("# A\n\nThe pump: ![](data:image/png;base64,iVBO) is red.\n")).children
    assert "base64,iVBO" in one.text_content
    assert one.search_text == "The pump: ![]([image]) is red."
