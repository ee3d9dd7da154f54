"""A real PostgreSQL server on demand, shared by every process that names the same folder.

Each user process holds a shared lock on the folder's lease file; one detached supervisor
(`momentry_assets.stores.postgres_supervisor`) runs the server while there is such a lock and
stops it about a second after the last one is gone, however its holder ended.
"""

import fcntl
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType

import psycopg

import momentry_assets
from momentry_assets.errors import StoreError
from momentry_assets.stores.postgres_supervisor import ServerFiles, open_lock, try_lock

START_SECONDS = 60.0
CLOSE_SECONDS = 30.0
LOG_BYTES_KEPT = 1_000_000
LOG_LINES_SHOWN = 15


class EmbeddedPostgres:
    """A user's hold on the server of a folder.

    Example::

        with EmbeddedPostgres(settings.home / "postgres") as server:
            store = PostgresStore(server.url)
    """

    def __init__(self, folder: Path) -> None:
        self._files = ServerFiles(folder.absolute())
        self._lease: int | None = None
        self._url = ""

    def __enter__(self) -> "EmbeddedPostgres":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The libpq URL that `start` returned."""
        return self._url

    def start(self) -> str:
        """Take a lease and return the libpq URL of the running server.

        The server keeps running until `close` or the end of this process. Calling it again asks
        anew, so a server that was killed in between is replaced.

        Raises:
            StoreError: with the end of the server's log, when it does not answer in 60 s.
        """
        deadline = time.monotonic() + START_SECONDS
        try:
            self._files.folder.mkdir(parents=True, exist_ok=True)
            self._files = ServerFiles(self._files.folder.resolve())
            if self._lease is None:
                # Waits while a supervisor is stopping the server: it holds the lease then.
                self._lease = self._lock(self._files.lease, fcntl.LOCK_SH, deadline)
            start_lock = self._lock(self._files.start_lock, fcntl.LOCK_EX, deadline)
        except OSError as error:
            self.close()
            raise StoreError(
                f"{self._files.folder}: the embedded PostgreSQL server needs a folder it can "
                f"write to ({error}); choose another MOMENTRY_HOME or set MOMENTRY_POSTGRES_URL"
            ) from error
        except StoreError:
            self.close()
            raise
        try:
            self._url = self._running_url(deadline)
        except BaseException:
            self.close()
            raise
        finally:
            os.close(start_lock)
        return self._url

    def close(self, *, wait: bool = False) -> None:
        """Give the lease back.

        Args:
            wait: return only when the server has stopped, unless others still use it.
        """
        if self._lease is None:
            return
        # Closed, never unlocked: a forked child that shares the descriptor keeps its lease.
        os.close(self._lease)
        self._lease = None
        if not wait or self._others_use_it():
            return
        end = time.monotonic() + CLOSE_SECONDS
        while self._supervisor_lives() and time.monotonic() < end:
            time.sleep(0.05)

    def _running_url(self, deadline: float) -> str:
        supervisor: subprocess.Popen[bytes] | None = None
        while time.monotonic() < deadline:
            if self._supervisor_lives():
                url = self._published_url()
                if url and _answers(url):
                    return url
            elif supervisor is None:
                # Left by a supervisor that was killed.
                self._files.state.unlink(missing_ok=True)
                supervisor = self._spawn()
            elif supervisor.poll() is not None:
                raise self._failed(f"its supervisor ended with code {supervisor.returncode}")
            time.sleep(0.02)
        raise self._failed(f"it did not answer within {START_SECONDS:.0f} s")

    def _spawn(self) -> subprocess.Popen[bytes]:
        log = self._files.log
        keep = log.exists() and log.stat().st_size <= LOG_BYTES_KEPT
        package_root = str(Path(momentry_assets.__file__).parents[1])
        search_path = os.pathsep.join(
            part for part in (package_root, os.environ.get("PYTHONPATH", "")) if part
        )
        with log.open("ab" if keep else "wb") as output:
            process = subprocess.Popen(
                # -P: a file in the working folder must not stand in for a module.
                [
                    *[sys.executable, "-P", "-m", "momentry_assets.stores.postgres_supervisor"],
                    str(self._files.folder),
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                env=os.environ | {"PYTHONPATH": search_path},
                start_new_session=True,
            )
        # Collects the exit code whenever it comes, so that no zombie stays behind.
        threading.Thread(target=process.wait, name="postgres-supervisor", daemon=True).start()
        return process

    def _supervisor_lives(self) -> bool:
        descriptor = open_lock(self._files.supervisor_lock)
        try:
            return not try_lock(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)

    def _others_use_it(self) -> bool:
        # More than one try: the supervisor itself tries the lock four times a second.
        for _ in range(3):
            descriptor = open_lock(self._files.lease)
            try:
                if try_lock(descriptor, fcntl.LOCK_EX):
                    return False
            finally:
                os.close(descriptor)
            time.sleep(0.02)
        return True

    def _published_url(self) -> str:
        try:
            return str(json.loads(self._files.state.read_text(encoding="utf-8"))["url"])
        except FileNotFoundError:
            return ""

    def _lock(self, path: Path, kind: int, deadline: float) -> int:
        descriptor = open_lock(path)
        while not try_lock(descriptor, kind):
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise self._failed(f"another process holds {path.name} for too long")
            time.sleep(0.02)
        return descriptor

    def _failed(self, reason: str) -> StoreError:
        try:
            text = self._files.log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        tail = "\n".join(text.splitlines()[-LOG_LINES_SHOWN:])
        return StoreError(
            f"the embedded PostgreSQL server of {self._files.folder} does not run: {reason}; "
            f"see {self._files.log} or set MOMENTRY_POSTGRES_URL to another server\n{tail}"
        )


def _answers(url: str) -> bool:
    # A server whose supervisor was killed this instant is still published, yet shutting down.
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True
