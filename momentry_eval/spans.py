"""Gold spans made comparable: merged, widened to a sentence, joined by their exact repeats."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from momentry_assets.sentences import sentence_starts
from momentry_eval.intervals import union

# "30 %" is no passage: what is shorter is widened to its sentence.
SHORTEST_SPAN = 40
# Shorter texts repeat by accident ("see below"), so their repeats are no alternatives.
SHORTEST_REPEAT = 20
# Where no sentence mark is near (unpunctuated speech), the line is the sentence.
LONGEST_SENTENCE = 400


@dataclass(frozen=True, slots=True, order=True)
class Passage:
    """A half-open span of code points in a document's canonical text."""

    document_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing an answer needs.

    Attributes:
        evidence_id: ``<query_id>:<number>``.
        text: the gold text, after merging and widening.
        places: where it stands; the first is the annotated place, the others exact repeats.
            Reading any one of them is enough.
    """

    evidence_id: str
    text: str
    places: tuple[Passage, ...]

    @property
    def characters(self) -> int:
        """Length of the gold text."""
        return len(self.text)


def evidence_of(
    query_id: str, passages: Iterable[Passage], texts: Mapping[str, str]
) -> tuple[Evidence, ...]:
    """The evidence of one question from its verified spans, by document and place."""
    merged = _merge(_widen(passage, texts[passage.document_id]) for passage in _merge(passages))
    found: dict[str, list[Passage]] = {}
    for passage in merged:
        text = texts[passage.document_id][passage.start : passage.end]
        # The same text noted twice is one thing to know, at two places.
        found.setdefault(text, []).append(passage)
    return tuple(
        Evidence(f"{query_id}:{number}", text, _with_repeats(text, places, texts))
        for number, (text, places) in enumerate(found.items())
    )


def _merge(passages: Iterable[Passage]) -> list[Passage]:
    by_document: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for passage in passages:
        by_document[passage.document_id].append((passage.start, passage.end))
    return [
        Passage(document_id, start, end)
        for document_id, spans in sorted(by_document.items())
        for start, end in union(spans)
    ]


def _widen(passage: Passage, text: str) -> Passage:
    if passage.end - passage.start >= SHORTEST_SPAN:
        return passage
    # A window in place of the document: a sentence longer than it would not be used anyway.
    low = max(0, passage.start - LONGEST_SENTENCE)
    high = min(len(text), passage.end + LONGEST_SENTENCE)
    starts = sentence_starts(text, low, high)
    start = max((at for at in starts if at <= passage.start), default=low)
    end = min((at for at in starts if at >= passage.end), default=high)
    if end - start > LONGEST_SENTENCE:
        start = max(start, text.rfind("\n", 0, passage.start) + 1)
        newline = text.find("\n", passage.end)
        end = min(end, newline if newline >= 0 else end)
    while start < passage.start and text[start].isspace():
        start += 1
    while end > passage.end and text[end - 1].isspace():
        end -= 1
    return Passage(passage.document_id, start, end)


def _with_repeats(text: str, noted: list[Passage], texts: Mapping[str, str]) -> tuple[Passage, ...]:
    if len(text) < SHORTEST_REPEAT:
        return tuple(noted)
    repeats = [
        Passage(document_id, start, start + len(text))
        for document_id in sorted(texts)
        for start in occurrences(texts[document_id], text)
    ]
    return (*noted, *(place for place in repeats if place not in noted))


def occurrences(text: str, wanted: str) -> list[int]:
    """Offsets at which a text stands in another, without overlaps."""
    starts: list[int] = []
    start = text.find(wanted)
    while start >= 0:
        starts.append(start)
        start = text.find(wanted, start + len(wanted))
    return starts
