"""A project file that loses its name while it is open: removed, replaced, or moved with its folder."""

from __future__ import annotations

import itertools
import sqlite3
from pathlib import Path

from pruner_engine.errors import UserError
from pruner_engine.store.file.identity import identity_for_certain
from pruner_engine.store.file.lock import WriterLock


class OpenFile:
    """The file that a connection writes, which is held against what has its path.

    Args:
        connection: what was committed through it is written anew where the file has no name any more.
        lock: whose file may tell where the folder has gone.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: WriterLock) -> None:
        self._path = path
        self._connection = connection
        self._lock = lock
        # of a disk that does not answer the file is not lost: that is an error
        self._identity = identity_for_certain(path)
        self._lost: UserError | None = None

    def keep(self) -> None:
        """Write the project anew where somebody has removed or replaced its file: one without a name dies with us.

        Raises:
            UserError: the path is another file's now, or nobody's: where the project is. From then on at each call,
                whatever becomes of the path: what is committed here has no name any more.
        """
        found = self._identity if self._lost is not None else identity_for_certain(self._path)
        folder = self._lock.moved_to() if found != self._identity else None
        if folder is not None and identity_for_certain(folder / self._path.name) == self._identity:
            self._settle()
            self._lost = _moved(self._path, folder / self._path.name)
        elif found != self._identity:
            place = self._path if found is None else _free_name(self._path)
            place.parent.mkdir(parents=True, exist_ok=True)  # it may have gone with its folder
            self._settle()  # what is beside the path under the log's name would be taken for the new file's
            self._connection.execute("VACUUM INTO ?", [str(place)])
            self._lost = _lost_to(self._path, place)
        if self._lost is not None:
            raise self._lost

    def _settle(self) -> None:
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _free_name(path: Path) -> Path:
    """Of a file beside `path` that is not there yet."""
    names = (path.with_stem(f"{path.stem}-kept{number or ''}") for number in itertools.count())
    return next(name for name in names if not name.exists())


def _moved(path: Path, now: Path) -> UserError:
    return UserError(
        f"The folder of {path} was moved while the engine worked on it; the project is {now} now.",
        "Resume that one: nothing measured is lost.",
    )


def _lost_to(path: Path, place: Path) -> UserError:
    if place == path:
        return UserError(
            f"{path} was removed while the engine worked on it; it has been written anew.",
            "Resume: nothing measured is lost.",
        )
    return UserError(
        f"{path} was replaced by another file while the engine worked on it; the work is in {place.name} beside it.",
        "Resume that one: nothing measured is lost.",
    )
