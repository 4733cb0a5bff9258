"""Python files whose strategies, cost models and rules a run may use: their code is run, so each is agreed to."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from pruner_studio.literal import literal, plain_tip
from pruner_studio.models.paths import is_file
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, icon_button, label
from pruner_studio.widgets.file_dialog import ask_for_file

_WARNING = tr(
    "The code of a plugin is run on this machine with your rights, by runs and views of schedules. Tick what you trust."
)


class PluginFiles(QWidget):
    """A box a file, ticked for those whose code may be run; one that was just chosen is not.

    Signals:
        changed: a file came or went, or was agreed to or not.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Plugins"))
        self.boxes: dict[str, QCheckBox] = {}
        self._rows: dict[str, QWidget] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self.warning = label(_WARNING, "warn", wrap=True)
        self.warning.hide()
        self._column.addWidget(self.warning)
        self.add_button = button(tr("Add a plugin file…"), self._ask, "link")
        row = QHBoxLayout()
        row.addWidget(self.add_button)
        row.addStretch(1)
        self._column.addLayout(row)

    def _ask(self) -> None:
        ask_for_file(self, tr("Choose a plugin"), "", self.add, tr("Python files (*.py);;All files (*)"))

    def add(self, path: str) -> None:
        """List a file; nobody has agreed to it yet."""
        path = str(Path(path).resolve())
        if path not in self.boxes:
            self._add_row(path)
            self._changed()
        self.boxes[path].setFocus()

    def _add_row(self, path: str) -> None:
        name = Path(path).name
        box = self.boxes[path] = QCheckBox(tr("Run the code of {name}").format(name=literal(name)))
        box.setAccessibleName(tr("Consent to run the code of the plugin {name}").format(name=name))
        box.setAccessibleDescription(_WARNING)
        box.setToolTip(plain_tip(path))
        box.toggled.connect(lambda _: self.changed.emit())
        made = self._rows[path] = QWidget()
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(box)
        row.addWidget(label(str(Path(path).parent), "faint", cut=True), 1)
        row.addWidget(icon_button("cross", tr("Leave out {name}").format(name=name), lambda: self._remove(path)))
        self._column.insertWidget(self._column.count() - 1, made)

    def _remove(self, path: str) -> None:
        del self.boxes[path]
        gone = self._rows.pop(path)
        self.add_button.setFocus()
        self._column.removeWidget(gone)
        gone.hide()
        gone.deleteLater()
        self._changed()

    def _changed(self) -> None:
        self.warning.setVisible(bool(self.boxes))
        self.changed.emit()

    def agreed(self) -> list[str]:
        """The files whose code may be run, in the order in which they are loaded."""
        return [path for path, box in self.boxes.items() if box.isChecked()]

    def hindrance(self) -> str:
        """Why no run can be made; empty where one can."""
        if len(self.agreed()) < len(self.boxes):
            return tr("Tick the plugins whose code may be run, or leave them out.")
        gone = next((path for path in self.boxes if not is_file(path)), "")
        return tr("The plugin {path} is not there any more.").format(path=gone) if gone else ""
