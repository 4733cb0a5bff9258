"""Plain units of the values behind texts in human units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pruner_engine import units

_UNITS: dict[Any, str] = {units.latency: "s", units.duration: "s"}  # of what these texts are made of


def heading(name: str, text: Callable[[Any], str], unit: str = "") -> str:
    """Name and plain unit, for a column of values: that of its text unless another one is told."""
    unit = unit or _UNITS.get(text, "")
    return f"{name}, {unit}" if unit else name
