"""What is told along one axis of a plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pruner_engine import units
from pruner_studio.models import plain_units

_LEAST = 1e-30  # has a logarithm
_DECADES, _SHARE = 0.5, 0.1  # around what is all at one place


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
        return plain_units.heading(self.name, self.text)

    def around(self, places: np.ndarray) -> tuple[float, ...]:
        """Ends of a stretch around coordinates that are all the same one; none where they differ, or there are none."""
        known = places[np.isfinite(places)]
        if not len(known) or np.ptp(known):
            return ()
        at = float(known[0])
        if self.log:
            return at - _DECADES, at + _DECADES
        return (at - abs(at) * _SHARE, at + abs(at) * _SHARE) if at else (0.0, 1.0)

    def coordinates(self, values: np.ndarray | Sequence[float]) -> np.ndarray:
        """Where values lie along the axis."""
        values = np.asarray(values, dtype=float)
        return np.log10(np.maximum(values, _LEAST)) if self.log else values
