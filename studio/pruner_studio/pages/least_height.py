"""Layouts that ask for the least height in which they can be shown at their width.

Of a layout whose lines wrap, a scroll area asks the height that it likes to have, and scrolls where it has less.
"""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout


class LeastColumn(QVBoxLayout):
    """The outer layout of a page in a frame that scrolls; its one part is a layout."""

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSize(self) -> QSize:
        least, page, column = super().minimumSize(), self.parentWidget(), self.itemAt(0)
        frame = page.parentWidget() if page is not None else None
        if frame is None or column is None:
            return least
        width = max(least.width(), frame.width())
        return QSize(least.width(), max(least.height(), column.minimumHeightForWidth(width)))


class LeastStack(QStackedWidget):
    """Shows one of its parts, and asks for as much height as that one needs."""

    def hasHeightForWidth(self) -> bool:
        return False  # Qt would take the height that the highest part likes to have

    def minimumSizeHint(self) -> QSize:
        shown = self.currentWidget()
        if shown is None:
            return super().minimumSizeHint()
        least, layout = shown.minimumSizeHint().expandedTo(shown.minimumSize()), shown.layout()
        if layout is None or not layout.hasHeightForWidth():
            return least
        return QSize(least.width(), max(least.height(), layout.totalMinimumHeightForWidth(self.width())))
