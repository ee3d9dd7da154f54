"""Questions with gold evidence: read, verified against the canonical texts, made comparable.

A file has one JSON object a line::

    {"query_id": "q1", "query": "…", "kind": "fact|thematic|balanced", "note": "",
     "evidence": [{"document_id": "…", "start": 120, "end": 180, "text": "…"}],
     "scope_document_id": "…"}

Gold is spans of documents, never chunk ids, so every strategy is judged by the same truth and
re-chunking never invalidates it. All spans of a question are needed; exact repeats of a span's
text are alternatives of it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from momentry_assets.errors import EvaluationError
from momentry_eval.spans import Evidence, Passage, evidence_of, occurrences

KINDS = ("fact", "thematic", "balanced")


@dataclass(frozen=True, slots=True)
class Query:
    """One question.

    Attributes:
        query_id: unique in its file.
        query: the question as people ask it.
        kind: fact, thematic or balanced.
        evidence: spans that are all needed; empty when the corpus has no answer.
        scope_document_id: search only this document, None for all.
        note: why the question is in the set.
    """

    query_id: str
    query: str
    kind: str
    evidence: tuple[Evidence, ...]
    scope_document_id: str | None = None
    note: str = ""

    @property
    def cluster(self) -> str:
        """Its first document: questions of one document are not independent."""
        return self.evidence[0].places[0].document_id

    @property
    def gold_characters(self) -> int:
        """Characters of all its evidence."""
        return sum(span.characters for span in self.evidence)


@dataclass(frozen=True, slots=True)
class QueryProblem:
    """What happened to a question between the file and the judge."""

    query_id: str
    line: int
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class QuerySet:
    """A file of questions after verification.

    Attributes:
        source: the file's name. source_hash: SHA-256 of its bytes, hex.
        queries: those to be judged, by query id.
        unanswerable: those without evidence, by query id; never in the figures.
        reanchored: spans found elsewhere than noted, still judged.
        excluded: questions whose evidence is gone, not judged.
    """

    source: str
    source_hash: str
    queries: tuple[Query, ...]
    unanswerable: tuple[Query, ...] = ()
    reanchored: tuple[QueryProblem, ...] = ()
    excluded: tuple[QueryProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class _Record:
    line: int
    query: Query
    spans: tuple[tuple[Passage, str], ...]


def read_queries(path: Path, texts: Mapping[str, str]) -> QuerySet:
    """Read a file of questions and verify its evidence.

    Args:
        path: JSON lines.
        texts: the canonical text of every document of the corpus, by document id.

    Raises:
        EvaluationError: naming the line and the field that is not as declared.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise EvaluationError(f"{path}: the questions cannot be read ({error})") from error
    return parse_queries(raw, texts, source=path.name)


def parse_queries(raw: bytes, texts: Mapping[str, str], *, source: str) -> QuerySet:
    """`read_queries` for the bytes of a file."""
    records = _records(raw, source)
    queries: list[Query] = []
    unanswerable: list[Query] = []
    reanchored: list[QueryProblem] = []
    excluded: list[QueryProblem] = []
    for record in sorted(records, key=lambda record: record.query.query_id):
        if not record.spans:
            unanswerable.append(record.query)
            continue
        passages, moved, lost = _verify(record, texts)
        if lost:
            excluded.extend(lost)
            continue
        reanchored.extend(moved)
        evidence = evidence_of(record.query.query_id, passages, texts)
        asked = record.query
        queries.append(
            Query(
                asked.query_id,
                asked.query,
                asked.kind,
                evidence,
                asked.scope_document_id,
                asked.note,
            )
        )
    return QuerySet(
        source=source,
        source_hash=hashlib.sha256(raw).hexdigest(),
        queries=tuple(queries),
        unanswerable=tuple(unanswerable),
        reanchored=tuple(reanchored),
        excluded=tuple(excluded),
    )


def _verify(
    record: _Record, texts: Mapping[str, str]
) -> tuple[list[Passage], list[QueryProblem], list[QueryProblem]]:
    query = record.query
    passages: list[Passage] = []
    moved: list[QueryProblem] = []
    lost: list[QueryProblem] = []

    def problem(field: str, message: str) -> QueryProblem:
        return QueryProblem(query.query_id, record.line, field, message)

    if query.scope_document_id is not None and query.scope_document_id not in texts:
        lost.append(problem("scope_document_id", f"{query.scope_document_id} is not in the corpus"))
    for number, (noted, text) in enumerate(record.spans):
        field = f"evidence[{number}]"
        found, count = _locate(noted, text, texts)
        if found is None:
            reason = (
                "is not in the corpus any more" if count == 0 else f"stands there {count} times"
            )
            lost.append(problem(field, f"the text noted at {_place(noted)} has moved and {reason}"))
            continue
        if found != noted:
            moved.append(problem(field, f"noted at {_place(noted)}, found at {_place(found)}"))
        if query.scope_document_id not in (None, found.document_id):
            lost.append(problem(field, f"lies outside scope_document_id: {_place(found)}"))
        passages.append(found)
    return passages, moved, lost


def _locate(noted: Passage, text: str, texts: Mapping[str, str]) -> tuple[Passage | None, int]:
    """Where a span stands now, and how often its text was found when the place is not clear."""
    home = texts.get(noted.document_id, "")
    if home[noted.start : noted.end] == text:
        return noted, 1
    for documents in ([noted.document_id] if home else [], sorted(texts)):
        places = [
            Passage(document_id, start, start + len(text))
            for document_id in documents
            for start in occurrences(texts[document_id], text)
        ]
        if places:
            return (places[0] if len(places) == 1 else None), len(places)
    return None, 0


def _place(passage: Passage) -> str:
    return f"{passage.document_id}[{passage.start}:{passage.end}]"


def _records(raw: bytes, source: str) -> list[_Record]:
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise EvaluationError(f"{source}: not UTF-8 ({error})") from error
    records: list[_Record] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record = _record(line, number, source)
        query_id = record.query.query_id
        if query_id in seen:
            raise EvaluationError(
                f"{source}: line {number}: query_id: {query_id!r} stands in line "
                f"{seen[query_id]} too; ids must be unique"
            )
        seen[query_id] = number
        records.append(record)
    return records


def _record(line: str, number: int, source: str) -> _Record:
    where = f"{source}: line {number}"
    try:
        value: object = json.loads(line)
    except ValueError as error:
        raise EvaluationError(f"{where}: not JSON ({error})") from error
    fields = _object(value, where)
    # The public sets of the same form say `type` for `kind`.
    kind_field = "kind" if "kind" in fields else "type"
    kind = _text(fields, kind_field, where)
    if kind not in KINDS:
        raise EvaluationError(f"{where}: {kind_field}: {kind!r} is none of {', '.join(KINDS)}")
    evidence = fields.get("evidence")
    if not isinstance(evidence, list):
        raise EvaluationError(
            f"{where}: evidence: expected a list (empty when the corpus has no answer)"
        )
    spans = tuple(
        _span(item, f"{where}: evidence[{position}]") for position, item in enumerate(evidence)
    )
    scope = _text(fields, "scope_document_id", where) if fields.get("scope_document_id") else None
    note = _text(fields, "note", where) if fields.get("note") else ""
    query = Query(
        _text(fields, "query_id", where), _text(fields, "query", where), kind, (), scope, note
    )
    return _Record(number, query, spans)


def _span(value: object, where: str) -> tuple[Passage, str]:
    fields = _object(value, where)
    start, end = _offset(fields, "start", where), _offset(fields, "end", where)
    text = _text(fields, "text", where)
    if end <= start:
        raise EvaluationError(f"{where}.end: {end} is not after start {start}")
    if end - start != len(text):
        raise EvaluationError(
            f"{where}.text: has {len(text)} characters, start and end say {end - start}"
        )
    return Passage(_text(fields, "document_id", where), start, end), text


def _object(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise EvaluationError(f"{where}: expected an object, found {type(value).__name__}")
    return value


def _text(fields: Mapping[str, object], name: str, where: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        found = "nothing" if value is None else repr(value)
        raise EvaluationError(f"{where}: {name}: expected text, found {found}")
    return value


def _offset(fields: Mapping[str, object], name: str, where: str) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        found = "nothing" if value is None else repr(value)
        raise EvaluationError(f"{where}: {name}: expected a whole number from 0, found {found}")
    return value
