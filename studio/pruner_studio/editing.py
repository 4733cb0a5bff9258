"""The Edit menu's actions (undo, copy, …) for the widget that has the keyboard focus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, runtime_checkable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTableView,
    QTextEdit,
    QWidget,
)

from pruner_studio import clipboard

Actions: TypeAlias = dict[str, Callable[[], object]]


@runtime_checkable
class Copied(Protocol):
    """A part that is copied as text although nobody can write in it: a table, a plot, a loop nest."""

    def copied(self) -> str:
        """What is selected in it, else what it shows; empty where there is nothing."""


def edit_actions(focused: QWidget | None) -> Actions:
    """The actions that are possible now, by name: undo, redo, cut, copy, paste, select_all."""
    if isinstance(focused, QComboBox | QAbstractSpinBox):
        focused = focused.lineEdit()
    if isinstance(focused, QLineEdit):
        return _of_field(focused)
    if isinstance(focused, QPlainTextEdit | QTextEdit):
        return _of_text(focused)
    if isinstance(focused, QLabel):
        return {"copy": lambda: clipboard.copy(focused.selectedText())} if focused.hasSelectedText() else {}
    return _of_part(focused)


def _of_field(field: QLineEdit) -> Actions:
    writable, marked = not field.isReadOnly(), field.hasSelectedText()
    possible = {
        "undo": (field.undo, writable and field.isUndoAvailable()),
        "redo": (field.redo, writable and field.isRedoAvailable()),
        "cut": (field.cut, writable and marked),
        "copy": (field.copy, marked),
        "paste": (field.paste, writable and bool(QGuiApplication.clipboard().text())),
        "select_all": (field.selectAll, bool(field.text())),
    }
    return {name: do for name, (do, can) in possible.items() if can}


def _of_text(text: QPlainTextEdit | QTextEdit) -> Actions:
    """Texts of the window are only read."""
    made: Actions = {"select_all": text.selectAll}
    if text.textCursor().hasSelection():
        made["copy"] = lambda: clipboard.copy(text.textCursor().selection().toPlainText())
    return made


def _of_part(part: QWidget | None) -> Actions:
    while part is not None and not isinstance(part, Copied):
        part = part.parentWidget()
    if part is None or not part.copied():
        return {}
    made: Actions = {"copy": lambda: clipboard.copy(part.copied())}
    if isinstance(part, QTableView):
        made["select_all"] = part.selectAll
    return made
