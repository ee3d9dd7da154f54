"""Source 000's two forms, source 003's layers, and the budget that holds them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.context.embedding_text import (
    ChildContext,
    Layers,
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
BUILDING = "A man enters a building. He walks down a hallway."


def test_a_child_of_media_has_the_form_of_source_000() -> None:
    child = ChildContext("sentence", "Hello, how are you?", Layers(description=BUILDING))
    assert child_texts(WIDE, [child]) == [f"[sentence] Hello, how are you?\nParent: {BUILDING}"]


def test_a_child_without_a_description_says_so() -> None:
    assert child_texts(WIDE, [ChildContext("sentence", "Hello.")]) == [
        "[sentence] Hello.\nParent: N/A"
    ]


def test_the_parent_of_a_child_can_be_switched_off() -> None:
    child = ChildContext("sentence", "Hello.", Layers(description=None))
    assert child_texts(WIDE, [child]) == ["[sentence] Hello."]


def test_who_speaks_stands_before_the_words() -> None:
    child = ChildContext("sentence", "Hello.", Layers(description=None), speaker="Anna")
    assert child_texts(WIDE, [child]) == ["[sentence] Anna: Hello."]


def test_a_parent_of_media_has_the_form_of_source_000() -> None:
    parent = ParentContext(
        ("Hello, how are you?", "I'm fine thank you.", "The weather is nice today"),
        Layers(description=BUILDING),
    )
    assert parent_texts(WIDE, [parent]) == [
        (
            f"Summary: {BUILDING}\n"
            "Children: Hello, how are you? I'm fine thank you. The weather is nice today.",
        )
    ]


def test_a_child_of_a_document_has_the_layers_of_source_003_in_order() -> None:
    layers = Layers(
        title="Guide",
        document_type="markdown",
        tags=("setup", "python"),
        section_hierarchy=("Installation", "Prerequisites", "Python"),
        previous="the package manager.",
        following="Then open a shell",
        description="About Python.",
    )
    assert child_texts(WIDE, [ChildContext("paragraph", "Install 3.11.", layers)]) == [
        "Document: Guide\n"
        "Type: markdown\n"
        "Tags: setup, python\n"
        "Section: Installation > Prerequisites > Python\n"
        "Previous context: ...the package manager.\n"
        "Following context: Then open a shell...\n"
        "Content: Install 3.11.\n"
        "Parent: About Python."
    ]


def test_a_long_section_path_is_shortened_from_the_root() -> None:
    path = tuple(f"heading number {number} with several words" for number in range(12))
    layers = Layers("Guide", section_hierarchy=path, description="About.")
    (text,) = child_texts(
        TokenBudget(COUNTER, 128), [ChildContext("paragraph", "Short text.", layers)]
    )
    assert "heading number 11" in text
    assert "heading number 0 " not in text


def test_neighbours_are_shortened_from_their_far_ends() -> None:
    far = " ".join(f"far{number}" for number in range(30))
    layers = Layers(previous=f"{far} near", following=f"near {far}", description=None)
    (text,) = child_texts(TokenBudget(COUNTER, 256), [ChildContext("paragraph", "Text.", layers)])
    assert " near\n" in text
    assert "Following context: near " in text
    assert "far0 far1" not in text.split("\n")[0]


def test_a_parent_that_does_not_fit_becomes_several_texts_and_loses_no_word() -> None:
    children = tuple(f"child {number} says the word w{number}" for number in range(60))
    budget = TokenBudget(COUNTER, 128)
    (parts,) = parent_texts(budget, [ParentContext(children, Layers(description="About."))])
    assert len(parts) > 1
    assert max(budget.tokens(parts)) <= 128
    assert all(any(f"w{number}." in part for part in parts) for number in range(60))


@given(
    content=st.lists(st.sampled_from(["pump", "valve", "図書", "oil."]), min_size=1, max_size=40),
    title=st.text(max_size=200),
    path=st.lists(st.text(max_size=80), max_size=6),
    tags=st.lists(st.text(max_size=30), max_size=6),
    neighbour=st.text(max_size=400),
    description=st.none() | st.text(max_size=400),
    prompt=st.sampled_from(["", "search_document: "]),
)
@settings(max_examples=80, deadline=None)
def test_the_budget_holds_and_the_content_is_never_cut(
    content: list[str],
    title: str,
    path: list[str],
    tags: list[str],
    neighbour: str,
    description: str | None,
    prompt: str,
) -> None:
    budget = TokenBudget(COUNTER, 96, prompt)
    text = " ".join(content)
    layers = Layers(title, "markdown", tuple(tags), tuple(path), neighbour, neighbour, description)
    (made,) = child_texts(budget, [ChildContext("paragraph", text, layers)])
    assert budget.tokens([made])[0] <= 96
    assert text in made


@given(
    children=st.lists(st.text(max_size=120), min_size=1, max_size=30),
    description=st.text(max_size=300),
)
@settings(max_examples=50, deadline=None)
def test_every_text_of_a_parent_is_within_the_budget(children: list[str], description: str) -> None:
    budget = TokenBudget(COUNTER, 192)
    (parts,) = parent_texts(
        budget, [ParentContext(tuple(children), Layers(description=description))]
    )
    assert max(budget.tokens(parts)) <= 192
