"""Enter presses the button that the keyboard is at, and the keyboard comes back to what was out of use for a while."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog

from pruner_studio.help import terms
from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.go_on import GoOn
from pruner_studio.widgets.help_window import HelpWindow
from pruner_studio.widgets.preferences import Preferences

_PLAIN, _KEYPAD, _CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.KeypadModifier,
    Qt.KeyboardModifier.ControlModifier,
)


@pytest.fixture
def active(qtbot, window: MainWindow) -> MainWindow:
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


@pytest.mark.parametrize(
    ("key", "held", "page"),
    [
        (Qt.Key.Key_Return, _PLAIN, "devices"),
        (Qt.Key.Key_Enter, _KEYPAD, "devices"),
        (Qt.Key.Key_Return, _CTRL, "start"),
        (Qt.Key.Key_A, _PLAIN, "start"),
    ],
)
def test_enter_presses_the_button_that_the_keyboard_is_at(qtbot, active: MainWindow, key, held, page: str) -> None:
    button = active.sidebar._buttons["devices"]
    button.setFocus()
    qtbot.keyClick(button, key, held)
    assert active.current_page == page


def test_the_tab_key_leads_to_the_button_of_the_page_in_front(qtbot, active: MainWindow) -> None:
    """However the page came there; the arrow keys go to the others."""
    active.show_page("devices")
    active.sidebar._theme_button.setFocus()
    qtbot.keyClick(active.sidebar._theme_button, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is active.sidebar._buttons["devices"]
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Up)
    assert QApplication.focusWidget() is active.sidebar._buttons["export"]


def test_enter_in_a_field_presses_no_button(qtbot, active: MainWindow) -> None:
    start = active.start_page()
    start.project.setFocus()
    qtbot.keyClicks(start.project, "some.pruner")
    qtbot.keyClick(start.project, Qt.Key.Key_Return)
    assert start.project.hasFocus() and active.current_page == "start" and not active.workspace.job.running


def test_enter_in_what_is_searched_in_the_help_keeps_searching(qtbot, active: MainWindow) -> None:
    shown = HelpWindow(active)
    qtbot.addWidget(shown)
    with qtbot.waitActive(shown):
        shown.show()
        shown.activateWindow()
    shown.explain([terms()["score.rank"]], [])
    shown.filter.setFocus()
    qtbot.keyClicks(shown.filter, "roofline")
    qtbot.keyClick(shown.filter, Qt.Key.Key_Return)
    assert shown.scope.current == "all" and shown.focusWidget() is shown.filter and shown.isVisible()
    here = shown.scope.part("here")
    here.setFocus()
    qtbot.keyClick(here, Qt.Key.Key_Return)
    assert shown.scope.current == "here"


def test_enter_behind_a_folder_in_the_preferences_asks_for_none(qtbot, active: MainWindow) -> None:
    shown = Preferences(active)
    qtbot.addWidget(shown)
    with qtbot.waitActive(shown):
        shown.show()
        shown.activateWindow()
    line = shown.projects.line
    line.setFocus()
    qtbot.keyClicks(line, "/somewhere")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert shown.focusWidget() is line and shown.isVisible() and not shown.findChildren(QFileDialog)


def test_enter_goes_on_from_the_button_of_a_popup(qtbot, active: MainWindow) -> None:
    asking, chosen = GoOn(active), []
    asking.chosen.connect(chosen.append)
    asking.ask("some.pruner", {"id": 1, "trials": 20}, [], active.sidebar)
    asking.go.setFocus()
    qtbot.keyClick(asking.go, Qt.Key.Key_Return)
    assert [command.trials for command in chosen] == [120] and not asking.isVisible()


def test_the_keyboard_comes_back_to_a_button_that_was_out_of_use(qtbot, active: MainWindow) -> None:
    start = active.start_page()
    pressed, others = start.recent.demo, (start.recent.demo, start.preflight.again)
    pressed.setFocus()
    for made in others:  # the one that Qt moves the keyboard to may be out of use as well
        made.setEnabled(False)
    assert QApplication.focusWidget() not in (None, *others)
    for made in others:
        made.setEnabled(True)
    assert pressed.hasFocus()


@pytest.mark.parametrize("meanwhile", ["moved", "used", "hidden"])
def test_the_keyboard_stays_where_its_user_is_by_now(qtbot, active: MainWindow, meanwhile: str) -> None:
    start = active.start_page()
    start.preflight.again.setFocus()
    start.preflight.again.setEnabled(False)
    if meanwhile == "moved":
        start.project.setFocus()
    elif meanwhile == "used":
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Shift)
    else:
        start.preflight.again.hide()
    there = QApplication.focusWidget()
    start.preflight.again.setEnabled(True)
    assert QApplication.focusWidget() is there and there is not start.preflight.again
