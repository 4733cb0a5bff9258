"""What a plot shows: curves, groups of points, and levels to compare them with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Series:
    """One curve or one group of points.

    Attributes:
        name: in the legend and in exports.
        x, y: equally long, in the units of the axes (y in the plain unit also on a logarithmic axis).
        color: token of the theme.
        steps: a curve that holds its value up to the next point.
        points: no line, only points.
        faint: drawn thin, as a reference.
        strong: what the plot is about: drawn broad and below the others, so that one that goes the same way stays seen.
        told_at_end: its name stands where it ends too.
        sizes: pixels that each point is across; None for those of any plot.
        ids: what `picked` tells for a point.
        names: what a point is called when the pointer is on it, instead of the series' name.
    """

    name: str
    x: np.ndarray
    y: np.ndarray
    color: str = "series1"
    steps: bool = False
    points: bool = False
    faint: bool = False
    strong: bool = False
    told_at_end: bool = False
    sizes: np.ndarray | None = None
    ids: Sequence[int] | None = None
    names: Sequence[str] | None = None


@dataclass(frozen=True)
class Level:
    """A horizontal line with a name, such as a baseline."""

    name: str
    y: float
    color: str = "muted"
