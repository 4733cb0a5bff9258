"""The table view of all pages: one row chosen at a time, sorted by a click on a heading."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from pruner_studio.models.rows import SHARE_ROLE, Row, RowTable
from pruner_studio.theme import theme

_FITTED_ROWS = 60  # rows that are looked at for column widths


class _ShareDelegate(QStyledItemDelegate):
    """Draws a column's share as a bar behind the text."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        share = index.data(SHARE_ROLE)
        super().paint(painter, option, index)
        if share is not None:
            box = QRectF(option.rect).adjusted(6, option.rect.height() - 7, -8, -4)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("hover"))
            painter.drawRoundedRect(box, 1.5, 1.5)
            box.setWidth(max(2.0, box.width() * min(1.0, share)))
            painter.setBrush(theme.color("accent"))
            painter.drawRoundedRect(box, 1.5, 1.5)


class Table(QTableView):
    """A view on a RowTable; `on_chosen` takes the row that becomes current, `on_opened` that of an Enter."""

    def __init__(
        self,
        name: str,
        model: RowTable,
        on_chosen: Callable[[Row], object] | None = None,
        on_opened: Callable[[Row], object] | None = None,
        *,
        sort_by: tuple[int, Qt.SortOrder] | None = None,
        stretch: int = 0,
    ) -> None:
        super().__init__()
        self.table = model
        self._on_chosen = on_chosen
        self._quiet = False
        self.setAccessibleName(name)
        self.setModel(model)
        self.setItemDelegate(_ShareDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(32)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(28)
        self._stretch = stretch
        model.modelReset.connect(self._fit)
        self.setSortingEnabled(True)
        if sort_by is None:
            header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        else:
            self.sortByColumn(*sort_by)
        self.selectionModel().currentRowChanged.connect(self._chosen)
        if on_opened is not None:
            self.activated.connect(lambda index: on_opened(model.rows[index.row()]))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Columns as wide as their texts; one takes what is left, but keeps room for a few letters."""
        header, model = self.horizontalHeader(), self.table
        bold = QFont(self.font())
        bold.setPixelSize(12)
        bold.setWeight(QFont.Weight.DemiBold)
        heads, cells = QFontMetrics(bold), self.fontMetrics()
        room = self.viewport().width()
        for at, column in enumerate(model.columns):
            texts = (model.data(model.index(row, at)) for row in range(min(len(model.rows), _FITTED_ROWS)))
            widest = max((cells.horizontalAdvance(text) + 24 for text in texts), default=0)
            width = max(widest, heads.horizontalAdvance(column.title) + 28)
            if at != self._stretch:
                header.resizeSection(at, width)
                room -= width
        header.resizeSection(self._stretch, max(room, 110))

    def choose(self, row_id: int | None) -> None:
        """Make a row current without telling anybody."""
        at = self.table.row_of(row_id)
        if at == self.currentIndex().row():
            return
        self._quiet = True
        if at >= 0:
            self.selectRow(at)
            self.scrollTo(self.table.index(at, 0))
        else:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        self._quiet = False

    def _chosen(self, current: QModelIndex, _: QModelIndex) -> None:
        if not self._quiet and current.isValid() and self._on_chosen is not None:
            self._on_chosen(self.table.rows[current.row()])
