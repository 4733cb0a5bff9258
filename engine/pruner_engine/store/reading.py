"""A read-only connection to a project file whose errors are sentences."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pruner_engine.errors import UserError


def damaged(path: Path, reason: object) -> UserError:
    """What is said of a project file whose content makes no sense."""
    return UserError(
        f"{path} cannot be read as a project: {reason}.",
        "Choose a .pruner file that Pruner Studio wrote, or restore this one from a copy.",
    )


@contextlib.contextmanager
def making_sense(path: Path) -> Iterator[None]:
    """Turn whatever is raised by what a project file holds into a sentence: somebody else may have written it."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # values of any kind in any column
        said = (str(error).strip() or "no message").splitlines()[0][:200]
        raise damaged(path, f"{type(error).__name__}: {said}") from error


class _Cursor(sqlite3.Cursor):
    def execute(self, *args: Any) -> _Cursor:
        with self._told():
            super().execute(*args)
        return self

    def fetchall(self) -> list[Any]:
        with self._told():
            return super().fetchall()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            assert isinstance(self.connection, _Connection)
            raise damaged(self.connection.path, error) from error


class _Connection(sqlite3.Connection):
    path: Path

    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open an existing file; rows come as `sqlite3.Row`.

    Raises:
        UserError: now, or by any later query, when the file cannot be read.
    """
    try:
        db = _connect(path, "mode=ro")
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error
    db.path = path
    db.row_factory = sqlite3.Row
    return db


def _connect(path: Path, how: str) -> _Connection:
    # An absolute path, or the URI would take its first part for a host
    uri = f"{path.resolve().as_uri()}?{how}"
    db = sqlite3.connect(uri, uri=True, timeout=10, check_same_thread=False, factory=_Connection)
    try:
        sqlite3.Connection.cursor(db).execute("PRAGMA trusted_schema=OFF").execute("PRAGMA schema_version")
    except sqlite3.OperationalError:
        db.close()
        # in a folder that may not be written SQLite cannot share the file with a writer, and there is none
        if how == "mode=ro" and not os.access(path.resolve().parent, os.W_OK):
            return _connect(path, "mode=ro&immutable=1")
        raise
    return db
