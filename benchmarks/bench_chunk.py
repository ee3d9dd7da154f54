"""Reading and chunking 20 MB of Markdown on both levels, beside Chonkie and LangChain.

``python -m benchmarks.bench_chunk`` alone; the peers come with ``pip install -e ".[bench]"``.
Everybody gets the same files, the same tokenizer (the bundled model's) and the same limits, in a
process of its own, one file after another, and keeps all chunks. Ours includes decoding, the
block structure, ids, hashes and links; the peers get the text decoded.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.chunk_quality import Quality, quality_of
from benchmarks.markdown_corpus import MarkdownCorpus
from momentry_assets.chunking import chunk_document
from momentry_assets.embedding.profile import read_profile
from momentry_assets.embedding.tokens import TokenCounter
from momentry_assets.settings import ChunkingSettings, load_settings
from momentry_assets.sources.registry import read_document

SEED = 20
ROUNDS = 3
CHARACTERS = 20_000_000
LARGE = 4_000_000
CHILD, PARENT = 80, 400
ROOM = 480
HEADINGS = [f"\n{'#' * level} " for level in range(1, 7)]

Spans = list[tuple[int, int]]
# What a contender makes of one document: parents, children, chunks that are not where they say.
Chunked = tuple[Spans, Spans, int]
Contender = tuple[Callable[[bytes], Any], Callable[[Any, str], Chunked]]


def measure(rounds: int = ROUNDS) -> str:
    """Time, memory and quality of every contender, then our time for twice the length."""
    with tempfile.TemporaryDirectory(prefix="momentry-bench-") as name:
        folder = Path(name)
        size = _write_corpus(folder) / 1e6
        runs: dict[str, list[dict[str, Any]]] = {}
        missing = [f"{one} (not installed)" for one in CONTENDERS if not _is_installed(one)]
        # Alternating, so that a slow minute of the machine is everybody's.
        for number in range(rounds):
            for one in CONTENDERS:
                if _is_installed(one):
                    runs.setdefault(one, []).append(_run(one, folder, quality=number == 0))
    lines = [
        "## Chunking (`python -m benchmarks.bench_chunk`)\n",
        f"{size:.1f} MB of generated Markdown (seed {SEED}), children of {CHILD} and parents of "
        f"{PARENT} tokens; median of {rounds} runs, alternating, each in its own process.\n",
        "| | s | MB/s | times ours | CPU s | peak MB | parents | children |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    seconds = {one: statistics.median(run["seconds"] for run in made) for one, made in runs.items()}
    for one, made in runs.items():
        cpu, peak = (statistics.median(run[what] for run in made) for what in ("cpu", "peak"))
        lines.append(
            f"| {one} | {seconds[one]:.2f} | {size / seconds[one]:.2f} "
            f"| {seconds[one] / seconds['momentry']:.1f} | {cpu:.2f} | {peak:.0f} "
            f"| {made[0]['parents']:,} | {made[0]['children']:,} |"
        )
    lines += [f"\nMissing: {', '.join(missing)}." for _ in range(bool(missing))]
    lines += [
        "\n| | fences cut | heading inside | crumbs | over limit | lost | misplaced |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for one, made in runs.items():
        cells = " | ".join(f"{value:,}" for value in made[0]["quality"].values())
        lines.append(f"| {one} | {cells} |")
    lines.append(
        "\nFences that fit a child and stand whole in none; children with a heading behind other "
        "text; children under 20 characters that are not their section; children over the limit "
        "(ours: a fence or table that fits, with its short lead); characters in no parent; chunks "
        "whose offsets are not those of the file or that are nowhere in it. Without tokens: "
        "counts bytes, four a token."
    )
    return "\n".join([*lines, "", *_doubling()]) + "\n"


def _doubling() -> Iterator[str]:
    """Our time for 2 MB and 4 MB in one document of each shape."""
    corpus = MarkdownCorpus(SEED, _vocabulary())
    words = " ".join(corpus.words(LARGE // 5))
    row = "| {} | pump house | oiled in spring and again in autumn |\n"
    shapes: dict[str, Callable[[int], str]] = {
        "documentation": corpus.document,
        "one line": lambda size: words[:size],
        "Chinese without a space": lambda size: ("国" * 24 + "。") * (size // 25),
        "tiny sections": lambda size: "".join(f"# {n}\n\nYes.\n\n" for n in range(size // 14)),
        "one table": lambda size: (
            "| No | Place | Care |\n|---|---|---|\n" + "".join(map(row.format, range(size // 58)))
        ),
        "one image in base64": lambda size: (
            f"# A\n\n![x](data:image/png;base64,{'iVBO' * (size // 4)})\n"
        ),
    }
    yield "| one document | 2 MB, s | 4 MB, s | ratio |\n|---|---:|---:|---:|"
    for shape, make in shapes.items():
        times: list[float] = []
        for size in (LARGE // 2, LARGE):
            raw = make(size).encode()
            chunk, _ = _momentry()
            rounds: list[float] = []
            for _ in range(ROUNDS):
                start = time.perf_counter()
                chunk(raw)
                rounds.append(time.perf_counter() - start)
            times.append(statistics.median(rounds))
        yield f"| {shape} | {times[0]:.2f} | {times[1]:.2f} | {times[1] / times[0]:.2f} |"


def _momentry() -> Contender:
    counter = TokenCounter(read_profile(load_settings()))
    sizes = ChunkingSettings(child_max_tokens=CHILD, parent_max_tokens=PARENT)

    def chunk(raw: bytes) -> Any:
        document = read_document(raw, collection="docs", path="docs/one.md")
        return chunk_document(document, sizes, counter, max_tokens=ROOM)

    def spans(made: Any, text: str) -> Chunked:
        chunks = (*made.parents, *made.children)
        wrong = sum(text[one.start : one.end] != one.text_content for one in chunks)
        parents, children = (
            [(one.start, one.end) for one in level] for level in (made.parents, made.children)
        )
        return parents, children, wrong

    return chunk, spans


def _chonkie(chunkers: Sequence[Any]) -> Contender:
    """Two passes of Chonkie, as its documentation does for several sizes."""

    def chunk(raw: bytes) -> Any:
        text = raw.decode()
        return [chunker.chunk(text) for chunker in chunkers]

    def spans(made: Any, text: str) -> Chunked:
        wrong = sum(text[one.start_index : one.end_index] != one.text for one in chain(*made))
        parents, children = ([(one.start_index, one.end_index) for one in level] for level in made)
        return parents, children, wrong

    return chunk, spans


def _recursive(tokenizer: Any) -> Contender:
    from chonkie import RecursiveChunker, RecursiveLevel, RecursiveRules

    # The Markdown recipe of its documentation, which is otherwise fetched from a hub.
    rules = RecursiveRules(
        [
            RecursiveLevel(delimiters=HEADINGS, include_delim="next"),
            RecursiveLevel(delimiters=["\n\n", "\n", "\r\n", "\r"]),
            RecursiveLevel(delimiters=[". ", "? ", "! "]),
            RecursiveLevel(whitespace=True),
            RecursiveLevel(),
        ]
    )
    return _chonkie(
        [RecursiveChunker(tokenizer, chunk_size=size, rules=rules) for size in (PARENT, CHILD)]
    )


def _sentence(tokenizer: Any) -> Contender:
    from chonkie import SentenceChunker

    return _chonkie([SentenceChunker(tokenizer, chunk_size=size) for size in (PARENT, CHILD)])


def _fast() -> Contender:
    from chonkie import FastChunker

    return _chonkie([FastChunker(chunk_size=4 * size) for size in (PARENT, CHILD)])


def _langchain() -> Contender:
    """Sections by heading, parents and children in them, as its ParentDocumentRetriever does."""
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(_tokenizer_file().parent))
    sections = MarkdownHeaderTextSplitter(
        [("#" * level, f"h{level}") for level in range(1, 5)], strip_headers=False
    )
    large, small = (
        RecursiveCharacterTextSplitter.from_huggingface_tokenizer(
            tokenizer, chunk_size=size, chunk_overlap=0, add_start_index=True
        )
        for size in (PARENT, CHILD)
    )

    def chunk(raw: bytes) -> Any:
        parents = large.split_documents(sections.split_text(raw.decode()))
        return parents, small.split_documents(parents)

    def spans(made: Any, text: str) -> Chunked:
        wrong = 0
        levels: list[Spans] = []
        for level in made:
            placed: Spans = []
            for one in level:
                said = one.metadata["start_index"]
                wrong += text[said : said + len(one.page_content)] != one.page_content
                after = placed[-1][0] if placed else 0
                at = text.find(one.page_content, after, after + 100_000)
                if at >= 0:
                    placed.append((at, at + len(one.page_content)))
            levels.append(placed)
        return levels[0], levels[1], wrong

    return chunk, spans


def _hf_tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(_tokenizer_file()))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _tokie_tokenizer() -> Any:
    import tokie

    tokenizer = tokie.Tokenizer.from_json(str(_tokenizer_file()))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


CONTENDERS: dict[str, tuple[tuple[str, ...], Callable[[], Contender]]] = {
    "momentry": ((), _momentry),
    "Chonkie recursive, `tokenizers`": (("chonkie",), lambda: _recursive(_hf_tokenizer())),
    "Chonkie recursive, its own `tokie`": (("chonkie",), lambda: _recursive(_tokie_tokenizer())),
    "Chonkie sentence, its own `tokie`": (("chonkie",), lambda: _sentence(_tokie_tokenizer())),
    "LangChain, `transformers`": (("langchain_text_splitters",), _langchain),
    "Chonkie fast, without tokens": (("chonkie",), _fast),
}


def _is_installed(contender: str) -> bool:
    return all(find_spec(package) for package in CONTENDERS[contender][0])


def _run(contender: str, folder: Path, *, quality: bool) -> dict[str, Any]:
    print(f"  {contender} …", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "benchmarks.bench_chunk", contender, str(folder)]
    done = subprocess.run(
        [*command, str(int(quality))], check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def _contend(contender: str, folder: Path, *, quality: bool) -> dict[str, Any]:
    """What one process measures."""
    chunk, spans = CONTENDERS[contender][1]()
    chunk(b"# Warm\n\nUp.\n")
    paths = sorted(folder.glob("*.md"))
    start, cpu = time.perf_counter(), time.process_time()
    made = [chunk(path.read_bytes()) for path in paths]
    result: dict[str, Any] = {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "peak": _peak_mb(),
    }
    counter = TokenCounter(read_profile(load_settings()))

    def tokens(texts: Sequence[str]) -> list[int]:
        return [count - counter.special_tokens for count in counter.count(texts)]

    total = Quality()
    parents = children = 0
    for path, one in zip(paths, made, strict=True):
        text = path.read_bytes().decode()
        large, small, misplaced = spans(one, text)
        parents, children = parents + len(large), children + len(small)
        if quality:
            total += quality_of(text, large, small, tokens, CHILD, misplaced)
    return {**result, "parents": parents, "children": children, "quality": asdict(total)}


def _peak_mb() -> float:
    """The most memory this process ever had, without what it inherited at its start."""
    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def _write_corpus(folder: Path) -> int:
    """Documents of 10 to 200 thousand characters and a large one; their size in bytes."""
    sizes = random.Random(SEED)
    wanted: list[int] = []
    while sum(wanted) < CHARACTERS - LARGE:
        wanted.append(int(sizes.triangular(10_000, 200_000, 10_000)))
    size = 0
    documents = MarkdownCorpus(SEED, _vocabulary()).documents([*wanted, LARGE])
    for number, document in enumerate(documents):
        size += (folder / f"{number:04}.md").write_bytes(document.encode())
    return size


def _vocabulary() -> list[str]:
    """Words of the model's vocabulary, which is ordered by frequency."""
    vocabulary = json.loads(_tokenizer_file().read_text(encoding="utf-8"))["model"]["vocab"]
    words = sorted(vocabulary, key=vocabulary.__getitem__)
    return [word for word in words if word.isascii() and word.isalpha() and len(word) > 1]


def _tokenizer_file() -> Path:
    return read_profile(load_settings()).folder / "tokenizer.json"


if __name__ == "__main__":
    if len(sys.argv) > 3:
        found = _contend(sys.argv[1], Path(sys.argv[2]), quality=sys.argv[3] == "1")
        print(json.dumps(found))
    else:
        print(measure(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
