"""Sizes that the user has chosen, of table columns and divided parts, kept between starts under the names shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import QSettings, QTimer

_REST_MS = 500  # from a move until it is written, which takes as long as the disk does

_moved: dict[str, list[int]] = {}


def _key(name: str) -> str:
    return f"by_hand/{name.replace('/', '_')}"


def keep(name: str, pixels: Sequence[int]) -> None:
    """Keep sizes in pixels, of a divider's parts or of a column."""
    if not _moved:
        QTimer.singleShot(_REST_MS, write)
    _moved[_key(name)] = list(pixels)


def kept(name: str) -> list[int]:
    """The sizes kept under a name, in pixels; empty where there are none."""
    stored: Any = _moved.get(_key(name)) or QSettings().value(_key(name), [])
    try:
        return [int(size) for size in (stored if isinstance(stored, list) else [stored])]
    except (TypeError, ValueError):
        return []


def forget(names: Iterable[str]) -> None:
    """Let the window choose the sizes of these names again."""
    settings = QSettings()
    for name in names:
        _moved.pop(_key(name), None)
        settings.remove(_key(name))


def write() -> None:
    """Write the sizes that were changed since the last call."""
    settings = QSettings()
    for key, pixels in _moved.items():
        settings.setValue(key, pixels)
    _moved.clear()
