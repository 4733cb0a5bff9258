"""Which columns of a table are shown: those that there is room for, but for what the user shows or hides himself."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu, QTableView

from pruner_studio import kept_sizes
from pruner_studio.literal import literal
from pruner_studio.models.rows import RowTable
from pruner_studio.translation import tr
from pruner_studio.widgets.column_widths import ColumnWidths
from pruner_studio.widgets.given_up import MoreColumns

_NEVER, _ALWAYS = [0], [1]  # as kept


class ShownColumns:
    """The columns of a view after the first, which names its rows.

    Args:
        view: shows `model`; its accessible name is part of the names under which is kept what is shown and hidden.
        widths: of the view's columns; the room of what is hidden is theirs.

    Attributes:
        more: the button that tells which have no room.
    """

    def __init__(self, view: QTableView, model: RowTable, widths: ColumnWidths) -> None:
        self._view, self._model, self._widths = view, model, widths
        self.more = MoreColumns(view, self.fill)
        widths.on_given_up = self._tell
        for at in range(1, len(model.columns)):
            if wish := kept_sizes.kept(self._kept_as(at)):
                widths.choose(at, wish == _ALWAYS)

    def fill(self, menu: QMenu) -> None:
        """Entries that show a column or hide it, all of them, or those that there is room for."""
        menu.setToolTipsVisible(True)
        for at, column in enumerate(self._model.columns[1:], 1):
            action = menu.addAction(literal(column.called), partial(self._turn, at))
            action.setToolTip(column.help)
            action.setCheckable(True)
            action.setChecked(not self._view.isColumnHidden(at))
        menu.addSeparator()
        menu.addAction(tr("Show &all"), self._show_all)
        menu.addAction(tr("As many as there is &room for"), self._show_fitting).setEnabled(self._widths.chosen_columns)

    def _turn(self, at: int) -> None:
        """Hide what is shown; what is hidden comes back, also where there is no room for it."""
        if not self._view.isColumnHidden(at):
            self._choose(at, False)
            return
        self._choose(at, None)
        if at in self._widths.given_up:
            self._choose(at, True)

    def _show_all(self) -> None:
        for at in range(1, len(self._model.columns)):
            if self._view.isColumnHidden(at):
                self._choose(at, None)
        while self._widths.given_up:  # what was in sight so far may give way to them
            self._choose(min(self._widths.given_up), True)

    def _show_fitting(self) -> None:
        for at in range(1, len(self._model.columns)):
            self._choose(at, None)

    def _choose(self, at: int, shown: bool | None) -> None:
        if shown is None:
            kept_sizes.forget([self._kept_as(at)])
        else:
            kept_sizes.keep(self._kept_as(at), _ALWAYS if shown else _NEVER)
        self._widths.choose(at, shown)

    def _tell(self) -> None:
        """Say which have no room, and let the first cell of each row tell what they hold."""
        self._model.unseen = tuple(self._model.columns[at] for at in sorted(self._widths.given_up))
        self.more.tell([column.called for column in self._model.unseen])

    def _kept_as(self, at: int) -> str:
        return f"{self._view.accessibleName()}, hidden: {self._model.columns[at].called}"
