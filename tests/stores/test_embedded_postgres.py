"""The embedded server against real processes: none is left behind, whoever is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from momentry_assets.errors import StoreError
from momentry_assets.stores.embedded_postgres import EmbeddedPostgres
from momentry_assets.stores.postgres_supervisor import SOCKET_PATH_BYTES, socket_folder

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/cwd").exists(), reason="processes are looked up in /proc"
)
USER = """
import sys, time
from pathlib import Path
from momentry_assets.stores.embedded_postgres import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]))
print(server.start(), flush=True)
sys.stdin.read()
server.close()
"""


def user(folder: Path) -> subprocess.Popen[str]:
    """Another process that uses the server until its standard input is closed."""
    return subprocess.Popen(
        [sys.executable, "-c", USER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def url_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def end(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.wait(30)
    process.stdout.close()


def pids(folder: Path) -> tuple[int, int]:
    """Supervisor and server as published."""
    state = json.loads((folder / "server.json").read_text(encoding="utf-8"))
    return state["supervisor"], state["server"]


def processes_of(folder: Path) -> list[int]:
    """Every living process that names the folder or works in it."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
            place = str((entry / "cwd").readlink())
        except OSError:
            continue
        if str(folder).encode() in command or place.startswith(str(folder)):
            found.append(int(entry.name))
    return found


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.05)
    return True


def query(url: str, statement: str) -> object:
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(statement.encode()).fetchone()
        return row[0] if row else None


def test_start_and_stop_leave_no_process_and_no_state(made_server_folder: Path) -> None:
    server = EmbeddedPostgres(made_server_folder)
    url = server.start()
    assert query(url, "SELECT current_database()") == "momentry"
    assert query(url, "SHOW timezone") == "UTC"
    assert query(url, "SHOW listen_addresses") == ""
    assert processes_of(made_server_folder)
    server.close(wait=True)
    assert within(2, lambda: processes_of(made_server_folder) == [])
    assert not (made_server_folder / "server.json").exists()
    assert not (made_server_folder / "socket").exists()


def test_data_survive_a_restart(made_server_folder: Path) -> None:
    with EmbeddedPostgres(made_server_folder) as server:
        with psycopg.connect(server.url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 'kept' AS word")
        server.close(wait=True)
    with EmbeddedPostgres(made_server_folder) as server:
        assert query(server.url, "SELECT word FROM kept") == "kept"


def test_two_processes_share_one_server_and_the_last_one_ends_it(made_server_folder: Path) -> None:
    first, second = user(made_server_folder), user(made_server_folder)
    assert url_of(first) == url_of(second)
    supervisor, server = pids(made_server_folder)
    end(first)
    time.sleep(2)
    assert pids(made_server_folder) == (supervisor, server)
    end(second)
    assert within(5, lambda: processes_of(made_server_folder) == [])


def test_many_first_starts_at_once_make_one_database(server_folder: Path) -> None:
    users = [user(server_folder) for _ in range(4)]
    urls = {url_of(one) for one in users}
    assert len(urls) == 1
    assert query(urls.pop(), "SELECT count(*) FROM pg_database WHERE datname = 'momentry'") == 1
    for one in users:
        end(one)
    assert within(5, lambda: processes_of(server_folder) == [])


def test_a_start_during_a_shutdown_waits_and_gets_a_server(made_server_folder: Path) -> None:
    for pause in (0.9, 1.1, 1.25, 1.4):
        with EmbeddedPostgres(made_server_folder) as server:
            assert query(server.url, "SELECT 1") == 1
        time.sleep(pause)
    with EmbeddedPostgres(made_server_folder) as server:
        assert query(server.url, "SELECT 1") == 1


def test_sigkill_of_the_only_user_stops_the_server_within_five_seconds(
    made_server_folder: Path,
) -> None:
    only = user(made_server_folder)
    assert url_of(only)
    only.kill()
    only.communicate()
    assert within(5, lambda: processes_of(made_server_folder) == [])


def test_sigkill_of_the_supervisor_stops_the_server_and_the_next_start_works(
    made_server_folder: Path,
) -> None:
    with EmbeddedPostgres(made_server_folder) as server:
        supervisor, postgres = pids(made_server_folder)
        os.kill(supervisor, signal.SIGKILL)
        assert query(server.start(), "SELECT 1") == 1
        assert supervisor not in pids(made_server_folder)
        assert postgres not in processes_of(made_server_folder)
        os.kill(pids(made_server_folder)[0], signal.SIGKILL)
    assert within(5, lambda: processes_of(made_server_folder) == [])


def test_sigkill_of_the_server_is_mended_by_the_next_start(made_server_folder: Path) -> None:
    with EmbeddedPostgres(made_server_folder) as server:
        killed = pids(made_server_folder)[1]
        os.kill(killed, signal.SIGKILL)
        assert within(5, lambda: killed not in processes_of(made_server_folder))
        assert within(5, lambda: not (made_server_folder / "server.json").exists())
        assert query(server.start(), "SELECT 1") == 1


def test_a_pid_file_left_by_a_crash_does_not_hinder_and_harms_nobody(
    made_server_folder: Path,
) -> None:
    bystander = subprocess.Popen(["sleep", "60"])
    left = made_server_folder / "data" / "postmaster.pid"
    left.write_text(f"{bystander.pid}\n{made_server_folder}/data\n", encoding="utf-8")
    with EmbeddedPostgres(made_server_folder) as server:
        assert query(server.url, "SELECT 1") == 1
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_a_kill_while_the_database_is_made_leaves_nothing_half_made(server_folder: Path) -> None:
    only = user(server_folder)
    assert within(10, lambda: any(server_folder.glob("data.new-*/base")))
    for pid in processes_of(server_folder):
        os.kill(pid, signal.SIGKILL)
    only.communicate()
    assert not (server_folder / "data").exists()
    with EmbeddedPostgres(server_folder) as server:
        assert query(server.url, "SELECT current_database()") == "momentry"
        assert not list(server_folder.glob("data.new-*"))


def test_paths_with_spaces_and_long_paths_work(server_folder: Path) -> None:
    folder = server_folder / "with space, comma and 'quote' – é" / ("long" * 30)
    socket = socket_folder(folder)
    assert len(os.fsencode(socket)) < SOCKET_PATH_BYTES
    server = EmbeddedPostgres(folder)
    assert query(server.start(), "SELECT current_database()") == "momentry"
    assert socket.stat().st_mode & 0o777 == 0o700
    server.close(wait=True)
    assert not socket.exists()
    assert within(2, lambda: processes_of(folder) == [])


def test_ignored_signals_of_a_background_parent_are_not_handed_on(made_server_folder: Path) -> None:
    command = f"trap '' INT TERM HUP; exec {sys.executable} -c '{USER}' '{made_server_folder}'"
    parent = subprocess.Popen(
        ["bash", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert url_of(parent)
    status = Path(f"/proc/{pids(made_server_folder)[0]}/status").read_text(encoding="utf-8")
    ignored = int(status.split("SigIgn:")[1].split()[0], 16)
    assert not ignored & (1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1)
    end(parent)


def test_a_server_that_cannot_start_is_an_error_with_the_end_of_its_log(
    server_folder: Path,
) -> None:
    (server_folder / "data").mkdir()
    server = EmbeddedPostgres(server_folder)
    with pytest.raises(StoreError, match="server configuration file"):
        server.start()
    assert within(5, lambda: processes_of(server_folder) == [])


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(server_folder: Path) -> None:
    (server_folder / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match="file"):
        EmbeddedPostgres(server_folder / "file" / "server").start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the server to another user")
def test_a_home_that_root_copied_still_starts(server_folder: Path) -> None:
    with EmbeddedPostgres(server_folder) as server:
        assert server.url
        server.close(wait=True)
    data = server_folder / "data"
    for path in (data, *data.rglob("*")):
        os.chown(path, 0, 0)
    with EmbeddedPostgres(server_folder) as server:
        assert server.url
