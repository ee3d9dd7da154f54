"""What both levels must be, with small inputs and their right values."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.chunking import Hierarchy, chunk_document
from momentry_assets.chunking.written import with_descriptions
from momentry_assets.context.embedding_text import ChildContext, Layers, TokenBudget, child_texts
from momentry_assets.descriptions import Description
from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.profile import read_profile
from momentry_assets.embedding.tokens import TokenCounter
from momentry_assets.model import Chunk, Document
from momentry_assets.settings import ChunkingSettings, load_settings
from momentry_assets.sources.registry import read_document

COUNTER = TokenCounter(read_profile(load_settings()))
CUTS = (
    "Scene Number,Start Frame,Start Timecode,Start Time (seconds),End Frame,End Timecode,"
    "End Time (seconds),Length (frames),Length (timecode),Length (seconds)\n"
    "1,1,00:00:00.000,0.000,1500,00:01:00.000,60.000,1500,00:01:00.000,60.000\n"
    "2,1501,00:01:00.000,60.000,15250,00:10:10.000,610.000,13750,00:09:10.000,550.000\n"
)


def read(content: str | bytes, path: str = "docs/d1.md", **companions: bytes) -> Document:
    raw = content if isinstance(content, bytes) else content.encode()
    named = {name.replace("_", "-") + ".csv": data for name, data in companions.items()}
    return read_document(raw, collection="docs", path=path, companions=named)


def chunk(document: Document, max_tokens: int = 480, **fields: object) -> Hierarchy:
    sizes = ChunkingSettings(**fields)  # type: ignore[arg-type]
    return chunk_document(document, sizes, COUNTER, max_tokens=max_tokens)


def check(document: Document, hierarchy: Hierarchy, *, generated: bool = False) -> None:
    """What holds for every document."""
    assert "".join(parent.text_content for parent in hierarchy.parents) in (document.text, "")
    ids = [one.chunk_id for one in (*hierarchy.parents, *hierarchy.children)]
    assert len(set(ids)) == len(ids)
    parents = {parent.chunk_id: parent for parent in hierarchy.parents}
    for one in (*hierarchy.parents, *hierarchy.children):
        assert document.text[one.start : one.end] == one.text_content
    before = 0
    for child in hierarchy.children:
        parent = parents[child.parent_chunk_id or ""]
        assert parent.start <= child.start < child.end <= parent.end
        assert child.start_in_parent == child.start - parent.start
        assert child.chunk_id in parent.child_chunk_ids
        assert child.start >= before
        # Everything that was written about a parent spans all of it.
        before = child.start if generated else child.end
    listed = [one for parent in hierarchy.parents for one in parent.child_chunk_ids]
    assert listed == [child.chunk_id for child in hierarchy.children]


def spans(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in chunks]


def test_ids_are_the_same_in_another_process_with_another_hash_seed(tmp_path: Path) -> None:
    code = (
        "import json\n"
        "from tests.chunking.test_requirements import chunk, read\n"
        "made = chunk(read('# A\\n\\nOne.\\n\\nTwo.\\n'))\n"
        "print(json.dumps([one.chunk_id for one in (*made.parents, *made.children)]))\n"
    )
    found = set()
    root = Path(__file__).parents[2]
    for seed in ("1", "2"):
        printed = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(printed.stdout)
    assert len(found) == 1
    made = chunk(read("# A\n\nOne.\n\nTwo.\n"))
    assert json.loads(found.pop()) == [one.chunk_id for one in (*made.parents, *made.children)]


def test_identity_is_not_text() -> None:
    ids = {
        one.chunk_id
        for path in ("docs/d1.md", "docs/d2.md")
        for level in (lambda made: made.parents, lambda made: made.children)
        for one in level(chunk(read("Hello world.\n", path)))
    }
    assert len(ids) == 4
    twice = chunk(read("## FAQ\n\nSee above.\n\n## FAQ\n\nSee above.\n"))
    assert len(twice.parents) == 2
    assert twice.parents[0].chunk_id != twice.parents[1].chunk_id
    assert twice.parents[0].start != twice.parents[1].start


def test_offsets_count_code_points_on_both_levels() -> None:
    text = "# é🙂\n\n\tcode\u00a0x\n\n## 见《书》\n\n见《书》。\n"
    assert (len(text), len(text.encode())) == (30, 53)
    document = read(text)
    made = chunk(document)
    assert spans(made.parents) == [(0, 15), (15, 30)]
    assert made.children[-1].text_content == "见《书》。"
    assert spans(made.children)[-1] == (24, 29)
    check(document, made)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_parents_rejoin_the_document_and_no_chunk_loses_its_first_character(
    newline: str, mark: bytes
) -> None:
    lines = [
        "# .NET ¾ naïve ¿Qué?",
        "",
        ".NET is where we began.",
        "",
        "《x》 is the second, with a hard\u00a0space.",
        "",
        "```",
        "\ttab in a fence",
        "```",
        "",
    ]
    raw = mark + newline.join(lines).encode()
    document = read(raw)
    made = chunk(document)
    check(document, made)
    assert "".join(one.text_content for one in made.parents) == "\n".join(lines)
    rejoined = "".join(one.text_content for one in made.parents).replace("\n", document.newline)
    assert (mark if document.byte_order_mark else b"") + rejoined.encode() == raw
    texts = [child.text_content for child in made.children]
    assert any(text.startswith(".NET is") for text in texts)
    assert any(text.startswith("《x》") for text in texts)
    assert any("\ttab in a fence" in text for text in texts)


def test_markdown_structure_gives_the_heading_paths() -> None:
    text = "intro\n\n# T\n\n~~~sh\n# not a heading\n~~~\n\n## B\n\n# U\n### V\nx\n\n## W\ny\n"
    made = chunk(read(text))
    paths = [list(parent.section_hierarchy) for parent in made.parents]
    assert paths == [[], ["T"], ["T", "B"], ["U"], ["U", "V"], ["U", "W"]]
    assert made.children[0].text_content == "intro"
    assert any("B" in child.text_content for child in made.children if child.section_hierarchy)
    assert not any(child.text_content.startswith("# not") for child in made.children)
    titled = chunk(read("Title\n=====\n\nx\n"))
    assert [list(parent.section_hierarchy) for parent in titled.parents] == [["Title"]]


def test_a_fence_within_the_limit_is_never_cut() -> None:
    fence = "```\n" + "\n".join(f"line {number} of the fence" for number in range(3)) + "\n```"
    for before in range(0, 120, 7):
        words = " ".join(["word"] * before)
        made = chunk(read(f"# A\n\n{words}\n\n{fence}\n\nafter\n"), child_max_tokens=40)
        assert any(fence in child.text_content for child in made.children)


def test_the_limit_counts_everything_that_is_embedded() -> None:
    heading = " ".join(f"heading{number}" for number in range(40))
    paragraph = "A paragraph of about ten tokens stands here."
    document = read(f"# {heading}\n\n{paragraph}\n")
    budget = TokenBudget(COUNTER, 64)
    made = chunk(document, budget.content_tokens)
    assert len(made.children) == 1
    assert made.children[0].text_content == paragraph
    texts = child_texts(
        budget,
        [
            ChildContext(
                "paragraph",
                paragraph,
                Layers(
                    title=document.title,
                    section_hierarchy=made.children[0].section_hierarchy,
                    description="Described.",
                ),
            )
        ],
    )
    assert budget.tokens(texts)[0] <= 64
    assert paragraph in texts[0]


def test_a_word_of_ten_thousand_characters_is_cut_and_rejoins() -> None:
    word = "".join(random.Random(7).choice("abcdefghij") for _ in range(10_000))
    document = read(f"# A\n\n{word}\n")
    budget = TokenBudget(COUNTER, 64)
    made = chunk(document, budget.content_tokens)
    assert "".join(child.text_content for child in made.children) == word
    texts = child_texts(
        budget, [ChildContext(one.chunk_type, one.text_content) for one in made.children]
    )
    assert max(budget.tokens(texts)) <= 64


def test_cjk_without_spaces_is_cut_at_its_full_stops() -> None:
    document = read(("国" * 24 + "。") * 120)
    made = chunk(document, child_max_tokens=300, child_max_characters=100)
    assert len(made.children) == 30
    assert {len(child.text_content) for child in made.children} == {100}
    assert all(child.text_content.endswith("。") for child in made.children)
    check(document, made)


@pytest.mark.parametrize("content", ["", " \n\t"])
def test_empty_documents_have_no_chunks(content: str) -> None:
    document = read(content)
    assert document.status == "empty"
    assert chunk(document) == Hierarchy((), ())


def test_the_shortest_document_is_one_parent_and_one_child() -> None:
    made = chunk(read("Hi."))
    assert [one.text_content for one in made.parents] == ["Hi."]
    assert [one.text_content for one in made.children] == ["Hi."]


def talk(*segments: tuple[float, float, str], scenes: str = CUTS) -> Hierarchy:
    raw = json.dumps(
        {
            "text": "",
            "language": "en",
            "segments": [
                {"id": number, "start": start, "end": end, "text": f" {text}"}
                for number, (start, end, text) in enumerate(segments)
            ],
        }
    )
    document = read(raw, "docs/talk.json", talk_Scenes=scenes.encode())
    made = chunk(document)
    check(document, made)
    return made


def test_stories_have_the_times_of_their_segments_and_never_cross_a_cut() -> None:
    made = talk((0, 2, "Hello everyone."), (2, 5.5, "Today we test."), (600, 605, "Second scene."))
    assert [(one.start_ms, one.end_ms) for one in made.parents] == [(0, 5500), (600000, 605000)]
    assert (made.children[0].start_ms, made.children[0].end_ms) == (0, 5500)
    described = with_descriptions(made, [Description("A greeting.", "lead")] * 2)
    assert [one.description for one in described.parents] == [
        "[0s-5s] A greeting.",
        "[600s-605s] A greeting.",
    ]


@pytest.mark.parametrize(
    ("start", "end", "scene"), [(58, 62.5, 1), (57.5, 62, 0), (58, 62, 0)], ids=str
)
def test_a_segment_over_a_cut_belongs_to_the_scene_it_overlaps_most(
    start: float, end: float, scene: int
) -> None:
    made = talk(
        (10, 12, "This is said in the first scene of all."),
        (start, end, "This one is spoken right over the cut."),
        (70, 72, "This is said in the second scene of all."),
    )
    assert len(made.parents) == 2
    holders = [
        number for number, one in enumerate(made.parents) if "over the cut" in one.text_content
    ]
    assert holders == [scene]


def test_a_segment_without_length_keeps_its_start_and_end() -> None:
    made = talk((4, 4, "Nothing was measured for this sentence."), (5, 6, "But for this it was."))
    for one in (*made.parents, *made.children):
        assert one.start_ms is not None
        assert one.end_ms is not None
        assert one.start_ms <= one.end_ms


def test_a_story_has_five_children_unless_it_is_told_otherwise() -> None:
    sentences = [(n, n + 1, f"Sentence number {n} is long enough to stand.") for n in range(12)]
    raw = json.dumps({"segments": [{"start": s, "end": e, "text": t} for s, e, t in sentences]})
    document = read(raw, "docs/talk.json")
    made = chunk(document, child_max_tokens=12)
    assert [len(parent.child_chunk_ids) for parent in made.parents] == [5, 5, 2]
    made = chunk(document, child_max_tokens=12, children_per_parent=3)
    assert [len(parent.child_chunk_ids) for parent in made.parents] == [3, 3, 3, 3]


def _book(changed: bool = False, inserted: bool = False) -> str:
    lines: list[str] = []
    for section in range(1, 21):
        lines.append(f"## Section {section}\n")
        for paragraph in range(1, 6):
            word = "altered" if changed and (section, paragraph) == (9, 4) else "usual"
            lines.append(
                f"Paragraph {paragraph} of section {section} says the {word} thing about pumps.\n"
            )
            if inserted and (section, paragraph) == (5, 2):
                lines.append("An inserted paragraph moves all offsets behind it.\n")
    return "\n".join(lines)


def test_one_changed_word_changes_one_child_and_no_id() -> None:
    before, after = chunk(read(_book())), chunk(read(_book(changed=True)))
    assert [one.chunk_id for one in before.children] == [one.chunk_id for one in after.children]
    changed = [
        old.chunk_id
        for old, new in zip(before.children, after.children, strict=True)
        if old.content_hash != new.content_hash
    ]
    assert len(changed) == 1


def test_an_inserted_paragraph_touches_no_other_section() -> None:
    before = {one.chunk_id: one.content_hash for one in chunk(read(_book())).children}
    after = {one.chunk_id: one.content_hash for one in chunk(read(_book(inserted=True))).children}
    touched = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert touched
    assert all("#section-5!" in key for key in touched)


WORDS = st.lists(st.sampled_from(["pump", "valve.", "图书。", "x" * 60, "é🙂", "a"]), max_size=60)
BLOCKS = st.one_of(
    WORDS.map(" ".join),
    WORDS.map(lambda words: "- " + "\n- ".join(words or ["item"])),
    WORDS.map(lambda words: "```\n" + "\n".join(words) + "\n```"),
    WORDS.map(lambda words: "| a | b |\n|---|---|\n" + "".join(f"| {w} | 1 |\n" for w in words)),
    st.sampled_from(["# A", "## B", "### C", "## B", "#", "---", "<!-- no -->"]),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=80),
)


@given(blocks=st.lists(BLOCKS, max_size=12))
@settings(max_examples=60, deadline=None)
def test_any_markdown_is_cut_without_losing_or_doubling_anything(blocks: list[str]) -> None:
    document = read("\n\n".join(blocks))
    budget = TokenBudget(COUNTER, 128)
    made = chunk(document, budget.content_tokens, child_max_tokens=40, parent_max_tokens=120)
    check(document, made)
    assert (
        chunk(document, budget.content_tokens, child_max_tokens=40, parent_max_tokens=120) == made
    )
    texts = child_texts(
        budget,
        [
            ChildContext(
                one.chunk_type,
                one.text_content,
                Layers("Title", section_hierarchy=("a", "b"), description="Described."),
            )
            for one in made.children
        ],
    )
    for one, text, tokens in zip(made.children, texts, budget.tokens(texts), strict=True):
        assert tokens <= 128
        assert " ".join(one.text_content.split()) in text


def test_a_table_that_is_split_is_matched_with_its_header_on_every_part() -> None:
    rows = "".join(f"| pump {n} | house {n} | oiled in spring |\n" for n in range(40))
    document = read(f"# Pumps\n\n| Pump | Place | Care |\n|---|---|---|\n{rows}")
    made = chunk(document)
    assert len(made.children) > 1
    for child in made.children:
        assert (child.search_text or child.text_content).startswith("| Pump | Place | Care |")
        assert all(line.count("|") == 4 for line in child.text_content.splitlines())


def test_one_giant_line_is_cut_within_the_limit_and_nothing_is_lost(encoder: Encoder) -> None:
    raw = (Path(__file__).parents[1] / "cases" / "36-txt-giant-line" / "input.txt").read_bytes()
    document = read(raw, "docs/input.txt")
    made = chunk(document)
    check(document, made)
    budget = TokenBudget(COUNTER, encoder.profile.max_tokens)
    texts = child_texts(
        budget, [ChildContext(one.chunk_type, one.text_content) for one in made.children]
    )
    assert max(budget.tokens(texts)) <= encoder.profile.max_tokens
    for number in range(700):
        holders = [one for one in made.children if f" {number:04d}." in f" {one.text_content}"]
        assert len(holders) == 1, number
