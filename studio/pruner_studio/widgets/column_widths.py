"""How wide the columns of a table are: as their texts need, or as the user has made them."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QTableView

from pruner_studio import kept_sizes
from pruner_studio.models.rows import RowTable
from pruner_studio.theme import theme

_FITTED_ROWS = 60  # rows that are looked at
_MEASURED_TEXTS = 4
_WIDEST_WORDS = 320  # pixels of a column of names that does not take what is left
_LEAST_STRETCH = 110  # pixels
_LEAST_WORDS = 160  # pixels that a name keeps where figures would be out of sight otherwise
_SCROLLED_STRETCH = 200  # where the table has to be scrolled sideways all the same


class ColumnWidths:
    """The widths of a view's columns. A width that the user has chosen is kept between starts.

    Args:
        view: shows `model`; its accessible name is part of the names under which widths are kept.

    Attributes:
        stretch: the column that takes the room which the others leave.
        margins: pixels that the cells of a column need beside their text, where they need more than others.
    """

    def __init__(self, view: QTableView, model: RowTable, stretch: int) -> None:
        self.stretch = stretch
        self.margins: dict[int, int] = {}
        self._view, self._model, self._header = view, model, view.horizontalHeader()
        self._fitting = False
        self._by_hand: set[int] = set()  # columns that the user has made as wide as he wants them
        for at in range(len(model.columns)):
            for width in kept_sizes.kept(self._kept_as(at)):
                self._by_hand.add(at)
                self._header.resizeSection(at, width)
        self._header.sectionResized.connect(self._resized)

    @property
    def chosen_by_hand(self) -> bool:
        """Whether the user has made any column wider or narrower."""
        return bool(self._by_hand)

    def fit(self) -> None:
        """Make columns as wide as their texts; one takes what is left, but keeps room for a few letters.

        What it has no use for on a wide screen those behind it share: figures stay near the name that they are of.
        Where there is too little, names are cut if all figures are in sight then; else they stay whole.
        """
        bold = QFont(self._view.font())
        bold.setPixelSize(theme.pixels(12))
        bold.setWeight(QFont.Weight.DemiBold)
        heads = QFontMetrics(bold)
        room = self._view.viewport().width()
        for at in range(len(self._model.columns)):
            if at == self.stretch or self._header.isSectionHidden(at):
                continue
            if at not in self._by_hand:
                self._resize(at, self._wanted(at, heads))
            room -= self._header.sectionSize(at)
        if self.stretch not in self._by_hand and not self._header.isSectionHidden(self.stretch):
            wanted = self._wanted(self.stretch, heads)
            room += self._cut_names(min(wanted, theme.pixels(_LEAST_WORDS)) - room)
            if room < _LEAST_STRETCH:  # it is scrolled sideways: what nobody reads would push figures out of sight
                room = min(wanted, _SCROLLED_STRETCH)
            else:
                room -= self._share(room - max(wanted, theme.pixels(_WIDEST_WORDS)))
            self._resize(self.stretch, room)

    def _cut_names(self, lack: int) -> int:
        """Take room from columns of words, of the widest first, if they have it; returns how much that is."""
        columns, header = self._model.columns, self._header
        words = [at for at in range(len(columns)) if not (columns[at].right or columns[at].curve)]
        spare = {
            at: header.sectionSize(at) - theme.pixels(_LEAST_WORDS)
            for at in sorted(words, key=header.sectionSize, reverse=True)
            if at != self.stretch and at not in self._by_hand and not header.isSectionHidden(at)
        }
        if not 0 < lack <= sum(room for room in spare.values() if room > 0):
            return 0
        left = lack
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

    def hide(self, at: int, hidden: bool) -> None:
        """Take a column out of sight, or back into it."""
        self._fitting = True  # to Qt it becomes as narrow as nothing then, which nobody wants it to be
        self._header.setSectionHidden(at, hidden)
        self._fitting = False
        self.fit()

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
        self._fitting = True
        self._header.resizeSection(at, width)
        self._fitting = False

    def _resized(self, at: int, _before: int, after: int) -> None:
        if not self._fitting:
            self._by_hand.add(at)
            kept_sizes.keep(self._kept_as(at), [after])

    def _kept_as(self, at: int) -> str:
        return f"{self._view.accessibleName()}: {self._model.columns[at].called}"
