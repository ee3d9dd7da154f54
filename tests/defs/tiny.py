"""A corpus small enough to go through the whole pipeline in seconds."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

COMPILED = Path(tempfile.gettempdir()) / f"momentry-test-numba-{os.getuid()}"
FILES = {
    "docs/rollback.md": """# Rollback runbook

## When to roll back

Roll back when the error rate of the tide service stays above two percent for ten minutes.

## Why a rollback may not fix it

The schema migration is not reversed by a rollback. The old code then reads columns that were
renamed, and the error rate stays where it was. Run the reverse migration first.
""",
    "docs/stations.md": """# Stations

## Sirens

The stations OLM-1 and HAL-2 feed the sirens. When one of them goes silent, tell the harbour
master within five minutes.

## Batteries

A station battery lasts eleven days in winter. Replace it after nine days.
""",
    "docs/ferries.txt": """The ferries fetch their tide tables at six in the morning.

Nothing is deployed between five and half past seven.
""",
    "talks/gauge.srt": """1
00:00:01,000 --> 00:00:04,000
Today we clean the float gauge.

2
00:00:04,500 --> 00:00:08,000
First, lift the float out of the well with both hands.

3
00:00:08,500 --> 00:00:12,000
Mud below the float is the most common reason for a wrong level.

4
00:00:12,500 --> 00:00:15,000
Rinse the well with fresh water and let the float down slowly.
""",
}
QUESTIONS = (
    (
        "why did the rollback not help?",
        "thematic",
        "docs/rollback.md",
        "The schema migration is not reversed by a rollback.",
    ),
    (
        "how long does a battery last in winter",
        "fact",
        "docs/stations.md",
        "A station battery lasts eleven days in winter.",
    ),
    (
        "what makes the gauge show a wrong level",
        "balanced",
        "talks/gauge.srt",
        "Mud below the float is the most common reason for a wrong level.",
    ),
)


@dataclass(frozen=True)
class Tiny:
    """Where a tiny project has its things."""

    home: Path
    corpus: Path
    queries: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a `momentry` process that works on it."""
        kept = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
        return kept | self.variables

    @property
    def variables(self) -> dict[str, str]:
        return {
            "MOMENTRY_HOME": str(self.home),
            "MOMENTRY_CORPUS": str(self.corpus),
            "MOMENTRY_QUERIES": str(self.queries),
            "HF_HUB_OFFLINE": "1",
            "COLUMNS": "200",
        }


def write_tiny(folder: Path) -> Tiny:
    tiny = Tiny(folder / "home", folder / "corpus", folder / "queries.jsonl")
    # ranx compiles for a minute in a new home: homes of tests share what it compiled.
    COMPILED.mkdir(exist_ok=True)
    (tiny.home / "cache").mkdir(parents=True)
    (tiny.home / "cache" / "numba").symlink_to(COMPILED)
    for path, text in FILES.items():
        file = tiny.corpus / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    lines = [
        {
            "query_id": f"q{number}",
            "query": query,
            "kind": kind,
            # Where it stands is found again by its text.
            "evidence": [{"document_id": document, "start": 0, "end": len(text), "text": text}],
        }
        for number, (query, kind, document, text) in enumerate(QUESTIONS, start=1)
    ]
    tiny.queries.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return tiny
