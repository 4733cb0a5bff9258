"""A path to type or to choose."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QWidget

from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button


class PathField(QWidget):
    """A field for a path, with a button that asks for it.

    Args:
        name: what a screen reader calls it, and the title of the dialog.
        prepare: says what kind of path the dialog asks for.
    """

    def __init__(self, name: str, prepare: Callable[[QFileDialog], object]) -> None:
        super().__init__()
        self._name, self._prepare = name, prepare
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
        dialog = QFileDialog(self, self._name, self.line.text())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._prepare(dialog)
        dialog.fileSelected.connect(self.line.setText)
        dialog.open()
