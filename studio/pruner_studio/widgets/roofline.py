"""The roofline of a device, and kernels as points under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pruner_engine import units
from pruner_engine.store.figures.roofline import Ceiling, ceilings
from pruner_studio.translation import tr
from pruner_studio.widgets.plot import Plot
from pruner_studio.widgets.scale import Scale
from pruner_studio.widgets.series import Series

_COLORS = {"L1": "series3", "L2": "series5", "L3": "series6", "DRAM": "series4"}
_LEAST_POINT, _WHOLE_POINT = 5.0, 20.0  # pixels across of a kernel that takes none of the time, and all
_MARGIN = 4.0  # times the outermost intensities that the roofs are drawn beyond


@dataclass(frozen=True)
class Kernels:
    """A group of points: intensities in FLOP a byte, rates in FLOP/s, an id and a name for each.

    Where their shares of the time are known, the areas of the points tell them.
    """

    name: str
    intensity: Sequence[float]
    rate: Sequence[float]
    ids: Sequence[int]
    names: Sequence[str]
    color: str = "series1"
    shares: Sequence[float] | None = None

    @property
    def sizes(self) -> np.ndarray | None:
        """Pixels that the points are across."""
        if self.shares is None:
            return None
        return np.interp(np.sqrt(self.shares), (0.0, 1.0), (_LEAST_POINT, _WHOLE_POINT))


class Roofline(Plot):
    """`picked` tells the id of a point that was clicked."""

    def __init__(self, name: str = tr("Roofline")) -> None:
        super().__init__(
            name,
            Scale(tr("FLOP per byte of the arguments"), units.significant, log=True),
            Scale("FLOP/s", lambda rate: units.rate(rate, "FLOP"), log=True),
        )

    def show_kernels(self, profile: dict[str, Any], groups: Sequence[Kernels], chosen: int | None) -> None:
        """Draw the roofs of a device profile (JSON; {} draws none) and the kernels under them."""
        roofs = ceilings(profile)
        series = self._roofs(roofs, [x for group in groups for x in group.intensity])
        for group in groups:
            x, y = np.array(group.intensity, float), np.array(group.rate, float)
            ids, names = list(group.ids), list(group.names)
            series.append(Series(group.name, x, y, group.color, points=True, sizes=group.sizes, ids=ids, names=names))
        self.show_data(series, chosen=chosen)

    def _roofs(self, roofs: Sequence[Ceiling], intensities: Sequence[float]) -> list[Series]:
        if not roofs:
            return []
        peak, *levels = roofs
        ridges = [peak.per_second / level.per_second for level in levels]
        low = min([*intensities, *ridges]) / _MARGIN
        high = max([*intensities, *ridges]) * _MARGIN
        drawn = []
        for level, ridge in zip(levels, ridges, strict=True):
            x = np.array([low, ridge])
            told = f"{level.name} {units.rate(level.per_second, 'B')}"
            drawn.append(Series(told, x, x * level.per_second, _COLORS.get(level.name, "series6"), faint=True))
        start = min(ridges)
        told = tr("peak {rate}").format(rate=units.rate(peak.per_second, "FLOP"))
        drawn.append(Series(told, np.array([start, high]), np.full(2, peak.per_second), "muted", faint=True))
        return drawn
