"""Planted worlds give the planted verdict; order changes nothing; JSON keeps everything."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from momentry_assets.errors import EvaluationError
from momentry_eval.evaluate import EvaluationContext, compare
from momentry_eval.lengths import returned_lengths
from momentry_eval.result import EvaluationResult
from momentry_eval.verdict import OverallWording
from tests.eval.worlds import World, query_set

ALL = set(range(240))
pytestmark = pytest.mark.slow


def evaluate(world: World, numba_cache: Path) -> EvaluationResult:
    lengths = replace(world.lengths, returned=returned_lengths(world.runs[0]))
    context = EvaluationContext(
        "planted", "2026-01-01T00:00:00Z", world.texts, numba_cache, command="momentry eval"
    )
    return compare(world.runs, query_set(world.queries), lengths, context)


def parent_child_wins() -> World:
    few = {i for i in ALL if i % 2}
    return World(240, 24, {"parent_child": ALL, "single_small": ALL, "single_large": few})


def test_where_only_parent_child_can_win_it_helps(numba_cache: Path) -> None:
    result = evaluate(parent_child_wins(), numba_cache)
    assert result.verdict.overall is OverallWording.HELPS
    found, sufficient = result.comparisons[:2]
    assert (found.difference, found.wins, found.losses) == (0.5, 120, 0)
    # A child holds half of the gold; the other half never comes.
    assert (sufficient.mean_a, sufficient.mean_b) == (1.0, 0.0)
    small = result.strategy("single_small")
    assert small is not None
    assert small.figures["found@5"].mean == 1.0
    assert small.figures["cover@1000t"].mean == 0.5
    assert small.figures["tokens@5"].mean == 400
    assert small.figures["ndcg@10"].mean == 1.0
    large = result.strategy("single_large")
    assert large is not None
    assert large.figures["mrr"].mean == 0.5


def test_where_the_large_index_finds_as_much_it_helps_only_against_the_small_one(
    numba_cache: Path,
) -> None:
    nearly = ALL - {7}
    world = World(240, 24, {"parent_child": ALL, "single_small": ALL, "single_large": nearly})
    assert evaluate(world, numba_cache).verdict.overall is OverallWording.ONLY_SMALL


def test_where_documents_are_short_it_says_not_to_build_this(numba_cache: Path) -> None:
    world = World(
        240, 24, {"parent_child": ALL, "single_small": ALL, "single_large": ALL}, parent=320
    )
    verdict = evaluate(world, numba_cache).verdict
    assert verdict.overall is OverallWording.DOES_NOT_HELP
    assert "Your documents are already short: don't build this." in verdict.sentence


def test_where_nothing_differs_there_is_not_enough_evidence(numba_cache: Path) -> None:
    nothing: set[int] = set()
    world = World(
        240, 24, {"parent_child": nothing, "single_small": nothing, "single_large": nothing}
    )
    result = evaluate(world, numba_cache)
    assert result.verdict.overall is OverallWording.NOT_ENOUGH
    assert all("cannot tell the two apart" in claim.sentence for claim in result.claims)


def test_thirty_questions_that_lean_a_little_are_not_enough_evidence(numba_cache: Path) -> None:
    some, others = set(range(0, 16)), set(range(4, 17))
    world = World(30, 10, {"parent_child": some, "single_small": some, "single_large": others})
    world.runs[1] = replace(world.runs[0], strategy=world.runs[1].strategy)
    result = evaluate(world, numba_cache)
    assert result.verdict.overall is OverallWording.NOT_ENOUGH
    assert "could only have shown differences of about" in result.claims[0].sentence


def test_the_order_of_questions_and_documents_changes_no_figure(numba_cache: Path) -> None:
    world = parent_child_wins()
    expected = evaluate(world, numba_cache)
    shuffled = parent_child_wins()
    order = random.Random(1)
    order.shuffle(shuffled.queries)
    shuffled.texts = dict(reversed(shuffled.texts.items()))
    runs = list(shuffled.runs)
    for number, run in enumerate(runs):
        answers = list(run.queries)
        order.shuffle(answers)
        shuffled.runs[number] = replace(run, queries=tuple(answers))
    assert evaluate(shuffled, numba_cache).to_json() == expected.to_json()


def test_json_keeps_everything(numba_cache: Path) -> None:
    result = evaluate(parent_child_wins(), numba_cache)
    assert EvaluationResult.from_json(result.to_json()) == result
    with pytest.raises(EvaluationError, match="evaluate again"):
        EvaluationResult.from_json("{}")


def test_a_question_that_a_run_lacks_counts_zero_and_is_counted(numba_cache: Path) -> None:
    world = parent_child_wins()
    world.runs[0] = replace(world.runs[0], queries=world.runs[0].queries[24:])
    main = evaluate(world, numba_cache).strategy("parent_child")
    assert main is not None
    assert (main.missing, main.without_results, main.figures["found@5"].mean) == (24, 24, 0.9)


def test_a_run_over_other_questions_and_an_empty_set_are_refused(tmp_path: Path) -> None:
    world = parent_child_wins()
    context = EvaluationContext("x", "", world.texts, tmp_path)
    with pytest.raises(EvaluationError, match="questions that are not judged"):
        compare(world.runs, query_set(world.queries[:10]), world.lengths, context)
    with pytest.raises(EvaluationError, match="no question with evidence"):
        compare(world.runs, query_set([]), world.lengths, context)
