"""Answers that come while another candidate, or another view, is looked at: a real engine, real tabs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from pruner_engine.resources import resource_dir
from pruner_studio.main_window import MainWindow

pytestmark = pytest.mark.timeout(600)

_ANSWERED = {
    "loops": lambda pane: pane.view.replay is not None,
    "code": lambda pane: len(pane.code["asm"].view.toPlainText()) > 100,
    "what_if": lambda pane: "Predicted" in pane.parts.verdict.text(),
    "diff": lambda pane: "lines differ" in pane.view.told.text(),
}


@pytest.fixture
def opened(window: MainWindow, tmp_path: Path) -> MainWindow:
    sample = resource_dir() / "samples" / "small-cnn.pruner"
    assert window.workspace.open(shutil.copy(sample, tmp_path / "small-cnn.pruner"))
    return window


def answered(qtbot, window: MainWindow) -> None:
    """All that was asked until now."""
    qtbot.waitUntil(lambda: not any(len(engine.questions) for engine in window.workspace.helpers.both), timeout=200_000)


def test_a_view_that_is_left_before_its_answer_comes_shows_it_later(qtbot, opened: MainWindow, rested) -> None:
    workspace, page = opened.workspace, opened.show_page("schedule")
    rested(page)
    first, second = ((row["task_id"], row["id"]) for row in page.candidates.model.rows[:2])
    for name, shows in _ANSWERED.items():
        pane = getattr(page, name)
        workspace.select(*first)
        rested(page)
        page.tabs.setCurrentWidget(pane)
        if name == "code":
            pane.forms.part("asm").click()
        page.tabs.setCurrentWidget(page.roofline)
        workspace.select(*second)
        rested(page)
        answered(qtbot, opened)
        workspace.select(*first)
        rested(page)
        page.tabs.setCurrentWidget(pane)
        qtbot.waitUntil(lambda shows=shows, pane=pane: shows(pane), timeout=60_000)


def test_a_trial_asked_for_is_told_wherever_its_user_looks(qtbot, opened: MainWindow, rested) -> None:
    workspace, page = opened.workspace, opened.show_page("schedule")
    rested(page)
    first, second = ((row["task_id"], row["id"]) for row in page.candidates.model.rows[:2])
    workspace.select(*first)
    rested(page)
    page.tabs.setCurrentWidget(page.what_if)
    for deed in (page.what_if.measure_button, page.what_if.next_button):
        qtbot.mouseClick(deed, Qt.MouseButton.LeftButton)
        page.tabs.setCurrentWidget(page.roofline)
        workspace.select(*second)
        rested(page)
        answered(qtbot, opened)
        (card,) = opened.problems.cards()
        assert card.problem.level == "info" and f"candidate {first[1]}" in card.problem.hint
        opened.problems.dismiss_all()
        page.tabs.setCurrentWidget(page.what_if)
        assert page.what_if.answer.text() == "" and deed.isEnabled(), "nothing of it is told of another candidate"
        workspace.select(*first)
        rested(page)
