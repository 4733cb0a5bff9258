"""A whole project file that takes a name which another one may have had."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path

from pruner_engine.store.file.lock import WriterLock

_LOGS = ("-wal", "-shm", "-journal")


@contextlib.contextmanager
def put_in_place(path: str | Path) -> Iterator[Path]:
    """Where to write a project file that takes the place of `path` at the end; it is removed if that fails.

    What is beside the path under the name of a log goes first: SQLite would take it for the new file's, whose pages
    would be those of the old file again.

    Raises:
        UserError: an engine writes what is there.
        OSError: the folder cannot be written.
    """
    place = Path(path).resolve()
    half = place.with_name(f"{place.name}.{secrets.token_hex(4)}.part")
    try:
        yield half
        lock = WriterLock(place)
        try:
            lock.forget_words()  # about a run of the file that goes
            for ending in _LOGS:
                place.with_name(place.name + ending).unlink(missing_ok=True)
            half.replace(place)
        finally:
            lock.release()
    finally:
        with contextlib.suppress(OSError):
            half.unlink()
