"""Files that are written over: only those of the same kind, and what they held is lost only once all of theirs is kept.

The name of another is easily taken by mistake.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from pruner_engine.errors import UserError


@dataclass(frozen=True)
class Kind:
    """What a file of this kind holds at `offset`."""

    holds: bytes
    offset: int = 0


PAGE = Kind(b"<!DOCTYPE html>")
TENSORS = Kind(b"{", 8)


def refuse_other(path: Path, kind: Kind) -> None:
    """Raise UserError where a file is in the place that is neither empty nor of this kind."""
    try:
        if not path.is_file():  # nothing yet, or a device or pipe
            return
        with path.open("rb") as file:
            head = file.read(kind.offset + len(kind.holds))
    except OSError:  # whoever writes there says why not
        return
    if head and head[kind.offset :] != kind.holds:
        raise UserError(
            f"{path} holds something else, which would be lost.", "Name another file, or remove this one first."
        )


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside and rename it, so that no reader meets half of it, nor does a full disk leave half.

    A link stays one, and a device or pipe is written to. Permissions stay those of what was there.

    Raises:
        OSError: it cannot be written; what was there is there still.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    place = path.resolve()
    beside = place.with_name(f"{place.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            with contextlib.suppress(OSError):  # nothing was there, or the disk knows no permissions
                os.fchmod(file.fileno(), stat.S_IMODE(place.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
