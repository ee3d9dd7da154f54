"""`momentry run` as a newcomer has it: everything once, nothing over again, nothing left behind."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.slow

HANDBOOK = """# Pumps

## Oiling

The red pump is oiled every spring. Use the thin oil from the shed.

The thick oil is for the gate; in the pump it blocks the valve within a week.

## Filters

The filter is cleaned on the first day of the month and changed in autumn.
"""


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory(prefix="momentry-test-") as name:
        root = Path(name).resolve()
        (root / "corpus" / "docs").mkdir(parents=True)
        (root / "corpus" / "docs" / "pumps.md").write_text(HANDBOOK)
        start = HANDBOOK.index("The red pump")
        end = HANDBOOK.index("## Filters") - 2
        question = {
            "query_id": "q1",
            "query": "which oil does the pump get, and what happens with the wrong one?",
            "kind": "fact",
            "evidence": [
                {
                    "document_id": "docs/pumps.md",
                    "start": start,
                    "end": end,
                    "text": HANDBOOK[start:end],
                }
            ],
        }
        (root / "queries.jsonl").write_text(json.dumps(question) + "\n")
        yield {
            **os.environ,
            "MOMENTRY_HOME": str(root / "home"),
            "MOMENTRY_CORPUS": str(root / "corpus"),
            "MOMENTRY_QUERIES": str(root / "queries.jsonl"),
        }


def run(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).parent / "momentry"), "run", "--question", "which oil?"],
        env=environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


def products(home: Path) -> dict[str, int]:
    """Every table and answer with its time, and the names of the vector indexes.

    Qdrant touches its own files when it opens an index.
    """
    files = [*(home / "tables").rglob("*.*"), *(home / "evaluations").rglob("*.json")]
    return {str(path): path.stat().st_mtime_ns for path in files} | {
        str(path): 0 for path in (home / "qdrant").iterdir()
    }


def test_a_run_ends_with_the_table_an_answer_and_the_report_and_a_second_does_nothing(
    project: dict[str, str],
) -> None:
    home = Path(project["MOMENTRY_HOME"])
    first = run(project)
    assert first.returncode == 0, first.stdout + first.stderr
    for name in ("parent_child", "single_small", "single_large"):
        assert name in first.stdout
    assert "The red pump is oiled every spring" in first.stdout
    assert (home / "reports" / "latest.html").exists()
    assert str(home / "reports" / "latest.html") in first.stdout.replace("\n", "")
    before = products(home)
    second = run(project)
    assert second.returncode == 0, second.stdout + second.stderr
    assert products(home) == before
    assert "embedded" not in second.stdout
    deadline = time.monotonic() + 10
    while _left_behind(home) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert _left_behind(home) == []


def _left_behind(home: Path) -> list[str]:
    found: list[str] = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or [])
        if str(home) in line:
            found.append(line)
    return found
