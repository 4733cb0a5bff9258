"""A frame shows where the keyboard is to who uses the keyboard, and to nobody who clicks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from pruner_studio.main_window import MainWindow
from pruner_studio.theme import theme


@pytest.fixture
def active(qtbot, window: MainWindow) -> MainWindow:
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


def click(window: MainWindow, at: QWidget) -> None:
    """As a mouse does: the window gets the press first."""
    place = at.mapTo(window, at.rect().center())
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)


def framed(widget: QWidget) -> bool:
    """Whether the middle of its left edge has the colour of the frame."""
    shown = widget.window().grab().toImage()
    place = widget.mapTo(widget.window(), QPoint(0, widget.height() // 2)) * shown.devicePixelRatio()
    return shown.pixelColor(place) == theme.color("accent")


def test_a_page_has_no_frame_after_a_click_that_puts_a_button_out_of_use(active: MainWindow) -> None:
    """Qt moves the focus on "by Tab" then."""
    start = active.start_page()
    again, page = start.preflight.again, active.pages.currentWidget()
    again.setEnabled(True)
    again.clicked.connect(lambda: again.setEnabled(False))
    click(active, again)
    page.setFocus(Qt.FocusReason.TabFocusReason)
    assert page.hasFocus() and not framed(page)
    QTest.keyClick(page, Qt.Key.Key_Down)
    assert framed(page), "who goes on with keys sees where they go"


@pytest.mark.parametrize("key", [Qt.Key.Key_Tab, Qt.Key.Key_Backtab])
def test_what_the_tab_key_comes_to_has_a_frame_until_it_leaves(active: MainWindow, key: Qt.Key) -> None:
    button = active.start_page().recent.demo
    click(active, active.sidebar._buttons["devices"])
    active.show_page("start")
    button.setFocus()
    assert not framed(button)
    QTest.keyClick(button, Qt.Key.Key_Shift)
    assert not framed(button), "a key that is held with others says nothing alone"
    QTest.keyClick(button, key)
    there = QApplication.focusWidget()
    assert there is not button and there.property("keys") and not button.property("keys")


def test_a_table_has_a_frame_by_tab_and_none_by_a_click(active: MainWindow, rested, finished_project: Path) -> None:
    active.workspace.open(finished_project)
    page = active.show_page("tasks")
    rested(page)
    click(active, page.table.viewport())
    assert page.table.hasFocus() and not framed(page.table)
    QTest.keyClick(page.table, Qt.Key.Key_Tab)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Backtab)
    assert page.table.hasFocus() and framed(page.table)


def test_a_shortcut_leads_to_a_frame(active: MainWindow) -> None:
    """The key itself comes to no widget then."""
    button = active.start_page().recent.demo
    click(active, active.sidebar._buttons["devices"])
    QTest.keyClick(active.windowHandle(), Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert active.current_page == "start"
    button.setFocus()
    assert framed(button)
