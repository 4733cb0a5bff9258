"""A curve as small as a cell of a table: best latency over the trials of a task."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from pruner_studio.theme import theme


def paint_curve(painter: QPainter, box: QRectF, points: Sequence[tuple[float, float]]) -> None:
    """Steps from each point to the next, logarithmic in height, the last one marked.

    Args:
        points: (place, value) with ascending places; the last place is the right edge.
    """
    if not points:
        return
    first, last = points[0][0], points[-1][0]
    heights = [math.log(max(value, 1e-30)) for _, value in points]
    low, high = min(heights), max(heights)
    steps = QPolygonF()
    for (place, _), height in zip(points, heights, strict=True):
        x = box.left() + (place - first) / ((last - first) or 1.0) * box.width()
        y = box.bottom() - (height - low) / ((high - low) or 1.0) * box.height()
        if not steps.isEmpty():
            steps.append(QPointF(x, steps.last().y()))
        steps.append(QPointF(x, y))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.color("accent"), 1.3))
    painter.drawPolyline(steps)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("accent"))
    painter.drawEllipse(steps.last(), 2.0, 2.0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
