"""The lexical channel: `ts_rank_cd` over chunks that hold all, or else some, words of a query."""

from collections.abc import Collection
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from typing import Any, Literal

from psycopg import sql

from momentry_assets.errors import SearchError
from momentry_assets.model import Level, point_id
from momentry_assets.stores.lexical import is_lone_character, query_words
from momentry_assets.stores.postgres_connection import PostgresConnection

# What was found has a score above 0, even where rounding leaves no rank.
_LEAST_RANK = 1e-6

_SCOPE = sql.SQL(
    "search_vector @@ %(query)s::tsquery AND generation = ANY(%(generations)s::text[])"
    " AND search_config = ANY(%(configs)s::oid[]) AND level = %(level)s"
    " AND (%(document)s::uuid IS NULL OR document_key = %(document)s::uuid)"
)
# 32 maps a rank to rank / (rank + 1), below 1.
_RANK = sql.SQL("ts_rank_cd(search_vector, %(query)s::tsquery, 32)::float8")


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """Chunks with their scores, best first.

    ``mode`` is ``and`` when chunks with every word were found (they come first among those of
    their text-search configuration), ``or`` when there were none, ``none`` when the query has no
    searchable word.
    """

    hits: list[tuple[str, float]]
    mode: Literal["and", "or", "none"]


def search_chunks(
    server: PostgresConnection,
    query: str,
    *,
    generations: Collection[str],
    level: Level,
    limit: int,
    document_id: str | None,
) -> LexicalHits:
    """See `PostgresStore.lexical_search`."""
    if limit < 1:
        raise SearchError(f"the limit of a search is {limit}; it must be at least 1")
    scope = {
        "generations": list(generations),
        "level": level.value,
        "document": None if document_id is None else point_id(document_id),
        "limit": limit,
    }
    found = [
        _search(server, terms, scope | {"configs": configs}, limit)
        for terms, configs in _terms(server, query_words(query), scope).items()
    ]
    if not found:
        return LexicalHits([], "none")
    hits = merge(*(one.hits for one in found), key=lambda hit: (-hit[1], hit[0]))
    every_word = any(one.mode == "and" for one in found)
    return LexicalHits(list(islice(hits, limit)), "and" if every_word else "or")


def _search(
    server: PostgresConnection, terms: tuple[str, ...], scope: dict[str, Any], limit: int
) -> LexicalHits:
    """The hits among the chunks of some configurations, which make the same terms of a query."""
    full = server.rows(
        "SELECT chunk_id, %(words)s::integer, {rank} AS rank FROM {schema}.chunks WHERE {scope}"
        ' ORDER BY rank DESC, chunk_id COLLATE "C" LIMIT %(limit)s',
        scope | {"query": " & ".join(terms), "words": len(terms)},
        rank=_RANK,
        scope=_SCOPE,
    )
    some: list[tuple[Any, ...]] = []
    if len(full) < limit and len(terms) > 1:
        # A sum, since a count over a list of terms would run a query of its own for each row.
        named = {f"term_{place}": term for place, term in enumerate(terms)}
        found = server.rows(
            "SELECT chunk_id, {words} AS words, {rank} AS rank"
            " FROM {schema}.chunks WHERE {scope}"
            ' ORDER BY words DESC, rank DESC, chunk_id COLLATE "C" LIMIT %(limit)s',
            scope | {"query": " | ".join(terms)} | named,
            words=sql.SQL(" + ").join(
                sql.SQL("(search_vector @@ {}::tsquery)::integer").format(sql.Placeholder(name))
                for name in named
            ),
            rank=_RANK,
            scope=_SCOPE,
        )
        # Those with every word are known already, and are at the head of this list too.
        some = [row for row in found if row[1] < len(terms)][: limit - len(full)]
    hits = [
        (str(chunk_id), (words - 1 + max(rank, _LEAST_RANK)) / len(terms))
        for chunk_id, words, rank in (*full, *some)
    ]
    return LexicalHits(hits, "and" if full else "or")


def _terms(
    server: PostgresConnection, words: list[str], scope: dict[str, Any]
) -> dict[tuple[str, ...], list[int]]:
    """The terms of a query, each a quoted query, with the configurations they hold for.

    A configuration stems the words and leaves out stop words; one that leaves out all of them
    has no terms. Only those of the generations are asked.
    """
    # Words hold letters and digits only, so that quoting them leaves no operator.
    rows = server.rows(
        "SELECT config::oid::bigint, term::text FROM (SELECT DISTINCT unnest(search_configs)"
        "   FROM {schema}.generations WHERE generation = ANY(%(generations)s::text[])"
        " ) AS used(config), unnest(%(words)s::text[]) WITH ORDINALITY AS asked(word, place),"
        " LATERAL to_tsquery(config, word) AS term"
        " WHERE numnode(term) > 0 ORDER BY config, place",
        scope
        | {"words": [f"'{word}':*" if is_lone_character(word) else f"'{word}'" for word in words]},
    )
    terms: dict[int, dict[str, None]] = {}
    for config, term in rows:
        terms.setdefault(config, {})[f"({term})"] = None
    groups: dict[tuple[str, ...], list[int]] = {}
    for config, known in terms.items():
        groups.setdefault(tuple(known), []).append(config)
    return groups
