"""Files that describe devices: the shipped ones, and the user's own in the configuration folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TypeVar

import msgspec

from pruner_engine.errors import UserError
from pruner_engine.resources import resource_dir
from pruner_engine.whole_files import read_whole

_T = TypeVar("_T")


def preset_files() -> dict[str, Path]:
    """By the id that `--target` takes; the user's own replace shipped ones of the same id."""
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    folders = resource_dir() / "devices", config / "pruner-studio" / "devices"
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.json"))}


def read_preset(path: Path, kind: type[_T]) -> _T:
    """What such a file says, as far as `kind` has fields for it; its id is the field `id`.

    Raises:
        UserError: the file cannot be read, or is no device description.
    """
    try:
        return msgspec.convert({"id": path.stem, **json.loads(read_whole(path))}, kind)
    except (OSError, ValueError, TypeError) as error:
        raise UserError(
            f"{path} is not a device description: {error}", "Correct it after the shipped ones, or remove it."
        ) from error
