"""In a small window what distinguishes a name, a count and a list of keys are in sight."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QScrollArea, QStyleOptionButton

from pruner_studio.main_window import MainWindow
from pruner_studio.problem import Problem
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.elided import Choice, ElidedButton, elided
from pruner_studio.widgets.preferences import Preferences
from pruner_studio.widgets.problems import ProblemStack
from pruner_studio.widgets.shortcuts import Shortcuts


@pytest.mark.parametrize("width", [700, 1200])
def test_a_list_of_keys_is_never_scrolled_sideways(window: MainWindow, width: int) -> None:
    window.show_shortcuts()
    shown = window.findChild(Shortcuts)
    shown.resize(width, 420)
    for _ in range(3):
        QApplication.processEvents()
    area = shown.findChild(QScrollArea)
    assert shown.width() == width and area.horizontalScrollBar().maximum() == 0


def test_projects_that_begin_alike_are_told_apart_where_they_are_cut(qtbot) -> None:
    told = set()
    for number in range(3):
        made = ElidedButton(f"A project with quite a long name, number {number}")
        qtbot.addWidget(made)
        made.resize(150, 30)
        option = QStyleOptionButton()
        made.initStyleOption(option)
        assert "…" in option.text
        told.add(option.text)
    assert len(told) == 3


def test_how_many_problems_wait_is_told_in_any_room(qtbot) -> None:
    stack = ProblemStack()
    qtbot.addWidget(stack)
    for number in range(9):
        stack.tell(Problem(f"{number}"))
    stack.resize(380, 400)
    stack.show()
    QApplication.processEvents()
    older = stack.older
    assert stack.rect().contains(older.parentWidget().geometry()) and stack.width() == 380
    assert "problems: 6" in elided(older.text(), older.fontMetrics(), older.width())


def test_a_list_of_many_runs_is_scrolled(qtbot) -> None:
    made = Choice()
    qtbot.addWidget(made)
    made.offer([(f"Run {number} · mobilenet-v2 · metaschedule", number) for number in range(64)], 0)
    made.resize(120, 30)
    made.show()
    made.showPopup()
    listed = made.view()
    qtbot.waitUntil(listed.isVisible)
    assert listed.verticalScrollBar().maximum() > 0 and listed.verticalScrollBar().isVisible()
    assert listed.viewport().width() >= listed.sizeHintForColumn(0), "what it lists is read whole"
    made.hidePopup()


def test_buttons_of_dialogs_have_no_pictures_of_another_style(window: MainWindow) -> None:
    window.show_preferences()
    (box,) = window.findChild(Preferences).findChildren(QDialogButtonBox)
    assert all(button.icon().isNull() for button in box.buttons())


def test_a_note_below_a_heading_takes_as_many_lines_as_it_needs(qtbot) -> None:
    card = Card("Time to quality", "Goal: 222 µs, where run 1 (pruner) ended. Enter opens one, Space draws it.")
    card.body.addStretch(1)
    qtbot.addWidget(card)
    card.show()
    lines = {}
    for width in (1000, 500, 300, 1000):
        card.resize(width, 200)
        for _ in range(3):
            QApplication.processEvents()
        note, line = card.note, card.note.fontMetrics().height()
        assert (note.y() > card.heading.geometry().bottom()) is (width < 1000)
        assert note.height() >= note.heightForWidth(note.width()) and note.toolTip() == ""
        lines[width] = note.height() // line
    assert lines[300] >= 2 and lines[1000] == 1
