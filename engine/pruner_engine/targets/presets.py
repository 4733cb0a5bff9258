"""Devices as data: shipped ones, and the user's own in the configuration folder."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from tvm.target import Target

from pruner_engine.errors import UserError
from pruner_engine.resources import resource_dir
from pruner_engine.targets.device import Device
from pruner_engine.targets.profile import DeviceProfile


@dataclass(frozen=True)
class Preset:
    """A known device.

    Attributes:
        id: short name, as given for `--target`.
        target: TVM target as a mapping.
        matches: substrings of a detected device's name that say it is this one.
        source: where the figures come from.
        profile: the figures.
    """

    id: str
    target: dict[str, Any]
    matches: tuple[str, ...]
    source: str
    profile: DeviceProfile


@functools.cache
def load_presets() -> dict[str, Preset]:
    """All presets by id; the user's own replace shipped ones of the same id.

    Raises:
        UserError: a file of the user's is not a device description.
    """
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    folders = resource_dir() / "devices", config / "pruner-studio" / "devices"
    return {path.stem: _read(path) for folder in folders for path in sorted(folder.glob("*.json"))}


def preset_for(target: Target, device: Device) -> DeviceProfile | None:
    """The preset of a detected device, by its name, or of a target, by its architecture."""
    presets = [p for p in load_presets().values() if p.profile.kind == device.kind]
    named = [p for p in presets if any(text in device.name.lower() for text in p.matches)]
    key = "arch" if device.kind == "cuda" else "mcpu"
    same = [p for p in presets if p.target.get(key) and p.target[key] == target.attrs.get(key)]
    return next((p.profile for p in named + same), None)


def _read(path: Path) -> Preset:
    try:
        data = json.loads(path.read_text())
        return msgspec.convert({"id": path.stem, **data}, Preset)
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path} is not a device description: {error}", "Correct it after the shipped ones, or remove it."
        ) from error
