"""Rows by generation and the lexical channel, against a real server."""

import json
import multiprocessing
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psycopg
import pyarrow as pa
import pytest

from momentry_assets.errors import SearchError, StoreError
from momentry_assets.model import Chunk, Document, DocumentKind, Level
from momentry_assets.rows import chunks_table, documents_table
from momentry_assets.stores.lexical import JOINT, normalise
from momentry_assets.stores.postgres import Counts, LoadReceipt, PostgresStore
from momentry_assets.stores.search_configs import search_config

CASE = Path(__file__).parents[1] / "cases" / "40-store-mixed-b"

Tables = tuple[pa.Table, pa.Table, pa.Table]


def document(
    document_id: str,
    text: str,
    metadata: dict[str, object] | None = None,
    *,
    language: str = "en",
) -> Document:
    return Document(
        document_id=document_id,
        collection="docs",
        path=document_id.removeprefix("docs/"),
        kind=DocumentKind.TEXT,
        document_type="markdown",
        title="A title",
        text=text,
        segments=(),
        source_hash="0" * 64,
        tags=("ops",),
        language=language,
        metadata=metadata or {},
    )


def tables(
    texts: Sequence[str], *, prefix: str = "docs/d", metadata: dict[str, object] | None = None
) -> Tables:
    """One document, one parent and one child for each text, named by position."""
    documents = [document(f"{prefix}{place}", text, metadata) for place, text in enumerate(texts)]
    parents = [chunk(one, Level.PARENT) for one in documents]
    children = [chunk(one, Level.CHILD) for one in documents]
    return as_tables(documents, parents, children)


def as_tables(
    documents: Sequence[Document], parents: Sequence[Chunk], children: Sequence[Chunk]
) -> Tables:
    known = {one.document_id: one for one in documents}
    return (
        documents_table(documents),
        chunks_table(Level.PARENT, parents, known),
        chunks_table(Level.CHILD, children, known),
    )


def chunk(source: Document, level: Level, *, search_text: str = "", text: str = "") -> Chunk:
    parent_id, child_id = f"{source.document_id}#p", f"{source.document_id}#c"
    is_parent = level is Level.PARENT
    return Chunk(
        chunk_id=parent_id if is_parent else child_id,
        level=level,
        chunk_type="section" if is_parent else "paragraph",
        document_id=source.document_id,
        text_content=text or source.text,
        start=0,
        end=len(source.text),
        section_id="",
        section_hierarchy=("Top", "Below"),
        index=0,
        total=1,
        token_count=7,
        content_hash="1" * 64,
        parent_chunk_id=None if is_parent else parent_id,
        start_in_parent=None if is_parent else 0,
        child_chunk_ids=(child_id,) if is_parent else (),
        description="What it is about" if is_parent else "",
        search_text=search_text,
    )


def found(store: PostgresStore, query: str, *, limit: int = 10) -> list[str]:
    hits = store.lexical_search(query, generations=["g1"], level=Level.CHILD, limit=limit).hits
    return [chunk_id for chunk_id, _ in hits]


def load_languages(
    store: PostgresStore, texts: Sequence[tuple[str, str]], generation: str = "g1"
) -> None:
    """One document, with one child, for each language and text, named by position."""
    documents = [
        document(f"docs/d{place}", text, language=language)
        for place, (language, text) in enumerate(texts)
    ]
    children = [chunk(one, Level.CHILD) for one in documents]
    store.load("docs", generation, *as_tables(documents, [], children))


def load(store: PostgresStore, texts: Sequence[str], generation: str = "g1") -> LoadReceipt:
    return store.load("docs", generation, *tables(texts))


# Rows and generations


def test_a_load_reads_back_as_it_was_written(store: PostgresStore) -> None:
    user: dict[str, object] = {
        "parent_id": "mine",
        "nested": [None, {"a": 1.5}],
        "bad": float("nan"),
        "n": 10**400,
    }
    text = '# é🙂\n\ttab, \\N and \\. stay\r\n{a,"b"}'
    receipt = store.load("docs", "g1", *tables([text, "two"], metadata=user))
    assert receipt == LoadReceipt(2, 2, 2)
    assert store.counts("docs", "g1") == Counts(2, 2, 2, None)
    rows = store.fetch_chunks(["g1"], ["docs/d1#c", "docs/d0#p", "docs/none"])
    assert list(rows) == ["docs/d1#c", "docs/d0#p"]
    parent, child = rows["docs/d0#p"], rows["docs/d1#c"]
    assert parent.text_content == text
    assert parent.level is Level.PARENT
    assert parent.child_chunk_ids == ("docs/d0#c",)
    assert parent.section_hierarchy == ("Top", "Below")
    assert parent.tags == ("ops",)
    assert parent.description == "What it is about"
    assert (child.start, child.end, child.start_ms, child.end_ms) == (0, 3, None, None)
    assert child.parent_chunk_id == "docs/d1#p"
    assert store.chunk_ids("docs", "g1", Level.CHILD) == {"docs/d0#c", "docs/d1#c"}
    assert store.dangling_pointers("docs", "g1") == (0, 0)
    store.record_vectors("docs", "g1", 4)
    assert store.publish("docs", "g1")
    document_row = store.fetch_document("docs/d0")
    assert document_row is not None
    assert document_row.text == text
    assert document_row.metadata == {**user, "bad": "nan"}
    assert store.fetch_document("docs/none") is None


def test_loading_a_generation_again_replaces_it(store: PostgresStore) -> None:
    load(store, ["one", "two", "three"])
    store.record_vectors("docs", "g1", 6)
    assert load(store, ["four"]) == LoadReceipt(1, 1, 1)
    assert store.counts("docs", "g1") == Counts(1, 1, 1, 6)
    assert found(store, "one") == []


@pytest.mark.parametrize("rows_first", [True, False])
def test_a_generation_goes_live_when_rows_and_vectors_are_there(
    store: PostgresStore, rows_first: bool
) -> None:
    if rows_first:
        load(store, ["one"])
    else:
        store.record_vectors("docs", "g1", 2)
    assert store.is_loaded("docs", "g1") is rows_first
    assert store.publish("docs", "g1") is False
    assert store.live_generations() == {}
    if rows_first:
        store.record_vectors("docs", "g1", 2)
    else:
        load(store, ["one"])
    assert store.publish("docs", "g1") is True
    assert store.publish("docs", "g1") is True
    assert store.live_generations() == {"docs": "g1"}
    assert store.live_generations(["other"]) == {}


def test_publishing_deletes_older_generations_and_leaves_newer_and_other_ones(
    store: PostgresStore,
) -> None:
    for generation in ("g1", "g2", "g3"):
        load(store, ["text"], generation)
        store.record_vectors("docs", generation, 2)
        if generation == "g1":
            assert store.publish("docs", "g1")
    assert store.publish("docs", "g2")
    assert store.live_generations() == {"docs": "g2"}
    assert [store.is_loaded("docs", one) for one in ("g1", "g2", "g3")] == [False, True, True]
    assert store.counts("docs", "g1") == Counts(0, 0, 0, None)
    assert store.counts("docs", "g3").children == 1


def test_a_kill_between_load_and_publish_leaves_the_old_generation_served(
    store: PostgresStore, postgres_url: str
) -> None:
    load(store, ["alpha beta"])
    store.record_vectors("docs", "g1", 2)
    store.publish("docs", "g1")
    schema = repr(store).rsplit(" ", 1)[1].rstrip(")")
    program = (
        "import os, signal, sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_postgres import PostgresStore, tables\n"
        f"store = PostgresStore({postgres_url!r}, {schema!r})\n"
        "store.load('docs', 'g2', *tables(['gamma epsilon']))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    assert store.is_loaded("docs", "g2")
    assert store.live_generations() == {"docs": "g1"}
    assert found(store, "alpha") == ["docs/d0#c"]
    store.record_vectors("docs", "g2", 2)
    assert store.publish("docs", "g2")
    assert store.counts("docs", "g1").children == 0
    assert store.counts("docs", "g2").children == 1


def test_dropping_a_collection_counts_its_rows_and_is_a_no_op_the_second_time(
    store: PostgresStore,
) -> None:
    load(store, ["one", "two"])
    store.record_vectors("docs", "g1", 4)
    store.publish("docs", "g1")
    assert store.drop_collection("docs") == 6
    assert store.drop_collection("docs") == 0
    assert store.live_generations() == {}
    assert store.counts("docs", "g1") == Counts(0, 0, 0, None)


def test_dangling_pointers_are_counted_both_ways(store: PostgresStore) -> None:
    documents, parents, children = tables(["one", "two", "three"])
    store.load("docs", "g1", documents, parents.slice(1), children.slice(0, 2))
    assert store.dangling_pointers("docs", "g1") == (1, 1)


def test_an_empty_collection_can_be_published(store: PostgresStore) -> None:
    assert store.load("docs", "g1", *tables([])) == LoadReceipt(0, 0, 0)
    store.record_vectors("docs", "g1", 0)
    assert store.publish("docs", "g1")


def test_more_rows_than_one_batch_are_loaded(store: PostgresStore) -> None:
    assert load(store, [f"text {place}" for place in range(2100)]).children == 2100


def ensure(url: str, schema: str) -> None:
    with PostgresStore(url, schema) as opened:
        opened.ensure_schema()


def test_several_processes_may_make_the_schema_at_once(postgres_url: str) -> None:
    workers = multiprocessing.get_context("spawn")
    processes = [
        workers.Process(target=ensure, args=(postgres_url, "test_together")) for _ in range(3)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    with PostgresStore(postgres_url, "test_together") as store:
        assert store.live_generations() == {}
        store.drop_schema()


def test_a_schema_of_the_former_version_keeps_its_rows_searchable_and_takes_new_ones(
    store: PostgresStore, postgres_url: str
) -> None:
    load(store, ["the pumps were running"])
    schema = repr(store).rsplit(" ", 1)[1].rstrip(")")
    with psycopg.connect(postgres_url, autocommit=True) as former:
        former.execute(
            f"""
            SET search_path = {schema};
            ALTER TABLE chunks DROP COLUMN search_vector, DROP COLUMN search_config;
            ALTER TABLE chunks ADD COLUMN search_vector tsvector NOT NULL
                GENERATED ALWAYS AS (to_tsvector('pg_catalog.english', search_words)) STORED;
            CREATE INDEX chunks_search_vector ON chunks USING gin (search_vector);
            ALTER TABLE generations DROP COLUMN search_configs;
            COMMENT ON SCHEMA {schema} IS 'momentry schema 1';
            """
        )
    store.ensure_schema()
    store.ensure_schema()
    assert found(store, "run pump") == ["docs/d0#c"]
    load_languages(store, [("de", "Häuser")])
    assert found(store, "Haus") == ["docs/d0#c"]
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(f"COMMENT ON SCHEMA {schema} IS 'momentry schema 99'")
    with pytest.raises(StoreError, match=r"'momentry schema 99'.*drop it"):
        store.ensure_schema()


# What is refused, and how


def test_one_bad_row_is_named_and_nothing_is_written(store: PostgresStore) -> None:
    documents, parents, children = tables(["one", "two"])
    with pytest.raises(StoreError, match=r"chunk 'docs/d1#c' cannot be stored.*duplicate key"):
        store.load("docs", "g1", documents, parents, pa.concat_tables([children, children[1:]]))
    assert not store.is_loaded("docs", "g1")
    assert store.counts("docs", "g1") == Counts(0, 0, 0, None)


def test_nul_and_lone_surrogates_are_refused_with_row_and_column(store: PostgresStore) -> None:
    with pytest.raises(StoreError, match="document 'docs/d1': text contains a NUL"):
        store.load("docs", "g1", *tables(["fine", "bad\x00one"]))
    documents, parents, children = tables(["fine"])
    place = documents.schema.get_field_index("metadata")
    for escape, what in (("\\u0000", "NUL"), ("\\ud800", "lone surrogate")):
        bad = pa.array([f'{{"deep": ["{escape}"]}}'])
        with pytest.raises(StoreError, match=rf"'docs/d0': metadata\['deep'\] contains a {what}"):
            store.load(
                "docs",
                "g1",
                documents.set_column(place, documents.schema.field(place), bad),
                parents,
                children,
            )


def test_rows_of_another_collection_are_refused(store: PostgresStore) -> None:
    with pytest.raises(StoreError, match="'docs/d0' belongs to collection 'docs'"):
        store.load("other", "g1", *tables(["one"]))


def test_missing_tables_are_an_error_that_says_what_to_do(postgres_url: str) -> None:
    with (
        PostgresStore(postgres_url, "test_never_made") as store,
        pytest.raises(StoreError, match="materialise postgres_index first"),
    ):
        store.live_generations()


def test_an_error_names_the_server_and_never_the_password() -> None:
    store = PostgresStore("postgresql://user:s3cret@127.0.0.1:1/momentry")
    with pytest.raises(StoreError, match=r"127\.0\.0\.1, port 1") as caught:
        store.live_generations()
    for text in (str(caught.value), repr(store), repr(caught.value.__cause__)):
        assert "s3cret" not in text
    with pytest.raises(StoreError) as caught:
        PostgresStore("postgresql//user:s3cret@host/momentry")
    assert "s3cret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_connection_that_broke_is_opened_again(store: PostgresStore, postgres_url: str) -> None:
    load(store, ["one"])
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'momentry'"
        )
    assert found(store, "one") == ["docs/d0#c"]


# The lexical channel


def case_40(store: PostgresStore) -> list[str]:
    """The documents and queries of the case; a document is found as its child."""
    case = json.loads((CASE / "input-queries.json").read_text(encoding="utf-8"))
    load(store, case["docs"])
    return case["queries"]


@pytest.mark.parametrize(
    ("query", "place", "mode"),
    [
        ("how do I restart the ingest worker after the queue has stalled overnight", 1, "or"),
        ("pumpctl -n north --watch", 2, "and"),
        ("client", 3, "and"),
        ("restart ingest worker queue", 1, "and"),
    ],
)
def test_case_40_the_expected_document_comes_first(
    store: PostgresStore, query: str, place: int, mode: str
) -> None:
    assert query in case_40(store)
    answer = store.lexical_search(query, generations=["g1"], level=Level.CHILD, limit=10)
    assert answer.hits[0][0] == f"docs/d{place}#c"
    assert answer.mode == mode


def test_case_40_a_leading_minus_is_not_not(store: PostgresStore) -> None:
    case_40(store)
    assert sorted(found(store, "-queue")) == ["docs/d0#c", "docs/d1#c"]


def test_case_40_all_four_words_rank_above_one_word_five_times(store: PostgresStore) -> None:
    case_40(store)
    for query in ("restart ingest worker queue", "restart ingest worker queue overnight"):
        hits = store.lexical_search(query, generations=["g1"], level=Level.CHILD, limit=10).hits
        assert [chunk_id for chunk_id, _ in hits] == ["docs/d1#c", "docs/d0#c"]
        assert hits[0][1] > hits[1][1] > 0


def test_parts_and_wholes_of_compounds_are_found(store: PostgresStore) -> None:
    load(store, ["Error ERR_4021 in node.js.", "err and 4021 apart", "The client/server split"])
    assert found(store, "ERR_4021")[0] == "docs/d0#c"
    assert found(store, '"err_4021"', limit=1) == ["docs/d0#c"]
    assert found(store, "4021")[:2] == ["docs/d0#c", "docs/d1#c"]
    assert found(store, "node") == found(store, "js") == found(store, "node.js") == ["docs/d0#c"]
    assert found(store, "client") == found(store, "servers") == ["docs/d2#c"]
    assert found(store, "client-server") == ["docs/d2#c"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("client/server", f"client{JOINT}server client server"),
        ("--watch, -n", "watch n"),
        ("ERR_4021.", f"err{JOINT}4021 err 4021"),
        ("Redis缓存 数据库 水", "redis 缓存 存 数据 据库 库 水"),
        ("soft\u00adhyphen zero\u200bwidth \ufeffＦＵＬＬ", "softhyphen zerowidth full"),
        ("हिन्दी cafe\u0301", "हिन्दी caf\u00e9"),
        ("& | ! ( ) <-> :* ' \\ \x00", ""),
    ],
)
def test_words_of_a_text(text: str, words: str) -> None:
    assert normalise(text) == words


@pytest.mark.parametrize(
    "query",
    ["a & b", "!queue", "queue:*", "it's \\' quoted''", "<-> | (", "x\x00y", "queue \ud800"],
)
def test_no_query_is_read_as_operators(store: PostgresStore, query: str) -> None:
    load(store, ["queue"])
    assert found(store, query) == (["docs/d0#c"] if "queue" in query else [])


def test_a_two_character_word_inside_chinese_text_is_found(store: PostgresStore) -> None:
    load(store, [("国" * 24 + "。") * 120, "别的文字", "在数据库里面查找"])
    assert found(store, "国国") == ["docs/d0#c"]
    assert found(store, "数据") == found(store, "数据库") == ["docs/d2#c"]


@pytest.mark.parametrize("character", list("在数面找"))
def test_one_character_is_found_wherever_it_stands_in_a_run(
    store: PostgresStore, character: str
) -> None:
    load(store, ["在数据库里面查找", "别的文字"])
    assert found(store, character) == ["docs/d0#c"]


# Languages

MIXED = [
    ("de", "Das Haus am Hafen hat die Flut überstanden."),
    ("en", "The pump was running, so it did not die in the night."),
    ("fr", "Les chevaux mangent dans les prairies."),
    ("ru", "Мы видели старые дома и running pumps."),
    ("pl", "Stare domy stoją nad rzeką."),
    ("zh", "水泵停了 because the valves were closed"),
    ("und", "Valves, hatches, keels"),
]


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("Häuser", [0]),
        ("run", [1, 3]),
        ("die", [1]),
        ("cheval mangeait", [2]),
        ("дом", [3]),
        ("domy", [4]),
        ("dom", []),
        ("valve", [5, 6]),
        ("水泵", [5]),
    ],
)
def test_each_document_is_found_by_the_stems_of_its_language(
    store: PostgresStore, query: str, places: list[int]
) -> None:
    load_languages(store, MIXED)
    assert sorted(found(store, query)) == [f"docs/d{place}#c" for place in places]


def test_other_languages_change_nothing_in_the_scores_of_a_document(store: PostgresStore) -> None:
    load_languages(store, [text for text in MIXED if text[0] == "en"])
    query = "why did the pump die at night"
    alone = store.lexical_search(query, generations=["g1"], level=Level.CHILD, limit=10)
    load_languages(store, [MIXED[1], MIXED[0], *MIXED[2:]], "g2")
    among = store.lexical_search(query, generations=["g2"], level=Level.CHILD, limit=10)
    assert (alone.mode, among.mode) == ("and", "and")
    assert dict(among.hits)["docs/d0#c"] == alone.hits[0][1]


def test_hits_of_several_languages_are_one_order(store: PostgresStore) -> None:
    words = ["Pumpe", "valve", "die", "Nord", "Alarme"]
    chooser = random.Random(7)
    languages = ("de", "en", "fr", "pl", "und")
    load_languages(
        store,
        [
            (chooser.choice(languages), " ".join(chooser.choices(words, k=chooser.randint(1, 6))))
            for _ in range(60)
        ],
    )
    query = "Pumpe valve die Nord Alarm"
    hits = store.lexical_search(query, generations=["g1"], level=Level.CHILD, limit=100).hits
    assert len(hits) > 40
    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    for limit in (1, 2, 7, 20):
        fewer = store.lexical_search(query, generations=["g1"], level=Level.CHILD, limit=limit)
        assert fewer.hits == hits[:limit]


def test_every_configuration_is_one_of_the_server_and_the_rest_is_simple(
    postgres_url: str,
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        known = {row[0] for row in connection.execute("SELECT cfgname FROM pg_ts_config")}
    codes = "ar hy eu ca da nl en et fi fr de el hi hu id ga it lt ne no pt ro ru sr es sv ta tr yi"
    assert {search_config(one, known) for one in codes.split()} == known - {"simple"}
    for code in ("nb", "nn"):
        assert search_config(code, known) == "norwegian"
    for code in ("und", "zh", "ja", "ko", "uk", "he"):
        assert search_config(code, known) == "english"
    for code in ("pl", "vi", "xx", ""):
        assert search_config(code, known) == "simple"
    assert search_config("et", known - {"estonian"}) == "simple"


def test_equal_texts_of_one_document_are_both_found(store: PostgresStore) -> None:
    source = document("docs/faq", "## FAQ\n\nSee above.\n## FAQ\n\nSee above.\n")
    one = chunk(source, Level.CHILD, text="See above.")
    children = [replace(one, chunk_id=f"docs/faq#faq-{place}") for place in (0, 1)]
    store.load("docs", "g1", *as_tables([source], [], children))
    assert found(store, "see above") == ["docs/faq#faq-0", "docs/faq#faq-1"]


def test_search_text_is_matched_instead_of_the_text(store: PostgresStore) -> None:
    source = document("docs/d", "loop loop loop loop")
    child = chunk(source, Level.CHILD, search_text="collapsed")
    store.load("docs", "g1", *as_tables([source], [], [child]))
    assert found(store, "collapsed") == ["docs/d#c"]
    assert found(store, "loop") == []


def test_a_query_of_stop_words_or_marks_has_no_answer(store: PostgresStore) -> None:
    load(store, ["the one"])
    for query in ("the of and", "?!", ""):
        answer = store.lexical_search(query, generations=["g1"], level=Level.CHILD, limit=5)
        assert (answer.hits, answer.mode) == ([], "none")


def test_scores_order_as_hits_do_and_fewer_hits_are_a_prefix(store: PostgresStore) -> None:
    words = ["pump", "valve", "north", "alarm", "restart"]
    chooser = random.Random(7)
    load(store, [" ".join(chooser.choices(words, k=chooser.randint(1, 6))) for _ in range(60)])
    query = "pump valve north alarm restart"
    hits = store.lexical_search(query, generations=["g1"], level=Level.CHILD, limit=50).hits
    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    assert all(0 < score < 1 for _, score in hits)
    for limit in (1, 2, 7, 20):
        fewer = store.lexical_search(query, generations=["g1"], level=Level.CHILD, limit=limit)
        assert fewer.hits == hits[:limit]


def test_a_search_stays_in_its_generation_level_and_document(store: PostgresStore) -> None:
    load(store, ["queue", "queue"])
    load(store, ["queue"], "g2")
    assert len(found(store, "queue")) == 2
    parents = store.lexical_search("queue", generations=["g1"], level=Level.PARENT, limit=9)
    assert [one for one, _ in parents.hits] == ["docs/d0#p", "docs/d1#p"]
    inside = store.lexical_search(
        "queue", generations=["g1"], level=Level.CHILD, limit=9, document_id="docs/d1"
    )
    assert [one for one, _ in inside.hits] == ["docs/d1#c"]
    assert store.lexical_search("queue", generations=[], level=Level.CHILD, limit=9).hits == []


def test_an_overlong_query_is_refused_and_a_long_one_is_not(store: PostgresStore) -> None:
    load(store, ["queue"])
    with pytest.raises(SearchError, match="10,001 characters"):
        found(store, "q" * 10_001)
    assert found(store, "queue " + " ".join(f"w{place}" for place in range(1600))) == ["docs/d0#c"]


def test_a_huge_text_of_unique_words_and_a_giant_word_keep_their_rows(
    store: PostgresStore,
) -> None:
    unique = " ".join(f"{place:x}word" for place in range(130_000))
    assert len(unique) > 1_100_000
    load(store, [unique, "giant" + "x" * 10_000, "😀" * 3000 + " end"])
    assert found(store, "0word") == ["docs/d0#c"]
    assert found(store, "giant" + "x" * 9_000) == ["docs/d1#c"]
    assert found(store, "end") == ["docs/d2#c"]


def test_an_id_longer_than_an_index_row_is_stored(store: PostgresStore) -> None:
    chooser = random.Random(3)
    prefix = "docs/" + "".join(chooser.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=20_000))
    store.load("docs", "g1", *tables(["queue"], prefix=prefix))
    assert found(store, "queue") == [f"{prefix}0#c"]
    assert store.fetch_chunks(["g1"], [f"{prefix}0#p"])[f"{prefix}0#p"].document_id == f"{prefix}0"
