"""The list of names that begin as what is typed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
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


def _click(list_of: QComboBox, place: QPoint) -> None:
    """As the screen sends it while a list is open: all that the mouse does goes to its window."""
    popup = list_of.completer().popup().window().windowHandle()
    at = popup.mapFromGlobal(place)
    for done in (QTest.mousePress, QTest.mouseRelease):
        done(popup, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def test_a_click_beside_it_closes_it_and_does_what_it_is_for(qtbot, shown: QWidget) -> None:
    box, pressed = shown.findChild(QComboBox), shown.findChild(QPushButton)
    clicks: list[bool] = []
    pressed.clicked.connect(lambda: clicks.append(True))
    _click(box, pressed.mapToGlobal(pressed.rect().center()))
    qtbot.waitUntil(lambda: len(clicks) == 1)
    assert not box.completer().popup().isVisible() and not pressed.isDown() and pressed.hasFocus()
    assert box.currentText() == "al"


def test_a_click_in_it_takes_a_name(qtbot, shown: QWidget) -> None:
    box = shown.findChild(QComboBox)
    popup = box.completer().popup()
    second = popup.visualRect(popup.model().index(1, 0)).center()
    _click(box, popup.viewport().mapToGlobal(second))
    qtbot.waitUntil(lambda: box.currentText() == "alpine")
    assert not popup.isVisible()
