"""Source 000's ``0.7 dense + 0.3 lexical``, on scores with a fixed lower bound."""

from collections.abc import Mapping

COSINE_FLOOR = -1.0
LEXICAL_FLOOR = 0.0


def fuse(
    dense: Mapping[str, float], lexical: Mapping[str, float], dense_weight: float
) -> dict[str, float]:
    """One score a candidate, in [0, 1].

    Each channel is scaled between its fixed floor (cosine -1, lexical 0) and its observed
    maximum, so that one weak lexical hit cannot get the whole lexical share by being alone at
    the bottom, and scaling a channel's scores changes nothing. A candidate that a channel did
    not find has 0 there.

    Args:
        dense: cosine by chunk id.
        lexical: lexical score by chunk id, 0 or more.
        dense_weight: share of the dense channel, 0 to 1.
    """
    scaled_dense = _scaled(dense, COSINE_FLOOR)
    scaled_lexical = _scaled(lexical, LEXICAL_FLOOR)
    return {
        chunk_id: dense_weight * scaled_dense.get(chunk_id, 0.0)
        + (1.0 - dense_weight) * scaled_lexical.get(chunk_id, 0.0)
        for chunk_id in dense.keys() | lexical.keys()
    }


def _scaled(scores: Mapping[str, float], floor: float) -> dict[str, float]:
    span = max(scores.values(), default=floor) - floor
    if span <= 0.0:
        return dict.fromkeys(scores, 0.0)
    return {chunk_id: max(0.0, score - floor) / span for chunk_id, score in scores.items()}
