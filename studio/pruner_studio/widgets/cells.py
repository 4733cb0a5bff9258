"""Paints the cells of a table."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QStaticText
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from pruner_studio.theme import theme
from pruner_studio.widgets.elided import elided
from pruner_studio.widgets.sparkline import paint_curve

if TYPE_CHECKING:
    from pruner_studio.widgets.table import Table

_TEXTS_KEPT = 8192


@lru_cache(maxsize=128)
def _color(_theme: str, token: str) -> QColor:
    return theme.color(token)


class Cells(QStyledItemDelegate):
    """Paints a cell by itself, and a column's share as a bar behind the text.

    Qt's own way asks the model for seven roles and goes through the style sheet, five times as long
    for a screen of cells.
    """

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._table = table
        self._line = table.fontMetrics().height()
        self._texts: dict[tuple[str, int], tuple[QStaticText, int]] = {}

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row, column = self._table.table.rows[index.row()], self._table.table.columns[index.column()]
        box = option.rect
        self._shade(painter, box, index.row())
        if column.curve is not None:
            paint_curve(painter, QRectF(box).adjusted(8, 6, -8, -6), column.curve(row) or ())
            return
        token = column.tone(row) if column.tone else ""
        text, width = self._laid_out(self._table.table.text_of(row, column), box.width() - 16)
        painter.setPen(_color(theme.name, token or "text"))
        left = box.right() - 8 - width if column.right else box.left() + 8
        painter.drawStaticText(left, box.top() + (box.height() - self._line) // 2, text)
        share = column.share(row) if column.share else None
        if share is not None:
            self._paint_share(painter, QRectF(box).adjusted(6, box.height() - 7, -8, -4), share)

    def paint_right_of_columns(self, painter: QPainter) -> None:
        """Shade rows up to the right end of the table, where its columns leave room."""
        table, header = self._table, self._table.horizontalHeader()
        left, right = header.length() - header.offset(), table.viewport().width()
        first, last = table.rowAt(0), table.rowAt(table.viewport().height() - 1)
        if left >= right or first < 0:
            return
        for at in range(first, len(table.table.rows) if last < 0 else last + 1):
            self._shade(painter, QRect(left, table.rowViewportPosition(at), right - left, table.rowHeight(at)), at)

    def _shade(self, painter: QPainter, box: QRect, at: int) -> None:
        """Tell the chosen row and the marked ones, and those that are pointed at."""
        if any(at in marked for marked in self._table.painted_rows):
            painter.fillRect(box, theme.color("selection"))
        elif self._table.table.rows[at]["id"] in self._table.pointed_ids:
            painter.fillRect(box, theme.color("hover"))

    def _laid_out(self, text: str, room: int) -> tuple[QStaticText, int]:
        """A text ready to be drawn, cut to the room it has, and its width in pixels; what was laid out is kept."""
        known = self._texts.get((text, room))
        if known is None:
            if len(self._texts) > _TEXTS_KEPT:
                self._texts.clear()
            metrics = self._table.fontMetrics()
            shown = text
            if metrics.horizontalAdvance(text) > room:
                shown = elided(text, metrics, room)
            made = QStaticText(shown)
            made.setTextFormat(Qt.TextFormat.PlainText)
            known = self._texts[text, room] = made, metrics.horizontalAdvance(shown)
        return known

    def _paint_share(self, painter: QPainter, bar: QRectF, share: float) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("hover"))
        painter.drawRoundedRect(bar, 1.5, 1.5)
        bar.setWidth(max(2.0, bar.width() * min(1.0, share)))
        painter.setBrush(theme.color("accent"))
        painter.drawRoundedRect(bar, 1.5, 1.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
