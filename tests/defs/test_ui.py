"""`momentry ui` as a person uses it: in a browser, on a tiny corpus, to the end of the session."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from momentry_eval.stage import latest_result
from tests.defs.tiny import Tiny, write_tiny

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
MOMENTRY = str(Path(sys.executable).parent / "momentry")
LOCATION = "locations/momentry_assets.definitions"
T = TypeVar("T")

pytestmark = [pytest.mark.slow, pytest.mark.browser]
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium on the path: apt-get install chromium"
)


@dataclass
class Session:
    process: subprocess.Popen[bytes]
    url: str
    tiny: Tiny
    log: Path

    def ask(self, query: str) -> Any:
        request = urllib.request.Request(
            f"{self.url}/graphql",
            json.dumps({"query": query}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())["data"]

    def wait_for(self, what: str, found: Callable[[], T | None], seconds: float) -> T:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process.poll() is None, self.log.read_text()
            if result := found():
                return result
            time.sleep(0.5)
        raise AssertionError(f"{what} did not come in {seconds} s:\n{self.log.read_text()[-4000:]}")

    def run_ends_well(self, job: str) -> str:
        def finished() -> dict[str, str] | None:
            data = self.ask(
                "{runsOrError(limit: 20) {... on Runs {results {runId status pipelineName}}}}"
            )
            runs = [run for run in data["runsOrError"]["results"] if run["pipelineName"] == job]
            ended = [run for run in runs if run["status"] in ("SUCCESS", "FAILURE", "CANCELED")]
            return ended[0] if ended else None

        run = self.wait_for(f"the end of {job}", finished, 120)
        assert run["status"] == "SUCCESS", self.log.read_text()[-4000:]
        return run["runId"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    tiny = write_tiny(tmp_path)
    port, report_port = _free_port(), _free_port()
    log = tmp_path / "ui.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [MOMENTRY, "ui", "--port", str(port)],
            env=tiny.environment | {"MOMENTRY_REPORT_PORT": str(report_port)},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    session = Session(process, f"http://127.0.0.1:{port}", tiny, log)
    try:
        session.wait_for("the UI", lambda: _answers(f"{session.url}/server_info"), 90)
        yield session
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(30_000)
        yield page
        browser.close()


def _descendants(root: int) -> set[int]:
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    found = {root}
    while more := {pid for pid, parent in pairs if parent in found} - found:
        found |= more
    return found


def _living(pids: set[int], home: Path) -> list[str]:
    """Processes of the session, and whatever names its home: PostgreSQL does."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,stat=,args="], capture_output=True, text=True, check=True
    )
    return [
        line
        for line in listed.stdout.splitlines()
        if not line.split()[1].startswith("Z")
        and (int(line.split()[0]) in pids or str(home) in line)
    ]


def _checks(session: Session) -> dict[str, str]:
    data = session.ask(
        "{assetNodes {assetChecksOrError {... on AssetChecks {checks {name "
        "executionForLatestMaterialization {status}}}}}}"
    )
    return {
        check["name"]: (check["executionForLatestMaterialization"] or {}).get("status", "MISSING")
        for node in data["assetNodes"]
        for check in node["assetChecksOrError"].get("checks", [])
    }


@needs_chromium
def test_everything_is_materialised_checked_and_read_from_the_browser(
    session: Session, page: Page
) -> None:
    page.goto(f"{session.url}/asset-groups")
    for group in ("hierarchy", "indexes", "evaluation"):
        expect(page.get_by_text(group, exact=True).first).to_be_visible()

    page.goto(f"{session.url}/{LOCATION}/jobs/reprocess")
    page.get_by_role("button", name="Materialize all").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="All", exact=True).click()
    expect(dialog.get_by_text("2 partitions")).to_be_visible()
    dialog.get_by_role("button", name="Launch").click()
    session.run_ends_well("reprocess")

    page.goto(f"{session.url}/{LOCATION}/jobs/evaluate")
    page.get_by_role("button", name="Materialize all").click()
    evaluated = session.run_ends_well("evaluate")
    page.goto(f"{session.url}/runs/{evaluated}")
    expect(page.get_by_text("Success", exact=True).first).to_be_visible()

    checks = _checks(session)
    assert len(checks) >= 12
    assert set(checks.values()) == {"SUCCEEDED"}, checks
    page.goto(f"{session.url}/assets/qdrant_index?view=checks")
    expect(page.get_by_text("stores_agree").first).to_be_visible()
    expect(page.get_by_text("Passed", exact=True).first).to_be_visible()

    verdict = latest_result(session.tiny.home / "reports").verdict.sentence
    page.goto(f"{session.url}/assets/strategy_comparison")
    expect(page.get_by_role("cell", name="single_small").first).to_be_visible()
    page.goto(f"{session.url}/assets/parent_length_distribution")
    histogram = page.get_by_role("img", name="histogram")
    expect(histogram).to_be_visible()
    assert histogram.evaluate("image => image.naturalWidth") > 0

    page.goto(f"{session.url}/assets/eval_report")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="evaluation-").first.click()
    report = opened.value
    expect(report.get_by_text(verdict).first).to_be_visible()

    pids = _descendants(session.process.pid)
    assert len(pids) > 4
    session.process.send_signal(signal.SIGINT)
    assert session.process.wait(timeout=60) == 0
    end = time.monotonic() + 15
    while (left := _living(pids, session.tiny.home)) and time.monotonic() < end:
        time.sleep(0.3)
    assert left == []


def test_a_port_in_use_is_named_with_the_way_to_choose_another(tmp_path: Path) -> None:
    environment = write_tiny(tmp_path).environment
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, variables, way in (
            (["--port", port], {}, "--port NUMBER"),
            (["--port", str(_free_port())], {"MOMENTRY_REPORT_PORT": port}, "MOMENTRY_REPORT_PORT"),
        ):
            ended = subprocess.run(
                [MOMENTRY, "ui", *arguments],
                env=environment | variables,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert ended.returncode == 1
            assert port in ended.stderr
            assert way in ended.stderr
            assert len(ended.stderr.splitlines()) == 1


def test_a_killed_momentry_ui_takes_its_servers_along(tmp_path: Path) -> None:
    tiny = write_tiny(tmp_path)
    port, report_port = _free_port(), _free_port()
    process = subprocess.Popen(
        [MOMENTRY, "ui", "--port", str(port)],
        env=tiny.environment | {"MOMENTRY_REPORT_PORT": str(report_port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    pids: set[int] = set()
    try:
        end = time.monotonic() + 90
        while not _answers(f"http://127.0.0.1:{port}/server_info") and time.monotonic() < end:
            time.sleep(0.5)
        pids = _descendants(process.pid)
        process.kill()
        process.wait()
        end = time.monotonic() + 60
        while _living(pids, tiny.home) and time.monotonic() < end:
            time.sleep(0.5)
        assert _living(pids, tiny.home) == []
    finally:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
