"""The menus that the right button and the Menu key open: what can be done with a row, and with a plot."""

from __future__ import annotations

import pytest
from painted import cell
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.table import Table


def entries(menu: QMenu) -> dict[str, QAction]:
    return {action.text().partition("\t")[0].replace("&", ""): action for action in menu.actions()}


def ask(part: QWidget) -> None:
    """Press the Menu key."""
    place = part.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, part.mapToGlobal(place))
    QApplication.sendEvent(part, event)


@pytest.fixture
def shown(opened: MainWindow, rested):
    def show(key: str):
        page = opened.show_page(key)
        rested(page)
        return page

    return show


def test_a_row_is_opened_and_used_from_its_menu(qtbot, opened: MainWindow, shown) -> None:
    tasks = shown("tasks")
    row = tasks.model.rows[1]
    qtbot.mouseClick(tasks.table.viewport(), Qt.MouseButton.LeftButton, pos=cell(tasks.table, row["id"], 0).center())
    menu = entries(tasks.table.menu())
    assert {name: menu[name].isEnabled() for name in ("Open", "Pin", "Freeze", "Copy")} == {
        "Open": True,
        "Pin": False,  # no run is at work
        "Freeze": False,
        "Copy": True,
    }
    menu["Open"].trigger()
    assert opened.current_page == "schedule" and opened.workspace.task_id == row["id"]
    schedule = shown("schedule")
    chosen = schedule._subject.candidate_id
    entries(schedule.candidates.table.menu())["Use as reference"].trigger()
    assert schedule.diff.reference == chosen


def test_a_run_is_hidden_from_its_menu(opened: MainWindow, shown) -> None:
    compare = shown("compare")
    table: Table = compare.table
    table.selectRow(0)
    name = table.table.rows[0]["strategy"]
    assert any(name in series.name for series in compare.plot.series)
    entries(table.menu())["Draw or hide"].trigger()
    compare.refresh()
    assert not any(name in series.name for series in compare.plot.series)


def test_the_menu_of_a_plot_copies_it(qtbot, opened: MainWindow, shown) -> None:
    plot = shown("overview").curve
    menu = plot._more.choices
    qtbot.mouseClick(plot._view.viewport(), Qt.MouseButton.RightButton, pos=QPoint(200, 100))
    assert menu.isVisible()
    menu.hide()
    ask(plot._view)
    assert menu.isVisible()
    menu.hide()
    entries(menu)["Copy the values"].trigger()
    assert QGuiApplication.clipboard().text().startswith("series,")
    entries(menu)["Copy the picture"].trigger()
    picture = QGuiApplication.clipboard().pixmap()
    assert picture.size() == plot.figure.picture().size()
    assert opened.statusBar().currentMessage() == f"Copied: {plot.name}"
