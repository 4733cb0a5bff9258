"""What a screen reader is to say although the keyboard is elsewhere."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(part: QWidget, text: str, *, urgent: bool = False) -> None:
    """Have a text said.

    Args:
        part: of the window that it is about.
        urgent: in place of what is being said now.
    """
    event = QAccessibleAnnouncementEvent(part, text)
    if urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)
