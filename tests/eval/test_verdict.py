"""The rules of wording, one row each, and the overall verdict."""

import pytest

from momentry_eval.lengths import ParentLengths, distribution
from momentry_eval.statistics import Comparison
from momentry_eval.verdict import (
    PRIMARY_CLAIMS,
    ClaimVerdict,
    ClaimWording,
    OverallWording,
    judge_claim,
    judge_overall,
    points,
    word_claim,
)

LONG = ParentLengths(distribution("parents", [(400, 1600)]), distribution("children", [(60, 240)]))
SHORT = ParentLengths(distribution("parents", [(60, 240)]), distribution("children", [(50, 200)]))


def comparison(low: float, difference: float, high: float, p: float, wins: int = 20) -> Comparison:
    return Comparison(
        family="primary",
        metric="found@5",
        a="parent_child",
        b="single_large",
        questions=118,
        clusters=18,
        mean_a=0.8,
        mean_b=0.8 - difference,
        difference=difference,
        low=low,
        high=high,
        wins=wins,
        ties=118 - wins - wins // 2,
        losses=wins // 2,
        test="sign flips by document",
        p_value=p,
        p_by_query=p,
        holm_p=p,
        visible=0.1,
        needed_for_5_points=560,
    )


CASES = {
    ClaimWording.HOLDS: comparison(0.01, 0.05, 0.09, 0.01),
    ClaimWording.HOLDS_SMALL: comparison(0.002, 0.015, 0.03, 0.02),
    ClaimWording.NO_WORSE: comparison(-0.02, 0.0, 0.015, 0.9),
    ClaimWording.CONTRADICTED: comparison(-0.09, -0.05, -0.01, 0.01),
    ClaimWording.NOT_ENOUGH: comparison(-0.10, -0.034, 0.03, 0.4),
}


@pytest.mark.parametrize("wording", list(CASES))
def test_each_wording_has_its_rule(wording: ClaimWording) -> None:
    assert word_claim(CASES[wording]) is wording


def test_an_interval_above_zero_does_not_hold_when_holm_says_no() -> None:
    assert word_claim(comparison(0.001, 0.05, 0.1, 0.06)) is ClaimWording.NO_WORSE


def test_no_question_that_differs_is_no_evidence() -> None:
    assert word_claim(comparison(-0.01, 0.0, 0.01, 1.0, wins=0)) is ClaimWording.NOT_ENOUGH


def test_the_sentence_says_what_the_questions_could_have_shown() -> None:
    sentence = judge_claim(PRIMARY_CLAIMS[0], CASES[ClaimWording.NOT_ENOUGH]).sentence
    assert "n = 118 questions from 18 documents could only have shown" in sentence
    assert "about 10 points; seen −3.4 [−10.0, +3.0]" in sentence
    assert "About 560 questions would be needed for 5 points" in sentence


@pytest.mark.parametrize("wording", list(CASES))
def test_no_sentence_ever_says_no_difference(wording: ClaimWording) -> None:
    assert "no difference" not in judge_claim(PRIMARY_CLAIMS[0], CASES[wording]).sentence.lower()


HOLDS, SMALL, NO_WORSE = ClaimWording.HOLDS, ClaimWording.HOLDS_SMALL, ClaimWording.NO_WORSE
AGAINST, OPEN = ClaimWording.CONTRADICTED, ClaimWording.NOT_ENOUGH


@pytest.mark.parametrize(
    ("found", "sufficient", "lengths", "overall"),
    [
        (HOLDS, HOLDS, LONG, OverallWording.HELPS),
        (HOLDS, HOLDS, SHORT, OverallWording.HELPS),
        (HOLDS, OPEN, LONG, OverallWording.ONLY_LARGE),
        (HOLDS, AGAINST, LONG, OverallWording.ONLY_LARGE),
        (NO_WORSE, HOLDS, LONG, OverallWording.ONLY_SMALL),
        (SMALL, HOLDS, LONG, OverallWording.ONLY_SMALL),
        (AGAINST, AGAINST, LONG, OverallWording.DOES_NOT_HELP),
        (NO_WORSE, AGAINST, LONG, OverallWording.DOES_NOT_HELP),
        (SMALL, NO_WORSE, LONG, OverallWording.DOES_NOT_HELP),
        (AGAINST, OPEN, LONG, OverallWording.NOT_ENOUGH),
        (OPEN, OPEN, LONG, OverallWording.NOT_ENOUGH),
        (OPEN, OPEN, SHORT, OverallWording.DOES_NOT_HELP),
    ],
)
def test_the_overall_verdict_follows_from_the_two_claims(
    found: ClaimWording,
    sufficient: ClaimWording,
    lengths: ParentLengths,
    overall: OverallWording,
) -> None:
    claims = {
        "P1": ClaimVerdict("P1", "", found, ""),
        "P2": ClaimVerdict("P2", "", sufficient, ""),
    }
    comparisons = {"P1": CASES[found], "P2": CASES[sufficient]}
    verdict = judge_overall(claims, comparisons, lengths, "")
    assert verdict.overall is overall
    assert ("already short" in verdict.sentence) == (
        lengths is SHORT and overall is OverallWording.DOES_NOT_HELP
    )


def test_points_are_signed_and_zero_has_no_sign() -> None:
    assert [points(0.054), points(-0.1), points(-0.0001)] == ["+5.4", "−10.0", "0.0"]
