"""Source 000's two forms, source 003's title and section, and the budget that holds them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.context.describe import LEAD_CHARACTERS, lead
from momentry_assets.context.embedding_text import (
    ChildContext,
    ParentContext,
    TokenBudget,
    child_texts,
    parent_texts,
)
from momentry_assets.embedding.profile import read_profile
from momentry_assets.embedding.tokens import TokenCounter
from momentry_assets.settings import load_settings

COUNTER = TokenCounter(read_profile(load_settings()))
WIDE = TokenBudget(COUNTER, 512)


def test_a_child_of_media_has_the_form_of_source_000() -> None:
    child = ChildContext(
        "sentence", "Hello, how are you?", "A man enters a building. He walks down a hallway."
    )
    assert child_texts(WIDE, [child]) == [
        "[sentence] Hello, how are you?\nParent: A man enters a building. He walks down a hallway."
    ]


def test_a_child_without_a_description_says_so() -> None:
    assert child_texts(WIDE, [ChildContext("sentence", "Hello.", "")]) == [
        "[sentence] Hello.\nParent: N/A"
    ]


def test_a_parent_of_media_has_the_form_of_source_000() -> None:
    parent = ParentContext(
        "A man enters a building. He walks down a hallway.",
        ("Hello, how are you?", "I'm fine thank you.", "The weather is nice today"),
    )
    assert parent_texts(WIDE, [parent]) == [
        "Summary: A man enters a building. He walks down a hallway.\n"
        "Children: Hello, how are you? I'm fine thank you. The weather is nice today."
    ]


def test_a_document_adds_its_title_and_section_path() -> None:
    child = ChildContext("paragraph", "Text.", "About.", "Guide", ("Install", "Python"))
    assert child_texts(WIDE, [child]) == [
        "Document: Guide\nSection: Install > Python\n[paragraph] Text.\nParent: About."
    ]


def test_a_long_section_path_is_shortened_from_the_root() -> None:
    path = tuple(f"heading number {number} with several words" for number in range(12))
    child = ChildContext("paragraph", "Short text.", "About.", "Guide", path)
    (text,) = child_texts(TokenBudget(COUNTER, 128), [child])
    assert "heading number 11" in text
    assert "heading number 0 " not in text


@given(
    content=st.lists(st.sampled_from(["pump", "valve", "図書", "oil."]), min_size=1, max_size=40),
    title=st.text(max_size=200),
    path=st.lists(st.text(max_size=80), max_size=6),
    description=st.text(max_size=400),
    prompt=st.sampled_from(["", "search_document: "]),
)
@settings(max_examples=80, deadline=None)
def test_the_budget_holds_and_the_content_is_never_cut(
    content: list[str], title: str, path: list[str], description: str, prompt: str
) -> None:
    budget = TokenBudget(COUNTER, 96, prompt)
    text = " ".join(content)
    (made,) = child_texts(
        budget, [ChildContext("paragraph", text, description, title, tuple(path))]
    )
    assert budget.tokens([made])[0] <= 96
    assert f"[paragraph] {text}" in made


def test_a_description_is_the_first_sentences() -> None:
    text = "The pump is red. It stands in the yard.\nNobody  paints it. " + "More words. " * 40
    described = lead(text, ("Pumps",))
    assert described.startswith("The pump is red. It stands in the yard. Nobody paints it.")
    assert len(described) <= LEAD_CHARACTERS
    assert lead("", ("Pumps", "Care")) == "Care"
    assert lead("word " * 100, ()).endswith("word…")
    assert len(lead("x" * 5000, ())) <= LEAD_CHARACTERS + 1
