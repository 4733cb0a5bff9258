"""Which scripts the user of this machine has agreed to run: remembered with the user, never in a project file."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path


def _folder() -> Path:
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return state / "pruner-studio" / "agreed"


def agree(content: bytes) -> None:
    """Remember the consent to run exactly this script; where that cannot be written it is asked for again."""
    with contextlib.suppress(OSError):
        _folder().mkdir(parents=True, exist_ok=True)
        (_folder() / hashlib.sha256(content).hexdigest()).touch()


def is_agreed(content: bytes) -> bool:
    """Whether the user has agreed to run exactly this script."""
    return (_folder() / hashlib.sha256(content).hexdigest()).exists()
