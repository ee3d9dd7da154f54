"""What only the embedded index promises: several processes, dead builds, damaged folders."""

import os
import shutil
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from momentry_assets.errors import StoreError, StoreLockedError
from momentry_assets.model import Level
from momentry_assets.settings import load_settings
from momentry_assets.stores.open_vectors import open_vector_index
from momentry_assets.stores.qdrant_edge_index import QdrantEdgeIndex
from momentry_assets.stores.vectors import PointBatch


def points(count: int, dimension: int = 8, *, prefix: str = "c", seed: int = 0) -> PointBatch:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return PointBatch(
        [f"{prefix}{number}" for number in range(count)], vectors, [{"level": "child"}] * count
    )


def best(index: QdrantEdgeIndex, name: str = "docs") -> str:
    query = np.ones(index.dimension(name), dtype=np.float32)
    return index.query(name, query, limit=1, level=Level.CHILD)[0].chunk_id


# A process that begins to build, says so, and waits to be killed.
UNFINISHED_BUILD = """
    import sys, time
    from pathlib import Path
    import numpy as np
    from momentry_assets.stores.qdrant_edge_index import QdrantEdgeIndex
    from momentry_assets.stores.vectors import PointBatch

    def batches():
        vectors = np.random.default_rng(5).standard_normal((500, 8)).astype(np.float32)
        yield PointBatch([f"half{n}" for n in range(500)], vectors, [{"level": "child"}] * 500)
        print("half", flush=True)
        time.sleep(120)

    QdrantEdgeIndex(Path(sys.argv[1])).build(sys.argv[2], 8, batches())
"""

# A process that opens a generation, says its size, and asks again when told to.
READER = """
    import sys
    from pathlib import Path
    import numpy as np
    from momentry_assets.errors import StoreError
    from momentry_assets.model import Level
    from momentry_assets.stores.qdrant_edge_index import QdrantEdgeIndex

    index = QdrantEdgeIndex(Path(sys.argv[1]))
    print(index.count("docs", Level.CHILD), flush=True)
    for line in sys.stdin:
        try:
            query = np.ones(8, dtype=np.float32)
            print(index.query("docs", query, limit=1, level=Level.CHILD)[0].chunk_id, flush=True)
        except StoreError as error:
            print("StoreError:", error, flush=True)
"""


def start(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def line_of(process: subprocess.Popen[str], say: str = "") -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    if say:
        process.stdin.write(say + "\n")
        process.stdin.flush()
    return process.stdout.readline().strip()


def test_a_build_that_is_killed_leaves_the_old_generation_and_the_next_one_heals(
    tmp_path: Path,
) -> None:
    index = QdrantEdgeIndex(tmp_path)
    index.build("docs", 8, [points(50)])
    before = best(index)
    for name in ("docs", "new"):
        with start(UNFINISHED_BUILD, str(tmp_path), name) as process:
            assert line_of(process) == "half"
            process.kill()
        assert index.names() == ["docs"]
        assert (index.count("docs"), best(index)) == (50, before)
    # The second build removed what the first had left; its own remains are still there.
    assert len(list(tmp_path.glob(".*"))) == 2
    index.build("docs", 8, [points(60, prefix="healed")])
    assert (index.count("docs"), best(index)[:6]) == (60, "healed")
    assert len(list(tmp_path.glob(".*"))) == 1


def test_a_second_writer_is_told_which_process_holds_the_index(tmp_path: Path) -> None:
    index = QdrantEdgeIndex(tmp_path)
    index.build("docs", 8, [points(10)])
    with start(UNFINISHED_BUILD, str(tmp_path), "other") as process:
        assert line_of(process) == "half"
        with pytest.raises(StoreLockedError, match=rf"write\.lock: process {process.pid} "):
            index.build("docs", 8, [points(10)])
        with pytest.raises(StoreLockedError, match=f"process {process.pid} "):
            index.drop("docs")
        assert index.count("docs") == 10, "readers never wait for a writer"
        process.kill()
    assert index.drop("docs")


def test_processes_read_one_generation_together_and_follow_its_replacement(
    tmp_path: Path,
) -> None:
    index = QdrantEdgeIndex(tmp_path)
    index.build("docs", 8, [points(30)])
    with start(READER, str(tmp_path)) as one, start(READER, str(tmp_path)) as two:
        assert [line_of(one), line_of(two)] == ["30", "30"]
        assert line_of(one, "ask") == line_of(two, "ask") == best(index)
        index.build("docs", 8, [points(30, prefix="next", seed=1)])
        assert line_of(one, "ask").startswith("next")
        assert index.drop("docs")
        for reader in (one, two):
            assert "no vector generation 'docs'" in line_of(reader, "ask")
        index.build("docs", 8, [points(5, prefix="again")])
        assert line_of(two, "ask").startswith("again")
        for reader in (one, two):
            assert reader.stdin is not None
            reader.stdin.close()
            assert reader.wait(timeout=20) == 0


def test_a_reading_that_has_begun_ends_although_the_generation_is_dropped(tmp_path: Path) -> None:
    index = QdrantEdgeIndex(tmp_path)
    index.build("docs", 8, [points(2500)])
    reading = index.chunk_ids("docs")
    first = next(reading)
    QdrantEdgeIndex(tmp_path).drop("docs")
    assert len({first, *reading}) == 2500


def test_threads_search_while_the_generation_is_replaced(tmp_path: Path) -> None:
    index = QdrantEdgeIndex(tmp_path)
    index.build("docs", 8, [points(300, prefix="v0-")])
    with ThreadPoolExecutor(4) as threads:
        searches = [threads.submit(lambda: {best(index) for _ in range(150)}) for _ in range(4)]
        for version in range(1, 4):
            index.build("docs", 8, [points(300, prefix=f"v{version}-")])
        answers = set[str]().union(*(search.result() for search in searches))
    assert all(answer.startswith("v") for answer in answers)
    assert best(index).startswith("v3-")


@pytest.mark.parametrize(
    "damaged",
    [
        "generation.json",
        "edge_config.json",
        "segments/*/segment.json",
        "segments/*/vector_storage-dense/**/*",
        "segments/*/payload_storage/*",
        "segments/*/*id_tracker*",
    ],
)
def test_a_damaged_folder_is_named_with_what_to_do_and_a_build_heals_it(
    tmp_path: Path, damaged: str
) -> None:
    QdrantEdgeIndex(tmp_path).build("docs", 8, [points(300)])
    folder = (tmp_path / "docs").resolve()
    for path in folder.glob(damaged):
        if path.is_file():
            os.truncate(path, 0)
    index = QdrantEdgeIndex(tmp_path)
    with pytest.raises(StoreError, match=r"docs.*not usable.*materialize qdrant_index"):
        best(index)
    index.build("docs", 8, [points(20)])
    assert (index.count("docs"), best(index)[0]) == (20, "c")


def test_missing_segments_are_damage_not_an_empty_index(tmp_path: Path) -> None:
    QdrantEdgeIndex(tmp_path).build("docs", 8, [points(300)])
    shutil.rmtree((tmp_path / "docs").resolve() / "segments")
    with pytest.raises(StoreError, match="it holds 0 of 300 points"):
        QdrantEdgeIndex(tmp_path).count("docs", Level.CHILD)
    assert QdrantEdgeIndex(tmp_path).drop("docs")


def test_the_folder_can_be_moved_and_copied(tmp_path: Path) -> None:
    QdrantEdgeIndex(tmp_path / "a").build("docs", 8, [points(30)])
    (tmp_path / "a").rename(tmp_path / "b")
    # Follows links, so that the copy holds folders where the original has links.
    shutil.copytree(tmp_path / "b", tmp_path / "c")
    for place in ("b", "c"):
        index = QdrantEdgeIndex(tmp_path / place)
        assert index.count("docs") == 30
        assert best(index)
        index.build("docs", 8, [points(40)])
        assert index.count("docs") == 40
        assert index.drop("docs")
        assert not list((tmp_path / place).glob(".*"))


def test_asking_an_index_that_was_never_built_makes_no_folder(tmp_path: Path) -> None:
    with QdrantEdgeIndex(tmp_path / "qdrant") as index:
        assert index.names() == []
        assert index.drop("docs") is False
    assert list(tmp_path.iterdir()) == []


def test_without_a_server_the_settings_open_the_embedded_index(tmp_path: Path) -> None:
    with open_vector_index(load_settings(home=tmp_path, qdrant_url=None)) as index:
        assert isinstance(index, QdrantEdgeIndex)
        assert index.folder == tmp_path / "qdrant"


def test_a_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, qdrant_url="http://127.0.0.1:9")
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:9: .*MOMENTRY_QDRANT_URL"):
        open_vector_index(settings)


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "exact_up_to"), [(384, 100_000), (64, 0)])
def test_nineteen_of_twenty_nearest_are_found_among_20_000_random_points(
    tmp_path: Path, dimension: int, exact_up_to: int
) -> None:
    """By exact scan, the default at this size, and by the graph that larger generations get."""
    index = QdrantEdgeIndex(tmp_path, exact_up_to_points=exact_up_to)
    batch = points(20_000, dimension)
    index.build("docs", dimension, [batch])
    units = batch.vectors / np.linalg.norm(batch.vectors, axis=1, keepdims=True)
    queries = np.random.default_rng(1).standard_normal((50, dimension)).astype(np.float32)
    found = 0
    for query in queries:
        true = {f"c{row}" for row in np.argsort(-(units @ query))[:10]}
        hits = index.query("docs", query, limit=10, level=Level.CHILD)
        found += len(true & {hit.chunk_id for hit in hits})
    assert found / 500 >= 0.95
    graphs = list((tmp_path / "docs").resolve().glob("segments/*/vector_index-dense/*"))
    assert bool(graphs) is (exact_up_to == 0)
