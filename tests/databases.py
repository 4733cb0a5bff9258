"""Project files as what they are, databases of SQLite, for tests that read or change them from outside."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def connected(path: str | Path) -> Iterator[sqlite3.Connection]:
    """A connection whose changes are kept at the end, unless something failed; it is closed then, as SQLite's own
    context manager does not."""
    with closing(sqlite3.connect(path)) as db, db:
        yield db
