"""The ``momentry`` command."""

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel

from momentry_assets.errors import MomentryError
from momentry_assets.search.results import SearchRequest, SearchResponse, SearchResult
from momentry_assets.settings import load_settings

app = typer.Typer(
    help="Small-to-big retrieval: match on the fragment, return the section.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
console = Console()
SAMPLE_QUESTION = "why didn't the rollback fix it?"


@app.command()
def run(
    question: Annotated[str, typer.Option(help="Question asked at the end.")] = SAMPLE_QUESTION,
) -> None:
    """Read, chunk, embed and load the corpus, evaluate, and answer a question."""
    # Deferred: Dagster takes a second to import and only these commands need it.
    from momentry_assets.defs.runner import run_everything

    outcome = run_everything(load_settings(), console)
    _print_search(question, k=3)
    console.print(outcome.comparison)
    console.print(f"[bold]{escape(outcome.verdict)}[/bold]")
    console.print(f"Report: {outcome.report}", soft_wrap=True)
    console.print("Open everything in the browser with: make ui", style="dim")


@app.command()
def ui(
    port: Annotated[int, typer.Option(help="Port of the Dagster UI on loopback.")] = 3000,
) -> None:
    """Open the Dagster UI, with the reports folder served beside it on loopback."""
    from momentry_assets.defs.ui import serve_ui

    raise typer.Exit(serve_ui(load_settings(), port, console))


@app.command()
def search(
    query: str,
    k: Annotated[int, typer.Option("-k", help="Read units to return.")] = 5,
    collection: Annotated[list[str] | None, typer.Option(help="Only these collections.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Answer a question from the loaded corpus."""
    _print_search(query, k, tuple(collection or ()), json_output)


def main() -> None:
    """Entry point: errors of our own are one line, not a traceback."""
    try:
        app()
    except MomentryError as error:
        Console(stderr=True).print(f"[red]momentry:[/red] {escape(str(error))}", soft_wrap=True)
        raise SystemExit(1) from error


def _print_search(
    query: str, k: int, collections: tuple[str, ...] = (), json_output: bool = False
) -> None:
    from momentry_assets.search.open import open_searcher

    settings = load_settings()
    with open_searcher(settings) as searcher:
        response = searcher.search(
            SearchRequest(query, k=k, dense_weight=settings.dense_weight, collections=collections)
        )
    if json_output:
        print(json.dumps(asdict(response), ensure_ascii=False, indent=1))
        return
    _show(response)


def _show(response: SearchResponse) -> None:
    console.print(f"\n[bold]{escape(response.request.query)}[/bold]")
    for rank, result in enumerate(response.results, start=1):
        console.print(_panel(rank, result))
    if not response.results:
        console.print("Nothing was found.")
    spent = ", ".join(f"{stage} {1000 * took:.0f} ms" for stage, took in response.seconds.items())
    console.print(f"lexical: {response.lexical_mode}; {spent}", style="dim")


def _panel(rank: int, result: SearchResult) -> Panel:
    best = result.matches[0]
    text, start, end = result.text, best.start - result.start, best.end - result.start
    body = (
        f"{escape(text[:start])}[reverse]{escape(text[start:end])}[/reverse]{escape(text[end:])}"
        if 0 <= start <= end <= len(text)
        else escape(text)
    )
    # A document named by its first heading would otherwise say it twice.
    headings = result.section_hierarchy
    named = headings[:1] == (result.document_title,)
    path = " > ".join(headings if named else (result.document_title, *headings))
    place = result.document_id
    if result.start_ms is not None and result.end_ms is not None:
        place += f"  t={result.start_ms / 1000:.0f}-{result.end_ms / 1000:.0f} s"
    scores = f"score {result.score:.3f} = dense {best.dense:.3f}, lexical {best.lexical:.3f}"
    flag = "  (parent missing: fragment only)" if result.parent_missing else ""
    return Panel(
        body.strip(),
        title=f"{rank}. {escape(path)}",
        title_align="left",
        subtitle=f"{escape(place)}  {scores}  {len(result.matches)} matched{flag}",
        subtitle_align="left",
    )
