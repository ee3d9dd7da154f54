"""Which questions a report shows with their texts, and those texts with the evidence marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from momentry_eval.intervals import shared, union
from momentry_eval.queries import Query
from momentry_eval.result import ShownAnswer, ShownQuestion, ShownUnit, TextPiece
from momentry_eval.strategies import ReturnedUnit
from momentry_eval.verdict import PRIMARY_CLAIMS

PER_SIDE = 5
WORST = 10
_UNITS_SHOWN = 2
_LONGEST_TEXT = 1_500
_LONGEST_GOLD = 800
_ORDER = ("cover@2000t", "ndcg@10", "cover@1000t")


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A question with the units and the figures of every strategy, by strategy name."""

    query: Query
    units: Mapping[str, Sequence[ReturnedUnit]]
    figures: Mapping[str, Mapping[str, float]]


def choose_shown(
    judged: Sequence[JudgedQuery], texts: Mapping[str, str]
) -> tuple[ShownQuestion, ...]:
    """Wins and losses of the primary claims, then the questions parent/child answers worst.

    A question stands in the list once, under the first reason it has.
    """
    reasons: dict[str, str] = {}
    by_id = {entry.query.query_id: entry for entry in judged}
    for claim in PRIMARY_CLAIMS:
        for sign, word in ((1, "won"), (-1, "lost")):
            chosen = [
                entry
                for entry in judged
                if claim.a in entry.figures
                and claim.b in entry.figures
                and sign
                * (entry.figures[claim.a][claim.metric] - entry.figures[claim.b][claim.metric])
                > 0
                and entry.query.query_id not in reasons
            ]
            for entry in chosen[:PER_SIDE]:
                reasons[entry.query.query_id] = f"{word} on {claim.metric} against {claim.b}"
    main = PRIMARY_CLAIMS[0].a
    bad = [e for e in judged if main in e.figures and e.figures[main]["sufficient@2000t"] == 0.0]
    bad.sort(key=lambda e: (*(e.figures[main][metric] for metric in _ORDER), e.query.query_id))
    for entry in [e for e in bad if e.query.query_id not in reasons][:WORST]:
        reasons[entry.query.query_id] = f"among the worst of {main}"
    return tuple(_shown(by_id[query_id], reason, texts) for query_id, reason in reasons.items())


def _shown(entry: JudgedQuery, reason: str, texts: Mapping[str, str]) -> ShownQuestion:
    query = entry.query
    return ShownQuestion(
        query_id=query.query_id,
        query=query.query,
        kind=query.kind,
        note=query.note,
        reason=reason,
        evidence=tuple(_cut(span.text, _LONGEST_GOLD) for span in query.evidence),
        documents=tuple(span.places[0].document_id for span in query.evidence),
        answers=tuple(
            ShownAnswer(
                strategy=name,
                found=figures["found@5"] == 1.0,
                sufficient=figures["sufficient@1000t"] == 1.0,
                coverage=figures["cover@1000t"],
                units=tuple(
                    _shown_unit(rank, unit, query, texts)
                    for rank, unit in enumerate(entry.units[name][:_UNITS_SHOWN], start=1)
                ),
            )
            for name, figures in entry.figures.items()
        ),
    )


def _shown_unit(rank: int, unit: ReturnedUnit, query: Query, texts: Mapping[str, str]) -> ShownUnit:
    end = min(unit.end, unit.start + _LONGEST_TEXT)
    text = texts.get(unit.document_id, "")
    places = union(
        (place.start, place.end)
        for span in query.evidence
        for place in span.places
        if place.document_id == unit.document_id
    )
    pieces: list[TextPiece] = []
    position = unit.start
    for low, high in shared(places, unit.start, end):
        pieces.append(TextPiece(text[position:low], gold=False))
        pieces.append(TextPiece(text[low:high], gold=True))
        position = high
    tail = text[position:end] + (" …" if end < unit.end else "")
    pieces.append(TextPiece(tail, gold=False))
    return ShownUnit(
        rank,
        unit.document_id,
        unit.start,
        unit.end,
        unit.token_count,
        tuple(piece for piece in pieces if piece.text),
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + " …"
