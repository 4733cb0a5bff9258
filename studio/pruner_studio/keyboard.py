"""Keyboard behaviour of the whole window: Enter presses buttons; focus returns to a widget that was disabled."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from shiboken6 import isValid

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MOVES = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress)


def told(keys: str) -> str:
    """A shortcut as the user's language writes it: Strg+C in German."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def press_button(event: QKeyEvent, window: QWidget) -> bool:
    """Let Enter press the focused button, as Space does; Qt does that only in dialogs."""
    at, plain = window.focusWidget(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    enter = event.key() in ENTER and plain == Qt.KeyboardModifier.NoModifier
    if not (enter and isinstance(at, QAbstractButton)) or event.isAutoRepeat():
        return False
    at.click()
    return True


class KeyboardKeeper(QObject):
    """Gives the focus back to a widget that lost it while it was disabled, once that is enabled again.

    Unless the user has moved it elsewhere meanwhile, or has used it where Qt had put it.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._left: QWidget | None = None  # what was disabled
        self._at: QWidget | None = None  # where Qt put the keyboard
        cast("QApplication", QApplication.instance()).focusChanged.connect(self._moved)

    def _moved(self, before: QWidget | None, now: QWidget | None) -> None:
        if before is not None and isValid(before) and not before.isEnabled() and before.window() is self._window:
            self._watch(before if self._left is None or before is not self._at else self._left, now)
        elif now is not None and now is not self._at:
            self._watch(None, None)

    def _watch(self, left: QWidget | None, at: QWidget | None) -> None:
        for known in (self._left, self._at):
            if known is not None and isValid(known):
                known.removeEventFilter(self)
        self._left, self._at = left, at
        for watched in (left, at):
            if watched is not None:
                watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        left, kind = self._left, event.type()
        if watched is left and kind == QEvent.Type.EnabledChange and left.isEnabled() and left.isVisible():
            stayed = self._window.focusWidget() is self._at
            self._watch(None, None)
            if stayed:
                left.setFocus(Qt.FocusReason.OtherFocusReason)
        elif watched is self._at and kind in _MOVES:
            self._watch(None, None)
        return False
