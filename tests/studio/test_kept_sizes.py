"""What was made wider or higher by hand is so again in the next window, and can be left to the window again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.divider import Divided
from pruner_studio.widgets.table import Table


@pytest.fixture
def again(qtbot, window: MainWindow, finished_project: Path, rested) -> Callable[[], MainWindow]:
    """Closes the window that is open, and opens the project in a new one."""
    shown = [window]

    def start() -> MainWindow:
        shown[-1].close()
        shown.append(MainWindow())
        qtbot.addWidget(shown[-1])
        shown[-1].show()
        shown[-1].workspace.open(finished_project)
        return shown[-1]

    yield start
    shown[-1].close()


def drag(qtbot, part, start: QPoint, by: QPoint) -> None:
    qtbot.mousePress(part, Qt.MouseButton.LeftButton, pos=start)
    for step in (1, 2, 3):
        qtbot.mouseMove(part, start + by * step / 3)
        qtbot.wait(20)
    qtbot.mouseRelease(part, Qt.MouseButton.LeftButton, pos=start + by)
    QApplication.processEvents()


def test_dividers_stay_where_they_were_moved(qtbot, again, rested) -> None:
    window = again()
    window.resize(1440, 900)
    page = window.show_page("schedule")
    rested(page)
    split = page.findChild(Divided)
    before = split.sizes()
    drag(qtbot, split.handle(1), split.handle(1).rect().center(), QPoint(120, 0))
    moved = split.sizes()
    assert moved[0] > before[0] + 60
    page.tabs.setCurrentWidget(page.loops)
    inner = page.loops.findChild(Divided)
    inner.handle(1).setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(inner.handle(1), Qt.Key.Key_Up)
    lower = inner.sizes()
    page = again().show_page("schedule")
    rested(page)
    assert page.findChild(Divided).sizes() == moved
    assert page.loops.findChild(Divided).sizes() == lower


def test_each_way_round_a_divider_has_its_own_place(qtbot, again, rested) -> None:
    window = again()
    window.resize(1440, 900)
    page = window.show_page("schedule")
    rested(page)
    split = page.findChild(Divided)
    drag(qtbot, split.handle(1), split.handle(1).rect().center(), QPoint(120, 0))
    across = split.sizes()
    window.resize(900, 900)
    qtbot.waitUntil(lambda: split.orientation() == Qt.Orientation.Vertical)
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: split.orientation() == Qt.Orientation.Horizontal)
    assert split.sizes() == across


def test_columns_stay_as_wide_until_they_are_to_fit_again(qtbot, again, rested) -> None:
    def table(window: MainWindow) -> Table:
        page = window.show_page("tasks")
        rested(page)
        return page.table

    shown = table(again())
    header, fitting = shown.horizontalHeader(), shown.columnWidth(3)
    edge = header.sectionViewportPosition(3) + fitting - 1
    drag(qtbot, header.viewport(), QPoint(edge, 8), QPoint(45, 0))
    wider = shown.columnWidth(3)
    assert wider == fitting + 45
    shown = table(again())
    assert shown.columnWidth(3) == wider
    entry = next(one for one in shown.menu().actions() if one.text() == "&Fit the columns")
    assert entry.isEnabled()
    entry.trigger()
    assert shown.columnWidth(3) == fitting
    shown = table(again())
    assert shown.columnWidth(3) == fitting
    assert not next(one for one in shown.menu().actions() if one.text() == "&Fit the columns").isEnabled()


def test_columns_are_shown_as_the_user_wants_until_it_is_left_to_the_window_again(qtbot, again, rested) -> None:
    def table(window: MainWindow) -> Table:
        window.resize(1100, 700)
        page = window.show_page("tasks")
        rested(page)
        return page.table

    def columns(shown: Table) -> dict[str, QAction]:
        menu = next(one.menu() for one in shown.menu().actions() if one.text() == "Colum&ns")
        return {one.text(): one for one in menu.actions()}

    def seen(shown: Table) -> set[str]:
        return {name for name, one in columns(shown).items() if one.isChecked()}

    shown = table(again())
    usual = seen(shown)
    assert {"Share", "Best", "Gain", "Over trials"} <= usual and not {"Operator", "MFLOP"} & usual
    assert "Task" not in columns(shown), "what names a row stays"
    for name in ("Over trials", "MFLOP", "Of roof"):
        columns(shown)[name].trigger()
    chosen = seen(shown)
    assert "MFLOP" in chosen and not {"Over trials", "Of roof"} & chosen and chosen > usual - {"Over trials", "Of roof"}
    assert shown.horizontalScrollBar().maximum() == 0
    assert not next(one for one in shown.menu().actions() if one.text() == "&Fit the columns").isEnabled()
    assert "Of roof" in shown._text_of(shown.table.rows)
    shown = table(again())
    assert seen(shown) == chosen
    columns(shown)["Show &all"].trigger()
    qtbot.waitUntil(lambda: shown.horizontalScrollBar().maximum() > 0)
    shown = table(again())
    assert shown.horizontalScrollBar().maximum() > 0 and seen(shown) > chosen | usual
    columns(shown)["As many as there is &room for"].trigger()
    assert seen(shown) == usual
    assert seen(table(again())) == usual


def test_settings_that_are_something_else_move_nothing(again, rested) -> None:
    page = again().show_page("schedule")
    rested(page)
    split = page.findChild(Divided)
    name, before = f"by_hand/{split.accessibleName()} across", split.sizes()
    for stored in ("none", ["1", "x"], ["7"]):
        QSettings().setValue(name, stored)
        split.restore()
        assert split.sizes() == before
