"""Source 003's dynamic context: a child that cannot stand alone gets more of its neighbours."""

from momentry_assets.context.neighbours import (
    first_characters,
    last_characters,
    neighbour_characters,
)
from momentry_assets.settings import ContextSettings

ADAPTIVE = ContextSettings(neighbours=True, neighbour_characters=100, adaptive=True)


def test_a_short_child_gets_more_and_a_long_one_less() -> None:
    plain = "Database migrations stay where they are after every rollback of a release"
    assert neighbour_characters(plain, 10, "en", ADAPTIVE) == 200
    assert neighbour_characters(plain, 40, "en", ADAPTIVE) == 100
    assert neighbour_characters(plain, 75, "en", ADAPTIVE) == 50


def test_a_child_full_of_pronouns_gets_more() -> None:
    assert neighbour_characters("This is not reverted either", 40, "en", ADAPTIVE) == 200
    assert neighbour_characters("Diese werden auch nicht geheilt", 40, "de", ADAPTIVE) == 200
    assert neighbour_characters("Diese werden auch nicht geheilt", 40, "en", ADAPTIVE) == 100


def test_the_length_is_fixed_or_nothing_when_asked() -> None:
    fixed = ContextSettings(neighbours=True, adaptive=False)
    assert neighbour_characters("It.", 2, "en", fixed) == 100
    assert neighbour_characters("It.", 2, "en", ContextSettings(neighbours=False)) == 0


def test_neighbours_are_cut_at_words() -> None:
    text = "the old pump\nin the yard"
    assert last_characters(text, 9) == "the yard"
    assert last_characters(text, 8) == "the yard"
    assert first_characters(text, 9) == "the old"
    assert first_characters(text, 7) == "the old"
    assert last_characters(text, 100) == "the old pump in the yard"
    assert last_characters(text, 0) == ""
    assert first_characters("国" * 50, 10) == "国" * 10
    assert last_characters("国" * 50, 10) == "国" * 10
