"""A table whose rows have a box to tick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from pruner_engine.store.reader import Row
from pruner_studio.models.rows import Column, Index, RowTable

_BOX = int(Qt.ItemDataRole.CheckStateRole)
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_EDIT = int(Qt.ItemDataRole.EditRole)


class TickedRows(RowTable):
    """Rows with a box in their first column, which shows what they tell.

    Args:
        ticked: whether a row's box is.

    Signals:
        pressed: id of a row whose box the user has pressed, and whether it is to be ticked.
    """

    pressed = Signal(object, bool)

    def __init__(self, columns: Sequence[Column], ticked: Callable[[Row], bool], parent: QObject | None = None) -> None:
        super().__init__(columns, parent)
        self._ticked = ticked

    def press(self, at: int) -> None:
        """As a click on the box of the at-th row."""
        self.pressed.emit(self.rows[at]["id"], not self._ticked(self.rows[at]))

    def changed(self, before: Row, after: Row) -> list[int]:
        found = super().changed(before, after)
        return found if self._ticked(before) == self._ticked(after) or 0 in found else [0, *found]

    def flags(self, index: Index) -> Qt.ItemFlag:
        more = Qt.ItemFlag.NoItemFlags if index.column() else Qt.ItemFlag.ItemIsUserCheckable
        return super().flags(index) | more

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if role != _BOX:
            return super().data(index, role)
        if index.column():
            return None
        state = Qt.CheckState.Checked if self._ticked(self.rows[index.row()]) else Qt.CheckState.Unchecked
        return state.value

    def setData(self, index: Index, value: Any, role: int = _EDIT) -> bool:
        if role != _BOX:
            return False
        self.press(index.row())
        return True
