"""Every control has a name, and the keyboard reaches it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QSlider,
    QWidget,
)

from pruner_studio.main_window import PAGES, MainWindow

_CONTROLS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QSlider)


def controls(root: QWidget) -> list[QWidget]:
    """What a person operates; parts that Qt makes inside its own controls do not count."""
    found = []
    for widget in root.findChildren(QWidget):
        inside = any(isinstance(parent, QComboBox | QAbstractSpinBox | QLineEdit) for parent in _parents(widget))
        if isinstance(widget, _CONTROLS) and not inside and not widget.objectName().startswith("qt_"):
            found.append(widget)
    return found


def _parents(widget: QWidget):
    while (widget := widget.parentWidget()) is not None:
        yield widget


def test_every_control_is_named_and_reached_by_keyboard(window: MainWindow, finished_project: Path) -> None:
    window.workspace.open(finished_project)
    for key, *_ in PAGES:
        page = window.show_page(key)
        page.refresh()
        for widget in controls(page) + controls(window.run_bar):
            interface = QAccessible.queryAccessibleInterface(widget)
            told = f"{key}: {type(widget).__name__} {widget.objectName()}"
            if type(widget).__name__ in ("QTableCornerButton", "QHeaderView", "ScrollBarButton"):
                continue
            assert interface.text(QAccessible.Text.Name), told
            assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(widget, QAbstractItemView), told


def test_pages_are_reached_by_shortcut(qtbot, window: MainWindow) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    for index, (key, *_) in enumerate(PAGES):
        qtbot.keyClick(window, Qt.Key(Qt.Key.Key_1 + index), Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda key=key: window.current_page == key, timeout=2000)
