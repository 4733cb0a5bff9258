"""The table view of all pages: one row is chosen, several are marked to be copied; headings and a menu sort it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache, partial

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QStaticText,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from pruner_studio import by_hand, clipboard
from pruner_studio.models.rows import Row, RowTable
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.elided import elided
from pruner_studio.widgets.sparkline import paint_curve

_TEXTS_KEPT = 8192
_FITTED_ROWS = 60  # rows that are looked at for column widths
_MEASURED_TEXTS = 4
_WIDEST_WORDS = 320  # pixels of a column of names that does not take what is left
_LEAST_STRETCH = 110
_SCROLLED_STRETCH = 200  # where the table has to be scrolled sideways all the same
_LEAST_HEIGHT = 130  # pixels: headings, two rows and a bar to scroll by


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
        if any(index.row() in marked for marked in self._table.painted_rows):
            painter.fillRect(box, theme.color("selection"))
        elif row["id"] in self._table.pointed_ids:
            painter.fillRect(box, theme.color("hover"))
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


class Table(QTableView):
    """A view on a RowTable; `on_chosen` takes the row that becomes current, `on_opened` that of an Enter.

    While it has no rows, `hint` says why, and what to do.

    Attributes:
        deeds: further entries of its menu for the current row: text, what it does, whether that is possible now.

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
        self.deeds: Callable[[], Iterable[tuple[str, Callable[[], object], bool]]] = tuple
        self._on_chosen = on_chosen
        self._quiet = False  # a row becomes current by `choose`, not by the user's hand
        self._kept: int | str | None = None  # the chosen row, over a reset
        self._fitting = False
        self._by_hand: set[int] = set()  # columns that the user has made as wide as he wants them
        self._marked: set[int | str] = set()  # rows that are selected together, by their ids
        self.painted_rows: list[range] = []  # the chosen one and the marked ones, asked for once a painting
        self.pointed_ids: frozenset[int] = frozenset()
        self.setAccessibleName(name)
        self.setModel(model)
        self.setItemDelegate(Cells(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMinimumHeight(_LEAST_HEIGHT)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(32)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(28)
        self._stretch = stretch
        for at in range(len(model.columns)):
            for width in by_hand.kept(self._kept_as(at)):
                self._by_hand.add(at)
                header.resizeSection(at, width)
        header.sectionResized.connect(self._resized)
        model.modelAboutToBeReset.connect(self._keep)
        model.modelReset.connect(self._reset)
        model.replaced.connect(self._replaced)
        self.setSortingEnabled(True)
        if sort_by is None:
            header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        else:
            self.sortByColumn(*sort_by)
        self.selectionModel().currentRowChanged.connect(self._chosen)
        self.selectionModel().selectionChanged.connect(self._note_marked)
        self._describe()
        self.setMouseTracking(True)
        self.entered.connect(lambda index: self.pointed.emit(model.rows[index.row()]["id"]))
        self.viewportEntered.connect(lambda: self.pointed.emit(None))
        self._on_opened = on_opened
        if on_opened is not None:
            self.activated.connect(lambda index: on_opened(model.rows[index.row()]))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def chosen_id(self) -> int | str | None:
        """Id of the current row."""
        return self.table.rows[self.currentIndex().row()]["id"] if self.currentIndex().isValid() else None

    def paintEvent(self, event: QPaintEvent) -> None:
        at = self.currentIndex().row()
        self.painted_rows = [range(at, at + 1), *self._selected()]
        super().paintEvent(event)
        if not self.table.rows and self.hint:
            painter = QPainter(self.viewport())
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
                self._widen(at, columns)
                self.dataChanged(model.index(at, columns[0]), model.index(at, columns[-1]))
        self._mark(self._marked)

    def _widen(self, at: int, columns: Iterable[int]) -> None:
        """Make room for texts of a row that have become longer: a figure that is cut is another figure."""
        header, model = self.horizontalHeader(), self.table
        for place in columns:
            if place == self._stretch or place in self._by_hand:
                continue
            wanted = self._width_of(place, (model.text_of(model.rows[at], model.columns[place]),))
            if (more := wanted - header.sectionSize(place)) > 0:
                rest = header.sectionSize(self._stretch)
                self._resize(place, wanted)
                if self._stretch not in self._by_hand:
                    self._resize(self._stretch, max(rest - more, min(rest, _LEAST_STRETCH)))

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
        for text, do, possible in self.deeds():
            made.addAction(text, do).setEnabled(there and possible)
        if not made.isEmpty():
            made.addSeparator()
        sort = made.addMenu(tr("&Sort by"))
        sort.setToolTipsVisible(True)
        header = self.horizontalHeader()
        for at, column in enumerate(self.table.columns):
            action = sort.addAction(column.called.replace("&", "&&"), partial(self._sort_by, at))
            action.setToolTip(column.help)
            action.setCheckable(True)
            action.setChecked(at == header.sortIndicatorSection())
        sort.menuAction().setVisible(self.isSortingEnabled())  # steps have an order of their own
        made.addAction(tr("&Fit the columns"), self._fit_again).setEnabled(bool(self._by_hand))
        made.addSeparator()
        made.addAction(tr("&Copy") + "\tCtrl+C", lambda: clipboard.copy(self.copied())).setEnabled(bool(self.copied()))
        made.addAction(tr("Copy the &table"), lambda: clipboard.copy(self._text_of(self.table.rows)))
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

    def copied(self) -> str:
        """The headings and the selected rows, or the current one, with tabs between the texts."""
        places = sorted({at for marked in self._selected() for at in marked})
        if not places and self.currentIndex().isValid():
            places = [self.currentIndex().row()]
        return self._text_of([self.table.rows[at] for at in places]) if places else ""

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
        self._quiet = True
        super().focusInEvent(event)
        self._quiet = False

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
        self._fit()
        self._describe()
        self.choose(self._kept, seek=False)
        self._mark(marked)

    def _fit(self) -> None:
        """Columns as wide as their texts; one takes what is left, but keeps room for a few letters."""
        header, model = self.horizontalHeader(), self.table
        bold = QFont(self.font())
        bold.setPixelSize(12)
        bold.setWeight(QFont.Weight.DemiBold)
        heads = QFontMetrics(bold)
        room = self.viewport().width()
        for at in range(len(model.columns)):
            if at == self._stretch:
                continue
            if at not in self._by_hand:
                self._resize(at, self._wanted(at, heads))
            room -= header.sectionSize(at)
        if self._stretch not in self._by_hand:
            if room < _LEAST_STRETCH:  # it is scrolled sideways: what nobody reads would push figures out of sight
                room = min(self._wanted(self._stretch, heads), _SCROLLED_STRETCH)
            self._resize(self._stretch, room)

    def _wanted(self, at: int, heads: QFontMetrics) -> int:
        """Room for a column's texts and its heading."""
        column = self.table.columns[at]
        texts = {self.table.text_of(row, column) for row in self.table.rows[:_FITTED_ROWS]}
        return max(self._width_of(at, texts), heads.horizontalAdvance(column.title) + 28)

    def _width_of(self, at: int, texts: Iterable[str]) -> int:
        """Room for texts of a column; words get no more than a share of a small screen, figures all they need."""
        # Of texts that are equally long in letters some are wider: a few of the longest are laid out
        longest = sorted(texts, key=len)[-_MEASURED_TEXTS:]
        widest = max((self.fontMetrics().horizontalAdvance(text) + 24 for text in longest), default=0)
        return widest if self.table.columns[at].right else min(widest, _WIDEST_WORDS)

    def _resize(self, at: int, width: int) -> None:
        self._fitting = True
        self.horizontalHeader().resizeSection(at, width)
        self._fitting = False

    def _resized(self, at: int, _before: int, after: int) -> None:
        if not self._fitting:
            self._by_hand.add(at)
            by_hand.keep(self._kept_as(at), [after])

    def _kept_as(self, at: int) -> str:
        return f"{self.accessibleName()}: {self.table.columns[at].called}"

    def _fit_again(self) -> None:
        """As if the user had made no column wider or narrower."""
        by_hand.forget(self._kept_as(at) for at in self._by_hand)
        self._by_hand.clear()
        self._fit()

    def choose(self, row_id: int | str | None, *, seek: bool = True) -> None:
        """Make a row current without telling anybody; `seek` brings one that was not into sight."""
        at = self.table.row_of(row_id)
        if at == self.currentIndex().row():
            return
        self._quiet = True
        self.setAutoScroll(seek)  # Qt goes to what becomes current
        if at >= 0:
            self.selectRow(at)
        else:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        self.setAutoScroll(True)
        self._quiet = False

    def _chosen(self, current: QModelIndex, _: QModelIndex) -> None:
        if not self._quiet and current.isValid() and self._on_chosen is not None:
            self._on_chosen(self.table.rows[current.row()])
