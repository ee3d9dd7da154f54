"""Which system user runs the embedded server, and what that user must be able to reach.

PostgreSQL refuses to run as root. Root therefore hands the server to ``nobody`` (no user is
made); everybody else runs it as themselves. Standard library only: the supervisor imports it.
"""

import os
import pwd
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

UNPRIVILEGED_USER = "nobody"


@dataclass(frozen=True, slots=True)
class Account:
    """The user of the server; ``other`` when it is not the user of this process."""

    name: str
    uid: int
    gid: int
    other: bool

    def own(self, path: Path) -> None:
        """Give a path to this user."""
        if self.other:
            os.chown(path, self.uid, self.gid)


def server_account(data: Path) -> Account:
    """The user who runs the server of a data directory."""
    uid = os.geteuid()
    if uid != 0:
        return Account(str(uid), uid, os.getegid(), other=False)
    # Data that a user made before stay theirs, so that they can still use them without root.
    if data.exists() and (owner := data.stat()).st_uid != 0:
        return Account(str(owner.st_uid), owner.st_uid, owner.st_gid, other=True)
    nobody = pwd.getpwnam(UNPRIVILEGED_USER)
    return Account(nobody.pw_name, nobody.pw_uid, nobody.pw_gid, other=True)


def open_the_way(folder: Path, programs: Path) -> Iterator[Path]:
    """Let other users pass through to a folder and read the programs; yields what was changed.

    Only the execute bit is added above and at ``folder``, so its contents stay unlisted.
    """
    for path in (folder, *folder.parents, programs, *programs.parents):
        if _add(path, stat.S_IXOTH):
            yield path
    for path in programs.rglob("*"):
        if path.is_symlink():
            continue
        runs = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
        if _add(path, stat.S_IROTH | (stat.S_IXOTH if runs else 0)):
            yield path


def _add(path: Path, bits: int) -> bool:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & bits == bits:
        return False
    path.chmod(mode | bits)
    return True
