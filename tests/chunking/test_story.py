"""Media: stories of sentences, whatever a recogniser delivered between them."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.chunking import Hierarchy
from momentry_assets.context.embedding_text import ChildContext, Layers, TokenBudget, child_texts
from momentry_assets.model import Document

from .test_requirements import COUNTER, CUTS, check, chunk, read

Line = tuple[float, float, str]


def transcript(*lines: Line, speaker: str = "", scenes: str = "") -> Document:
    segments = [
        {"start": start, "end": end, "text": text} | ({"speaker": speaker} if speaker else {})
        for start, end, text in lines
    ]
    named = {"talk_Scenes": scenes.encode()} if scenes else {}
    return read(json.dumps({"segments": segments}), "docs/talk.json", **named)


def made_of(document: Document, **sizes: object) -> Hierarchy:
    made = chunk(document, **sizes)
    check(document, made)
    return made


def test_a_sound_between_two_sentences_has_no_child_and_stops_nothing() -> None:
    sounds = [(n, n + 1, f"[music plays number {n}]") for n in range(1, 40)]
    made = made_of(
        transcript(
            (0, 1, "Hello there my friend of old."),
            *sounds,
            (50, 51, "And good bye to you all now."),
        )
    )
    assert [one.text_content for one in made.children] == [
        "Hello there my friend of old.",
        "And good bye to you all now.",
    ]
    assert [(one.start_ms, one.end_ms) for one in made.children] == [(0, 1000), (50000, 51000)]


def test_the_rounds_of_a_loop_are_matched_once() -> None:
    rounds = [(n, n + 1, "Thank you very much.") for n in range(1, 60)]
    document = transcript(
        (0, 1, "Hello there my friend of old."), *rounds, (70, 71, "And good bye to you all now.")
    )
    made = made_of(document)
    matched = " ".join(one.search_text or one.text_content for one in made.children)
    assert matched.count("Thank you very much.") == 1
    assert "Hello there" in matched
    assert "good bye" in matched


def test_a_long_segment_before_a_loop_is_not_repeated_in_its_match() -> None:
    words = " ".join(f"word{number}" for number in range(900))
    document = transcript((0, 1, f"{words}."), (1, 2, "Thank you. " * 60), (2, 3, "Right then."))
    made = made_of(document)
    for one in made.children:
        assert len(one.search_text) <= len(one.text_content)


def test_speech_of_marks_without_any_token_stops_nothing() -> None:
    made = made_of(transcript((0, 1, "\u0301\u0301")))
    assert len(made.children) == 1


def test_a_text_document_among_media_is_structural_whatever_is_set() -> None:
    made = chunk(read("# A\n\nHello there.\n"), variant="story")
    assert [one.text_content for one in made.children] == ["Hello there."]


def test_media_can_be_cut_structurally_and_keeps_its_times() -> None:
    made = made_of(transcript((0, 1, "Hello."), (1, 2, "World.")), variant="structural")
    assert [(one.start_ms, one.end_ms) for one in made.parents] == [(0, 2000)]


def test_a_sentence_over_two_segments_is_one_child_with_the_times_of_both() -> None:
    made = made_of(
        transcript((0, 2, "The pump stands behind the old"), (2, 4, "house near the harbour."))
    )
    (child,) = made.children
    assert (child.start_ms, child.end_ms) == (0, 4000)


def test_speech_without_punctuation_is_cut_at_its_pauses() -> None:
    first = [(n, n + 1.0, f"and then we look at part number {n}") for n in range(4)]
    second = [(n + 10, n + 11.0, f"the other thing is part number {n}") for n in range(4)]
    made = made_of(transcript(*first, *second), child_max_tokens=40)
    assert not any("number 3\nthe other" in one.text_content for one in made.children)


def test_no_story_and_no_child_reaches_over_a_cut() -> None:
    lines = [(n, n + 1, f"This is sentence number {n} of all.") for n in range(40, 80)]
    made = made_of(transcript(*lines, scenes=CUTS))
    for one in (*made.parents, *made.children):
        assert one.start_ms is not None
        assert one.end_ms is not None
        assert one.end_ms <= 60_000 or one.start_ms >= 60_000


SAID = st.one_of(
    st.sampled_from(["Yeah.", "[Music]", "Thank you.", "word " * 120, "水泵。" * 30, "q" * 300]),
    st.text(st.sampled_from("ab .?[]♪é\u0301国🙂"), max_size=40),
    st.just("The pump is oiled in spring and again before the winter."),
)


@given(
    lines=st.lists(st.tuples(st.integers(0, 90), st.integers(0, 9), SAID), max_size=14),
    speaker=st.sampled_from(["", "A"]),
    has_scenes=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_any_transcript_is_cut_without_losing_or_doubling_anything(
    lines: list[tuple[int, int, str]], speaker: str, has_scenes: bool
) -> None:
    document = transcript(
        *((start, start + length, text) for start, length, text in lines),
        speaker=speaker,
        scenes=CUTS if has_scenes else "",
    )
    made = made_of(document, child_max_tokens=40, parent_max_tokens=120)
    assert chunk(document, child_max_tokens=40, parent_max_tokens=120) == made
    for one in (*made.parents, *made.children):
        assert one.start_ms is not None
        assert one.end_ms is not None
        assert 0 <= one.start_ms <= one.end_ms
    budget = TokenBudget(COUNTER, 128)
    contents = [one.search_text or one.text_content for one in made.children]
    about = Layers(description="About.")
    texts = child_texts(budget, [ChildContext("sentence", one, about) for one in contents])
    for one, content, text, tokens in zip(
        made.children, contents, texts, budget.tokens(texts), strict=True
    ):
        assert one.token_count <= 40
        assert tokens <= 128
        assert " ".join(content.split()) in text
