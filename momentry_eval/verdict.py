"""The verdict in words, from rules written down here.

Per claim *a beats b*, in this order:

1. **holds**: Holm p < .05 and the interval is above 0; **holds but below the useful size** when
   the difference is under two points.
2. **contradicted**: the interval is below 0.
3. **no worse within 3 points**: the interval's lower bound is above -3 points.
4. **not enough evidence**: anything else, and always when no question came out differently.

Overall, from the claim against the large index (is the passage *found*) and the one against the
small index (is what came back *sufficient*): *helps* when both hold; *helps only against …* when
one does; *does not help* when both are settled the other way (contradicted, below the useful
size, or no worse with an upper bound under two points) or the documents are already short;
*not enough evidence* otherwise. "No difference" is never said: it cannot be shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from momentry_eval.lengths import ParentLengths
from momentry_eval.statistics import ALPHA, Comparison

USEFUL = 0.02
MARGIN = 0.03


class ClaimWording(StrEnum):
    """What can be said about one claim."""

    HOLDS = "holds"
    HOLDS_SMALL = "holds but below the useful size"
    NO_WORSE = "no worse within 3 points"
    CONTRADICTED = "contradicted"
    NOT_ENOUGH = "not enough evidence"


class OverallWording(StrEnum):
    """What can be said about parent/child on this corpus."""

    HELPS = "helps"
    ONLY_LARGE = "helps only against the large index"
    ONLY_SMALL = "helps only against the small one"
    DOES_NOT_HELP = "does not help"
    NOT_ENOUGH = "not enough evidence"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim fixed before the figures are seen."""

    claim_id: str
    metric: str
    a: str
    b: str
    statement: str


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """A claim, what can be said about it, and one honest sentence."""

    claim_id: str
    statement: str
    wording: ClaimWording
    sentence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The overall wording, its sentence and its price."""

    overall: OverallWording
    sentence: str
    price: str


FOUND_CLAIM = Claim(
    "P1",
    "found@5",
    "parent_child",
    "single_large",
    "Parent/child finds the right passage more often than one index at the parent size",
)
SUFFICIENT_CLAIM = Claim(
    "P2",
    "sufficient@1000t",
    "parent_child",
    "single_small",
    "What parent/child returns in 1,000 tokens is sufficient more often than from one index at "
    "the child size",
)
PRIMARY_CLAIMS = (FOUND_CLAIM, SUFFICIENT_CLAIM)
GUARD_CLAIMS = (
    Claim(
        "G1",
        "found@5",
        "parent_child",
        "single_small",
        "Parent/child finds the right passage no less often than one index at the child size",
    ),
    Claim(
        "G2",
        "sufficient@1000t",
        "parent_child",
        "single_large",
        "What parent/child returns in 1,000 tokens is sufficient no less often than from one "
        "index at the parent size",
    ),
)


def word_claim(comparison: Comparison) -> ClaimWording:
    """What can be said about *a beats b*."""
    if comparison.wins + comparison.losses == 0:
        return ClaimWording.NOT_ENOUGH
    if comparison.low > 0 and comparison.holm_p < ALPHA:
        large = comparison.difference >= USEFUL
        return ClaimWording.HOLDS if large else ClaimWording.HOLDS_SMALL
    if comparison.high < 0:
        return ClaimWording.CONTRADICTED
    if comparison.low > -MARGIN:
        return ClaimWording.NO_WORSE
    return ClaimWording.NOT_ENOUGH


def judge_claim(claim: Claim, comparison: Comparison | None) -> ClaimVerdict:
    """A claim's wording with its sentence; without a comparison there is no evidence."""
    if comparison is None:
        sentence = f"{claim.a} and {claim.b} were not both run."
        return ClaimVerdict(claim.claim_id, claim.statement, ClaimWording.NOT_ENOUGH, sentence)
    wording = word_claim(comparison)
    return ClaimVerdict(
        claim.claim_id, claim.statement, wording, _claim_sentence(comparison, wording)
    )


def _claim_sentence(c: Comparison, wording: ClaimWording) -> str:
    basis = f"n = {c.questions} questions from {_count(c.clusters, 'document')}"
    seen = (
        f"{c.metric} {c.mean_a:.1%} against {c.mean_b:.1%}: {points(c.difference)} points "
        f"[{points(c.low)}, {points(c.high)}], {basis}, better on {c.wins} and worse on {c.losses}"
    )
    if c.wins + c.losses == 0:
        return (
            f"{c.metric} {c.mean_a:.1%} for both, and no question came out differently "
            f"({basis}): these questions cannot tell the two apart."
        )
    if wording is ClaimWording.NOT_ENOUGH:
        needed = (
            f" About {_two_digits(c.needed_for_5_points):,} questions would be needed for 5 points."
            if c.needed_for_5_points > c.questions
            else ""
        )
        return (
            f"{basis} could only have shown differences of about {100 * c.visible:.0f} points; "
            f"seen {points(c.difference)} [{points(c.low)}, {points(c.high)}] "
            f"({c.metric} {c.mean_a:.1%} against {c.mean_b:.1%}).{needed}"
        )
    return f"{seen} ({c.test}, Holm p {p_text(c.holm_p)})."


def judge_overall(
    claims: Mapping[str, ClaimVerdict],
    comparisons: Mapping[str, Comparison],
    lengths: ParentLengths,
    price: str,
) -> Verdict:
    """The overall verdict.

    Args:
        claims: verdicts of the primary claims by id.
        comparisons: of the primary claims that could be compared, by id.
        lengths: of parents and children as built, which say whether documents are short.
        price: the sentence about the reading cost.
    """
    found, sufficient = claims["P1"], claims["P2"]
    settled = all(_is_settled_against(claims[key], comparisons.get(key)) for key in ("P1", "P2"))
    holds = (
        found.wording is ClaimWording.HOLDS,
        sufficient.wording is ClaimWording.HOLDS,
    )
    if all(holds):
        overall = OverallWording.HELPS
        words = (
            "Parent/child helps: it finds the passage more often than the large index, and what "
            "it returns is sufficient more often than from the small one."
        )
    elif holds[0]:
        overall = OverallWording.ONLY_LARGE
        words = (
            "Parent/child helps only against the large index; that it is sufficient more often "
            f"than the small one: {sufficient.wording}."
        )
    elif holds[1]:
        overall = OverallWording.ONLY_SMALL
        words = (
            "Parent/child helps only against the small index; that it finds more than the large "
            f"one: {found.wording}."
        )
    elif lengths.documents_are_short:
        overall = OverallWording.DOES_NOT_HELP
        words = (
            "Your documents are already short: don't build this. "
            f"{_short_because(lengths)} Finding more than the large index: {found.wording}; "
            f"sufficient more often than the small one: {sufficient.wording}."
        )
    elif settled:
        overall = OverallWording.DOES_NOT_HELP
        words = (
            "Parent/child does not help here: finding more than the large index: "
            f"{found.wording}; sufficient more often than the small one: {sufficient.wording}."
        )
    else:
        overall = OverallWording.NOT_ENOUGH
        words = (
            "These questions do not decide it. That parent/child finds more than the large index: "
            f"{found.wording}; that it is sufficient more often than the small one: "
            f"{sufficient.wording}."
        )
    return Verdict(overall, words, price)


def _short_because(lengths: ParentLengths) -> str:
    children = lengths.children.tokens.p50 if lengths.children else 0
    return f"The median parent has {lengths.built.tokens.p50} tokens, the median child {children}."


def _is_settled_against(claim: ClaimVerdict, comparison: Comparison | None) -> bool:
    if claim.wording in {ClaimWording.CONTRADICTED, ClaimWording.HOLDS_SMALL}:
        return True
    return (
        claim.wording is ClaimWording.NO_WORSE
        and comparison is not None
        and comparison.high < USEFUL
    )


def price_sentence(tokens_at_5: Mapping[str, float], names: Sequence[str]) -> str:
    """Tokens read for five units, by strategy."""
    parts = [f"{tokens_at_5[name]:,.0f} ({name})" for name in names if name in tokens_at_5]
    if not parts:
        return ""
    return f"Tokens read for five units, on average: {', '.join(parts)}."


def points(difference: float) -> str:
    """A difference of shares in signed points, with a true minus sign."""
    text = f"{100 * difference:+.1f}"
    return "0.0" if text in {"+0.0", "-0.0"} else text.replace("-", "−")


def p_text(p_value: float) -> str:
    """A p-value as people print it."""
    return "< .001" if p_value < 0.001 else f"= {p_value:.3f}".replace("0.", ".", 1)


def _two_digits(number: int) -> int:
    """An estimate is not more exact than that."""
    return int(float(f"{number:.2g}"))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
