"""A window that stays open beside the work."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QWidget

from pruner_studio.keyboard import ENTER, press_button

_BORDER = QSize(16, 48)  # that a window manager may add


class SideWindow(QDialog):
    """Enter presses the button that the keyboard is at: a dialog of Qt would press its first one from any field."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)

    def showEvent(self, event: QShowEvent) -> None:
        """No larger than its screen: what it holds is scrolled."""
        self.resize(self.size().boundedTo(self.screen().availableGeometry().size() - _BORDER))
        super().showEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER:
            press_button(event, self)
        else:
            super().keyPressEvent(event)
