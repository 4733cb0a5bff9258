"""The list of names that begin as what is typed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QPushButton, QVBoxLayout, QWidget

from pruner_studio.widgets.completion import complete_in_a_list


@pytest.fixture
def shown(qtbot) -> QWidget:
    """A box and a button, with the list open."""
    made, box, pressed = QWidget(), QComboBox(), QPushButton("Tune")
    column = QVBoxLayout(made)
    column.addWidget(box)
    column.addStretch(1)
    column.addWidget(pressed)
    made.resize(400, 300)
    box.setEditable(True)
    box.addItems(["alpha", "alpine", "beta"])
    complete_in_a_list(box)
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    box.setFocus()
    box.lineEdit().clear()
    qtbot.keyClicks(box.lineEdit(), "al")
    qtbot.waitUntil(box.completer().popup().isVisible)
    return made


def _click(place: QPoint) -> None:
    """As the screen sends it, to the window that is there: what Qt makes of it while a list is open is its own."""
    there = QGuiApplication.topLevelAt(place)
    for done in (QTest.mousePress, QTest.mouseRelease):
        done(there, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, there.mapFromGlobal(place))


def test_a_click_beside_it_closes_it_and_does_what_it_is_for(qtbot, shown: QWidget) -> None:
    box, pressed = shown.findChild(QComboBox), shown.findChild(QPushButton)
    clicks: list[bool] = []
    pressed.clicked.connect(lambda: clicks.append(True))
    _click(pressed.mapToGlobal(pressed.rect().center()))
    qtbot.waitUntil(lambda: len(clicks) == 1)
    assert not box.completer().popup().isVisible() and not pressed.isDown() and pressed.hasFocus()
    assert box.currentText() == "al"


def test_a_click_in_it_takes_a_name(qtbot, shown: QWidget) -> None:
    box = shown.findChild(QComboBox)
    popup = box.completer().popup()
    second = popup.visualRect(popup.model().index(1, 0)).center()
    _click(popup.viewport().mapToGlobal(second))
    qtbot.waitUntil(lambda: box.currentText() == "alpine")
    assert not popup.isVisible()
