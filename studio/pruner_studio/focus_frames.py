"""The frame around what the keyboard is at: shown to who uses the keyboard, as browsers' `:focus-visible`."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from pruner_studio.widgets.basic import restyle

_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)  # those of shortcuts come as the first alone
_HELD = (
    Qt.Key.Key_Shift,
    Qt.Key.Key_Control,
    Qt.Key.Key_Alt,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_Meta,
    Qt.Key.Key_CapsLock,
)
_SHOWN = "keys"  # what the style sheet asks for


class FocusFrames(QObject):
    """Marks the widget in focus where a key moved the focus there or was pressed since.

    Qt's reason of a focus does not tell: where a button is out of use after a click, the next one has it "by Tab".
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._by_keys = False
        self._at: QWidget | None = None
        app = cast("QApplication", QApplication.instance())
        app.focusChanged.connect(self._moved)
        app.focusWindowChanged.connect(self._watch)

    def _watch(self, window: QWindow | None) -> None:
        """A press of the mouse on any part of a window comes to the window first."""
        if window is not None:
            window.installEventFilter(self)

    def _moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now is None or now is self._at:  # another program has the keyboard for a while
            return
        if (left := self._at) is not None and isValid(left):
            left.removeEventFilter(self)
            _mark(left, shown=False)
        self._at = now
        now.installEventFilter(self)
        _mark(now, shown=self._by_keys)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _KEYS and cast("QKeyEvent", event).key() not in _HELD:
            self._by_keys = True
            if self._at is not None and isValid(self._at):
                _mark(self._at, shown=True)
        elif kind == QEvent.Type.MouseButtonPress:
            self._by_keys = False
        return False


def _mark(widget: QWidget, *, shown: bool) -> None:
    if bool(widget.property(_SHOWN)) is not shown:
        restyle(widget, **{_SHOWN: shown})
