"""`make bench`: run every ``bench_*.py`` and write ``benchmarks/results.md``."""

import importlib
import os
import platform
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = ("dagster", "torch", "sentence-transformers", "pyarrow", "qdrant-edge-py", "psycopg")


def main() -> None:
    """Each script has ``measure() -> str``: a Markdown section with its own command."""
    machine = (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; "
        + ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    )
    sections = [f"# Measurements\n\nMade by `make bench` on {machine}.\n"]
    for script in sorted(HERE.glob("bench_*.py")):
        print(f"{script.name} …", flush=True)
        section = importlib.import_module(f"benchmarks.{script.stem}").measure()
        print(section)
        sections.append(section)
    (HERE / "results.md").write_text("\n".join(sections), encoding="utf-8")


if __name__ == "__main__":
    main()
