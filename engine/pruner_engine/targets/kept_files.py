"""Files of the user's cache that keep what was found out about a device, one for each device and target."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from tvm.target import Target

from pruner_engine.notices import OnNotice
from pruner_engine.replacing import write_whole
from pruner_engine.targets.target import device_of, target_json

_Value = TypeVar("_Value")
_NOT_KEPT = "Later runs measure and calibrate anew. Make the folder writable, or set XDG_CACHE_HOME to one that is."


def kept_file(target: Target, layout: str, suffix: str) -> Path:
    """The file of a target and its device; another `layout` of what it holds gives another name."""
    key = hashlib.sha256((target_json(target) + layout).encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "pruner-studio" / "profiles" / f"{device_of(target).fingerprint}-{key}{suffix}.json"


def read_kept(path: Path, kind: type[_Value]) -> _Value | None:
    """What `keep` wrote; None where that is nothing, or nothing of this kind."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError):
        return None


def keep(path: Path, value: Any, on_notice: OnNotice) -> None:
    """Write a value as JSON; that it cannot be written is told, since a read-only home costs only time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, msgspec.json.encode(value))
    except OSError as error:
        on_notice("warning", f"{path} cannot be kept: {error.strerror}.", _NOT_KEPT)
