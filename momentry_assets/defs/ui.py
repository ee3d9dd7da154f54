"""`momentry ui`: Dagster's UI and the report server as two children that end together."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time

from rich.console import Console

from momentry_assets.defs.runner import prepare_ui
from momentry_assets.errors import SettingsError
from momentry_assets.settings import Settings, project_root

HOST = "127.0.0.1"
STOP_SECONDS = 20.0
POLL_SECONDS = 0.2


def serve_ui(settings: Settings, port: int, console: Console) -> int:
    """Serve until Ctrl-C or SIGTERM, or until one of the two children ends; returns the exit code.

    Raises:
        SettingsError: when a port is taken: which, and how to choose another.
    """
    _require_free(port, "momentry ui --port NUMBER")
    _require_free(settings.report_port, "MOMENTRY_REPORT_PORT=NUMBER")
    if port == settings.report_port:
        raise SettingsError(f"port {port} is asked for twice: --port and MOMENTRY_REPORT_PORT")
    # Set before the children start: started from a script's background they would inherit an
    # ignored SIGINT, which Dagster copies to SIGTERM, and could not be stopped.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    children: list[subprocess.Popen[bytes]] = []
    code = 0
    try:
        prepare_ui(settings, console)
        children.append(_start("momentry_assets.report_server", str(settings.report_port)))
        workspace = str(project_root() / "workspace.yaml")
        children.append(
            _start(
                *("momentry_assets.defs.dagster_dev", "dev"),
                *("--host", HOST, "--port", str(port), "--workspace", workspace),
            )
        )
        console.print(f"Dagster UI: http://{HOST}:{port} (in a few seconds)")
        console.print(f"Reports:    http://{HOST}:{settings.report_port}/index.html")
        console.print("Ctrl-C ends both.", style="dim")
        while all(child.poll() is None for child in children):
            time.sleep(POLL_SECONDS)
        code = 1
        console.print("one of the servers ended by itself; see above", style="red")
    except KeyboardInterrupt:
        console.print("stopping", style="dim")
    finally:
        _stop(children)
    return code


def _start(*module_and_arguments: str) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C in the terminal reaches only this process, which then stops
    # the children in order.
    return subprocess.Popen([sys.executable, "-m", *module_and_arguments], start_new_session=True)


def _stop(children: list[subprocess.Popen[bytes]]) -> None:
    """Interrupt both groups; what has not ended in 20 s, or at a second Ctrl-C, is killed."""
    try:
        for child in children:
            _signal_group(child, signal.SIGINT)
        end = time.monotonic() + STOP_SECONDS
        while any(map(_group_lives, children)) and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        pass
    finally:
        for child in children:
            _signal_group(child, signal.SIGKILL)
            child.wait()


def _signal_group(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)


def _group_lives(child: subprocess.Popen[bytes]) -> bool:
    child.poll()
    try:
        os.killpg(child.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _require_free(port: int, how: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As the servers bind: a connection that is only waiting to be forgotten is no hindrance.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise SettingsError(
                f"port {port} of {HOST} cannot be used ({error.strerror}); "
                f"choose another with {how}"
            ) from error
