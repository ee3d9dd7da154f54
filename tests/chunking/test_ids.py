"""Readable ids of document and structure."""

from momentry_assets.chunking.ids import Ordinals, clock, slug

from .test_requirements import chunk, read


def test_a_slug_keeps_the_words_of_any_script() -> None:
    assert slug("Rolling back: a *release*") == "rolling-back-a-release"
    assert slug("见《书》") == "见-书"
    assert slug("!?") == slug("") == "_"
    assert len(slug("word " * 40)) <= 60


def test_a_slug_has_none_of_the_marks_that_an_id_is_built_with() -> None:
    assert not set(slug("a/b#c!d~e.f@g")) & set("/#!~.@")


def test_a_clock_reads_as_hours_minutes_seconds_and_thousandths() -> None:
    assert clock(0) == "00:00:00.000"
    assert clock(3_723_045) == "01:02:03.045"
    assert clock(360_000_000) == "100:00:00.000"


def test_equal_names_are_numbered_from_the_second_on() -> None:
    ordinals = Ordinals()
    assert [ordinals.unique(name) for name in ("a", "b", "a", "a")] == ["a", "b", "a~2", "a~3"]


def test_an_id_says_where_in_the_document_its_chunk_is() -> None:
    made = chunk(read("intro\n\n# Setup\n\n## Check\n\nOne.\n\n## Check\n\nTwo.\n"))
    assert [one.chunk_id for one in made.parents] == [
        "docs/d1.md#_top",
        "docs/d1.md#setup",
        "docs/d1.md#setup/check",
        "docs/d1.md#setup/check~2",
    ]
    assert made.children[-1].chunk_id == "docs/d1.md#setup/check~2!1"


def test_ids_do_not_meet_when_headings_look_like_the_marks_of_an_id() -> None:
    headings = ("# a", "# a~2", "# a", "# a!1", "# a.2", "## _top", "# _top")
    text = "".join(f"{heading}\n\nx\n\n" for heading in headings)
    made = chunk(read("first\n\n" + text))
    ids = [one.chunk_id for one in (*made.parents, *made.children)]
    assert len(set(ids)) == len(ids) == 16
