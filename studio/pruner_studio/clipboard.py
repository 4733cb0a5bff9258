"""What is copied to be pasted elsewhere."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication


def copy(text: str) -> None:
    """Put a text on the clipboard."""
    QGuiApplication.clipboard().setText(text)
