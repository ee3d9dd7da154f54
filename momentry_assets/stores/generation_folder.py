"""Where embedded vector generations live on disk, and how one becomes visible or goes.

Layout::

    <name>                      link to the generation's live folder; replaced atomically
    .<name>.<pid>-<time>        a folder of the engine with `generation.json`, written last
    write.lock                  held by the one process that builds or drops; holds its pid

The link is the only thing that makes a folder a generation, so a build that dies leaves the
former one in place, and what no link names is removed by the next build. Nothing here knows the
engine.
"""

import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from momentry_assets.errors import StoreError, StoreLockedError
from momentry_assets.stores.vectors import check_name, no_generation

LOCK_FILE = "write.lock"
MARKER = "generation.json"
_FORMAT = 1
_GENERATION_FOLDER = re.compile(r"\.[A-Za-z0-9._-]+\.\d+-\d+")
_NEW_LINK = re.compile(r"\.[A-Za-z0-9._-]+\.link-\d+")


@dataclass(frozen=True, slots=True)
class Generation:
    """A live folder and what its marker says."""

    folder: Path
    dimension: int
    points: int


class GenerationFolder:
    """The generations below one folder. Methods that change it want `write_lock` held."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        """The complete generations, sorted."""
        if not self.path.is_dir():
            return []
        return sorted(
            entry.name
            for entry in self.path.iterdir()
            if not entry.name.startswith(".") and (entry / MARKER).is_file()
        )

    def exists(self, name: str) -> bool:
        """True when the name stands for something, damaged or not."""
        return os.path.lexists(self.path / check_name(name))

    def target(self, name: str) -> str:
        """What the name's link points to, empty when it is no link."""
        link = self.path / name
        try:
            return str(link.readlink())
        except OSError:
            return ""

    def read(self, name: str) -> Generation:
        """The live generation of a name.

        Raises:
            StoreError: there is none, or its marker is missing or damaged.
        """
        link = self.path / check_name(name)
        target = self.target(name)
        folder = self.path / target if target else link
        try:
            marker = json.loads((folder / MARKER).read_text(encoding="utf-8"))
            return Generation(folder, int(marker["dimension"]), int(marker["points"]))
        except FileNotFoundError:
            if self.exists(name):
                raise damaged(link, f"{MARKER} is missing") from None
            raise no_generation(name, str(self.path)) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise damaged(link, f"{MARKER} cannot be read: {error!r}") from error

    def new(self, name: str) -> Path:
        """An empty folder to build in; nobody sees it before `publish`."""
        target = self.path / f".{name}.{os.getpid()}-{time.time_ns()}"
        target.mkdir()
        return target

    def publish(self, name: str, target: Path, *, dimension: int, points: int) -> None:
        """Make a complete folder durable and then, in one step, the live one of a name."""
        marker = {"format": _FORMAT, "dimension": dimension, "points": points}
        (target / MARKER).write_text(json.dumps(marker), encoding="utf-8")
        for path in (*target.rglob("*"), target):
            _sync(path)
        link = self.path / name
        if link.is_dir() and not link.is_symlink():
            self.hide(name)  # Somebody copied the whole folder with a tool that follows links.
        new_link = self.path / f".{name}.link-{os.getpid()}"
        new_link.unlink(missing_ok=True)
        new_link.symlink_to(target.name)
        new_link.replace(link)
        _sync(self.path)

    def hide(self, name: str) -> None:
        """Make a generation invisible in one step; its folder goes with the leftovers."""
        link = self.path / name
        if link.is_symlink():
            link.unlink()
        else:
            link.rename(self.path / f".{name}.{os.getpid()}-{time.time_ns()}")
        _sync(self.path)

    def remove_leftovers(self) -> None:
        """Remove what no link names: former generations and what dead builds left behind."""
        entries = list(self.path.iterdir())
        live = {
            self.target(entry.name)
            for entry in entries
            if entry.is_symlink() and not _NEW_LINK.fullmatch(entry.name)
        }
        for entry in entries:
            if entry.is_symlink() and _NEW_LINK.fullmatch(entry.name):
                entry.unlink()
            elif _GENERATION_FOLDER.fullmatch(entry.name) and entry.name not in live:
                shutil.rmtree(entry, ignore_errors=True)

    @contextmanager
    def write_lock(self) -> Generator[None]:
        """Hold the folder for writing; the system lets go of it when the process dies.

        Raises:
            StoreLockedError: naming the process that holds it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        path = self.path / LOCK_FILE
        with path.open("a+", encoding="ascii") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                raise StoreLockedError(
                    f"{path}: process {lock.read().strip() or 'unknown'} is writing the vector "
                    "index; wait until it is done or stop it, then try again"
                ) from None
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            yield


def damaged(folder: Path, reason: str) -> StoreError:
    """The error of a generation that cannot be used: which one, why, and what to do."""
    return StoreError(
        f"{folder}: this vector generation is not usable ({reason}); materialize qdrant_index to "
        "build it again from the embeddings, nothing else is lost"
    )


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
