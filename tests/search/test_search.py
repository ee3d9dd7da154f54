"""Searching the real PostgreSQL and the real Qdrant engine with the real model."""

import json

import pytest

from momentry_assets.errors import SearchError
from momentry_assets.integrity import store_problems
from momentry_assets.model import Level
from momentry_assets.sources.walk import partition_key

ROLLBACK = """# Failed deploys

## Rolling back

A rollback restores the previous release artifact and the previous configuration together.

Rolling back the artifact alone leaves the new configuration in place, which is the most common
cause of a rollback that does not fix anything.

Database migrations are not reverted by a rollback. If the release included a migration, check
whether it was backwards compatible before rolling back.

## Trying again

Deploy the next version only after the cause is known and written down in the incident.
"""


def test_a_fragment_matches_and_its_section_is_returned(world) -> None:
    world.ingest({"docs/deploys.md": ROLLBACK})
    best = world.search("why didn't the rollback fix it?").results[0]
    assert best.section_hierarchy == ("Failed deploys", "Rolling back")
    assert "Database migrations are not reverted" in best.text
    assert "Rolling back the artifact alone" in best.matches[0].text
    assert best.text == ROLLBACK[best.start : best.end]
    assert best.start <= best.matches[0].start <= best.matches[0].end <= best.end


def test_equal_documents_are_two_parents_and_two_children_and_both_are_found(world) -> None:
    world.ingest({"docs/d1.md": "Hello world.\n", "docs/d2.md": "Hello world.\n"})
    response = world.search("hello world")
    assert {result.document_id for result in response.results} == {"docs/d1.md", "docs/d2.md"}
    ids = {result.chunk_id for result in response.results}
    ids |= {match.chunk_id for result in response.results for match in result.matches}
    assert len(ids) == 4


def test_equal_sections_of_one_document_are_both_returned(world) -> None:
    world.ingest({"docs/faq.md": "## FAQ\n\nSee above.\n\n## FAQ\n\nSee above.\n"})
    results = world.search("see above").results
    assert len({result.chunk_id for result in results}) == 2
    assert len({result.start for result in results}) == 2


def test_update_and_delete_regenerate_both_levels(world) -> None:
    first = "# A\n\n## X\n\nalpha beta.\n\n## Y\n\ngamma delta.\n"
    world.ingest({"docs/d1.md": first, "docs/other.md": "# Other\n\nuntouched words.\n"})
    world.ingest({"docs/d1.md": "# A\n\n## Y\n\ngamma epsilon.\n"})
    for word in ("alpha", "delta"):
        for result in world.search(word, k=50).results:
            assert word not in result.text
    generation = world.stores.postgres.live_generations()["docs"]
    counts = world.stores.postgres.counts("docs", generation)
    assert counts.children + counts.parents == counts.vectors
    assert not any(world.stores.postgres.dangling_pointers("docs", generation))
    (world.settings.corpus / "docs" / "d1.md").unlink()
    world.ingest()
    found = {result.document_id for result in world.search("gamma epsilon", k=50).results}
    assert found == {"docs/other.md"}
    assert (
        store_problems(world.tables, "docs", "docs", world.stores.postgres, world.stores.vectors)
        == []
    )


def test_a_collection_whose_folder_is_gone_is_removed_everywhere(world) -> None:
    world.ingest({"docs/a.md": "# A\n\nOne thing.\n", "old/b.md": "# B\n\nAnother thing.\n"})
    (world.settings.corpus / "old" / "b.md").unlink()
    (world.settings.corpus / "old").rmdir()
    world.ingest()
    assert set(world.stores.postgres.live_generations()) == {"docs"}
    assert all(not name.startswith("old-") for name in world.stores.vectors.names())
    assert world.tables.partitions() == ["docs"]


def test_a_second_run_embeds_and_writes_nothing(world) -> None:
    world.ingest({"docs/a.md": ROLLBACK})
    before = {
        path: path.stat().st_mtime_ns for path in world.settings.tables_dir.rglob("*.parquet")
    }
    again = world.ingest()
    assert again["docs"].embedded == 0
    assert again["docs"].unchanged
    after = {path: path.stat().st_mtime_ns for path in world.settings.tables_dir.rglob("*.parquet")}
    assert after == before


@pytest.mark.parametrize("content", ["", " \n\t"])
def test_an_emptied_document_loses_its_chunks_and_the_run_goes_on(world, content: str) -> None:
    world.ingest({"docs/a.md": "# A\n\nSomething.\n", "docs/b.md": "# B\n\nElse.\n"})
    world.ingest({"docs/a.md": content})
    assert {row["document_id"] for row in world.child_rows()} == {"docs/b.md"}
    found = {result.document_id for result in world.search("something else", k=9).results}
    assert found == {"docs/b.md"}


def test_an_empty_collection_is_no_error(world) -> None:
    world.ingest({"docs/a.md": "", "other/b.md": "# B\n\nElse.\n"})
    assert world.search("else", collections=("docs",)).results == ()
    assert len(world.search("else").results) == 1


def test_a_document_of_two_letters_is_returned_once(world) -> None:
    world.ingest({"docs/hi.md": "Hi."})
    rows = world.child_rows()
    assert len(rows) == 1
    results = world.search("hi").results
    assert [result.text for result in results] == ["Hi."]


def _sections(*counts: int) -> str:
    """Sections that all answer the same question; the first has many children."""
    lines = ["# Pumps\n"]
    for number, count in enumerate(counts, start=1):
        lines.append(f"## Pump {number}\n")
        for child in range(count):
            lines.append(
                f"The red pump of house {number} is oiled every spring by worker {child}, who "
                f"also cleans the filter and writes the date and the pressure into the book.\n"
            )
    return "\n".join(lines)


def test_k_counts_parents_not_children(world) -> None:
    world.ingest({"docs/pumps.md": _sections(10, 1, 1)})
    results = world.search("who oils the red pump every spring?", k=3).results
    assert len(results) == 3
    assert {result.section_hierarchy[-1] for result in results} == {"Pump 1", "Pump 2", "Pump 3"}


def test_the_answer_for_three_is_a_prefix_of_the_answer_for_ten(world) -> None:
    world.ingest({"docs/pumps.md": _sections(4, 1, 2, 3, 1, 1, 2, 1, 1, 1, 1)})
    question = "who oils the red pump every spring?"
    three = world.search(question, k=3).results
    ten = world.search(question, k=10).results
    assert three == ten[:3]
    assert len(ten) == 10


def test_a_parent_scores_as_its_best_child_and_lists_its_evidence(world) -> None:
    world.ingest({"docs/deploys.md": ROLLBACK})
    for result in world.search("rollback migration configuration", k=9).results:
        assert result.matches
        assert result.score == max(match.score for match in result.matches)
        for match in result.matches:
            assert 0.0 <= match.score <= 1.0
            assert match.lexical >= 0.0
            assert match.text == ROLLBACK[match.start : match.end]


def test_results_are_ordered_by_their_best_child(world) -> None:
    world.ingest({"docs/pumps.md": _sections(10, 1, 1), "docs/deploys.md": ROLLBACK})
    scores = [result.score for result in world.search("oiled in spring", k=9).results]
    assert scores == sorted(scores, reverse=True)


def test_a_missing_parent_degrades_to_its_fragment_with_a_flag(world) -> None:
    world.ingest({"docs/deploys.md": ROLLBACK})
    question = "rolling back, or trying again with the next version?"
    healthy = world.search(question, k=2).results
    assert len(healthy) == 2
    lost = healthy[0].chunk_id
    world.execute("DELETE FROM chunks WHERE chunk_id = %s", lost)
    response = world.search(question, k=2)
    assert response.missing_parents == 1
    flags = [result.parent_missing for result in response.results]
    assert flags.count(True) == 1
    broken = response.results[flags.index(True)]
    assert broken.text == healthy[0].matches[0].text
    assert healthy[1].chunk_id in {result.chunk_id for result in response.results}


def test_every_result_of_media_has_the_times_of_its_own_segments(world) -> None:
    segments = [
        {"id": 0, "start": 0.0, "end": 2.0, "text": " Hello everyone."},
        {"id": 1, "start": 2.0, "end": 5.5, "text": " Today we test."},
        {"id": 2, "start": 600.0, "end": 605.0, "text": " Second scene."},
    ]
    cuts = (
        "Scene Number,Start Frame,Start Timecode,Start Time (seconds),End Frame,End Timecode,"
        "End Time (seconds),Length (frames),Length (timecode),Length (seconds)\n"
        "1,1,00:00:00.000,0.000,1500,00:01:00.000,60.000,1500,00:01:00.000,60.000\n"
        "2,1501,00:01:00.000,60.000,15250,00:10:10.000,610.000,13750,00:09:10.000,550.000\n"
    )
    world.ingest(
        {
            "media/talk.json": json.dumps({"text": "", "segments": segments, "language": "en"}),
            "media/talk-Scenes.csv": cuts,
        }
    )
    times = {
        (result.start_ms, result.end_ms) for result in world.search("hello second scene").results
    }
    assert times == {(0, 5500), (600000, 605000)}


def test_both_single_level_indexes_answer_from_the_same_stores(world) -> None:
    world.ingest({"docs/deploys.md": ROLLBACK})
    small = world.search("database migrations", match=Level.CHILD, read=Level.CHILD).results
    large = world.search("database migrations", match=Level.PARENT, read=Level.PARENT).results
    assert small[0].text.startswith("Database migrations are not reverted")
    assert large[0].section_hierarchy == ("Failed deploys", "Rolling back")
    assert large[0].matches[0].chunk_id == large[0].chunk_id


@pytest.mark.parametrize(
    ("query", "fields", "reason"),
    [
        ("", {}, "empty"),
        (" \n", {}, "empty"),
        ("x" * 1_000_000, {}, "characters"),
        ("a\x00b", {}, "NUL"),
        ("fine", {"k": 0}, "k is 0"),
        ("fine", {"dense_weight": 1.5}, "weight"),
        ("fine", {"collections": ("nowhere",)}, "unknown collection"),
    ],
)
def test_bad_input_gets_a_clear_error(world, query: str, fields: dict, reason: str) -> None:
    world.ingest({"docs/a.md": "# A\n\nOne.\n"})
    with pytest.raises(SearchError, match=reason):
        world.search(query, **fields)


def test_collections_with_any_name_are_kept_apart(world) -> None:
    names = ["Café", "Cafe\u0301", "a...b", "a b"]
    world.ingest({f"{name}/pump.md": "# Pump\n\nOil it monthly.\n" for name in names})
    assert len({partition_key(name) for name in names}) == 4
    for name in names:
        results = world.search("oil", collections=(name,)).results
        assert [result.collection for result in results] == [name]
