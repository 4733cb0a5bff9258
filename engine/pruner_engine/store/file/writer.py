"""The one who writes a project file: open, lock, migrate, transactions."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlite_utils

from pruner_engine import __version__
from pruner_engine.errors import UserError
from pruner_engine.store.file.lock import LastWords, WriterLock
from pruner_engine.store.file.lost import OpenFile
from pruner_engine.store.file.reading import (
    locked,
    refuse_empty,
    refuse_long,
    refuse_long_name,
    refuse_missing,
    refuse_other,
)
from pruner_engine.store.file.versions import APPLICATION_ID, refuse_foreign
from pruner_engine.store.run_states import BUSY
from pruner_engine.store.schema import migrations

if TYPE_CHECKING:
    from typing_extensions import Self


class Writer:
    """A project file open for writing; at most one process holds it.

    Args:
        path: the file; made when it is not there.

    Raises:
        UserError: locked by another engine, read-only, not a project, or from a newer version.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        self._mutex = threading.RLock()
        if not self.path.parent.is_dir():
            raise UserError(f"There is no folder {self.path.parent}.", "Make it first, or choose another place.")
        refuse_long(self.path)
        refuse_long_name(self.path)
        refuse_other(self.path)
        self._lock = WriterLock(self.path)
        try:
            self._db = self._open()
            self._file = OpenFile(self.path, self._db.conn, self._lock)
        except BaseException:
            self._lock.release()
            raise

    @classmethod
    def existing(cls, path: str | Path) -> Self:
        """The project of a file that is there: one that was moved away is not to be begun anew in its place."""
        refuse_missing(Path(path))
        refuse_empty(Path(path))
        return cls(path)

    def _open(self) -> sqlite_utils.Database:
        connection = None
        try:
            connection = sqlite3.connect(self.path, timeout=10, check_same_thread=False, isolation_level=None)
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
                # first of all: a file whose maker was killed half-way is known as ours, and finished
                connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            else:
                refuse_foreign(connection, self.path)
                if (found := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                    raise sqlite3.DatabaseError(f"malformed: {found}")
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA temp_store=MEMORY")  # the disk that holds TMPDIR may be full
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA foreign_keys=ON")
            db = sqlite_utils.Database(connection)
            migrations.apply(db)
            db["meta"].insert_all(
                [{"key": "created", "value": str(time.time())}, {"key": "created_by", "value": __version__}],
                ignore=True,
            )
            # whoever holds the lock is alone: an engine that is still noted as at work has died
            db.execute("UPDATE runs SET pid = NULL, socket = '' WHERE pid IS NOT NULL")
            self._take_in_words(db)
            return db
        except BaseException as error:
            if connection is not None:
                connection.close()
            if isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError):
                raise sentence(error, self.path) from error
            raise

    def _take_in_words(self, db: sqlite_utils.Database) -> None:
        """Why the run that was last at work ended, where its engine could not write that here."""
        if (words := self._lock.last_words) is not None:
            db.execute(
                f"UPDATE runs SET state = 'failed', phase = '', reason = ? WHERE id = ? AND state IN {BUSY}",
                [words.reason, words.run_id],
            )
            self._lock.forget_words()

    def leave_words(self, run_id: int, reason: str) -> None:
        """Why a run ends, where a transaction that says so has failed: kept beside the file for the next writer."""
        self._lock.leave_words(LastWords(run_id, reason))

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite_utils.Database]:
        """All or nothing; takes the write lock at once, so that a read inside it stays true until the commit."""
        with self._mutex:
            try:
                if self._db.conn.in_transaction:  # nested: the outer one commits
                    yield self._db
                    return
                self._file.keep()
                try:  # from here on: the watchdog may raise at any place, and what stays begun swallows what follows
                    self._db.conn.execute("BEGIN IMMEDIATE")
                    yield self._db
                    self._db.conn.execute("COMMIT")
                except BaseException:
                    # A full disk may have rolled it back already
                    if self._db.conn.in_transaction:
                        self._db.conn.execute("ROLLBACK")
                    raise
            except sqlite3.DatabaseError as error:
                if self._db.conn.in_transaction:
                    self._db.conn.execute("ROLLBACK")
                raise sentence(error, self.path) from error

    def settle(self) -> None:
        """Take what is committed from the write-ahead log into the file, which is then the whole project."""
        # on a full disk it stays in the log, where it is as safe
        with self._mutex, contextlib.suppress(sqlite3.DatabaseError):
            self._db.conn.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def query(self, sql: str, args: tuple[object, ...] = ()) -> list[dict[str, Any]]:
        with self._mutex:
            try:
                cursor = self._db.conn.execute(sql, args)
                names = [column[0] for column in cursor.description]
                return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                raise sentence(error, self.path) from error

    def close(self) -> None:
        """Let go of the file, which is the whole project then, although others may have it open."""
        with self._mutex:
            self.settle()
            self._db.conn.close()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def sentence(error: Exception, path: Path) -> UserError:
    """What a database error means to the reader."""
    text = str(error)
    if "full" in text:
        return UserError(
            f"The disk that holds {path} is full.", "Free some space, then resume: nothing measured is lost."
        )
    if "readonly" in text or "unable to open" in text:
        return UserError(
            f"{path} cannot be written.", "Check its permissions, or copy it to a folder that you may write."
        )
    if "locked" in text:
        return locked(path)
    if "not a database" in text or "malformed" in text or "corrupt" in text:
        return UserError(
            f"{path} is damaged or not a project ({text}).",
            "Restore it and its -wal and -shm files from a copy, or tune into a new file.",
        )
    return UserError(f"{path} could not be used: {text}.", "Check the disk, then resume: nothing measured is lost.")
