"""The corpus on disk: documents, companions, and everything skipped with its reason."""

import os
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentry_assets.errors import SourceError
from momentry_assets.sources.walk import Walk, partition_key, walk


def make(corpus: Path, *paths: str) -> None:
    for path in paths:
        file = corpus / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x\n", encoding="utf-8")


def paths(found: Walk) -> list[str]:
    return [entry.path for entry in found.entries]


def reasons(found: Walk) -> dict[str, str]:
    return {item.path: item.reason for item in found.skipped}


def test_collections_are_the_top_folders_and_paths_are_sorted(tmp_path: Path) -> None:
    make(tmp_path, "b/z.md", "b/deep/er/a.md", "a/z.txt", "loose.md")
    (tmp_path / "empty").mkdir()
    found = walk(tmp_path)
    assert found.collections == ("a", "b", "empty")
    assert paths(found) == ["a/z.txt", "b/deep/er/a.md", "b/z.md"]
    assert [entry.collection for entry in found.entries] == ["a", "b", "b"]
    assert found.entries[0].file == tmp_path / "a" / "z.txt"
    assert "no collection" in reasons(found)["loose.md"]


def test_what_is_skipped_is_listed_with_its_reason(tmp_path: Path) -> None:
    make(tmp_path, "a/pump", "a/x.png", "a/.hidden.md", ".git/config", "a/ok.MD")
    os.mkfifo(tmp_path / "a" / "pipe.md")
    found = walk(tmp_path)
    assert paths(found) == ["a/ok.MD"]
    assert reasons(found) == {
        ".git": "hidden",
        "a/.hidden.md": "hidden",
        "a/pipe.md": "neither a file nor a folder",
        "a/pump": "no extension",
        "a/x.png": "unknown extension .png",
    }


def test_symbolic_links_stay_in_the_corpus_and_make_no_rings(tmp_path: Path) -> None:
    corpus, outside = tmp_path / "corpus", tmp_path / "outside"
    make(corpus, "a/x.md", "b/y.md")
    make(outside, "secret.md")
    (corpus / "a" / "up").symlink_to(corpus)
    (corpus / "a" / "self").symlink_to(corpus / "a")
    (corpus / "a" / "loop").symlink_to(corpus / "a" / "loop")
    (corpus / "a" / "gone.md").symlink_to(corpus / "nowhere.md")
    (corpus / "a" / "secret.md").symlink_to(outside / "secret.md")
    (corpus / "a" / "out").symlink_to(outside)
    (corpus / "a" / "b").symlink_to(corpus / "b")
    (corpus / "b" / "a").symlink_to(corpus / "a")
    (corpus / "b" / "same.md").symlink_to(corpus / "b" / "y.md")
    found = walk(corpus)
    assert paths(found) == [
        "a/b/same.md",
        "a/b/y.md",
        "a/x.md",
        "b/a/x.md",
        "b/same.md",
        "b/y.md",
    ]
    skipped = reasons(found)
    assert "ring" in skipped["a/up"]
    assert "ring" in skipped["a/self"]
    assert skipped["a/loop"]
    assert skipped["a/gone.md"]
    assert "leaves the corpus" in skipped["a/secret.md"]
    assert "leaves the corpus" in skipped["a/out"]
    assert skipped["a/b/a"]
    assert skipped["b/a/b"]


def test_a_corpus_that_is_itself_a_link_is_read(tmp_path: Path) -> None:
    make(tmp_path / "real", "a/x.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert paths(walk(tmp_path / "link")) == ["a/x.md"]


def test_a_scene_list_belongs_to_the_media_beside_it(tmp_path: Path) -> None:
    make(
        tmp_path,
        *("m/talk.json", "m/talk-Scenes.csv", "m/film.en-GB.vtt", "m/film-Scenes.csv"),
        *("m/note.md", "m/note-Scenes.csv", "m/table.csv", "n/talk-Scenes.csv"),
    )
    found = walk(tmp_path)
    companions = {entry.path: [file.name for file in entry.companions] for entry in found.entries}
    assert companions == {
        "m/film.en-GB.vtt": ["film-Scenes.csv"],
        "m/note.md": [],
        "m/talk.json": ["talk-Scenes.csv"],
    }
    assert "without a media file 'talk'" in reasons(found)["n/talk-Scenes.csv"]
    assert "without a media file 'note'" in reasons(found)["m/note-Scenes.csv"]
    assert reasons(found)["m/table.csv"] == "unknown extension .csv"


def test_a_scene_list_is_found_in_the_other_unicode_form_unless_one_has_the_very_name(
    tmp_path: Path,
) -> None:
    composed, apart = "caf\u00e9", "cafe\u0301"
    make(tmp_path, f"a/{composed}.json", f"a/{apart}-Scenes.csv")
    make(tmp_path, *(f"b/{name}" for name in (f"{composed}.json", f"{composed}-Scenes.csv")))
    make(tmp_path, *(f"b/{name}" for name in (f"{apart}.json", f"{apart}-Scenes.csv")))
    companions = {
        entry.path: [file.name for file in entry.companions] for entry in walk(tmp_path).entries
    }
    assert companions == {
        f"a/{composed}.json": [f"{apart}-Scenes.csv"],
        f"b/{composed}.json": [f"{composed}-Scenes.csv"],
        f"b/{apart}.json": [f"{apart}-Scenes.csv"],
    }


def test_lock_files_of_office_programs_are_no_documents(tmp_path: Path) -> None:
    make(tmp_path, "a/~$report.docx", "a/b.md")
    found = walk(tmp_path)
    assert paths(found) == ["a/b.md"]
    assert "lock" in reasons(found)["a/~$report.docx"]


def test_names_that_are_no_utf8_are_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    folder = os.fsencode(tmp_path) + b"/a"
    try:
        Path(os.fsdecode(folder + b"/caf\xe9.md")).write_bytes(b"x")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    Path(os.fsdecode(folder + b"/caf\xe9.zip")).write_bytes(b"x")
    found = walk(tmp_path)
    assert [os.fsencode(entry.path) for entry in found.entries] == [b"a/caf\xe9.md"]
    assert found.skipped[0].path == "a/caf%E9.zip"


def test_a_missing_corpus_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        walk(tmp_path / "none")


@pytest.mark.parametrize("name", ["docs", "media", "docs-2026", "v1.2_final", "0"])
def test_a_plain_name_is_its_own_partition_key(name: str) -> None:
    assert partition_key(name) == name


TWINS = [
    *("Report", "report", "REPORT", "café", unicodedata.normalize("NFD", "café"), "cafe"),
    *("a b", "a-b", "a_b", "a  b", "a/b", "a", "a...b", "a..b", "..", ".", "", " ", "\n"),
    *("line\nbreak", "line break", "a,b|c[d]", "泵", "水", "🚀", "n" * 300, "n" * 301, "-a", "a."),
    *("\udce9", "\udcea", partition_key("Report"), partition_key(partition_key("Report"))),
]


def test_partition_keys_are_safe_short_and_unique() -> None:
    keys = [partition_key(name) for name in TWINS]
    assert len(set(keys)) == len(TWINS)
    assert len({key.lower() for key in keys}) == len(TWINS)
    for key in keys:
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,120}", key)
        assert "..." not in key


@given(st.text(max_size=40), st.text(max_size=40))
def test_two_names_have_two_partition_keys(first: str, second: str) -> None:
    assert (partition_key(first) == partition_key(second)) is (first == second)
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,120}", partition_key(first))
    assert "..." not in partition_key(first)
