"""Names of curves where they end, so that a reader need not go from a legend to a line and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pruner_studio.plotting import pg
from pruner_studio.theme import theme

_GAP = 6.0  # pixels between a curve and its name
_MARGIN = 2.0  # of the ground of a name
_STEPS = sorted((quarters / 4 for quarters in range(-24, 25)), key=abs)  # heights of a name that it may be off its end
_LEAST_VIEW = 160.0  # pixels of curves: a smaller plot keeps its room for them


@dataclass(frozen=True)
class End:
    """A name, the curve that it is of, in the coordinates of the view and as drawn, and its colour."""

    name: str
    x: np.ndarray
    y: np.ndarray
    color: str
    bold: bool = False

    @property
    def place(self) -> QPointF:
        return QPointF(float(self.x[-1]), float(self.y[-1]))


class Ends(pg.GraphicsObject):  # type: ignore[misc]
    """Paints names right of the ends of curves, off one another and off the curves, and asks for the room for them.

    Args:
        box: the view that the curves are in.
        ends: of curves of finite points; the bold ones come next to their ends.
    """

    def __init__(self, box: pg.ViewBox, ends: Sequence[End], font: QFont) -> None:
        super().__init__()
        self._box = box
        self._begin = min((float(end.x.min()) for end in ends), default=0.0)
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        self._ends = [(end, bold if end.bold else font) for end in sorted(ends, key=lambda end: not end.bold)]
        self._widest = max((QFontMetricsF(used).horizontalAdvance(end.name) for end, used in self._ends), default=0.0)
        self.setZValue(10)
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def dataBounds(self, axis: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float] | None:
        """Of the curves and, to their right, of the names at the scale that then results."""
        if axis != 0 or not self._ends:
            return None
        lasts = [end.place.x() for end, _ in self._ends]
        wide, room = self._box.width(), self._widest + 2 * _GAP
        if wide < _LEAST_VIEW + room:
            return None
        return self._begin, self._begin + (max(lasts) - self._begin) / (1 - room / wide)

    def boundingRect(self) -> QRectF:
        return QRectF(self._box.viewRect())

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()
        self.update()

    def placed(self, to_screen: QTransform) -> list[tuple[QRectF, End, QFont]]:
        """Where each name goes, in pixels: beside an end that is in sight, above or below where that is taken."""
        shown = to_screen.mapRect(QRectF(self._box.viewRect()))
        lines = [_segments(end, to_screen) for end, _ in self._ends]
        found: list[tuple[QRectF, End, QFont]] = []
        for end, used in self._ends:
            at, metrics = to_screen.map(end.place), QFontMetricsF(used)
            if not shown.adjusted(-1, -1, 1, 1).contains(at):
                continue
            size = (metrics.horizontalAdvance(end.name), metrics.height())
            left = min(at.x() + _GAP, shown.right() - size[0] - _MARGIN)
            places = [QRectF(left, at.y() - size[1] / 2 + step * size[1], *size) for step in _STEPS]
            inside = [place for place in places if shown.top() <= place.top() and place.bottom() <= shown.bottom()]
            free = [place for place in inside if not any(place.intersects(other) for other, *_ in found)]
            clear = (place for place in free if not any(_crossed(place, line) for line in lines))
            if (chosen := next(clear, next(iter(free), None))) is not None:
                found.append((chosen, end, used))
        return found

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        to_screen = painter.transform()
        painter.save()
        painter.setTransform(QTransform())
        ground = theme.color("surface", 200)
        for box, end, used in self.placed(to_screen):
            painter.fillRect(box.adjusted(-_MARGIN, 0, _MARGIN, 0), ground)
            painter.setPen(QColor(theme.color(end.color)))
            painter.setFont(used)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextDontClip), end.name)
        painter.restore()


def _segments(end: End, to_screen: QTransform) -> np.ndarray:
    """Pieces of a curve in pixels: left, right, top, bottom of each."""
    x, y = to_screen.m11() * end.x + to_screen.dx(), to_screen.m22() * end.y + to_screen.dy()
    return np.array(
        [np.minimum(x[1:], x[:-1]), np.maximum(x[1:], x[:-1]), np.minimum(y[1:], y[:-1]), np.maximum(y[1:], y[:-1])]
    )


def _crossed(box: QRectF, pieces: np.ndarray) -> bool:
    """Whether a curve goes through a box."""
    left, right, top, bottom = pieces
    return bool(
        np.any((left < box.right()) & (right > box.left()) & (top < box.bottom() - 2) & (bottom > box.top() + 2))
    )
