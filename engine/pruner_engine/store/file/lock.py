"""One writer per project: an advisory lock beside the project file, freed by the kernel when its holder dies.

Where the disk is full the file takes no more, not even why a run ended: that is written over room which the lock's file
has had from the beginning, and the next writer takes it into the project.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path
from typing import Annotated

import msgspec

from pruner_engine.errors import UserError

_TRIES, _REST_S = 10, 0.02  # whoever asks whether the project is being written holds the lock for an instant
_ROOM = 4096  # bytes: a block of most disks
_LONGEST = 900  # characters of a reason, each of at most four bytes
# a link or a pipe under the lock's name is of somebody who means harm: neither is followed or waited for
_OPENED = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class LastWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a run ended whose project could not be told."""

    run_id: Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]  # as in the project, which takes no larger one
    reason: str


def _lock_path(project: Path) -> Path:
    """Beside the file itself, wherever a link to it is."""
    project = project.resolve()
    return project.with_name(project.name + "-lock")


class WriterLock:
    """Held by the engine that writes a project, from before it opens the file until after it closes it.

    Attributes:
        last_words: what the project has not been told yet, of an earlier holder's or of this one's.
    """

    def __init__(self, project: Path) -> None:
        self._path = _lock_path(project)
        self._fd = self._acquire()
        self.last_words = _words_in(self._fd)
        if self.last_words is None:
            self.forget_words()

    def leave_words(self, words: LastWords) -> None:
        """Keep words for the next holder."""
        self.last_words = LastWords(words.run_id, words.reason[:_LONGEST])
        self._write(msgspec.json.encode(self.last_words))

    def forget_words(self) -> None:
        """The project knows; the room is free for others."""
        self.last_words = None
        self._write(b"")

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # not even room for this
            os.pwrite(self._fd, data.ljust(_ROOM), 0)

    def _acquire(self) -> int:
        while True:
            try:
                fd = os.open(self._path, os.O_RDWR | os.O_CREAT | _OPENED, 0o644)
            except OSError as error:
                raise UserError(
                    f"The folder {self._path.parent} cannot be written: {error.strerror}.",
                    "Choose a folder that you may write, or copy the project to one.",
                ) from error
            try:
                _lock_alone(fd)
            except BlockingIOError:
                os.close(fd)
                raise UserError(
                    f"Another engine works on this project ({self._path.name} is locked).",
                    "Wait for it to end, stop it (`pruner steer PROJECT stop`), or choose another project file.",
                ) from None
            except OSError as error:
                os.close(fd)
                raise UserError(
                    f"The folder {self._path.parent} takes no locks: {error.strerror}.",
                    "Copy the project to a disk of this machine.",
                ) from error
            # The holder before us removes the file when it ends: a lock on a removed file protects nothing.
            try:
                if os.fstat(fd).st_ino == self._path.stat().st_ino:
                    return fd
            except FileNotFoundError:
                pass
            os.close(fd)

    def moved_to(self) -> Path | None:
        """The folder in which the lock's file is now, where somebody has renamed that or moved it."""
        with contextlib.suppress(OSError):  # Linux tells
            now = Path(f"/proc/self/fd/{self._fd}").readlink()
            if now.parent != self._path.parent and os.path.samestat(now.stat(), os.fstat(self._fd)):
                return now.parent
        return None

    def release(self) -> None:
        """Free the project; the file goes too, unless it keeps words, or another engine has made one in its place."""
        with contextlib.suppress(OSError):  # the folder may be gone, or not to be written any more
            file = (self.moved_to() or self._path.parent) / self._path.name
            if self.last_words is None and os.path.samestat(file.lstat(), os.fstat(self._fd)):
                file.unlink()
        os.close(self._fd)


def last_words(project: Path) -> LastWords | None:
    """What the last writer could not write into the project."""
    try:
        fd = os.open(_lock_path(project), os.O_RDONLY | _OPENED)
    except OSError:
        return None
    try:
        return _words_in(fd)
    finally:
        os.close(fd)


def _words_in(fd: int) -> LastWords | None:
    try:
        return msgspec.json.decode(os.pread(fd, _ROOM, 0), type=LastWords)
    except (OSError, ValueError):  # msgspec's errors are ValueErrors: it is empty, or not ours
        return None


def _lock_alone(fd: int) -> None:
    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if not left:
                raise
        time.sleep(_REST_S)


def is_being_written(project: Path) -> bool:
    """Whether a living engine holds the project."""
    try:
        fd = os.open(_lock_path(project), os.O_RDONLY | _OPENED)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except OSError:  # no engine could lock it either
        return False
    finally:
        os.close(fd)
