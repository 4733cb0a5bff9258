"""The line of a series in a plot: no more points than its columns can show, as broad on any screen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pruner_studio.plotting import pg
from pruner_studio.widgets.thinning import extremes

_WIDE_POINTS = 3_000  # broad pens get slow beyond
_SMOOTHED_POINTS = 200  # a broad line of more goes up and down within few pixels: to smooth it takes 20 times as long
_COLUMNS = 500  # more points than this many columns can show are drawn as the extremes of each column


@dataclass(frozen=True)
class Path:
    """Where a curve goes through, in coordinates of the plot.

    Attributes:
        x, y: equally long.
        drawn: how many points of the series are among them.
        steps: it holds each value up to the next point.
    """

    x: np.ndarray
    y: np.ndarray
    drawn: int
    steps: bool

    @classmethod
    def through(cls, x: np.ndarray, y: np.ndarray, *, steps: bool) -> Path:
        """The path through points, or through the extremes of many."""
        if len(x) > 4 * _COLUMNS:
            x, y = extremes(x, y, _COLUMNS)
        drawn = len(x)
        return cls(np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1], drawn, True) if steps else cls(x, y, drawn, False)


class Curve(pg.PlotCurveItem):  # type: ignore[misc]
    """As broad on a fine screen as on a coarse one: the pens of curves count the pixels of the device itself.

    Args:
        width: of the line in pixels; a long one is thin.
    """

    def __init__(self, path: Path, color: QColor, width: float) -> None:
        self._width = 1 if len(path.x) > _WIDE_POINTS else width
        # Steps run along the pixels: smoothing them would only cost
        smooth = not path.steps and len(path.x) <= (_WIDE_POINTS if self._width == 1 else _SMOOTHED_POINTS)
        super().__init__(path.x, path.y, pen=pg.mkPen(color), antialias=smooth)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None) -> None:
        self.opts["pen"].setWidthF(self._width * painter.device().devicePixelRatioF())
        super().paint(painter, option, widget)
