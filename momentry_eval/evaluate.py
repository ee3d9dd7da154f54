"""`compare`: runs and questions in, one `EvaluationResult` out. It reads and writes no file
but ranx's compiled code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from momentry_assets.errors import EvaluationError
from momentry_eval.judge import (
    BUDGETS,
    TokenMeasure,
    attainable,
    is_binary,
    judge,
    proportional_tokens,
)
from momentry_eval.lengths import ParentLengths, percentile
from momentry_eval.metrics import rank_figures, ranked_evidence
from momentry_eval.queries import Query, QuerySet
from momentry_eval.result import (
    EvaluationResult,
    Figure,
    QueryRow,
    Questions,
    StrategyFigures,
)
from momentry_eval.shown import JudgedQuery, choose_shown
from momentry_eval.statistics import (
    DRAWS,
    FLIPS,
    SEED,
    Bootstrap,
    Comparison,
    compare_paired,
    holm,
)
from momentry_eval.strategies import QueryRun, StrategyRun
from momentry_eval.verdict import (
    GUARD_CLAIMS,
    PRIMARY_CLAIMS,
    Claim,
    judge_claim,
    judge_overall,
    price_sentence,
)

_SECONDARY = (
    "found@1000t",
    "sufficient@2000t",
    "sufficient@5",
    "cover@2000t",
    "ndcg@10",
    "mrr",
)


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """What an evaluation must know besides runs and questions.

    Attributes:
        run_name: names the report; letters, digits, ``.``, ``_``, ``-``.
        created_at: ISO 8601. command: reproduces it.
        texts: canonical text of every document, for the report's excerpts.
        numba_cache: kept, writable folder for ranx's compiled code.
        settings, versions, hashes: shown and stored as they are.
        measure: tokens of a slice of a unit; None shares a unit's tokens by characters.
    """

    run_name: str
    created_at: str
    texts: Mapping[str, str]
    numba_cache: Path
    command: str = ""
    settings: Mapping[str, str | int | float | bool | None] = field(
        default_factory=dict[str, str | int | float | bool | None]
    )
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    hashes: Mapping[str, str] = field(default_factory=dict[str, str])
    measure: TokenMeasure | None = None


def compare(
    runs: Sequence[StrategyRun],
    queries: QuerySet,
    lengths: ParentLengths,
    context: EvaluationContext,
) -> EvaluationResult:
    """Judge the runs on the same questions and compare them.

    The order of runs' questions and of the file changes no figure.

    Raises:
        EvaluationError: when there is nothing to judge, or runs and questions do not fit.
    """
    judged = tuple(sorted(queries.queries, key=lambda query: query.query_id))
    if not judged:
        raise EvaluationError(
            f"{queries.source}: no question with evidence is left to judge "
            f"({len(queries.excluded)} excluded, {len(queries.unanswerable)} unanswerable)"
        )
    names = [run.strategy.name for run in runs]
    if len(set(names)) != len(names) or not names:
        raise EvaluationError(f"strategies must be given once each, got {names}")
    answers = {run.strategy.name: _answers(run, judged) for run in runs}
    figures = {name: _figures(name, judged, answers[name], context) for name in names}
    bootstrap = Bootstrap([query.cluster for query in judged])
    comparisons = _comparisons(judged, figures, bootstrap)
    by_claim = {
        claim.claim_id: _comparison_of(claim, comparisons)
        for claim in (*PRIMARY_CLAIMS, *GUARD_CLAIMS)
    }
    claims = [judge_claim(claim, by_claim[claim.claim_id]) for claim in PRIMARY_CLAIMS]
    guards = [judge_claim(claim, by_claim[claim.claim_id]) for claim in GUARD_CLAIMS]
    strategies = tuple(
        _strategy_figures(run, judged, answers[run.strategy.name], figures, bootstrap)
        for run in runs
    )
    price = price_sentence({s.name: s.figures["tokens@5"].mean for s in strategies}, names)
    verdict = judge_overall(
        {claim.claim_id: claim for claim in claims},
        {key: found for key, found in by_claim.items() if found is not None},
        lengths,
        price,
    )
    shown = choose_shown(
        [
            JudgedQuery(
                query,
                {name: answers[name][query.query_id].units for name in names},
                {name: figures[name][query.query_id] for name in names},
            )
            for query in judged
        ],
        context.texts,
    )
    return EvaluationResult(
        run_name=context.run_name,
        created_at=context.created_at,
        command=context.command,
        settings={
            **context.settings,
            "statistics": f"seed {SEED}, {DRAWS:,} bootstrap draws, {FLIPS:,} sign flips",
        },
        versions=dict(context.versions),
        hashes={**context.hashes, "questions": queries.source_hash},
        questions=_questions(queries, judged, answers, bootstrap),
        strategies=strategies,
        comparisons=comparisons,
        claims=tuple(claims),
        guards=tuple(guards),
        verdict=verdict,
        lengths=lengths,
        shown=shown,
        rows=tuple(
            QueryRow(name, query.query_id, query.kind, query.cluster, figures[name][query.query_id])
            for name in names
            for query in judged
        ),
    )


def _answers(run: StrategyRun, judged: Sequence[Query]) -> dict[str, QueryRun]:
    """The run of every judged question; one that is missing counts as an empty answer."""
    given = {query.query_id: query for query in run.queries}
    wanted = {query.query_id for query in judged}
    strangers = sorted(given.keys() - wanted)
    if strangers:
        raise EvaluationError(
            f"{run.strategy.name}: the run answers questions that are not judged "
            f"({', '.join(strangers[:5])}); run the strategies on this file again"
        )
    return {
        query.query_id: given.get(query.query_id, QueryRun(query.query_id, ())) for query in judged
    }


def _figures(
    name: str,
    judged: Sequence[Query],
    answers: Mapping[str, QueryRun],
    context: EvaluationContext,
) -> dict[str, dict[str, float]]:
    measure = context.measure or proportional_tokens
    ranked = rank_figures(
        {query.query_id: ranked_evidence(query, answers[query.query_id].units) for query in judged},
        {query.query_id: [span.evidence_id for span in query.evidence] for query in judged},
        name=name,
        numba_cache=context.numba_cache,
    )
    return {
        query.query_id: judge(query, answers[query.query_id].units, measure)
        | ranked[query.query_id]
        for query in judged
    }


def _comparisons(
    judged: Sequence[Query],
    figures: Mapping[str, Mapping[str, Mapping[str, float]]],
    bootstrap: Bootstrap,
) -> tuple[Comparison, ...]:
    primary = [(claim.metric, claim.a, claim.b) for claim in PRIMARY_CLAIMS]
    guards = [(claim.metric, claim.a, claim.b) for claim in GUARD_CLAIMS]
    secondary = [(metric, claim.a, claim.b) for metric in _SECONDARY for claim in PRIMARY_CLAIMS]
    found: list[Comparison] = []
    for family, wanted in (("primary", primary), ("guard", guards), ("secondary", secondary)):
        members = [
            compare_paired(
                family,
                metric,
                (a, b),
                (
                    [figures[a][query.query_id][metric] for query in judged],
                    [figures[b][query.query_id][metric] for query in judged],
                ),
                bootstrap,
                binary=is_binary(metric),
            )
            for metric, a, b in wanted
            if a in figures and b in figures
        ]
        adjusted = holm([member.p_value for member in members])
        found.extend(
            member.adjusted(p_value) for member, p_value in zip(members, adjusted, strict=True)
        )
    return tuple(found)


def _comparison_of(claim: Claim, comparisons: Sequence[Comparison]) -> Comparison | None:
    wanted = (claim.metric, claim.a, claim.b)
    return next((c for c in comparisons if (c.metric, c.a, c.b) == wanted), None)


def _strategy_figures(
    run: StrategyRun,
    judged: Sequence[Query],
    answers: Mapping[str, QueryRun],
    figures: Mapping[str, Mapping[str, Mapping[str, float]]],
    bootstrap: Bootstrap,
) -> StrategyFigures:
    rows = figures[run.strategy.name]
    kinds: dict[str, dict[str, Figure]] = {}
    for kind in sorted({query.kind for query in judged}):
        members = [query for query in judged if query.kind == kind]
        kinds[kind] = _means(members, rows, Bootstrap([query.cluster for query in members]))
    tokens = sorted(rows[query.query_id]["tokens@5"] for query in judged)
    given = {query.query_id for query in run.queries}
    seconds = sorted(query.seconds for query in run.queries)
    return StrategyFigures(
        name=run.strategy.name,
        description=run.strategy.description,
        depth=run.depth,
        dense_weight=run.dense_weight,
        figures=_means(judged, rows, bootstrap),
        by_kind=kinds,
        tokens_p50=percentile(tokens, 0.5),
        tokens_p95=percentile(tokens, 0.95),
        tokens_max=tokens[-1],
        seconds_p50=percentile(seconds, 0.5),
        seconds_p95=percentile(seconds, 0.95),
        without_results=sum(not answer.units for answer in answers.values()),
        missing=sum(query.query_id not in given for query in judged),
        missing_parents=run.missing_parents,
    )


def _means(
    members: Sequence[Query],
    rows: Mapping[str, Mapping[str, float]],
    bootstrap: Bootstrap,
) -> dict[str, Figure]:
    means: dict[str, Figure] = {}
    for metric in rows[members[0].query_id]:
        values = [rows[query.query_id][metric] for query in members]
        means[metric] = Figure(sum(values) / len(values), *bootstrap.interval(values))
    return means


def _questions(
    queries: QuerySet,
    judged: Sequence[Query],
    answers: Mapping[str, Mapping[str, QueryRun]],
    bootstrap: Bootstrap,
) -> Questions:
    units = [unit for runs in answers.values() for run in runs.values() for unit in run.units]
    characters = sum(unit.characters for unit in units)
    # The corpus's own rate; without any unit nothing can be sufficient and the rate is idle.
    rate = sum(unit.token_count for unit in units) / characters if characters else 0.25
    kinds = sorted({query.kind for query in judged})
    return Questions(
        source=queries.source,
        judged=len(judged),
        documents=bootstrap.clusters,
        by_kind={kind: sum(query.kind == kind for query in judged) for kind in kinds},
        attainable=dict(attainable(judged, BUDGETS, rate)),
        unanswerable=tuple(query.query_id for query in queries.unanswerable),
        reanchored=queries.reanchored,
        excluded=queries.excluded,
    )
