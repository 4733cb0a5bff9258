"""A path to type or to choose."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button
from pruner_studio.widgets.file_dialog import Take


class PathField(QWidget):
    """A field for a path, with a button that asks for it.

    Args:
        name: what a screen reader calls it, and the title of the dialog.
        ask_for: opens the dialog, given its parent, title, place and what takes the path.
    """

    def __init__(self, name: str, ask_for: Callable[[QWidget, str, str, Take], object]) -> None:
        super().__init__()
        self._name, self._ask_for = name, ask_for
        self.line = QLineEdit()
        self.line.setAccessibleName(name)
        self.line.setAcceptDrops(False)  # it would take the name of a file that is dropped on the window
        self.setFocusProxy(self.line)
        self.button = button(tr("Change…"), self._ask)
        self.button.setAccessibleName(tr("Choose: {what}").format(what=name))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        row.addWidget(self.button)

    def _ask(self) -> None:
        self._ask_for(self, self._name, self.line.text(), self._take)

    def _take(self, path: str) -> None:
        self.line.setText(path)
        self.line.editingFinished.emit()  # as if it had been typed
