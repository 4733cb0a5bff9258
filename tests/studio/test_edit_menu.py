"""The Edit menu by its keys: it acts on what the keyboard is at, and offers what can be done there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.widgets.narrowing import NarrowedBy

ALL = {"Undo", "Redo", "Cut", "Copy", "Paste", "Select all", "Find…", "Find next", "Find previous"}


@pytest.fixture
def opened(qtbot, window: MainWindow, finished_project: Path) -> MainWindow:
    assert window.workspace.open(finished_project)
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


def press(keys: str) -> None:
    """To the part that has the keyboard."""
    QTest.keySequence(QApplication.focusWidget(), keys)
    QApplication.processEvents()


def go_to(qtbot, part: QWidget) -> None:
    part.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(part.hasFocus)


def copied() -> str:
    return QGuiApplication.clipboard().text()


def offered(window: MainWindow) -> set[str]:
    """What is enabled of it while it is open, opened by its key."""
    menu = next(action.menu() for action in window.menuBar().actions() if action.text() == "&Edit")
    QTest.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.AltModifier)
    assert menu.isVisible()
    told = {action.text().replace("&", "") for action in menu.actions() if action.isEnabled() and action.text()}
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    QTest.keyClick(window.menuBar(), Qt.Key.Key_Escape)  # the keyboard is at the row of menus still
    assert not menu.isVisible()
    return told & ALL


def test_find_goes_to_what_narrows_the_page_and_escape_takes_it_away(qtbot, opened: MainWindow, rested) -> None:
    found = []
    for key, *_ in PAGES:
        page = opened.show_page(key)
        rested(page)
        if key == "schedule":
            page.tabs.setCurrentWidget(page.roofline)  # what is code is searched itself
        page.setFocus()
        if "Find…" in offered(opened):
            found.append(key)
            press("Ctrl+F")
            field = QApplication.focusWidget()
            qtbot.keyClicks(field, "softmax")
            assert opened.workspace.filter == "softmax", key
            press("Return")
            chips = [chip for chip in page.findChildren(NarrowedBy) if chip.isVisible()]
            assert all(chip.chip.isVisible() and chip.field.isHidden() for chip in chips) and (chips or key == "tasks")
            press("Ctrl+F")
            assert QApplication.focusWidget() is field and field.selectedText() == "softmax"
            press("Escape")
            assert opened.workspace.filter == ""
            press("Return")
            assert not any(chip.isVisible() for chip in chips)
    assert found == ["overview", "tasks", "schedule", "draft", "adaptation", "export"]


def test_rows_of_a_table_are_selected_and_copied_with_their_headings(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("tasks")
    rested(page)
    go_to(qtbot, page.table)
    press("Home")
    press("Shift+Down")
    press("Ctrl+C")
    heading, *lines = copied().split("\n")
    assert heading.split("\t")[:3] == ["Task", "Shapes", "Share"]
    assert [line.split("\t")[0] for line in lines] == [row["name"] for row in page.model.rows[:2]]
    assert opened.statusBar().currentMessage().startswith("Copied: Task")
    press("Ctrl+A")
    press("Ctrl+C")
    assert len(copied().split("\n")) == 1 + len(page.model.rows)
    assert offered(opened) == {"Copy", "Select all", "Find…"}


def test_values_of_a_plot_of_bars_and_a_nest_are_copied(qtbot, opened: MainWindow, rested, answered) -> None:
    page = opened.show_page("overview")
    rested(page)
    go_to(qtbot, page.curve._view)
    press("Ctrl+C")
    lines = copied().splitlines()
    assert lines[0].startswith("series,") and len(lines) == 1 + sum(len(one.x) for one in page.curve.series) + len(
        page.curve.levels
    )
    schedule = opened.show_page("schedule")
    rested(schedule)
    answered(opened)
    nest = schedule.loops.view.nest
    loop = {"type": "loop", "kind": "serial", "thread": "", "annotations": None, "children": []}
    inner = {**loop, "id": 1, "name": "j", "extent": 8}
    nest.show_nest([{**loop, "id": 0, "name": "i", "extent": 4, "children": [inner]}])
    go_to(qtbot, nest)
    press("Ctrl+C")
    assert copied() == "i  4\n  j  8"
    nest.choose(1)
    press("Ctrl+C")
    assert copied() == "j  8"


def test_text_fields_are_edited_from_the_menu(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("tasks")
    rested(page)
    go_to(qtbot, page.filter)
    QGuiApplication.clipboard().setText("conv")
    assert offered(opened) == {"Paste", "Find…"}
    qtbot.keyClicks(page.filter, "soft")
    assert offered(opened) == {"Undo", "Paste", "Select all", "Find…"}
    menu = {action.text().replace("&", ""): action for action in opened.menus._edits.values()}
    menu["Undo"].trigger()
    assert page.filter.text() == ""
    menu["Redo"].trigger()
    menu["Select all"].trigger()
    menu["Cut"].trigger()
    assert (page.filter.text(), copied()) == ("", "soft")
    menu["Paste"].trigger()
    assert page.filter.text() == "soft" == opened.workspace.filter


def test_code_is_searched_and_copied_by_keys(qtbot, opened: MainWindow, rested, answered) -> None:
    page = opened.show_page("schedule")
    rested(page)
    page.tabs.setCurrentWidget(page.code)
    answered(opened)
    view = page.code.code["tvmscript"].view
    view.show_text("tvmscript", "one\ntwo\none\ntwo\none")
    go_to(qtbot, page.candidates.table)
    press("Ctrl+F")
    assert QApplication.focusWidget() is page.code.code["tvmscript"].search.field
    qtbot.keyClicks(QApplication.focusWidget(), "one")
    places = []
    for keys in ("F3", "F3", "F3", "F3", "Shift+F3"):
        press(keys)
        places.append(view.textCursor().blockNumber())
    assert places == [0, 2, 4, 0, 4]
    go_to(qtbot, view)
    press("Ctrl+C")
    assert copied() == "one"
    press("Ctrl+A")
    press("Ctrl+C")
    assert copied() == "one\ntwo\none\ntwo\none"
    assert offered(opened) == {"Copy", "Select all", "Find…", "Find next", "Find previous"}


def test_the_view_menu_marks_the_page_that_is_shown(opened: MainWindow) -> None:
    for key, name, *_ in (*PAGES, PAGES[0]):
        opened.show_page(key)
        assert [action.text() for action in opened.menus._pages.values() if action.isChecked()] == [name]
