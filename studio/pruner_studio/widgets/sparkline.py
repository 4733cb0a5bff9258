"""A curve as small as a cell of a table: best latency over the trials of a task."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

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
    right, up = box.width() / ((last - first) or 1.0), box.height() / ((high - low) or 1.0)
    x = [box.left() + (place - first) * right for place, _ in points]
    y = [box.bottom() - (height - low) * up for height in heights]
    steps = [QPointF(x[0], y[0])]
    for at in range(1, len(x)):
        steps += QPointF(x[at], y[at - 1]), QPointF(x[at], y[at])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(theme.color("accent"))
    painter.drawPolyline(steps)  # runs along the pixels: smoothing it would only cost
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("accent"))
    painter.drawEllipse(steps[-1], 2.0, 2.0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
