"""Names of metrics and families as reports print them, and the tone of a wording."""

from momentry_eval.verdict import ClaimWording, OverallWording

TABLE_METRICS = (
    "found@5",
    "sufficient@5",
    "found@1000t",
    "sufficient@1000t",
    "ndcg@10",
    "mrr",
    "tokens@5",
)
SENSITIVITY_METRICS = (
    "found@5/0.25",
    "found@5",
    "found@5/0.75",
    "found@5/1",
    "sufficient@1000t",
    "sufficient@1000t/whole",
    "span_recall@5",
    "span_precision@5",
    "span_iou@5",
)
METRIC_NAMES = {
    "found@5": "found@5",
    "sufficient@5": "sufficient@5",
    "found@1000t": "found in 1,000 tokens",
    "sufficient@1000t": "sufficient in 1,000 tokens",
    "sufficient@2000t": "sufficient in 2,000 tokens",
    "cover@2000t": "evidence read in 2,000 tokens",
    "ndcg@10": "nDCG@10",
    "mrr": "MRR",
    "tokens@5": "tokens read for 5 units",
    "found@5/0.25": "found@5, a quarter shared",
    "found@5/0.75": "found@5, three quarters",
    "found@5/1": "found@5, all of the shorter",
    "sufficient@1000t/whole": "sufficient in 1,000 tokens, whole units only",
    "span_recall@5": "span recall@5",
    "span_precision@5": "span precision@5",
    "span_iou@5": "span IoU@5",
}
FAMILY_NAMES = {
    "primary": "Primary claims, fixed before the figures were seen",
    "guard": "Guards: no worse than the other control",
    "secondary": "Secondary",
}
_GOOD = {ClaimWording.HOLDS.value, OverallWording.HELPS.value}
_BAD = {ClaimWording.CONTRADICTED.value, OverallWording.DOES_NOT_HELP.value}


def tone(wording: str) -> str:
    """The CSS class of a wording, with the space before it; the words themselves say it too."""
    if wording in _GOOD:
        return " good"
    return " bad" if wording in _BAD else ""
