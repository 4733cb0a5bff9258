"""A choice among names that a terminal takes, each listed with what it is; another name may be typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QComboBox

from pruner_studio.literal import plain_tip
from pruner_studio.models.rows import Index
from pruner_studio.widgets.completion import complete_in_a_list
from pruner_studio.widgets.elided import make_room
from pruner_studio.widgets.wheel import leave_wheel

_ROOT = QModelIndex()
_FEWEST = 14  # letters that there is always room for


@dataclass(frozen=True)
class Named:
    """A name, what it stands for, and why it cannot be chosen now; empty where it can."""

    name: str
    about: str
    hindrance: str = ""


class _Names(QAbstractListModel):
    """To be edited is the name alone, listed is what it stands for beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: Sequence[Named] = ()

    def show_entries(self, entries: Sequence[Named]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{entry.name}  –  {entry.about}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(entry.hindrance or entry.about)
        return entry.name if role == Qt.ItemDataRole.EditRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.NoItemFlags if self.entries[index.row()].hindrance else super().flags(index)


class NamedBox(QComboBox):
    """An editable box of names, each with what it stands for.

    Signals:
        offered: other names are listed; the chosen one may stand for something else now.

    Args:
        name: what a screen reader calls it.
        otherwise: what a name is that is not listed.
    """

    offered = Signal()

    def __init__(self, name: str, entries: Sequence[Named], otherwise: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._names, self._otherwise = _Names(), otherwise
        self.setModel(self._names)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        complete_in_a_list(self)
        self.setMinimumContentsLength(_FEWEST)
        leave_wheel(self)
        self.offer(entries)
        self.choose(entries[0].name)

    def offer(self, entries: Sequence[Named]) -> None:
        """List other names; what is chosen or being typed stays."""
        typed = self.currentText()
        self._names.show_entries(entries)
        self.choose(typed)
        self.offered.emit()

    def choose(self, name: str) -> None:
        """Take a name, a listed one or another."""
        self.setCurrentIndex(next((at for at, known in enumerate(self._names.entries) if known.name == name), -1))
        self.setEditText(name)

    @property
    def chosen(self) -> str:
        return self.currentText().strip()

    @property
    def about(self) -> str:
        """What the chosen name stands for; empty without one."""
        known = (entry.hindrance or entry.about for entry in self._names.entries if entry.name == self.chosen)
        return next(known, self._otherwise if self.chosen else "")

    @property
    def hindrance(self) -> str:
        """Why nothing can be done with what is chosen; empty where it can, or nobody knows yet."""
        return ""

    def showPopup(self) -> None:
        make_room(self.view(), Qt.TextElideMode.ElideRight)
        super().showPopup()
