"""Reading a project file that somebody else may have written: whatever goes wrong is a sentence."""

from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pruner_engine.errors import UserError, first_words, of_the_current_folder
from pruner_engine.model_names import kind_of_file

_Class = TypeVar("_Class", bound=type)
_LONGEST = 500  # bytes of a path: SQLite has 512 for it and the endings of the files beside it
_LONGEST_NAME = 255 - len("-journal")  # bytes: most disks take 255, of the files beside it too
State = tuple[tuple[int, int] | None, tuple[int, int] | None]


def damaged(path: Path, reason: object) -> UserError:
    """What is said of a project file whose content makes no sense."""
    if kind_of_file(str(path)):
        return UserError(
            f"{path} is a model, and no project.", "`pruner tune` makes a project of it, as Tune in the window does."
        )
    return UserError(
        f"{path} cannot be read as a project: {reason}.",
        "Choose a .pruner file that Pruner Studio wrote, or restore this one and its -wal and -shm files from a copy.",
    )


def locked(path: Path) -> UserError:
    """What is said of a project file that another program lets nobody use."""
    return UserError(f"{path} is locked by another program.", "Close the program that has it open, then try again.")


def refuse_long(path: Path) -> None:
    """Say what SQLite does not, which just cannot open such a file.

    Raises:
        UserError: there is no room for the whole path in it.
    """
    if len(os.fsencode(path)) > _LONGEST:
        raise UserError(
            f"The path {path} is longer than the {_LONGEST} bytes that SQLite takes.",
            "Put the project into a folder with a shorter path.",
        )


def refuse_long_name(path: Path) -> None:
    """Raises UserError: there is no room for the names of the files that are written beside it."""
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        raise UserError(
            f"The name {path.name} is longer than the {_LONGEST_NAME} bytes that a project's may have.",
            "Choose a shorter name.",
        )


def refuse_missing(path: Path) -> None:
    """Raises UserError: there is no such file, or none that this user may read."""
    if not path.is_file():
        raise UserError(f"There is no project file {path}.", "Check the path, or tune a model into it first.")
    if not os.access(path, os.R_OK):
        raise UserError(f"You may not read {path}.", "Ask its owner to let you, or choose another project.")


def refuse_other(path: Path) -> None:
    """Raises UserError: what is there is no file, such as a pipe, from which nothing might ever come."""
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is no file.", "Choose another place for the project.")


def refuse_empty(path: Path) -> None:
    """Raises UserError: nothing was ever written into the file."""
    if path.stat().st_size == 0:
        raise UserError(f"{path} is an empty file: it holds no project.", "Tune a model into it, or choose another.")


@contextlib.contextmanager
def making_sense(path: Path) -> Iterator[None]:
    """Turn whatever is raised by what a project file holds into a sentence."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # values of any kind in any column
        if (told := of_the_current_folder(error)) is not None:
            raise told from error
        said = first_words(error)
        if isinstance(error, sqlite3.OperationalError) and "locked" in said:
            raise locked(path) from error
        reason = said if isinstance(error, sqlite3.Error) else f"{type(error).__name__}: {said}"
        raise damaged(path, reason) from error


def makes_sense(cls: _Class) -> _Class:
    """Class decorator: all public methods of a reader, which has a `path`, work within `making_sense`."""

    def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(self: Any, *args: Any, **options: Any) -> Any:
            with making_sense(self.path):
                return method(self, *args, **options)

        return call

    for name, member in list(vars(cls).items()):
        if callable(member) and not name.startswith("_"):
            setattr(cls, name, guarded(member))
    return cls


def connect_read_only(path: Path) -> tuple[sqlite3.Connection, State | None]:
    """Open an existing file; rows come as `sqlite3.Row`.

    Returns:
        The connection, and the file's state if it is to be opened anew when that has changed: what others write goes
        unnoticed where SQLite cannot share the file with them. None where it can.

    Raises:
        UserError: a part of the project is in a log that cannot be read there.
    """
    state = None
    refuse_long(path.resolve())
    try:
        db = _connect(path, "mode=ro")
    except sqlite3.OperationalError:
        # in a folder that may not be written SQLite cannot share the file with a writer, and there is none
        if os.access(path.resolve().parent, os.W_OK):
            raise
        state = state_of(path)
        if state[1] is not None and state[1][1]:
            raise UserError(
                f"The newest part of {path} is in {path.name}-wal, which cannot be read in a folder that is not yours.",
                "Copy both files to a folder that you may write, and open the copy.",
            ) from None
        db = _connect(path, "mode=ro&immutable=1")
    db.row_factory = sqlite3.Row
    return db, state


def state_of(path: Path) -> State:
    """When a project and its write-ahead log were changed last, and their sizes in bytes; None where there is none."""
    found: list[tuple[int, int] | None] = []
    for file in (path.resolve(), path.resolve().with_name(path.resolve().name + "-wal")):
        try:
            stat = file.stat()
            found.append((stat.st_mtime_ns, stat.st_size))
        except OSError:
            found.append(None)
    return found[0], found[1]


def remove_empty_log(path: Path) -> None:
    """Let SQLite take away what a connection that only reads leaves beside a project: a log of nothing, and its index.

    A log that holds something stays as it is: it belongs to whoever writes the project, or to what a crash left.
    """
    with contextlib.suppress(sqlite3.Error, OSError, RuntimeError):  # others have the project open, or it is gone
        log = state_of(path)[1]
        if log is not None and not log[1]:
            _connect(path, "mode=rw").close()


def _connect(path: Path, how: str) -> sqlite3.Connection:
    # An absolute path, or the URI would take its first part for a host
    db = sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True, timeout=10, check_same_thread=False)
    try:
        db.execute("PRAGMA trusted_schema=OFF")
        db.execute("PRAGMA temp_store=MEMORY")  # the disk that holds TMPDIR may be full
        db.execute("PRAGMA schema_version").fetchone()
    except BaseException:
        db.close()
        raise
    return db
