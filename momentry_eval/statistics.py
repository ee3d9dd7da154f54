"""How sure are we: paired tests, intervals clustered by document, and what n can show at all.

The unit is the question, paired over strategies. Questions of one document share its text and
often their gold, so draws and flips are by document where there are at least six of them; with
fewer, no test by document can reach p < .05, and the question is the unit, with a warning.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

SEED = 20_240_229
FLIPS = 20_000
DRAWS = 5_000
FEWEST_CLUSTERS = 6
ALPHA = 0.05
POWER = 0.8
_FLIPS_AT_ONCE = 2_000

Floats = npt.NDArray[np.float64]


def mcnemar_mid_p(wins: int, losses: int) -> float:
    """Two-sided mid-p of McNemar's test; 1 when no question differs."""
    differing = wins + losses
    if differing == 0:
        return 1.0
    fewer = min(wins, losses)
    below = sum(math.comb(differing, i) for i in range(fewer + 1)) / 2**differing
    at = math.comb(differing, fewer) / 2**differing
    return min(1.0, 2 * below - at)


def sign_flip_p(differences: Sequence[float], *, flips: int = FLIPS, seed: int = SEED) -> float:
    """Two-sided p of the sign-flip randomisation test of a zero sum.

    p = (1 + at least as extreme) / (1 + flips), so it is never 0.
    """
    values = np.array([value for value in differences if value != 0.0], dtype=np.float64)
    if values.size == 0:
        return 1.0
    generator = np.random.default_rng(seed)
    observed = abs(float(values.sum())) - 1e-9
    extreme = 0
    for first in range(0, flips, _FLIPS_AT_ONCE):
        rows = min(_FLIPS_AT_ONCE, flips - first)
        signs = generator.integers(0, 2, size=(rows, values.size)) * 2.0 - 1.0
        extreme += int(np.count_nonzero(np.abs(signs @ values) >= observed))
    return (1 + extreme) / (1 + flips)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values of one family, in the order given."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for position, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - position) * p_values[index]))
        adjusted[index] = highest
    return adjusted


class Bootstrap:
    """Percentile bootstrap of a mean over questions, drawn by cluster.

    The draws are made once, so that all figures of one set of questions share them.

    Args:
        clusters: the cluster of each question, in the order in which values will come.
    """

    def __init__(self, clusters: Sequence[str], *, draws: int = DRAWS, seed: int = SEED) -> None:
        names = sorted(set(clusters))
        self.clusters = len(names)
        self.by_cluster = self.clusters >= FEWEST_CLUSTERS
        if self.by_cluster:
            number = {name: index for index, name in enumerate(names)}
            self._of = np.array([number[name] for name in clusters], dtype=np.intp)
        else:
            self._of = np.arange(len(clusters), dtype=np.intp)
        units = int(self._of.max()) + 1 if len(clusters) else 0
        self._sizes = np.bincount(self._of, minlength=units).astype(np.float64)
        generator = np.random.default_rng(seed)
        counts = generator.multinomial(units, np.full(units, 1 / max(1, units)), size=draws)
        self._counts: Floats = counts.astype(np.float64)
        self._drawn: Floats = self._counts @ self._sizes

    def totals(self, values: Sequence[float]) -> list[float]:
        """Sums by unit of drawing: by cluster, or the values themselves."""
        return self._totals(values).tolist()

    def means(self, values: Sequence[float]) -> Floats:
        """The mean in every draw."""
        return (self._counts @ self._totals(values)) / self._drawn

    def interval(self, values: Sequence[float]) -> tuple[float, float]:
        """The 95 % percentile interval of the mean."""
        low, high = np.percentile(self.means(values), [2.5, 97.5])
        return float(low), float(high)

    def standard_error(self, values: Sequence[float]) -> float:
        """The standard deviation of the mean over the draws."""
        return float(np.std(self.means(values)))

    def _totals(self, values: Sequence[float]) -> Floats:
        weights = np.array(values, dtype=np.float64)
        totals = np.bincount(self._of, weights=weights, minlength=self._sizes.size)
        return totals.astype(np.float64)


def queries_needed(difference: float, differing_share: float) -> float:
    """Questions needed to see a difference of two shares (5 % two-sided, power 80 %).

    Args:
        difference: between the shares, above 0.
        differing_share: share of questions on which the two strategies differ.
    """
    share = max(differing_share, difference)
    normal = NormalDist()
    critical, power = normal.inv_cdf(1 - ALPHA / 2), normal.inv_cdf(POWER)
    spread = math.sqrt(max(0.0, share - difference**2))
    return ((critical * math.sqrt(share) + power * spread) / difference) ** 2


def smallest_visible_difference(questions: int, differing_share: float) -> float:
    """The difference of two shares that so many questions show with power 80 %."""
    low, high = 1e-4, 1.0
    if queries_needed(high, differing_share) > questions:
        return 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if queries_needed(middle, differing_share) > questions:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of two strategies on the same questions. Differences are a - b.

    Attributes:
        family: ``primary``, ``guard`` or ``secondary``; Holm adjusts within one.
        questions, clusters: what it rests on.
        low, high: 95 % interval of the difference.
        wins, ties, losses: questions on which a is better, equal, worse.
        p_value: of the test that decides (`test` names it). p_by_query: ignoring documents.
        holm_p: adjusted within the family.
        visible: the smallest difference that could have been seen with power 80 %.
        needed_for_5_points: questions needed to see five points.
        warning: what limits it, empty when nothing does.
    """

    family: str
    metric: str
    a: str
    b: str
    questions: int
    clusters: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int
    test: str
    p_value: float
    p_by_query: float
    holm_p: float
    visible: float
    needed_for_5_points: int
    warning: str = ""

    def adjusted(self, holm_p: float) -> "Comparison":
        """The same with its p-value adjusted within its family."""
        return replace(self, holm_p=holm_p)


def compare_paired(
    family: str,
    metric: str,
    names: tuple[str, str],
    values: tuple[Sequence[float], Sequence[float]],
    bootstrap: Bootstrap,
    *,
    binary: bool,
) -> Comparison:
    """Compare two strategies on one metric; ``holm_p`` still is the plain p-value.

    Args:
        names: of strategies a and b.
        values: of a and b, in the order of the bootstrap's questions.
        bootstrap: of these questions.
        binary: every value is 0 or 1.
    """
    differences = [x - y for x, y in zip(*values, strict=True)]
    count = len(differences)
    wins = sum(difference > 1e-12 for difference in differences)
    losses = sum(difference < -1e-12 for difference in differences)
    by_query = mcnemar_mid_p(wins, losses) if binary else sign_flip_p(differences)
    warning = ""
    if bootstrap.by_cluster:
        test = "sign flips by document"
        p_value = sign_flip_p(bootstrap.totals(differences))
    else:
        test = "McNemar mid-p" if binary else "sign flips by question"
        p_value = by_query
        warning = (
            f"{bootstrap.clusters} documents are too few to test by document; "
            f"tested by question, which overstates the certainty"
        )
    low, high = bootstrap.interval(differences)
    error = bootstrap.standard_error(differences)
    if wins + losses == 0:
        # Resampling zeros gives a zero interval; three in n is what n equal pairs leave open.
        low, high = -min(1.0, 3 / count), min(1.0, 3 / count)
        warning = "no question came out differently; the interval is the rule of three"
    share = (wins + losses + 1) / (count + 2)
    # The error as if questions were independent; documents may inflate it.
    naive = float(np.std(differences)) / math.sqrt(count)
    inflation = max(1.0, (error / naive) ** 2) if naive > 0 else 1.0
    if binary:
        visible = smallest_visible_difference(max(1, int(count / inflation)), share)
        needed = queries_needed(0.05, share) * inflation
    else:
        reach = NormalDist().inv_cdf(1 - ALPHA / 2) + NormalDist().inv_cdf(POWER)
        visible = reach * max(error, naive)
        needed = count * (visible / 0.05) ** 2
    return Comparison(
        family=family,
        metric=metric,
        a=names[0],
        b=names[1],
        questions=count,
        clusters=bootstrap.clusters,
        mean_a=sum(values[0]) / count,
        mean_b=sum(values[1]) / count,
        difference=sum(differences) / count,
        low=low,
        high=high,
        wins=wins,
        ties=count - wins - losses,
        losses=losses,
        test=test,
        p_value=p_value,
        p_by_query=by_query,
        holm_p=p_value,
        visible=visible,
        needed_for_5_points=math.ceil(needed),
        warning=warning,
    )
