"""Front matter: found by its rule, strings kept, damage never fatal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.sources.front_matter import read_front_matter


def test_every_scalar_stays_the_string_it_was() -> None:
    front = read_front_matter(
        "---\ndate: 2026-03-01\nversion: 1.10\ncountry: NO\nnumber: 07\nempty:\n"
        "nested: {a: [1, yes]}\n---\nText.\n"
    )
    assert front.fields == {
        "date": "2026-03-01",
        "version": "1.10",
        "country": "NO",
        "number": "07",
        "empty": "",
        "nested": {"a": ["1", "yes"]},
    }


@pytest.mark.parametrize("closing", ["---", "...", "---  "])
def test_the_body_begins_behind_the_closing_line(closing: str) -> None:
    text = f"---\ntitle: A\n{closing}\n# B\n"
    assert text[read_front_matter(text).body_start :] == "# B\n"


@pytest.mark.parametrize("text", ["---\n---\nText", "---\n\n---\nText", "---\n# note\n---\nText"])
def test_an_empty_mapping_is_front_matter(text: str) -> None:
    front = read_front_matter(text)
    assert front.found
    assert front.fields == {}
    assert text[front.body_start :] == "Text"


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n**Subject**\n\nText.\n\n---\n",
        "---\nonly a sentence\n---\n",
        "---\n- a\n- list\n---\n",
        "---\ntitle: never closed\n",
        "----\ntitle: x\n----\n",
        " ---\ntitle: x\n---\n",
        "\n---\ntitle: x\n---\n",
        "***\ntitle: x\n***\n",
        "---",
        "",
    ],
)
def test_what_is_no_mapping_between_two_rules_is_text(text: str) -> None:
    front = read_front_matter(text)
    assert not front.found
    assert front.body_start == 0
    assert front.warnings == ()


@pytest.mark.parametrize(
    ("block", "line", "fields"),
    [
        ("title: Pump: the manual\n", "line 2", {"title": "Pump: the manual"}),
        ("title: Pump\ntags: [a, b\n", "line 4", {"title": "Pump"}),
        ("title: Pump\n\tdate: x\n", "line 3", {"title": "Pump"}),
        ("title: {{ page.title }}\nlang: en\n", "line 2", {"lang": "en"}),
        ("date: 2026-03-01\ntitle: @home\n", "line 3", {"date": "2026-03-01", "title": "@home"}),
    ],
)
def test_of_damaged_front_matter_only_plain_lines_are_taken_with_a_warning(
    block: str, line: str, fields: dict[str, str]
) -> None:
    front = read_front_matter(f"---\n{block}---\n# Pump\n")
    assert front.found
    assert front.fields == fields
    (warning,) = front.warnings
    assert warning.place == line
    assert "not valid YAML" in warning.message


def test_aliases_that_grow_without_end_are_refused() -> None:
    lines = ["title: bomb", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    front = read_front_matter("---\n" + "\n".join(lines) + "\n---\nText\n")
    assert front.fields == {"title": "bomb"}
    assert "too many" in front.warnings[0].message
    endless = read_front_matter("---\ntitle: x\nself: &s [*s]\n---\nText\n")
    assert endless.warnings


def test_tags_are_a_list_or_one_string_with_commas() -> None:
    for value in ("[store, labels, store]", "store, labels", "\n  - store\n  - labels"):
        assert read_front_matter(f"---\ntags: {value}\n---\n").tags == ("store", "labels")
    assert read_front_matter("---\ntags: {a: b}\n---\n").tags == ()


def test_the_language_is_the_primary_subtag() -> None:
    assert read_front_matter("---\nlang: en-GB\n---\n").language == "en"
    assert read_front_matter("---\nLanguage: DE_at\n---\n").language == "de"
    assert read_front_matter("---\nlang: [en]\n---\n").language == "und"
    assert read_front_matter("Text").language == "und"


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_block_of_text_raises(block: str) -> None:
    text = f"---\n{block}\n---\nText"
    front = read_front_matter(text)
    assert 0 <= front.body_start <= len(text)
