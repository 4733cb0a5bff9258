"""What is told beside the work: in the status bar for a moment, and by a screen reader."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


class _Remarks(QObject):
    """Tells of what was done, wherever that was.

    Signals:
        made: a line for the status bar of the window.
    """

    made = Signal(str)


remarks = _Remarks()


def announce(part: QWidget, text: str, *, urgent: bool = False) -> None:
    """Have a screen reader say a text although the keyboard is elsewhere.

    Args:
        part: of the window that it is about.
        urgent: in place of what is being said now.
    """
    event = QAccessibleAnnouncementEvent(part, text)
    if urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)
