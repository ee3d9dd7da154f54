"""The kind of a query sets the weights of the channels (source 000, requirement 15)."""

import pytest

from momentry_assets.search.query_kind import DENSE_WEIGHTS, QueryKind, classify


@pytest.mark.parametrize(
    ("query", "kind", "named"),
    [
        ("What are the main themes?", QueryKind.THEMATIC, "themes"),
        ("give me an overview of the rollback process", QueryKind.THEMATIC, "overview"),
        ("compare the two siren drills", QueryKind.THEMATIC, "compare"),
        ("Who said the valve sticks?", QueryKind.FACT, "who"),
        ("when was the pier closed", QueryKind.FACT, "when"),
        ("how many keys hang at the door?", QueryKind.FACT, "how many"),
        ("Wer hat das gesagt?", QueryKind.FACT, "wer"),
        ("Tell me about scene 5", QueryKind.BALANCED, ""),
        ("why didn't the rollback fix it?", QueryKind.BALANCED, ""),
        ("tide tables", QueryKind.BALANCED, ""),
        ("ERR_4021", QueryKind.EXACT, "ERR_4021"),
        ("what does ERR_4021 mean?", QueryKind.EXACT, "ERR_4021"),
        ("run it with --watch", QueryKind.EXACT, "--watch"),
        ("what is -n for", QueryKind.EXACT, "-n"),
        ("upgrade node.js", QueryKind.EXACT, "node.js"),
        ("where is max_seq_length set", QueryKind.EXACT, "max_seq_length"),
        ("is RFC9562 followed?", QueryKind.EXACT, "RFC9562"),
        ('who wrote "leave the light on"', QueryKind.EXACT, "leave the light on"),
        ("wer schrieb „Lass das Licht an“", QueryKind.EXACT, "Lass das Licht an"),
        ("誰が「灯りをつけて」と言った", QueryKind.EXACT, "灯りをつけて"),
        ("the harbour-master's log", QueryKind.BALANCED, ""),
        ("a well-kept pier", QueryKind.BALANCED, ""),
        ("client/server", QueryKind.BALANCED, ""),
        ("e.g. the pump", QueryKind.BALANCED, ""),
    ],
)
def test_the_kind_and_the_reason_are_said(query: str, kind: QueryKind, named: str) -> None:
    found = classify(query)
    assert found.kind is kind
    assert named in found.reason
    assert (named in found.exact) == (kind is QueryKind.EXACT)


def test_the_weights_are_those_of_source_000() -> None:
    assert 0.8 <= DENSE_WEIGHTS[QueryKind.THEMATIC] <= 0.9
    assert 0.5 <= 1 - DENSE_WEIGHTS[QueryKind.FACT] <= 0.7
    assert DENSE_WEIGHTS[QueryKind.BALANCED] == 0.7
