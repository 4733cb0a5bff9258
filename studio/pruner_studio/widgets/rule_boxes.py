"""Which schedule rules and rewrites a run leaves out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from pruner_engine.rule_names import NAMES
from pruner_studio.translation import tr

_COLUMNS = 2
_MOST = 64  # boxes, whatever a project file names


class RuleBoxes(QWidget):
    """A box each, ticked for what is left out. Signals: changed: another choice."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(_COLUMNS, 1)
        self.boxes: dict[str, QCheckBox] = {}
        for name in NAMES:
            self._add(name)

    def _add(self, name: str) -> None:
        made = self.boxes[name] = QCheckBox(name)
        made.setAccessibleName(tr("Leave out {rule}").format(rule=name))
        made.toggled.connect(lambda _: self.changed.emit())
        at = len(self.boxes) - 1
        self._grid.addWidget(made, at // _COLUMNS, at % _COLUMNS)

    def chosen(self) -> list[str]:
        """What is left out."""
        return [name for name, box in self.boxes.items() if box.isChecked()]

    def choose(self, names: Sequence[str]) -> None:
        """One of a plugin gets a box of its own."""
        for name in names[:_MOST]:
            if name not in self.boxes:
                self._add(name)
        for name, box in self.boxes.items():
            box.setChecked(name in names)
