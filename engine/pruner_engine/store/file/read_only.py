"""A project file that is open for reading while an engine may be writing it: plain sqlite3, queries fetched at once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pruner_engine.errors import UserError
from pruner_engine.store.file.lock import is_being_written
from pruner_engine.store.file.reading import (
    connect_read_only,
    makes_sense,
    making_sense,
    refuse_empty,
    refuse_missing,
    remove_empty_log,
    state_of,
)
from pruner_engine.store.file.versions import refuse_foreign

if TYPE_CHECKING:
    from typing_extensions import Self

Row = dict[str, Any]

_VERSIONS = 1 << 32  # SQLite's own go up to this
_JSON_COLUMNS = frozenset(
    ("inputs", "outputs", "profile", "shapes", "settings", "versions", "host", "stats", "repeats", "summary", "recipe",
     "decisions")
)  # fmt: skip


@makes_sense
class ReadOnlyProject:
    """Rows of any query as dictionaries; JSON columns come parsed.

    Raises:
        UserError: there is no file, or it is no project that this version reads.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        refuse_missing(self.path)
        with making_sense(self.path):
            self._open()
        self._opened = 1

    def _open(self) -> None:
        db, state = connect_read_only(self.path)
        try:
            made = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'runs'").fetchone()
            if made is None and is_being_written(self.path):
                raise UserError(f"{self.path.name} is only being made by an engine.", "Open it again in a moment.")
            refuse_empty(self.path)
            refuse_foreign(db, self.path)
        except BaseException:
            db.close()
            raise
        self._db, self._state = db, state

    def close(self) -> None:
        self._db.close()
        if self._state is None and not is_being_written(self.path):
            remove_empty_log(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def connection(self) -> sqlite3.Connection:
        """What it reads by, for what takes the file as a whole."""
        return self._db

    def rows(self, sql: str, args: Iterable[Any] = ()) -> list[Row]:
        """All rows of a query, so that no open statement keeps the write-ahead log from shrinking."""
        return [_parsed(dict(row)) for row in self._db.execute(sql, tuple(args)).fetchall()]

    def query(self, sql: str, args: tuple[object, ...] = ()) -> list[Row]:
        """All rows of a query as they are in the file, JSON as text: what `Writer.query` answers."""
        return [dict(row) for row in self._db.execute(sql, args).fetchall()]

    def one(self, sql: str, args: Iterable[Any] = ()) -> Row | None:
        """The first row, or None."""
        found = self.rows(sql, args)
        return found[0] if found else None

    def data_version(self) -> int:
        """Changes whenever another process has committed: the cheap question before a refresh."""
        if self._state is not None and self._state != state_of(self.path):
            before = self._db
            self._open()
            before.close()
            self._opened += 1
        return self._opened * _VERSIONS + int(self._db.execute("PRAGMA data_version").fetchone()[0])


def _parsed(row: Row) -> Row:
    for key in row.keys() & _JSON_COLUMNS:
        if isinstance(row[key], str):
            row[key] = json.loads(row[key])
    return row
