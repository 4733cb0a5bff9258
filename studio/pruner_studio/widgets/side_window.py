"""A window that stays open beside the work."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QWidget

from pruner_studio.keyboard import ENTER, press_button


class SideWindow(QDialog):
    """Enter presses the button that the keyboard is at: a dialog of Qt would press its first one from any field."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER:
            press_button(event, self)
        else:
            super().keyPressEvent(event)
