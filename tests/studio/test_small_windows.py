"""In a small window what distinguishes a name, a count and a list of keys are in sight."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QLabel,
    QPushButton,
    QScrollArea,
    QStyleOptionButton,
)
from test_cut_texts import cut

from pruner_studio.main_window import MainWindow
from pruner_studio.problem import Problem
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.elided import Choice, ElidedButton, elided
from pruner_studio.widgets.preferences import Preferences
from pruner_studio.widgets.problems import ProblemStack
from pruner_studio.widgets.shortcuts import Shortcuts
from pruner_studio.widgets.what_if import TileRow


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


_LONG = Problem("It went wrong in a way that takes many words to tell. " * 3, "Do it again. " * 9, "A report")


def test_a_problem_takes_one_line_of_a_low_window_until_it_is_opened(qtbot, window: MainWindow) -> None:
    window.resize(760, 440)
    window.problems.tell(_LONG)
    QApplication.processEvents()
    (card,) = window.problems.cards()
    line = card.line.fontMetrics().height()
    low = card.height()
    assert card.folded and low < 3 * line and _LONG.hint.strip() in card.line.toolTip()
    assert window.pages.height() > window.height() / 2
    qtbot.mouseClick(card.line, Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    assert not card.folded and card.height() > low + 3 * line
    told = [part.text() for part in card.findChildren(QLabel) if part.isVisible()]
    assert _LONG.message in told and _LONG.hint in told
    qtbot.waitUntil(lambda: cut(card) == [], timeout=5_000)
    for part in card.findChildren(QLabel):
        assert not part.isVisible() or part.text() not in told[1:] or part.width() > card.width() * 3 / 4
    card.more.setFocus()
    qtbot.keyClick(card.more, Qt.Key.Key_Space)
    QApplication.processEvents()
    qtbot.waitUntil(lambda: card.folded and card.height() == low, timeout=5_000)
    window.resize(1280, 900)
    QApplication.processEvents()
    assert not card.folded and not card.more.isVisible()


def test_what_is_told_whole_in_one_line_has_no_more_to_open(qtbot, window: MainWindow) -> None:
    window.resize(760, 440)
    done: list[str] = []
    window.problems.tell(Problem("Written.", level="info", actions=(("Open", lambda: done.append("open")),)))
    QApplication.processEvents()
    (card,) = window.problems.cards()
    assert card.folded and not card.more.isVisible() and card.line.toolTip() == ""
    next(made for made in card.findChildren(QPushButton) if made.text() == "Open").click()
    assert done == ["open"]


def test_the_newest_problem_is_told_whole_where_there_is_room_for_one(window: MainWindow) -> None:
    for number in range(3):
        window.problems.tell(Problem(f"{number} {_LONG.message}", _LONG.hint))
    for height, folded in ((500, [True]), (700, [False, True]), (900, [False, False, False]), (700, [False, True])):
        window.resize(1280, height)
        QApplication.processEvents()
        assert [card.folded for card in window.problems.cards()] == folded
    window.problems.cards()[0].dismissed.emit()
    assert [card.folded for card in window.problems.cards()] == [False, True]


@pytest.mark.parametrize("name", ["A name of very many words " * 6 + "42", "a-name-of-very-many-words-" * 6 + "42"])
def test_a_long_name_of_a_project_leaves_the_run_its_room(
    window: MainWindow, tmp_path: Path, finished_project: Path, name: str
) -> None:
    project = shutil.copy(finished_project, tmp_path / f"{name}.pruner")
    window.workspace.open(project)
    bar, least = window.run_bar, {760: 160, 1440: 250}
    for width in (760, 1440):
        window.resize(width, 700)
        for _ in range(3):
            QApplication.processEvents()
        assert bar.runs.width() >= least[width]
        assert bar.project.width() <= max(bar.project.least, bar.width() // 3)
        assert name in bar.project.toolTip()
        shown = elided(name, bar.project.fontMetrics(), bar.project.width(), name=True)
        assert shown.startswith(name[:3]) and shown.endswith("42"), "cut in the middle"


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


def test_the_filter_of_the_tasks_leaves_their_title_its_words(
    window: MainWindow, rested, finished_project: Path
) -> None:
    window.workspace.open(finished_project)
    page = window.show_page("tasks")
    for width, beside in ((1280, True), (760, False), (1280, True)):
        window.resize(width, 440)
        rested(page)
        words, field = page.subtitle_label, page.filter
        assert words.width() >= 200 and words.height() <= 3 * words.fontMetrics().height()
        assert field.fontMetrics().horizontalAdvance(field.placeholderText()) < field.width()
        assert (field.mapTo(page, field.rect().topLeft()).y() > words.mapTo(page, words.rect().bottomLeft()).y()) is (
            not beside
        )


def test_half_of_the_tasks_page_lists_them(window: MainWindow, rested, finished_project: Path) -> None:
    window.resize(1440, 900)
    window.workspace.open(finished_project)
    page = window.show_page("tasks")
    rested(page)
    table, roofline = page.pages.widget(1).sizes()
    assert abs(table - roofline) < 20


def test_decisions_and_their_prediction_are_read_in_a_small_window(
    window: MainWindow, rested, answered, finished_project: Path
) -> None:
    window.resize(760, 440)
    window.workspace.open(finished_project)
    page = window.show_page("schedule")
    page.tabs.setCurrentWidget(page.what_if)
    rested(page)
    answered(window)
    rested(page)
    editor = page.what_if.editor
    for row in editor.findChildren(TileRow)[:2]:
        place = row.rect().translated(row.mapTo(editor.viewport(), row.rect().topLeft()))
        assert editor.viewport().rect().contains(place)
    assert page.what_if.parts.height() >= 8 * page.fontMetrics().height()


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
