"""Names of curves where they end and of levels, so that a reader need not go from a legend to a line and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pruner_studio.plotting import pg
from pruner_studio.theme import theme

_GAP = 6.0  # pixels between a curve and its name
_MARGIN = 2.0  # of the ground of a name
_STEPS = sorted((quarters / 4 for quarters in range(-24, 25)), key=abs)  # heights of a name that it may be off its end
_COLUMNS = 8  # of places that the name of a level may have
_LEAST_VIEW = 160.0  # pixels of curves: a smaller plot keeps its room for them


@dataclass(frozen=True)
class Line:
    """A line as it is drawn, in the coordinates of the view.

    Attributes:
        name: empty where it is only not to be written over.
        x, y: finite; a level has one y and no x.
    """

    name: str
    x: np.ndarray
    y: np.ndarray
    color: str
    bold: bool = field(default=False)

    @property
    def level(self) -> bool:
        return not len(self.x)

    @property
    def end(self) -> QPointF:
        return QPointF(float(self.x[-1]), float(self.y[-1]))


class Names(pg.GraphicsObject):  # type: ignore[misc]
    """Paints names right of the ends of curves and at the right of levels, off one another and off the lines.

    It asks for the room that the names need right of the curves.

    Args:
        box: the view that the lines are in.
        lines: all that are drawn; the bold ones come next to their ends.
    """

    def __init__(self, box: pg.ViewBox, lines: Sequence[Line], font: QFont) -> None:
        super().__init__()
        self._box, self._lines = box, lines
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        self._named = [(line, bold if line.bold else font) for line in _outwards(lines)]
        self.setZValue(10)

    def dataBounds(self, axis: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float] | None:
        """Of the curves and, to their right, of their names at the scale that then results."""
        ends = [(line, used) for line, used in self._named if not line.level]
        if axis != 0 or not ends:
            return None
        wide = self._box.width()
        room = max(QFontMetricsF(used).horizontalAdvance(line.name) for line, used in ends) + 2 * _GAP
        if wide < _LEAST_VIEW + room:
            return None
        begin, last = min(float(line.x.min()) for line, _ in ends), max(line.end.x() for line, _ in ends)
        return begin, begin + (last - begin) / (1 - room / wide)

    def boundingRect(self) -> QRectF:
        return QRectF(self._box.viewRect())

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()
        self.update()

    def placed(self, to_screen: QTransform) -> list[tuple[QRectF, Line, QFont]]:
        """Where each name of what is in sight goes, in pixels: at the first place that nothing else takes."""
        shown = to_screen.mapRect(QRectF(self._box.viewRect()))
        pieces = [_pieces(line, to_screen, shown) for line in self._lines]
        found: list[tuple[QRectF, Line, QFont]] = []
        for line, used in self._named:
            metrics = QFontMetricsF(used)
            size = (metrics.horizontalAdvance(line.name), metrics.height())
            offered = _beside_level if line.level else _beside_end
            places = offered(line, to_screen, shown, *size)
            inside = [place for place in places if shown.top() <= place.top() and place.bottom() <= shown.bottom()]
            free = [place for place in inside if not any(place.intersects(other) for other, *_ in found)]
            clear = [place for place in free if not any(_crossed(place, piece) for piece in pieces)]
            ordered = (place for place in clear if _in_order(place, line, found))
            if (chosen := next(ordered, next(iter(clear or free), None))) is not None:
                found.append((chosen, line, used))
        return found

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        to_screen = painter.transform()
        painter.save()
        painter.setTransform(QTransform())
        ground = theme.color("surface", 200)
        for box, line, used in self.placed(to_screen):
            painter.fillRect(box.adjusted(-_MARGIN, 0, _MARGIN, 0), ground)
            painter.setPen(theme.color(line.color))
            painter.setFont(used)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextDontClip), line.name)
        painter.restore()


def _outwards(lines: Iterable[Line]) -> list[Line]:
    """Those with names: the bold curve, the others from its end on upwards and downwards, then the levels."""
    named = [line for line in lines if line.name]
    ends = [line.end.y() for line in sorted(named, key=lambda line: not line.bold) if not line.level]
    return sorted(named, key=lambda line: (line.level, not line.bold, abs(float(line.y[-1]) - (ends or [0.0])[0])))


def _in_order(place: QRectF, line: Line, found: Iterable[tuple[QRectF, Line, QFont]]) -> bool:
    """Whether names of curves stand one above another as the ends of the curves do."""
    if line.level:
        return True
    others = ((box, other) for box, other, _ in found if not other.level)
    return all((line.end.y() - other.end.y()) * (place.top() - box.top()) <= 0 for box, other in others)


def _beside_end(line: Line, to_screen: QTransform, shown: QRectF, width: float, height: float) -> Iterable[QRectF]:
    """Right of the end of a curve that is in sight, there or some way above or below."""
    at = to_screen.map(line.end)
    if not shown.adjusted(-1, -1, 1, 1).contains(at):
        return ()
    left = min(at.x() + _GAP, shown.right() - width - _MARGIN)
    return (QRectF(left, at.y() - height / 2 + step * height, width, height) for step in _STEPS)


def _beside_level(line: Line, to_screen: QTransform, shown: QRectF, width: float, height: float) -> Iterable[QRectF]:
    """On a level or below it, as far right as there is a place."""
    y = to_screen.m22() * float(line.y[0]) + to_screen.dy()
    rights = (shown.right() - _GAP - column * (width / 2 + _GAP) for column in range(_COLUMNS))
    tops = (y - height - 1, y + 1)
    if not shown.top() - 1 <= y <= shown.bottom() + 1:
        return ()
    return (
        QRectF(right - width, top, width, height) for right in rights for top in tops if right - width > shown.left()
    )


def _pieces(line: Line, to_screen: QTransform, shown: QRectF) -> np.ndarray:
    """Pieces of a line in pixels: left, right, top, bottom of each."""
    x, y = to_screen.m11() * line.x + to_screen.dx(), to_screen.m22() * line.y + to_screen.dy()
    if line.level:
        return np.array([[shown.left()], [shown.right()], y, y])
    return np.array(
        [np.minimum(x[1:], x[:-1]), np.maximum(x[1:], x[:-1]), np.minimum(y[1:], y[:-1]), np.maximum(y[1:], y[:-1])]
    )


def _crossed(box: QRectF, pieces: np.ndarray) -> bool:
    """Whether a line goes through a box."""
    left, right, top, bottom = pieces
    return bool(
        np.any((left < box.right()) & (right > box.left()) & (top < box.bottom() - 1) & (bottom > box.top() + 1))
    )
