"""Completion of names that are typed into a box."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QComboBox, QCompleter, QWidget


def complete_in_a_list(box: QComboBox) -> None:
    """Offer the names that begin alike in a list. In the field itself Qt would make one of them of what is typed."""
    completer = box.completer()
    assert completer is not None  # of an editable box
    completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
    popup = completer.popup()
    assert popup is not None  # in this mode
    _ClickBeside(popup)


class _ClickBeside(QObject):
    """Lets a click beside the list do what it is for. Qt closes the list by it, and does nothing else."""

    def __init__(self, shown: QWidget) -> None:
        super().__init__(shown)
        self._shown = shown
        self._press: QMouseEvent | None = None
        shown.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent):
            return False
        if event.type() == QEvent.Type.MouseButtonPress:
            inside = self._shown.rect().contains(event.position().toPoint())
            self._press = None if inside else event.clone()
            return not inside
        if event.type() == QEvent.Type.MouseButtonRelease and self._press is not None:
            # Only now: of a list that a press has closed, Qt keeps the release to itself
            press, release, self._press = self._press, event.clone(), None
            self._shown.hide()
            QTimer.singleShot(0, self._shown, lambda: _click(press, release))
            return True
        return False


def _click(press: QMouseEvent, release: QMouseEvent) -> None:
    """Give both to what is where the button was pressed."""
    meant = QApplication.widgetAt(press.globalPosition().toPoint())
    if meant is not None and meant.focusPolicy() & Qt.FocusPolicy.ClickFocus:
        meant.setFocus(Qt.FocusReason.MouseFocusReason)
    for event in (press, release):
        if meant is not None:
            at = event.globalPosition()
            given = (event.type(), meant.mapFromGlobal(at), at, event.button(), event.buttons(), event.modifiers())
            QCoreApplication.sendEvent(meant, QMouseEvent(*given))
