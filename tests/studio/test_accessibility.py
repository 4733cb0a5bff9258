"""Every control has a name, and the Tab key really comes to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QButtonGroup,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QSlider,
    QWidget,
)

from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.sidebar import PAGES

_CONTROLS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QSlider)
_PARTS = ("QTableCornerButton", "ScrollBarButton", "QLineEditIconButton")  # that Qt makes inside its own controls
_MOST_TABS = 400


def controls(root: QWidget) -> list[QWidget]:
    """What a person operates."""
    found = []
    for widget in root.findChildren(QWidget):
        inside = any(isinstance(parent, QComboBox | QAbstractSpinBox | QLineEdit) for parent in _parents(widget))
        made_by_qt = type(widget).__name__ in _PARTS or widget.objectName().startswith("qt_")
        if isinstance(widget, _CONTROLS) and not (inside or made_by_qt or isinstance(widget, QHeaderView)):
            found.append(widget)
    return found


def _parents(widget: QWidget):
    while (widget := widget.parentWidget()) is not None:
        yield widget


def told(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}"


@pytest.fixture
def opened(window: MainWindow, finished_project: Path) -> MainWindow:
    window.workspace.open(finished_project)
    return window


@pytest.mark.parametrize("key", [page[0] for page in PAGES])
def test_every_control_has_a_name(opened: MainWindow, key: str) -> None:
    page = opened.show_page(key)
    page.refresh()
    for widget in controls(page) + controls(opened.run_bar) + controls(opened.sidebar):
        interface = QAccessible.queryAccessibleInterface(widget)
        assert interface.text(QAccessible.Text.Name), f"{key}: {told(widget)}"


@pytest.mark.parametrize("key", [page[0] for page in PAGES])
def test_the_tab_key_comes_to_every_control(qtbot, opened: MainWindow, rested, key: str) -> None:
    with qtbot.waitActive(opened):
        opened.activateWindow()
    page = opened.show_page(key)
    rested(page)
    wanted = {w for w in controls(page) if w.isVisible() and w.isEnabled()}
    wanted |= {w for w in controls(opened.run_bar) if w.isVisible() and w.isEnabled()}
    # Of exclusive buttons the arrow keys reach the others
    wanted = {w for w in wanted if not (w.group() and not w.isChecked() if isinstance(w, QAbstractButton) else False)}
    assert wanted
    reached, first = set(), None
    for _ in range(_MOST_TABS):
        qtbot.keyClick(QApplication.focusWidget() or opened, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is None or now is first:
            break
        first = first or now
        reached |= {now, *_parents(now)}
    assert sorted(told(widget) for widget in wanted - reached) == []


def test_the_arrow_keys_reach_the_other_choices(qtbot, opened: MainWindow) -> None:
    with qtbot.waitActive(opened):
        opened.activateWindow()
    page = opened.show_page("overview")
    chosen = page.curve.axis.part("trials")
    assert isinstance(chosen.group(), QButtonGroup)
    chosen.setFocus()
    qtbot.keyClick(chosen, Qt.Key.Key_Right)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert page.curve.axis.current == "elapsed_s"


def test_pages_are_reached_by_shortcut(qtbot, window: MainWindow) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    for index, (key, *_) in enumerate(PAGES):
        qtbot.keyClick(window, Qt.Key(Qt.Key.Key_1 + index), Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda key=key: window.current_page == key, timeout=2000)
