"""Responsive layouts: parts stand side by side where there is room, and below each other on a small screen."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLayoutItem, QWidget

from pruner_studio.theme import theme
from pruner_studio.widgets.divider import Divided

_GAP = 14  # pixels between parts


class Columns(QWidget):
    """Parts side by side; below each other where it is narrower than `least` pixels, or than they need.

    Signals:
        turned: the parts stand below each other now, or side by side.
    """

    turned = Signal(bool)

    def __init__(self, least: int) -> None:
        super().__init__()
        self._least = theme.pixels(least)
        self.row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(_GAP)

    def minimumSizeHint(self) -> QSize:
        """It can get as narrow as its widest part."""
        return QSize(max(self._widths(), default=0), self.row.minimumSize().height())

    def sizeHint(self) -> QSize:
        """It likes to have its parts side by side, however they stand now."""
        gaps = self.row.spacing() * max(0, self.row.count() - 1)
        return QSize(sum(part.sizeHint().width() for part in self._parts()) + gaps, super().sizeHint().height())

    def _parts(self) -> list[QLayoutItem]:
        return [part for at in range(self.row.count()) if (part := self.row.itemAt(at)) is not None]

    def _widths(self) -> list[int]:
        return [part.minimumSize().width() for part in self._parts()]

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            needed = sum(self._widths()) + self.row.spacing() * (self.row.count() - 1)
            narrow = self.width() < max(self._least, needed)
            direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
            if direction != self.row.direction():
                self.row.setDirection(direction)
                self.turned.emit(narrow)
        return super().event(event)


class Division(Divided):
    """The same with a handle between the parts."""

    def __init__(self, name: str, least: int) -> None:
        super().__init__(Qt.Orientation.Horizontal, name, _GAP)
        self._least = theme.pixels(least)

    def minimumSizeHint(self) -> QSize:
        widths = [max(part.minimumWidth(), part.minimumSizeHint().width()) for part in self.parts()]
        return QSize(max(widths, default=0), super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            each = (part.minimumWidth() or part.minimumSizeHint().width() for part in self.parts())
            needed = sum(each) + self.handleWidth() * (self.count() - 1)
            narrow, before = self.width() < max(self._least, needed), self.orientation()
            self.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
            if before != self.orientation():
                self.restore()
        return done


class Tiles(QWidget):
    """Equally wide parts in a row; in several rows where one does not hold them."""

    def __init__(self, parts: Iterable[QWidget]) -> None:
        super().__init__()
        self._parts = list(parts)
        self._shown = self._parts
        self._placed: tuple[int, list[QWidget]] = (0, [])
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)
        self._place()

    def show_only(self, parts: Iterable[QWidget]) -> None:
        """Leave the others out, without a gap."""
        self._shown = list(parts)
        for part in self._parts:
            part.setVisible(part in self._shown)
        self._place()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._widest, self._grid.minimumSize().height())

    @property
    def _widest(self) -> int:
        return max(max(part.minimumWidth(), part.minimumSizeHint().width()) for part in self._parts)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        gap, count = self._grid.spacing(), len(self._shown)
        rows = -(-count // max(1, (self.width() + gap) // (self._widest + gap)))
        columns = -(-count // rows)
        if self._placed == (columns, self._shown):
            return
        self._placed = columns, self._shown
        for part in self._parts:
            self._grid.removeWidget(part)
        for at in range(len(self._parts)):
            self._grid.setColumnStretch(at, int(at < columns))
        for at, part in enumerate(self._shown):
            self._grid.addWidget(part, at // columns, at % columns)
