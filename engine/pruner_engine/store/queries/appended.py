"""Rows that are only ever added to, of a project that is open for reading."""

from __future__ import annotations

import sqlite3
from collections import defaultdict

from pruner_engine.store.file.read_only import Row


class AppendedRows:
    """Rows of a query by run: each call reads only those that came since the last one.

    Args:
        sql: takes the run's id, and the key of the last row that is known (0 before the first); ordered by the key.
        key: column that grows from row to row.
    """

    def __init__(self, sql: str, key: str = "id") -> None:
        self._sql, self._key = sql, key
        self._known: defaultdict[int, list[Row]] = defaultdict(list)

    def of(self, db: sqlite3.Connection, run_id: int) -> list[Row]:
        """The rows of a run; the same list at every call, which grows."""
        rows = self._known[run_id]
        last = rows[-1][self._key] if rows else 0
        rows.extend(map(dict, db.execute(self._sql, (run_id, last)).fetchall()))
        return rows

    def known(self, run_id: int) -> int:
        """How many rows of a run were read so far."""
        return len(self._known[run_id])

    def forget(self) -> None:
        """Read all rows anew, into new lists."""
        self._known.clear()
