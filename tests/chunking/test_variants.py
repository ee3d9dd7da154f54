"""Source 002's five variants and source 000's stories behind one interface."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.chunking import Hierarchy
from momentry_assets.chunking.written import (
    parent_texts,
    with_descriptions,
    with_generated_children,
)
from momentry_assets.descriptions import Description, Questions
from momentry_assets.model import Document
from momentry_assets.settings import Variant

from .test_requirements import COUNTER, CUTS, check, chunk, read

VARIANTS: list[Variant] = ["structural", "story", "fixed", "sentence_window", "whole_document"]
HANDBOOK = """# Pumps

The pump stands in the yard. It is red. Nobody paints it any more.

## Oil

Oil it in spring. In autumn it needs none, because the frost comes late.

- the can stands beside the door
- the rag hangs above the can

```sh
pump --start
pump --stop
```

## Valves

A valve that sticks is turned twice. Then it is left alone.
"""


def talk() -> Document:
    lines = [
        (0, 2, "Hello everyone."),
        (2, 5.5, "Today we test the pump. It is a very old one, they say."),
        (600, 605, "Second scene."),
        (605, 612, "The valve is next and it sticks."),
    ]
    segments = [{"start": start, "end": end, "text": text} for start, end, text in lines]
    return read(
        json.dumps({"language": "en", "segments": segments}),
        "docs/talk.json",
        talk_Scenes=CUTS.encode(),
    )


def texts(made: Hierarchy) -> list[str]:
    return [one.text_content for one in made.children]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("document", [read(HANDBOOK), talk()], ids=["text", "media"])
def test_every_variant_keeps_offsets_pointers_and_the_whole_document(
    variant: Variant, document: Document
) -> None:
    made = chunk(document, variant=variant)
    assert made.children
    check(document, made)
    assert chunk(document, variant=variant) == made


@given(
    words=st.lists(
        st.sampled_from(["pump", "valve.", "# ", "\n\n", "\n", "- ", "図書。", "```\n", "oil"]),
        max_size=150,
    ),
    variant=st.sampled_from(VARIANTS),
)
@settings(max_examples=60, deadline=None)
def test_no_variant_loses_or_doubles_anything_of_any_text(
    words: list[str], variant: Variant
) -> None:
    document = read(" ".join(words))
    if not document.segments:
        return
    made = chunk(document, variant=variant, child_max_tokens=16, parent_max_tokens=48)
    check(document, made)
    for one in made.children:
        assert one.token_count <= 16 + 20  # a short lead may stand before a fence that fits


def test_a_story_is_made_of_speech_and_a_text_has_none() -> None:
    document = read(HANDBOOK)
    assert chunk(document, variant="story") == chunk(document, variant="structural")
    assert {one.chunk_type for one in chunk(talk(), variant="story").parents} == {"story"}


def test_fixed_levels_have_their_lengths_whatever_the_structure_is() -> None:
    document = read(HANDBOOK * 8)
    made = chunk(document, variant="fixed", child_max_tokens=20, parent_max_tokens=60)
    assert {one.chunk_type for one in made.parents} == {"fixed"}
    lengths = [one.token_count for one in made.children[:-1]]
    assert max(lengths) <= 20
    assert sum(lengths) / len(lengths) > 15
    assert max(one.token_count for one in made.parents) <= 60
    # The heading path says where a piece begins, though the piece may reach over a heading.
    assert made.parents[0].section_hierarchy == ("Pumps",)
    assert any(one.section_hierarchy == ("Pumps", "Valves") for one in made.children)


def test_fixed_pieces_of_media_have_the_times_of_the_segments_they_touch() -> None:
    made = chunk(talk(), variant="fixed", child_max_tokens=8, parent_max_tokens=16)
    assert (made.children[0].start_ms, made.children[-1].end_ms) == (0, 612_000)
    assert all((one.start_ms or 0) <= (one.end_ms or 0) for one in made.children)


def test_the_children_of_a_window_are_sentences_under_their_section() -> None:
    made = chunk(read(HANDBOOK), variant="sentence_window")
    assert {one.chunk_type for one in made.parents} == {"window"}
    assert [one.section_hierarchy[-1] for one in made.parents] == ["Pumps", "Oil", "Valves"]
    assert "Oil it in spring. In autumn it needs none, because the frost comes late." in texts(made)
    assert "A valve that sticks is turned twice." in texts(made)
    assert "pump --start\npump --stop" in "".join(texts(made))


def test_a_section_that_would_be_two_parents_is_one_window_scope() -> None:
    section = "## Long\n\n" + "\n\n".join(
        f"Sentence number {number} says that pump {number} runs." for number in range(40)
    )
    document = read(section)
    assert len(chunk(document, parent_max_tokens=100).parents) > 1
    made = chunk(document, variant="sentence_window", parent_max_tokens=100)
    assert len(made.parents) == 1
    assert len(made.children) == 40


def test_a_window_of_media_stops_at_a_cut() -> None:
    made = chunk(talk(), variant="sentence_window")
    assert [(one.start_ms, one.end_ms) for one in made.parents] == [(0, 5500), (600000, 612000)]
    assert texts(made)[:2] == [
        "Hello everyone.\nToday we test the pump.",
        "It is a very old one, they say.",
    ]


def test_a_whole_document_is_one_parent_of_all_its_children() -> None:
    document = read(HANDBOOK)
    made = chunk(document, variant="whole_document")
    (parent,) = made.parents
    assert (parent.chunk_type, parent.text_content) == ("document", document.text)
    assert texts(made) == texts(chunk(document, variant="structural"))
    assert {one.section_hierarchy[-1] for one in made.children} == {"Pumps", "Oil", "Valves"}


def summary(made: Hierarchy, document: Document, *, questions: bool, both: bool) -> Hierarchy:
    seen = parent_texts(document, made)
    written = [Description(f"About {one.section_hierarchy[-1]}.", "test") for one in seen]
    asked = [Questions(("What is it?", "Where is it?"), "test", "why") for _ in seen]
    return with_generated_children(
        with_descriptions(made, written),
        written if both or not questions else None,
        asked if questions else None,
    )


def test_a_summary_stands_for_its_parent_and_says_who_wrote_it() -> None:
    document = read(HANDBOOK)
    made = summary(chunk(document), document, questions=False, both=False)
    check(document, made, generated=True)
    assert [one.search_text for one in made.children] == [
        "About Pumps.",
        "About Oil.",
        "About Valves.",
    ]
    assert {(one.chunk_type, one.writer) for one in made.children} == {("summary", "test")}
    # What is shown of it is the text it stands for.
    assert made.children[2].text_content.endswith("Then it is left alone.")


def test_questions_stand_for_their_parent_and_a_failure_is_flagged() -> None:
    document = read(HANDBOOK)
    made = summary(chunk(document), document, questions=True, both=True)
    check(document, made, generated=True)
    assert [one.search_text for one in made.children[:3]] == [
        "About Pumps.",
        "What is it?",
        "Where is it?",
    ]
    assert [one.fallback for one in made.children[:3]] == ["", "why", "why"]
    assert len({one.chunk_id for one in made.children}) == 9


def test_a_parent_about_which_nothing_was_written_keeps_its_excerpts() -> None:
    document = read(HANDBOOK)
    made = chunk(document)
    nothing = [Description("", "test") for _ in made.parents]
    assert texts(with_generated_children(made, nothing, None)) == texts(made)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_document_without_a_segment_has_no_chunk_in_any_variant(variant: Variant) -> None:
    assert chunk(read(" \n"), variant=variant) == Hierarchy((), ())


def test_sizes_are_tokens_of_the_embedder() -> None:
    made = chunk(read(HANDBOOK))
    for one in (*made.parents, *made.children):
        assert one.token_count >= COUNTER.count([one.text_content])[0] - 2
