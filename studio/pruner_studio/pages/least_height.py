"""Layouts that ask for the least height in which they can be shown at their width.

Of a layout whose lines wrap, a scroll area asks the height that it likes to have, and scrolls where it has less.
"""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLayout, QStackedWidget, QVBoxLayout


class LeastColumn(QVBoxLayout):
    """The outer layout of a page in a frame that scrolls; its one part is a layout."""

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSize(self) -> QSize:
        least, page, column = super().minimumSize(), self.parentWidget(), self.itemAt(0)
        frame = page.parentWidget() if page is not None else None
        parts = column.layout() if column is not None else None
        if frame is None or parts is None:
            return least
        width = max(least.width(), frame.width())
        return QSize(least.width(), max(least.height(), _least_height(parts, width)))


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
        return QSize(least.width(), max(least.height(), _least_height(layout, self.width())))


def _least_height(layout: QLayout, width: int) -> int:
    """In which none of its parts has less than it needs.

    Qt goes down from the heights that the parts of a column like to have, and takes what lacks from the highest: the
    lowest keep more than they need at the cost of the highest.
    """
    whole = layout.totalMinimumHeightForWidth(width)
    if not isinstance(layout, QVBoxLayout):
        return whole
    margins = layout.contentsMargins()
    inside = width - margins.left() - margins.right()
    liked, needed = [], []
    for at in range(layout.count()):
        if (part := layout.itemAt(at)) is not None and not part.isEmpty():
            wraps, least = part.hasHeightForWidth(), part.minimumSize().height()
            needed.append(part.minimumHeightForWidth(inside) if wraps else least)
            liked.append(part.heightForWidth(inside) if wraps else least)
    kept = sum(min(each, max(needed)) for each in liked)
    return whole + kept - sum(needed)
