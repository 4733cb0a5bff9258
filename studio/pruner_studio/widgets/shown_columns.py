"""Which columns of a table are shown: all but those that the user hides, for as long as he does."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu, QTableView

from pruner_studio import kept_sizes
from pruner_studio.literal import literal
from pruner_studio.models.rows import RowTable
from pruner_studio.widgets.column_widths import ColumnWidths


class ShownColumns:
    """The columns of a view after the first, which names its rows.

    Args:
        view: shows `model`; its accessible name is part of the names under which is kept what is hidden.
        widths: of the view's columns; the room of what is hidden is theirs.
    """

    def __init__(self, view: QTableView, model: RowTable, widths: ColumnWidths) -> None:
        self._view, self._model, self._widths = view, model, widths
        for at in range(1, len(model.columns)):
            if kept_sizes.kept(self._kept_as(at)):
                widths.hide(at, True)

    def fill(self, menu: QMenu) -> None:
        """Entries that show a column or hide it."""
        menu.setToolTipsVisible(True)
        for at, column in enumerate(self._model.columns[1:], 1):
            action = menu.addAction(literal(column.called), partial(self._turn, at))
            action.setToolTip(column.help)
            action.setCheckable(True)
            action.setChecked(not self._view.isColumnHidden(at))

    def _turn(self, at: int) -> None:
        hidden = not self._view.isColumnHidden(at)
        if hidden:
            kept_sizes.keep(self._kept_as(at), [0])
        else:
            kept_sizes.forget([self._kept_as(at)])
        self._widths.hide(at, hidden)

    def _kept_as(self, at: int) -> str:
        return f"{self._view.accessibleName()}, hidden: {self._model.columns[at].called}"
