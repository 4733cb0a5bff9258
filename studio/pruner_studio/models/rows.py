"""A table over rows of the project file: sortable, refreshed in place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from pruner_engine.store.reader import Row
from pruner_studio.literal import one_line, plain_tip
from pruner_studio.models import plain_units
from pruner_studio.said import said
from pruner_studio.theme import theme

Index = QModelIndex | QPersistentModelIndex

# Enum attribute look-ups cost more than everything else in data(): compare plain ints
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_ALIGN = int(Qt.ItemDataRole.TextAlignmentRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)
_COLOR = int(Qt.ItemDataRole.ForegroundRole)
_NAME = int(Qt.ItemDataRole.AccessibleTextRole)
_MORE = int(Qt.ItemDataRole.AccessibleDescriptionRole)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_ROOT = QModelIndex()
ROW_ROLE = int(Qt.ItemDataRole.UserRole)
_NUMBER = re.compile(r"(\d{1,15})")
_ROLES = frozenset((_DISPLAY, _ALIGN, _TIP, _COLOR, _MORE, ROW_ROLE))


@dataclass(frozen=True)
class Column:
    """One column: what it shows of a row and what it is sorted by.

    Attributes:
        title: heading; may be empty where the cells speak for themselves.
        value: of a row; None sorts last.
        text: of the value.
        help: tool tip of the heading.
        right: numbers stand right.
        tip: tool tip of a row's cell where it needs one of its own, or "".
        tone: colour token of a row's cell, or "".
        share: share between 0 and 1 that is drawn as a bar in the cell, or None.
        curve: points that are drawn as a small falling step curve instead of a text, or None.
        name: what menus, copies and screen readers call a column without a heading.
        spare: how soon it gives way where there is no room: the higher, the sooner; of equals the last goes first.
        unit: plain unit of the values, where the text does not tell by itself that they are seconds.
    """

    title: str
    value: Callable[[Row], Any]
    text: Callable[[Any], str] = str
    help: str = ""
    right: bool = False
    tone: Callable[[Row], str] | None = None
    share: Callable[[Row], float | None] | None = None
    curve: Callable[[Row], Sequence[tuple[float, float]] | None] | None = None
    name: str = ""
    tip: Callable[[Row], str] | None = None
    spare: int = 0
    unit: str = ""

    @property
    def called(self) -> str:
        return self.title or self.name

    @property
    def heading(self) -> str:
        """Name and plain unit, for a column of values."""
        return plain_units.heading(self.called, self.text, self.unit)

    def look(self, row: Row) -> tuple[Any, ...]:
        """Everything that the cell of a row is painted from, to tell whether it looks different."""
        return tuple(part(row) for part in (self.value, self.tone, self.share, self.curve) if part is not None)


def _place(value: Any) -> Any:
    """What a value is sorted by: numbers in names count as numbers, conv2d9 comes before conv2d10."""
    if not isinstance(value, str):
        return value
    parts = _NUMBER.split(value.casefold())  # words and numbers in turns
    return [int(part) if at % 2 else part for at, part in enumerate(parts)]


class RowTable(QAbstractTableModel):
    """Rows with an `id`; sorting works on the list itself, which is far faster than a proxy model.

    Attributes:
        unseen: columns that its view has no room for; the first cell of a row tells what they hold.

    Signals:
        replaced: none came or went, but rows may tell something else or stand elsewhere; takes the rows before. It
            stands in for `dataChanged`: to find out what changed in rows out of sight would cost more than all else.
    """

    replaced = Signal(object)  # a `list` would be copied row by row into Qt's own

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns
        self.unseen: Sequence[Column] = ()
        self.rows: list[Row] = []
        self._all: list[Row] = []
        self._order: tuple[int, bool] | None = None

    def show_rows(self, rows: list[Row]) -> None:
        """Take new rows, keeping their order; where no row comes or goes, selection and scrolling stay."""
        self._all = rows
        before, shown = self.rows, self._arranged()
        places = {row["id"]: at for at, row in enumerate(shown)}
        if len(before) == len(shown) and all(row["id"] in places for row in before):
            moved = self.persistentIndexList()
            self.changePersistentIndexList(
                moved, [self.index(places[before[index.row()]["id"]], index.column()) for index in moved]
            )
            self.rows = shown
            self.replaced.emit(before)
            return
        self.beginResetModel()
        self.rows = shown
        self.endResetModel()

    def changed(self, before: Row, after: Row) -> list[int]:
        """The columns that look different in two rows."""
        if before == after:
            return []
        return [at for at, column in enumerate(self.columns) if column.look(before) != column.look(after)]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._order = (column, order == Qt.SortOrder.DescendingOrder) if column >= 0 else None
        self.show_rows(self._all)

    def _arranged(self) -> list[Row]:
        rows = list(self._all)
        if self._order is not None:
            column, descending = self._order
            value = self.columns[column].value
            keyed = [(value(row), row) for row in rows]
            there = [pair for pair in keyed if pair[0] is not None]
            there.sort(key=lambda pair: _place(pair[0]), reverse=descending)
            rows = [row for _, row in there] + [row for key, row in keyed if key is None]
        return rows

    def text_of(self, row: Row, column: Column) -> str:
        """The text of a cell."""
        return one_line(self._whole(row, column))

    def values(self) -> Iterator[Sequence[Any]]:
        """Headings, then all rows as they stand: numbers in plain units, what is none as its text."""
        columns = [column for column in self.columns if column.curve is None]
        yield [column.heading for column in columns]
        for row in self.rows:
            yield [self._plain(row, column) for column in columns]

    def _plain(self, row: Row, column: Column) -> Any:
        value = column.value(row)
        return "" if value is None else value if isinstance(value, int | float) else self.text_of(row, column)

    @staticmethod
    def _whole(row: Row, column: Column) -> str:
        value = column.value(row)
        return "–" if value is None else column.text(value)

    def _more(self, row: Row) -> list[str]:
        """What the view has no room for."""
        texts = [(column.called, self.text_of(row, column)) for column in self.unseen if column.curve is None]
        return [f"{name}: {text}" for name, text in texts if text]

    def row_of(self, row_id: int | str | None) -> int:
        """Where the row with that id stands now, or -1."""
        return next((index for index, row in enumerate(self.rows) if row["id"] == row_id), -1)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:  # noqa: PLR0911
        if role not in _ROLES:  # a painted cell asks for seven roles
            return None
        row, column = self.rows[index.row()], self.columns[index.column()]
        if role == _DISPLAY:
            return self.text_of(row, column)
        if role == _ALIGN:
            return _RIGHT if column.right else _LEFT
        if role == _COLOR:
            token = column.tone(row) if column.tone else ""
            return theme.color(token) if token else None
        if role == _TIP:
            own = column.tip(row) if column.tip else ""
            told = own or said(row.get("message") or "") or self._whole(row, column)
            more = self._more(row) if index.column() == 0 else ()
            return plain_tip("\n".join((told, *more)))
        if role == _MORE:
            return ", ".join(self._more(row)) if index.column() == 0 else None
        if role == ROW_ROLE:
            return row
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == _DISPLAY:
            return column.title
        if role == _TIP:
            return column.help or None
        if role == _ALIGN:
            return _RIGHT if column.right else _LEFT
        if role == _NAME:
            return column.called
        return None
