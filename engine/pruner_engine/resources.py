"""Where the files that ship with the product are, installed or in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_dir() -> Path:
    """The folder that holds icons, themes, device presets, sample models and checkpoints."""
    installed = _PACKAGE / "_resources"
    return installed if installed.is_dir() else _PACKAGE.parents[1] / "resources"
