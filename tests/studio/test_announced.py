"""What a screen reader is told although the keyboard is elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from project_factory import make_project
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from databases import connected
from pruner_studio.main_window import MainWindow
from pruner_studio.problem import Problem

_POLITE, _ASSERTIVE = QAccessible.AnnouncementPoliteness.Polite, QAccessible.AnnouncementPoliteness.Assertive


@pytest.fixture
def announced(monkeypatch) -> list[tuple[str, QAccessible.AnnouncementPoliteness]]:
    """What Qt hands to the screen reader, if there is one."""
    told = []

    def take(event: object) -> None:
        if isinstance(event, QAccessibleAnnouncementEvent):
            told.append((event.message(), event.politeness()))

    monkeypatch.setattr(QAccessible, "updateAccessibility", take)
    return told


def test_a_problem_is_announced_an_error_at_once(window: MainWindow, announced: list) -> None:
    window.problems.tell(Problem("The disk is full.", "Make room there."))
    window.problems.tell(Problem("It was exported.", level="info"))
    assert announced == [("Error: The disk is full.", _ASSERTIVE), ("Note: It was exported.", _POLITE)]
    window.problems.dismiss(window.problems.cards()[0])
    assert len(announced) == 2, "what comes back was told"


def test_another_state_of_the_shown_run_is_announced(window: MainWindow, tmp_path: Path, announced: list) -> None:
    project = make_project(tmp_path / "p.pruner", runs=2, rounds=1, state="stopped")
    window.workspace.open(project, 2)
    window.workspace.choose_run(1)
    window.workspace.choose_run(2)
    assert announced == []
    with connected(project) as db:
        db.execute("UPDATE runs SET state = 'finished' WHERE id = 2")
    window.workspace.refresh()
    window.workspace.refresh()
    assert announced == [(f"{window.run_bar.runs.currentText()}: finished", _POLITE)]
