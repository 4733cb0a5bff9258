"""Axes of a plot with ticks in human units."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pruner_studio.plotting import pg

_FURTHEST = 300  # powers of ten that a plot can be zoomed out to and still be written


class HumanAxis(pg.AxisItem):  # type: ignore[misc]
    """Ticks in human units; on a logarithmic axis the coordinates are log10 of the values."""

    def __init__(self, side: str, text: Callable[[float], str], log: bool) -> None:
        super().__init__(side)
        self.text, self._log = text, log
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4, tickTextOffset=6, autoExpandTextSpace=True)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        if not self._log:
            return list(super().tickValues(low, high, size)[:1])
        low, high = max(low, -_FURTHEST), min(high, _FURTHEST)
        if low >= high:
            return []
        first, last = 10.0**low, 10.0**high
        if last / max(first, 1e-30) < 5:
            step = 10 ** math.floor(math.log10((last - first) or 1e-12))
            step *= next(factor for factor in (0.2, 0.5, 1, 2, 5) if (last - first) / (step * factor) <= 6)
            values = np.arange(math.ceil(first / step), math.floor(last / step) + 1) * step
        else:
            decades = range(math.floor(low), math.ceil(high) + 1)
            factors = (1, 2, 5) if high - low < 3 else (1,)
            values = np.array([factor * 10.0**decade for decade in decades for factor in factors])
        return [(1.0, [math.log10(value) for value in values if first <= value <= last])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self.text(10.0**value if self._log else value) for value in values]
