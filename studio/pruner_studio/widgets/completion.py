"""Completion of names that are typed into a box."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QCompleter


def complete_in_a_list(box: QComboBox) -> None:
    """Offer the names that begin alike in a list. In the field itself Qt would make one of them of what is typed."""
    completer = box.completer()
    assert completer is not None  # of an editable box
    completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
