"""Brings a part of a page that is scrolled into sight."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QScrollArea, QWidget

_MARGIN = 12  # pixels


def show_place(part: QWidget, place: QPoint, margin: int) -> None:
    """Scroll as little as it takes to see a place of a part, with so many pixels above and below it."""
    area = _area_around(part)
    if area is not None and (inside := area.widget()) is not None:
        there = part.mapTo(inside, place)
        area.ensureVisible(there.x(), there.y(), 0, margin)


def show_below(part: QWidget, unfolded: QWidget) -> None:
    """Scroll down to the end of what has unfolded below a part; the part stays in sight."""
    area = _area_around(part)
    if area is not None and (inside := area.widget()) is not None:
        first = part.mapTo(inside, QPoint(0, 0)).y() - _MARGIN
        last = unfolded.mapTo(inside, QPoint(0, unfolded.height())).y() + _MARGIN
        bar = area.verticalScrollBar()
        bar.setValue(max(bar.value(), min(first, last - area.viewport().height())))


def _area_around(part: QWidget) -> QScrollArea | None:
    around = part.parentWidget()
    while around is not None and not isinstance(around, QScrollArea):
        around = around.parentWidget()
    return around
