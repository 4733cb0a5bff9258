"""Which files may be written over: those of the same kind, since the name of another is easily taken by mistake."""

from __future__ import annotations

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
