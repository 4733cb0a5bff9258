"""The menus that the right button and the Menu key open: what can be done with a row, and with a plot."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from painted import cell
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget

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


def test_the_values_of_a_table_are_copied_and_saved_in_plain_units(
    qtbot, opened: MainWindow, shown, tmp_path: Path
) -> None:
    """A spreadsheet makes nothing of 2.31 ms, and of 1 234 with a thin space."""
    table: Table = shown("tasks").table
    tasks = {row["name"]: row for row in table.table.rows}
    menu = entries(table.menu())
    menu["Copy the values"].trigger()
    heads, *rows = csv.reader(QGuiApplication.clipboard().text().splitlines())
    assert {"Task", "Best, s", "Share", "GFLOP/s"} <= set(heads) and "Over trials" not in heads
    assert [row[0] for row in rows] == list(tasks), "in the order that they are shown in"
    told = [dict(zip(heads, row, strict=True)) for row in rows]
    assert all(float(row["Best, s"]) == tasks[row["Task"]]["best_s"] for row in told if row["Best, s"])
    menu["Save as CSV…"].trigger()
    (dialog,) = table.findChildren(QFileDialog)
    dialog.selectFile(str(tmp_path / "tasks"))
    dialog.accept()
    qtbot.waitUntil((tmp_path / "tasks.csv").is_file)
    assert list(csv.reader((tmp_path / "tasks.csv").read_text(encoding="utf-8").splitlines())) == [heads, *rows]
    assert opened.statusBar().currentMessage() == f"Saved: {tmp_path / 'tasks.csv'}"


def test_a_table_without_rows_has_no_values_to_save(window: MainWindow) -> None:
    compare = window.show_page("compare")
    compare.refresh()
    menu = entries(compare.table.menu())
    assert not menu["Copy the values"].isEnabled() and not menu["Save as CSV…"].isEnabled()
