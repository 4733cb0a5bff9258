"""The keys that do something, as the menus have them and as every part of a page takes them."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSize
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QGridLayout, QMenu, QMenuBar, QScrollArea, QVBoxLayout, QWidget

from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.rooms import Columns
from pruner_studio.widgets.side_window import SideWindow

_ELSEWHERE = (
    (tr("Tab"), tr("Next part of the page")),
    (tr("Enter, Space"), tr("Press the button that the keyboard is at")),
    (tr("Shift+↑ ↓"), tr("Select rows of a table")),
    (tr("Menu, Shift+F10"), tr("What can be done with a row of a table, or with a plot")),
    (tr("Enter"), tr("Open the row of a table, choose or open the point of a plot")),
    (tr("Space"), tr("Choose the point of a plot, draw or hide the run of a row")),
    (tr("← →"), tr("Step through a replay, move a slider, go along a curve")),
    (tr("↑ ↓"), tr("Next curve of a plot")),
    (tr("Home, End"), tr("First or last point of a curve")),
    (tr("+ - 0"), tr("Zoom a plot, show all of it")),
    (tr("F8, Shift+F8"), tr("Next or previous difference of two schedules")),
)


class Shortcuts(SideWindow):
    """Lists them."""

    def __init__(self, menus: QMenuBar, parent: QWidget) -> None:
        super().__init__(tr("Keyboard shortcuts"), parent)
        cards = Columns(0)
        cards.setObjectName("pageBody")
        columns = [QVBoxLayout(), QVBoxLayout()]
        for column in columns:
            column.setContentsMargins(6, 6, 6, 6)
            column.setSpacing(8)
            cards.row.addLayout(column, 1)
        cards.row.setSpacing(0)
        held = [0, 0]  # rows of each column, a card's title counted
        for title, rows in (*_of(menus), (tr("On every page"), list(_ELSEWHERE))):
            card = Card(title)
            grid = QGridLayout()
            grid.setHorizontalSpacing(24)
            grid.setColumnStretch(1, 1)
            for at, (keys, text) in enumerate(rows):
                grid.addWidget(label(keys, "muted"), at, 0)
                grid.addWidget(label(text), at, 1)
            card.body.addLayout(grid)
            shorter = held.index(min(held))
            columns[shorter].addWidget(card)
            held[shorter] += len(rows) + 2
        for column in columns:
            column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(cards)
        area.setAccessibleName(tr("Keyboard shortcuts"))
        QVBoxLayout(self).addWidget(area)
        self.resize(cards.sizeHint() + QSize(60, 60))


def _of(menus: QMenuBar) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Title, and keys with texts, of each menu that has some."""
    for top in menus.actions():
        menu = top.menu()
        assert isinstance(menu, QMenu)
        native = QKeySequence.SequenceFormat.NativeText
        rows = [
            (action.shortcut().toString(native), action.text().replace("&", "").rstrip("…"))
            for action in menu.actions()
            if not action.shortcut().isEmpty()
        ]
        if rows:
            yield top.text().replace("&", ""), rows
