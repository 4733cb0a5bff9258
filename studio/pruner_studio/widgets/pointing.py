"""Pointing in a plot: the point nearest to the pointer, or the one that the keys have moved to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent

from pruner_studio.plotting import pg
from pruner_studio.widgets.series import Series

_NEAR_PX = 14.0
_ZOOM = 0.8  # of the range, at a key
_ALONG = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_ACROSS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ENDS = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}
_ZOOMS = {Qt.Key.Key_Plus: _ZOOM, Qt.Key.Key_Equal: _ZOOM, Qt.Key.Key_Minus: 1 / _ZOOM}
_OPEN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_CHOOSE = (*_OPEN, Qt.Key.Key_Space)

# a series with the coordinates of its points in the view
Placed: TypeAlias = tuple[Series, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Spot:
    """A point of a series, and where it lies in the view."""

    entry: Series
    at: int
    x: float
    y: float

    @property
    def id(self) -> int | None:
        return None if self.entry.ids is None else int(self.entry.ids[self.at])


class Pointing(QObject):
    """Follows pointer and keys in a view.

    ← and → go along a series, Home and End to its ends, ↑ and ↓ to the next series, Space chooses, Enter opens too; +
    and - zoom, 0 shows all, as a double click does where nothing can be opened. What keys go to is brought into sight.

    Args:
        placed: what the view shows now.
    """

    moved = Signal(object)  # Spot, or None where nothing is near
    chosen = Signal(object)  # Spot
    opened = Signal(object)  # Spot, chosen just before
    menu_asked = Signal(QPoint)  # place on the screen

    def __init__(self, view: pg.PlotWidget, placed: Callable[[], Sequence[Placed]]) -> None:
        super().__init__(view)
        self._box: pg.ViewBox = view.getPlotItem().getViewBox()
        self._placed = placed
        self._spot: Spot | None = None
        self._by_keys = False  # what keys went to stays when the pointer leaves
        view.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        view.installEventFilter(self)
        view.scene().sigMouseMoved.connect(lambda position: self._go(self._nearest(position)))
        view.scene().sigMouseClicked.connect(self._clicked)

    def forget(self) -> None:
        """Another subject: show all of it, point at nothing."""
        self._spot = None
        self._box.enableAutoRange()

    @property
    def spot(self) -> Spot | None:
        """The point that pointer or keys are on."""
        return self._spot

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave and not self._by_keys:
            self._go(None)
        if isinstance(event, QContextMenuEvent) and event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.menu_asked.emit(event.globalPos())
            return True
        return isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._press(event)

    def _press(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key in _ZOOMS:
            self._box.scaleBy((_ZOOMS[key], _ZOOMS[key]), center=self._center())
        elif key == Qt.Key.Key_0:
            self._box.enableAutoRange()
        elif key in _CHOOSE:
            self._choose(self._spot, opened=key in _OPEN)
        elif key in (*_ALONG, *_ACROSS, *_ENDS):
            self._step(key)
        else:
            return False
        return True

    def _step(self, key: Qt.Key) -> None:
        there = [one for one in self._placed() if np.isfinite(one[1] + one[2]).any()]
        names = [entry.name for entry, *_ in there]
        now = self._spot
        if now is None or now.entry.name not in names:
            if there:
                self._show(there[0], 0)
            return
        placed = there[(names.index(now.entry.name) + _ACROSS.get(key, 0)) % len(there)]
        order, x, _ = _ordered(placed)
        own = np.flatnonzero(order == now.at)
        at = int(own[0]) if key in _ALONG and len(own) else int(np.argmin(np.abs(x - now.x)))
        self._show(placed, _ENDS.get(key, min(max(at + _ALONG.get(key, 0), 0), len(x) - 1)))

    def _show(self, placed: Placed, at: int) -> None:
        """Go to the at-th point along a series, and bring it into sight."""
        order, x, y = _ordered(placed)
        spot = Spot(placed[0], int(order[at]), float(x[at]), float(y[at]))
        (left, right), (low, high) = self._box.viewRange()
        if not (left <= spot.x <= right and low <= spot.y <= high):
            self._box.translateBy(x=spot.x - (left + right) / 2, y=spot.y - (low + high) / 2)
        self._go(spot, by_keys=True)

    def _clicked(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            spot = self._nearest(event.scenePos())
            if event.double() and (spot is None or spot.id is None):
                self._box.enableAutoRange()
            self._choose(spot, opened=event.double())
        elif event.button() == Qt.MouseButton.RightButton:  # released where it was pressed: dragging zooms
            self.menu_asked.emit(event.screenPos().toPoint())

    def _go(self, spot: Spot | None, *, by_keys: bool = False) -> None:
        self._spot, self._by_keys = spot, by_keys
        self.moved.emit(spot)

    def _choose(self, spot: Spot | None, *, opened: bool) -> None:
        if spot is not None:
            self.chosen.emit(spot)
            if opened:
                self.opened.emit(spot)

    def _center(self) -> tuple[float, float]:
        if self._spot is not None:
            return self._spot.x, self._spot.y
        (left, right), (low, high) = self._box.viewRange()
        return (left + right) / 2, (low + high) / 2

    def _nearest(self, position: QPointF) -> Spot | None:
        """The point nearest to a place on the screen, at most some pixels away."""
        place = self._box.mapSceneToView(position)
        width, height = self._box.viewPixelSize()
        best: Spot | None = None
        least = _NEAR_PX
        for entry, x, y in self._placed():
            if not len(x) or not width or not height:
                continue
            distance = np.hypot((x - place.x()) / width, (y - place.y()) / height)
            at = int(np.nanargmin(distance))
            if distance[at] <= least:
                least, best = float(distance[at]), Spot(entry, at, float(x[at]), float(y[at]))
        return best


def _ordered(placed: Placed) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of a series' finite points from left to right, and their places."""
    _, x, y = placed
    order = np.flatnonzero(np.isfinite(x + y))
    order = order[np.argsort(x[order], kind="stable")]
    return order, x[order], y[order]
