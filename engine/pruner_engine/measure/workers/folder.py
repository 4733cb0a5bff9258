"""The folder in which kernels are built and from which they are loaded."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import IO

from pruner_engine.errors import UserError

_PREFIX = "pruner-measure-"
_OWNER = "owner"  # a file in the folder, locked for as long as whoever has made that lives
# a link or a pipe in a place where others may write is of somebody who means harm
_OPENED = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def refuse_noexec(folder: Path) -> None:
    """Say what the loader does not: it fails to map a library, as it does where memory is short.

    Raises:
        UserError: nothing may be loaded from `folder`.
    """
    if sys.platform == "linux" and os.statvfs(folder).f_flag & os.ST_NOEXEC:
        raise UserError(
            f"Candidates are built in {folder}, which is mounted noexec: no kernel can be loaded from there.",
            "Set TMPDIR to a folder on another disk.",
        )


class BuildFolder:
    """A new folder among the temporary files; what is left there of engines that were killed is removed first.

    An engine's measurement processes remove its folder when it dies. Where they are killed with it, as by what ends a
    container or all processes of a user, nobody is left to do so but the next engine.

    Attributes:
        path: of the folder.
    """

    def __init__(self) -> None:
        place = Path(tempfile.gettempdir())
        _remove_orphans(place)
        while (made := _made(place)) is None:
            pass
        self.path, self._owner = made

    def remove(self) -> None:
        """Remove the folder and all in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._owner.close()


def _made(place: Path) -> tuple[Path, IO[bytes]] | None:
    """A folder and its owner's file, locked where that can be; None where another engine has removed it as an orphan
    before it was locked."""
    path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    try:
        owner = (path / _OWNER).open("xb")
    except OSError:  # a disk that takes no more files
        path.rmdir()
        raise
    try:
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        removed = os.fstat(owner.fileno()).st_nlink == 0
    except BlockingIOError:
        removed = True
    except OSError:  # where nothing can be locked, nothing is taken for an orphan either
        removed = False
    if removed:
        owner.close()
        return None
    return path, owner


def _remove_orphans(place: Path) -> None:
    """Remove the folders of this user's whose makers are dead."""
    if not _is_safe(place):
        return
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX):
                with contextlib.suppress(OSError):  # it is somebody else's, at work, or just being removed
                    _remove_orphan(entry.path)


def _is_safe(place: Path) -> bool:
    """Whether nobody else may give the name of an orphan to another folder of this user's."""
    found = place.stat()
    others_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return found.st_uid in (0, os.geteuid()) and (not others_write or bool(found.st_mode & stat.S_ISVTX))


def _remove_orphan(path: str) -> None:
    """Raises OSError where a living engine holds it, or it is no such folder of this user's."""
    with contextlib.ExitStack() as ends:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _OPENED)
        ends.callback(os.close, folder)
        owner = os.open(_OWNER, os.O_RDWR | _OPENED, dir_fd=folder)
        ends.callback(os.close, owner)
        found = os.fstat(owner)
        if stat.S_ISREG(found.st_mode) and os.fstat(folder).st_uid == found.st_uid == os.geteuid():
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
