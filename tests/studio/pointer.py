"""The user's hand on parts of a window: where things lie, and what takes more than one event."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from pruner_studio.widgets.plot import Plot
from pruner_studio.widgets.series import Series


def point_of(plot: Plot, series: Series, at: int) -> QPoint:
    """Where a point of a plot is in its view."""
    box = plot._view.getPlotItem().getViewBox()
    x, y = plot._coordinates(series)
    return plot._view.mapFromScene(box.mapViewToScene(QPointF(x[at], y[at])))


def double_click(widget: QWidget, place: QPoint) -> None:
    """As a mouse does it: `mouseDClick` sends the second press only."""
    left = Qt.MouseButton.LeftButton
    QTest.mouseClick(widget, left, pos=place)
    QTest.mouseDClick(widget, left, pos=place)
    QTest.mouseRelease(widget, left, pos=place)


def press(qtbot, button: QWidget) -> None:
    """Click on a button, which has to be one that a user could click on."""
    assert button.isVisible() and button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
