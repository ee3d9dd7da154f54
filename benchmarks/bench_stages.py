"""How long each stage of the sample corpus takes, from files to both indexes, and a second run."""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from momentry_assets.chunking.stage import chunk_collection
from momentry_assets.defs.partitions import read_corpus
from momentry_assets.descriptions.writers import open_writers
from momentry_assets.embedding.encoder import Encoder
from momentry_assets.embedding.profile import read_profile
from momentry_assets.embedding.stage import embed_level
from momentry_assets.model import Level
from momentry_assets.settings import load_settings
from momentry_assets.sources.stage import read_collection
from momentry_assets.stores.opened import open_stores
from momentry_assets.stores.stage import load_postgres, load_vectors
from momentry_assets.tables import TableStore

ROUNDS = 3


def measure() -> str:
    """Median seconds of each stage over fresh homes, first and second run."""
    rounds = [_round() for _ in range(ROUNDS)]
    lines = ["## Stages, sample corpus (`python -m benchmarks`)\n"]
    lines.append(f"Median of {ROUNDS}; the model is loaded before.\n")
    lines.append("| stage | first run, s | second run, s |\n|---|---:|---:|")
    for stage in rounds[0][0]:
        first = statistics.median(one[0][stage] for one in rounds)
        second = statistics.median(one[1][stage] for one in rounds)
        lines.append(f"| {stage} | {first:.2f} | {second:.2f} |")
    return "\n".join(lines) + "\n"


def _round() -> tuple[dict[str, float], dict[str, float]]:
    with tempfile.TemporaryDirectory(prefix="momentry-bench-") as home:
        settings = load_settings(home=Path(home))
        profile = read_profile(settings)
        encoder = Encoder(profile, batch_tokens=settings.embedding_batch_tokens)
        encoder.encode(["warm up"], "document")
        corpus = read_corpus(settings)
        store = TableStore(settings.tables_dir)
        with open_stores(settings) as stores:

            def once() -> dict[str, float]:
                stages: dict[str, Callable[[str, str], object]] = {
                    "read": lambda key, _: read_collection(list(corpus.entries[key]), store, key),
                    "chunk": lambda key, name: chunk_collection(
                        store,
                        key,
                        settings.chunking_of(name),
                        profile,
                        open_writers(settings, settings.chunking_of(name), encoder),
                    ),
                    "embed parents": lambda key, name: embed_level(
                        Level.PARENT, store, key, encoder, settings.context_of(name)
                    ),
                    "embed children": lambda key, name: embed_level(
                        Level.CHILD, store, key, encoder, settings.context_of(name)
                    ),
                    "load PostgreSQL": lambda key, name: load_postgres(
                        store, key, name, stores.postgres, stores.vectors
                    ),
                    "load Qdrant": lambda key, name: load_vectors(
                        store, key, name, stores.postgres, stores.vectors
                    ),
                }
                seconds: dict[str, float] = {}
                for stage, work in stages.items():
                    start = time.perf_counter()
                    for key, name in corpus.names.items():
                        work(key, name)
                    seconds[stage] = time.perf_counter() - start
                return seconds

            return once(), once()
