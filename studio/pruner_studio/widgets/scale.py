"""What is told along one axis of a plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pruner_engine import units

_UNITS: dict[Any, str] = {units.latency: "s", units.duration: "s"}  # of what these texts are made of
_LEAST = 1e-30  # has a logarithm


@dataclass(frozen=True)
class Scale:
    """A quantity along an axis.

    Attributes:
        name: with the unit in words where the ticks do not carry it.
        text: of a tick and of a hovered value.
        log: logarithmic: coordinates are log10 of the values.
    """

    name: str
    text: Callable[[float], str] = units.general
    log: bool = False

    @property
    def heading(self) -> str:
        """Name and plain unit, for a column of values."""
        return f"{self.name}, {_UNITS[self.text]}" if self.text in _UNITS else self.name

    def coordinates(self, values: np.ndarray | Sequence[float]) -> np.ndarray:
        """Where values lie along the axis."""
        values = np.asarray(values, dtype=float)
        return np.log10(np.maximum(values, _LEAST)) if self.log else values
