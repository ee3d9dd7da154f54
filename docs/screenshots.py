"""Retakes the pictures of this folder; run by hand: ``.venv/bin/python docs/screenshots.py [UI]``.

Without an argument only ``report.png`` is taken, from ``MOMENTRY_HOME``'s latest report. With the
address of a running `momentry ui` (``http://127.0.0.1:3000``) the ``ui-*.png`` are taken too. Needs
``momentry run`` before, and chromium on the path.
"""

import shutil
import sys
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, sync_playwright

from momentry_assets.settings import load_settings

DOCS = Path(__file__).parent
WIDTH = 1400
GROUPS = ("hierarchy", "indexes", "evaluation")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    """Take the pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": WIDTH, "height": 1000})
        _report(page)
        if len(sys.argv) > 1:
            _checks(page, sys.argv[1])
            _comparison(page, sys.argv[1])
            _lineage(page, sys.argv[1])
        browser.close()


def _report(page: Page) -> None:
    page.goto((load_settings().reports_dir / "latest.html").as_uri())
    _take(page, "report.png")


def _lineage(page: Page, ui: str) -> None:
    groups = ",".join(f"global@global:{group}" for group in GROUPS)
    page.set_viewport_size({"width": WIDTH, "height": 800})
    page.goto(f"{ui}/asset-groups?expanded={quote(groups)}")
    page.get_by_text("Hide navigation").click()
    # A fresh page fits the graph into the window.
    page.reload()
    page.get_by_text("eval_report").first.wait_for()
    _take(page, "ui-lineage.png")


def _checks(page: Page, ui: str) -> None:
    page.goto(f"{ui}/assets/raw_segments?view=checks")
    page.get_by_text("Passed", exact=True).first.wait_for()
    _take(page, "ui-checks.png")


def _comparison(page: Page, ui: str) -> None:
    page.goto(f"{ui}/assets/strategy_comparison")
    page.get_by_role("cell", name="single_small").first.wait_for()
    _take(page, "ui-comparison.png")


def _take(page: Page, name: str) -> None:
    page.wait_for_timeout(1_500)
    page.screenshot(path=DOCS / name)


if __name__ == "__main__":
    main()
