"""The table view of all pages: one row is chosen, several are marked to be copied; headings and a menu sort it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView

from pruner_engine.store.reader import Row
from pruner_studio import clipboard
from pruner_studio.keyboard import told
from pruner_studio.literal import literal
from pruner_studio.models.rows import RowTable
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.cells import Cells
from pruner_studio.widgets.column_widths import ColumnWidths
from pruner_studio.widgets.figure import Figure, ask_where_to_save
from pruner_studio.widgets.quiet import Quiet
from pruner_studio.widgets.shown_columns import ShownColumns

_CHOOSE = (Qt.Key.Key_Space, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End)
_LEAST_HEIGHT = 130  # pixels: headings, two rows and a bar to scroll by


class Table(QTableView):
    """A view on a RowTable; `on_chosen` takes the row that becomes current, `on_opened` that of an Enter.

    While it has no rows, `hint` says why, and what to do.

    Attributes:
        row_actions: further entries of its menu for the current row: text, what it does, whether that is possible now.

    Signals:
        pointed: id of the row under the pointer, or None.
    """

    pointed = Signal(object)

    def __init__(
        self,
        name: str,
        model: RowTable,
        on_chosen: Callable[[Row], object] | None = None,
        on_opened: Callable[[Row], object] | None = None,
        *,
        sort_by: tuple[int, Qt.SortOrder] | None = None,
        stretch: int = 0,
        hint: str = "",
    ) -> None:
        super().__init__()
        self.table = model
        self.hint = hint
        self.row_actions: Callable[[], Iterable[tuple[str, Callable[[], object], bool]]] = tuple
        self._on_chosen = on_chosen
        self._quiet = Quiet()  # a row becomes current by `choose`, not by the user's hand
        self._kept: int | str | None = None  # the chosen row, over a reset
        self._marked: set[int | str] = set()  # rows that are selected together, by their ids
        self.painted_rows: list[range] = []  # the chosen one and the marked ones, asked for once a painting
        self.pointed_ids: frozenset[int] = frozenset()
        self.setAccessibleName(name)
        self.setModel(model)
        self._cells = Cells(self)
        self.setItemDelegate(self._cells)
        self._set_looks()
        self.widths = ColumnWidths(self, model, stretch)
        self.shown_columns = ShownColumns(self, model, self.widths)
        model.modelAboutToBeReset.connect(self._keep)
        model.modelReset.connect(self._reset)
        model.replaced.connect(self._replaced)
        self.setSortingEnabled(True)
        if sort_by is None:
            self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        else:
            self.sortByColumn(*sort_by)
        self.selectionModel().currentRowChanged.connect(self._chosen)
        self.selectionModel().selectionChanged.connect(self._note_marked)
        self._describe()
        self.setMouseTracking(True)
        self.entered.connect(lambda index: self.pointed.emit(model.rows[index.row()]["id"]))
        self.viewportEntered.connect(lambda: self.pointed.emit(None))
        self._figure = Figure(name, lambda: (self,), model.values)
        self._on_opened = on_opened
        if on_opened is not None:
            self.activated.connect(lambda index: on_opened(model.rows[index.row()]))

    def _set_looks(self) -> None:
        """Whole rows are selected and nothing is edited; no grid, and as much height as two rows take at least."""
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMinimumHeight(theme.pixels(_LEAST_HEIGHT))
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.pixels(32))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(28)

    def sizeHint(self) -> QSize:
        """As low as it may be: where lines wrap, layouts give a card the height that it likes before others' least."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The chosen row stays in sight where it was; a reader who has scrolled elsewhere stays there."""
        row = self.visualRect(self.currentIndex().siblingAtColumn(0))
        seen = row.isValid() and QRect(QPoint(0, 0), event.oldSize()).contains(row.center())
        super().resizeEvent(event)
        self.widths.fit()
        if seen:
            self.bring_into_sight()

    @property
    def chosen_id(self) -> int | str | None:
        """Id of the current row."""
        return self.table.rows[self.currentIndex().row()]["id"] if self.currentIndex().isValid() else None

    def paintEvent(self, event: QPaintEvent) -> None:
        at = self.currentIndex().row()
        self.painted_rows = [range(at, at + 1), *self._selected()]
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self._cells.paint_right_of_columns(painter)
        if not self.table.rows and self.hint:
            painter.setPen(theme.color("muted"))
            room = self.viewport().rect().adjusted(16, 8, -16, -8)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), self.hint)

    def tell(self, hint: str) -> None:
        """Say something else where it has no rows."""
        self.hint = hint
        self._describe()
        self.viewport().update()

    def _describe(self) -> None:
        """A screen reader hears of an empty table why it is."""
        self.setAccessibleDescription("" if self.table.rows else self.hint)

    def _replaced(self, before: list[Row]) -> None:
        """Paint what is in sight and looks different: a live run changes a few of hundreds of cells at a time."""
        model, bottom = self.table, self.rowAt(self.viewport().height() - 1)
        for at in range(max(0, self.rowAt(0)), len(model.rows) if bottom < 0 else bottom + 1):
            if columns := model.changed(before[at], model.rows[at]):
                self.widths.widen(at, columns)
                self.dataChanged(model.index(at, columns[0]), model.index(at, columns[-1]))
            if before[at]["id"] != model.rows[at]["id"]:  # another row, whose shade reaches to the right end
                self.viewport().update(QRect(0, self.rowViewportPosition(at), self.width(), self.rowHeight(at)))
        self._mark(self._marked)

    def tips(self) -> list[str]:
        """What explains its columns."""
        return [column.help for column in self.table.columns]

    tips_in_focus = tips

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def menu(self) -> QMenu:
        """What can be done with the current row, what the headings do, and rows for the clipboard."""
        made, there = QMenu(self), self.currentIndex().isValid()
        if self._on_opened is not None:
            text = tr("&Open") + "\t" + tr("Enter")  # lupdate looks into no f-string
            made.addAction(text, lambda: self.activated.emit(self.currentIndex())).setEnabled(there)
        for text, do, possible in self.row_actions():
            made.addAction(text, do).setEnabled(there and possible)
        if not made.isEmpty():
            made.addSeparator()
        sort = made.addMenu(tr("&Sort by"))
        sort.setToolTipsVisible(True)
        header = self.horizontalHeader()
        for at, column in enumerate(self.table.columns):
            action = sort.addAction(literal(column.called), partial(self._sort_by, at))
            action.setToolTip(column.help)
            action.setCheckable(True)
            action.setChecked(at == header.sortIndicatorSection())
        sort.menuAction().setVisible(self.isSortingEnabled())  # steps have an order of their own
        self.shown_columns.fill(made.addMenu(tr("Colum&ns")))
        made.addAction(tr("&Fit the columns"), self.widths.fit_again).setEnabled(self.widths.chosen_by_hand)
        made.addSeparator()
        made.addAction(tr("&Copy") + "\t" + told("Ctrl+C"), lambda: clipboard.copy(self.copied())).setEnabled(
            bool(self.copied())
        )
        made.addAction(tr("Copy the &table"), lambda: clipboard.copy(self._text_of(self.table.rows)))
        for action in (
            made.addAction(tr("Copy the &values"), lambda: clipboard.copy(self._figure.text())),
            made.addAction(
                tr("Save as {kind}…").format(kind="CSV"), partial(ask_where_to_save, self, self._figure, "csv")
            ),
        ):
            action.setEnabled(bool(self.table.rows))
        return made

    def _sort_by(self, at: int) -> None:
        """As a click on the heading: the second one turns the order round."""
        header = self.horizontalHeader()
        rising = header.sortIndicatorSection() != at or header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        self.sortByColumn(at, Qt.SortOrder.AscendingOrder if rising else Qt.SortOrder.DescendingOrder)

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Home and End go to the first and the last row: there are no cells to go to within one."""
        ends = QAbstractItemView.CursorAction.MoveHome, QAbstractItemView.CursorAction.MoveEnd
        return super().moveCursor(
            action, modifiers | Qt.KeyboardModifier.ControlModifier if action in ends else modifiers
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the row that the keyboard stays at, too: it may have become current without anybody's choice."""
        before = self.currentIndex()
        super().keyPressEvent(event)
        if event.key() in _CHOOSE and self.currentIndex() == before:
            self._chosen(before, before)

    def selected_rows(self) -> list[Row]:
        """From top to bottom; the current one where none is selected."""
        places = sorted({at for marked in self._selected() for at in marked})
        if not places and self.currentIndex().isValid():
            places = [self.currentIndex().row()]
        return [self.table.rows[at] for at in places]

    def copied(self) -> str:
        """The headings and the selected rows, or the current one, with tabs between the texts."""
        rows = self.selected_rows()
        return self._text_of(rows) if rows else ""

    def _text_of(self, rows: Iterable[Row]) -> str:
        columns = [column for column in self.table.columns if column.curve is None]
        lines = [[column.called for column in columns]]
        lines += [[self.table.text_of(row, column) for column in columns] for row in rows]
        return "\n".join("\t".join(line) for line in lines)

    def _selected(self) -> list[range]:
        return [range(part.top(), part.bottom() + 1) for part in self.selectionModel().selection().toList()]

    def _note_marked(self) -> None:
        ids = {self.table.rows[at]["id"] for marked in self._selected() for at in marked}
        self._marked = ids if len(ids) > 1 else set()
        self.viewport().update()  # Qt paints the cells anew, not what is right of them

    def _mark(self, ids: Collection[int | str]) -> None:
        """Select these rows, wherever they stand by now: Qt keeps the ends of a selection, not what lies between."""
        if ids:
            marked, model = QItemSelection(), self.table
            for at, row in enumerate(model.rows):
                if row["id"] in ids:
                    marked.select(model.index(at, 0), model.index(at, len(model.columns) - 1))
            self.selectionModel().select(marked, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt makes the first row current where none is: nobody chose it."""
        with self._quiet:
            super().focusInEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(None)

    def point_at(self, row_ids: Collection[int]) -> None:
        """Shade rows lightly, as while the pointer is on what belongs to them elsewhere."""
        if (pointed := frozenset(row_ids)) != self.pointed_ids:
            self.pointed_ids = pointed
            self.viewport().update()

    def _keep(self) -> None:
        self._kept = self.chosen_id

    def _reset(self) -> None:
        """Rows came or went: the chosen one stays chosen, and the reader where he has scrolled to."""
        marked = self._marked
        self.pointed_ids = frozenset()
        self.widths.fit()
        self._describe()
        self.choose(self._kept, seek=False)
        self._mark(marked)

    def choose(self, row_id: int | str | None, *, seek: bool = True) -> None:
        """Make a row current without telling anybody; `seek` brings one that was not into sight."""
        at = self.table.row_of(row_id)
        if at == self.currentIndex().row():
            return
        if seek:
            self.executeDelayedItemsLayout()  # rows that are not laid out yet cannot be scrolled to
        self.setAutoScroll(seek)  # Qt goes to what becomes current
        with self._quiet:
            if at >= 0:
                self.selectRow(at)
            else:
                self.clearSelection()
                self.setCurrentIndex(QModelIndex())
        self.setAutoScroll(True)

    def bring_into_sight(self) -> None:
        """Scroll to the chosen row, up and down only, where it is out of sight."""
        across = self.horizontalScrollBar().value()
        self.scrollTo(self.currentIndex())
        self.horizontalScrollBar().setValue(across)

    def _chosen(self, current: QModelIndex, _: QModelIndex) -> None:
        if not self._quiet and current.isValid() and self._on_chosen is not None:
            self._on_chosen(self.table.rows[current.row()])
