"""How wide the columns of a table are: as their texts need, or as the user has made them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QTableView

from pruner_studio import kept_sizes
from pruner_studio.models.rows import RowTable
from pruner_studio.theme import theme
from pruner_studio.widgets.given_up import ROOM, give_way
from pruner_studio.widgets.quiet import Quiet

_FITTED_ROWS = 60  # rows that are looked at
_MEASURED_TEXTS = 4
_WIDEST_WORDS = 320  # pixels of a column of names that does not take what is left
_LEAST_STRETCH = 100  # pixels
_LEAST_WORDS = 120  # pixels that a name keeps where figures would be out of sight otherwise
_ROOMY, _LEAST = (180, 160), (_LEAST_WORDS, _LEAST_STRETCH)  # pixels of names, and of the one that takes the rest
_SCROLLED_STRETCH = 200  # where the table has to be scrolled sideways all the same


class ColumnWidths:
    """The widths of a view's columns. A width that the user has chosen is kept between starts.

    Args:
        view: shows `model`; its accessible name is part of the names under which widths are kept.

    Attributes:
        stretch: the column that takes the room which the others leave.
        margins: pixels that the cells of a column need beside their text, where they need more than others.
        given_up: columns that are out of sight because there is no room for them.
        on_given_up: is called when these have become others.
    """

    def __init__(self, view: QTableView, model: RowTable, stretch: int) -> None:
        self.stretch = stretch
        self.margins: dict[int, int] = {}
        self.given_up: frozenset[int] = frozenset()
        self.on_given_up: Callable[[], object] = lambda: None
        self._chosen: dict[int, bool] = {}  # columns that the user wants to see in any room, or never
        self._view, self._model, self._header = view, model, view.horizontalHeader()
        self._fitting = Quiet()  # what becomes wider or narrower meanwhile is not the user's doing
        self._by_hand: set[int] = set()  # columns that the user has made as wide as he wants them
        for at in range(len(model.columns)):
            for width in kept_sizes.kept(self._kept_as(at)):
                self._by_hand.add(at)
                self._header.resizeSection(at, width)
        self._header.sectionResized.connect(self._resized)
        self._header.sortIndicatorChanged.connect(lambda *_: self.fit())  # what rows are sorted by is in sight

    @property
    def chosen_by_hand(self) -> bool:
        """Whether the user has made any column wider or narrower."""
        return bool(self._by_hand)

    @property
    def chosen_columns(self) -> bool:
        """Whether the user has shown or hidden any column."""
        return bool(self._chosen)

    def fit(self) -> None:
        """Make columns as wide as their texts; one takes what is left, but keeps room for a few letters.

        What it has no use for on a wide screen those behind it share: figures stay near the name that they are of.
        Where there is too little, names are cut, and the last columns give way until the others are in sight.
        """
        bold = QFont(self._view.font())
        bold.setPixelSize(theme.pixels(12))
        bold.setWeight(QFont.Weight.DemiBold)
        heads = QFontMetrics(bold)
        wanted = {at: self._wanted(at, heads) for at in range(len(self._model.columns)) if self._chosen.get(at, True)}
        room = self._give_up(wanted)
        for at, width in wanted.items():
            if at == self.stretch or at in self.given_up:
                continue
            if at not in self._by_hand:
                self._resize(at, width)
            room -= self._header.sectionSize(at)
        if self.stretch not in self._by_hand and self.stretch in wanted:
            most = wanted[self.stretch]
            least = min(most, theme.pixels(_LEAST_STRETCH))
            room += self._cut_names(least - room, min(most, theme.pixels(_LEAST_WORDS)) - room)
            if room < least:  # it is scrolled sideways: what nobody reads would push figures out of sight
                room = min(most, _SCROLLED_STRETCH)
            else:
                room -= self._share(room - max(most, theme.pixels(_WIDEST_WORDS)))
            self._resize(self.stretch, room)

    def _give_up(self, wanted: dict[int, int]) -> int:
        """Let columns give way that there is no room for, and come back where there is; returns what the others have.

        Those that somebody wants to see do not: the first, by name, and what he has shown, widened or sorted by.
        """
        room = self._view.viewport().width()
        roomy, least = ({at: self._bounded(at, wanted[at], most) for at in wanted} for most in (_ROOMY, _LEAST))
        shown = {at for at, wish in self._chosen.items() if wish}
        kept = {0, self.stretch, self._header.sortIndicatorSection()} | shown | self._by_hand
        given_up = give_way(self._model.columns, room, roomy, least, kept)
        if given_up != self.given_up:
            self.given_up = given_up
            self._show_columns()
            self.on_given_up()
        return room - (ROOM if given_up else 0)

    def _bounded(self, at: int, wanted: int, most: tuple[int, int]) -> int:
        """What a column wants, but no more than so much for words, and for the one that takes what is left."""
        if at in self._by_hand:
            return self._header.sectionSize(at)
        column = self._model.columns[at]
        if column.right or column.curve:
            return wanted
        return min(wanted, theme.pixels(most[at == self.stretch]))

    def _cut_names(self, least: int, lack: int) -> int:
        """Take room from columns of words, of the widest first, if they have it; returns how much that is."""
        columns, header = self._model.columns, self._header
        words = [at for at in range(len(columns)) if not (columns[at].right or columns[at].curve)]
        spare = {
            at: header.sectionSize(at) - theme.pixels(_LEAST_WORDS)
            for at in sorted(words, key=header.sectionSize, reverse=True)
            if at != self.stretch and at not in self._by_hand and not header.isSectionHidden(at)
        }
        there = sum(room for room in spare.values() if room > 0)
        if lack <= 0 or there < least:
            return 0
        left = lack = min(lack, there)
        for at, room in spare.items():
            part = max(0, min(left, room))
            self._resize(at, header.sectionSize(at) - part)
            left -= part
        return lack

    def _share(self, spare: int) -> int:
        """Give the columns behind it their parts of room that nobody needs; returns how much that is."""
        columns = range(self.stretch, len(self._model.columns))
        shown = [at for at in columns if not self._header.isSectionHidden(at)]
        part = max(0, spare) // len(shown)
        others = [at for at in shown[1:] if at not in self._by_hand]
        for at in others:
            self._resize(at, self._header.sectionSize(at) + part)
        return part * len(others)

    def choose(self, at: int, shown: bool | None) -> None:
        """Show a column in any room, or never; by default it gives way where there is none."""
        if shown is None:
            self._chosen.pop(at, None)
        else:
            self._chosen[at] = shown
        self._show_columns()
        self.fit()

    def _show_columns(self) -> None:
        current = self._view.currentIndex()
        with self._fitting:  # to Qt what is hidden becomes as narrow as nothing, which nobody wants it to be
            for at in range(len(self._model.columns)):
                self._header.setSectionHidden(at, at in self.given_up or not self._chosen.get(at, True))
        if current.isValid() and self._header.isSectionHidden(current.column()):  # Qt scrolls to no hidden cell
            kept = QItemSelectionModel.SelectionFlag.NoUpdate
            self._view.selectionModel().setCurrentIndex(current.siblingAtColumn(0), kept)

    def fit_again(self) -> None:
        """Fit all columns, also those that the user has made wider or narrower."""
        kept_sizes.forget(self._kept_as(at) for at in self._by_hand)
        self._by_hand.clear()
        self.fit()

    def widen(self, row: int, columns: Iterable[int]) -> None:
        """Make room for texts of a row that have become longer: a figure that is cut is another figure."""
        header, model = self._header, self._model
        for place in columns:
            if place == self.stretch or place in self._by_hand or header.isSectionHidden(place):
                continue
            wanted = self._width_of(place, (model.text_of(model.rows[row], model.columns[place]),))
            if (more := wanted - header.sectionSize(place)) > 0:
                rest = header.sectionSize(self.stretch)
                self._resize(place, wanted)
                if self.stretch not in self._by_hand:
                    self._resize(self.stretch, max(rest - more, min(rest, _LEAST_STRETCH)))
                if header.length() > self._view.viewport().width():
                    self.fit()

    def _wanted(self, at: int, heads: QFontMetrics) -> int:
        """Room for a column's texts and its heading."""
        column = self._model.columns[at]
        texts = {self._model.text_of(row, column) for row in self._model.rows[:_FITTED_ROWS]}
        return max(self._width_of(at, texts), heads.horizontalAdvance(column.title) + 28)

    def _width_of(self, at: int, texts: Iterable[str]) -> int:
        """Room for texts of a column; words get no more than a share of a small screen, unless they take the rest."""
        # Of texts that are equally long in letters some are wider: a few of the longest are laid out
        longest = sorted(texts, key=len)[-_MEASURED_TEXTS:]
        widest = max((self._view.fontMetrics().horizontalAdvance(text) + 24 for text in longest), default=0)
        whole = self._model.columns[at].right or at == self.stretch
        width = widest if whole else min(widest, theme.pixels(_WIDEST_WORDS))
        return width + self.margins.get(at, 0)

    def _resize(self, at: int, width: int) -> None:
        with self._fitting:
            self._header.resizeSection(at, width)

    def _resized(self, at: int, _before: int, after: int) -> None:
        if not self._fitting:
            self._by_hand.add(at)
            kept_sizes.keep(self._kept_as(at), [after])

    def _kept_as(self, at: int) -> str:
        return f"{self._view.accessibleName()}: {self._model.columns[at].called}"
