"""Serves the reports folder on loopback: browsers refuse to open ``file://`` from the UI.

Run as ``python -m momentry_assets.report_server PORT``.
"""

import sys
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from momentry_assets.parent_process import end_with_parent
from momentry_assets.settings import load_settings


class ReportHandler(SimpleHTTPRequestHandler):
    """Files only, no directory listing, nothing cached."""

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Refuse what lies outside the folder: a link in it may point anywhere."""
        target = Path(self.translate_path(self.path)).resolve()
        if not target.is_relative_to(Path(self.directory).resolve()):
            self.send_error(404, "no such report")
            return None
        return super().send_head()

    def list_directory(self, path: str) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Refuse: the index page is the list."""
        self.send_error(404, "no such report")

    def end_headers(self) -> None:
        """Reports are replaced by later runs."""
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", "default-src 'self' 'unsafe-inline' data:")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: requests are not worth a line."""


def make_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server of one folder on 127.0.0.1; port 0 takes a free one."""
    folder.mkdir(parents=True, exist_ok=True)
    handler = partial(ReportHandler, directory=str(folder))
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


if __name__ == "__main__":
    end_with_parent()
    with (
        suppress(KeyboardInterrupt),
        make_server(load_settings().reports_dir, int(sys.argv[1])) as server,
    ):
        server.serve_forever()
