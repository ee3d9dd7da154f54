"""Questions are verified against the canonical texts and their gold made comparable."""

import json

import pytest

from momentry_assets.errors import EvaluationError
from momentry_eval.queries import QuerySet, parse_queries
from momentry_eval.spans import Passage

ROLLBACK = "Rollback is done by switching the generation pointer back to the former one."
OTHER = "Nothing else may be running while the pointer is switched by the operator on duty."
TEXTS = {
    "docs/a.md": (
        f"# Rollback\n\n{ROLLBACK} It takes 30 seconds at most in any case we saw.\n\n{OTHER}\n"
    ),
    "docs/b.md": f"# Copy\n\nAs said elsewhere:\n\n{ROLLBACK}\n",
}


def span(document_id: str, text: str, shift: int = 0) -> dict[str, object]:
    start = TEXTS[document_id].find(text) + shift
    return {"document_id": document_id, "start": start, "end": start + len(text), "text": text}


def line(**fields: object) -> str:
    record = {"query_id": "q1", "query": "How?", "kind": "fact", "evidence": [], "note": ""}
    return json.dumps(record | fields)


def parse(*lines: str) -> QuerySet:
    return parse_queries("\n".join(lines).encode(), TEXTS, source="queries.jsonl")


def test_a_verified_span_keeps_its_place_and_its_repeats_are_alternatives() -> None:
    found = parse(line(evidence=[span("docs/a.md", ROLLBACK)]))
    (evidence,) = found.queries[0].evidence
    assert evidence.text == ROLLBACK
    assert evidence.places == (
        Passage("docs/a.md", 12, 12 + len(ROLLBACK)),
        Passage("docs/b.md", 28, 28 + len(ROLLBACK)),
    )
    assert found.queries[0].cluster == "docs/a.md"


def test_a_drifted_span_found_once_is_reanchored_and_reported() -> None:
    found = parse(line(evidence=[span("docs/a.md", OTHER, shift=5)]))
    place = found.queries[0].evidence[0].places[0]
    assert TEXTS["docs/a.md"][place.start : place.end] == OTHER
    assert [(p.query_id, p.line, p.field) for p in found.reanchored] == [("q1", 1, "evidence[0]")]


def test_a_span_of_a_renamed_document_is_found_in_the_other_one() -> None:
    moved = span("docs/a.md", OTHER) | {"document_id": "docs/old-name.md"}
    found = parse(line(evidence=[moved]))
    assert found.queries[0].evidence[0].places[0].document_id == "docs/a.md"
    assert "docs/old-name.md" in found.reanchored[0].message


def test_a_span_that_is_gone_or_no_longer_clear_excludes_its_question() -> None:
    gone = {"document_id": "docs/a.md", "start": 0, "end": 21, "text": "this text was deleted"}
    unclear = span("docs/a.md", ROLLBACK) | {"document_id": "docs/old-name.md"}
    found = parse(
        line(evidence=[gone]), line(query_id="q2", evidence=[unclear]), line(query_id="q3")
    )
    assert not found.queries
    assert [(p.query_id, p.line) for p in found.excluded] == [("q1", 1), ("q2", 2)]
    assert "not in the corpus any more" in found.excluded[0].message
    assert "2 times" in found.excluded[1].message


def test_questions_without_evidence_are_kept_apart() -> None:
    found = parse(line(), line(query_id="q0", evidence=[span("docs/a.md", OTHER)]))
    assert [q.query_id for q in found.queries] == ["q0"]
    assert [q.query_id for q in found.unanswerable] == ["q1"]


def test_overlapping_spans_are_merged_and_equal_texts_are_one_thing_to_know() -> None:
    overlapping = parse(
        line(evidence=[span("docs/a.md", ROLLBACK[:60]), span("docs/a.md", ROLLBACK[20:])])
    )
    twice = parse(line(evidence=[span("docs/a.md", ROLLBACK), span("docs/b.md", ROLLBACK)]))
    for found in (overlapping, twice):
        assert [e.text for e in found.queries[0].evidence] == [ROLLBACK]


def test_a_span_under_40_characters_is_widened_to_its_sentence() -> None:
    found = parse(line(evidence=[span("docs/a.md", "30 seconds")]))
    assert [e.text for e in found.queries[0].evidence] == [
        "It takes 30 seconds at most in any case we saw."
    ]


def test_unpunctuated_speech_is_widened_to_its_line_only() -> None:
    words = "\n".join(f"line {number} goes on and on without any mark" for number in range(60))
    start = words.find("line 30")
    item = {"document_id": "m", "start": start, "end": start + 7, "text": "line 30"}
    found = parse_queries(line(evidence=[item]).encode(), {"m": words}, source="q")
    assert found.queries[0].evidence[0].text == "line 30 goes on and on without any mark"


def test_offsets_count_code_points() -> None:
    texts = {"d": "Größe 🙂: die Antwort ist zweiundvierzig, und zwar ohne jeden Zweifel."}
    text = texts["d"][9:]
    item = {"document_id": "d", "start": 9, "end": 9 + len(text), "text": text}
    found = parse_queries(line(evidence=[item]).encode(), texts, source="q")
    assert found.queries[0].evidence[0].places == (Passage("d", 9, 9 + len(text)),)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("{", ["line 2", "not JSON"]),
        ("[]", ["line 2", "expected an object"]),
        (line(query=""), ["line 2", "query", "expected text"]),
        (line(kind="long"), ["line 2", "kind", "'long'", "thematic"]),
        (line(evidence=None), ["line 2", "evidence", "list"]),
        (line(evidence=[{"document_id": "d", "start": "4"}]), ["evidence[0]", "start", "'4'"]),
        (
            line(evidence=[{"document_id": "d", "start": 0, "end": 9, "text": "abc"}]),
            ["line 2", "evidence[0].text", "3 characters", "9"],
        ),
        (line(query_id="q0"), ["line 2", "query_id", "line 1"]),
    ],
)
def test_an_error_names_the_line_and_the_field(record: str, words: list[str]) -> None:
    with pytest.raises(EvaluationError) as caught:
        parse(line(query_id="q0"), record)
    for word in words:
        assert word in str(caught.value)


def test_a_question_may_not_have_evidence_outside_its_scope() -> None:
    found = parse(line(evidence=[span("docs/a.md", OTHER)], scope_document_id="docs/b.md"))
    assert "outside scope_document_id" in found.excluded[0].message
