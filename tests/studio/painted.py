"""What a widget really paints, as Qt asks for it: a model may know better than the screen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QWidget

from pruner_studio.widgets.table import Table


def cell(table: Table, row_id: int, column: int) -> QRect:
    return table.visualRect(table.table.index(table.table.row_of(row_id), column))


class Painted(QObject):
    """What of a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.region = QRegion()
        widget.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.region += event.region()
        return False


class LastText(QObject):
    """What a cell of a table told when it was last painted."""

    def __init__(self, table: Table, row_id: int, title: str) -> None:
        super().__init__(table)
        self._table, self._row_id = table, row_id
        self._column = [column.title for column in table.table.columns].index(title)
        self.text = ""
        table.viewport().installEventFilter(self)

    def now(self) -> str:
        """What the cell would tell if it were painted now."""
        at = self._table.table.row_of(self._row_id)
        return self._table.table.data(self._table.table.index(at, self._column)) if at >= 0 else ""

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and event.region().intersects(
            cell(self._table, self._row_id, self._column)
        ):
            self.text = self.now()
        return False
