"""A table whose rows are ticked by a click on their box, or by Space."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from pruner_engine.store.reader import Row
from pruner_studio.models.ticked_rows import TickedRows
from pruner_studio.translation import tr
from pruner_studio.widgets.cells import Cells
from pruner_studio.widgets.table import Table

_ROOM = 26  # pixels of a box and the gap to its text


class _Boxes(Cells):
    """Paints the box at the left of a cell, where Qt takes clicks on it."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        box = QStyleOptionViewItem(option)
        self.initStyleOption(box, index)
        style, ticked = self._table.style(), box.checkState == Qt.CheckState.Checked
        box.rect = style.subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, box, self._table)
        box.state = QStyle.StateFlag.State_Enabled | (
            QStyle.StateFlag.State_On if ticked else QStyle.StateFlag.State_Off
        )
        style.drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck, box, painter, self._table)


class TickedTable(Table):
    """A table over ticked rows; Space presses the box of the current one."""

    def __init__(
        self,
        name: str,
        model: TickedRows,
        on_opened: Callable[[Row], object] | None,
        *,
        sort_by: tuple[int, Qt.SortOrder] | None,
        stretch: int,
        hint: str,
    ) -> None:
        super().__init__(name, model, None, on_opened, sort_by=sort_by, stretch=stretch, hint=hint)
        self._rows = model
        self.widths.margins[0] = _ROOM
        self.row_actions = lambda: ((tr("&Draw or hide") + "\t" + tr("Space"), self._press, True),)
        self.setItemDelegateForColumn(0, _Boxes(self))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self._press()
        else:
            super().keyPressEvent(event)

    def _press(self) -> None:
        self._rows.press(self.currentIndex().row())
