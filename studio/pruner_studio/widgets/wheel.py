"""Lets the mouse wheel scroll the page also where the pointer is over a field."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget


class _Leaving(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()  # what lies around the field takes it
            return True
        return False


def leave_wheel(field: QWidget) -> None:
    """Let the wheel change a field only while somebody works on it; turning it does not begin that."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_Leaving(field))
