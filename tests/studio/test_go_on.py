"""A run that has spent its budget goes on in the window: real clicks, and a real engine where it works."""

from __future__ import annotations

from pathlib import Path

import pytest
from pointer import press
from project_factory import make_project
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from pruner_engine import protocol as msg
from pruner_studio.main_window import MainWindow


@pytest.mark.parametrize("state", ["finished", "stopped"])
def test_a_spent_run_is_offered_more_trials_and_an_unspent_one_resume(
    qtbot, window: MainWindow, tmp_path: Path, state: str
) -> None:
    project = make_project(tmp_path / "spent.pruner", runs=1, rounds=3, state=state)  # its trials are its budget
    window.workspace.open(project)
    bar = window.run_bar
    assert bar.go_on_button.isVisible() and not bar.resume_button.isVisible()
    press(qtbot, bar.go_on_button)
    bar.more.further.setValue(70)
    press(qtbot, bar.more.copy)
    assert QGuiApplication.clipboard().text() == f"pruner resume {project} --run 1 --trials 100"
    assert bar.more.command() == msg.Resume(project=str(project), run_id=1, trials=100)
    bar.more.hide()
    window.workspace.leave()
    window.workspace.open(make_project(tmp_path / "begun.pruner", runs=1, rounds=3, state="paused"))
    assert bar.state.text() == "interrupted" and bar.resume_button.isVisible() and not bar.go_on_button.isVisible()


def test_a_finished_run_makes_as_many_trials_more_as_were_asked_for(qtbot, window: MainWindow, tmp_path: Path) -> None:
    workspace, bar = window.workspace, window.run_bar
    tune = {"project": str(tmp_path / "job.pruner"), "model": "matmul:64,64,64", "strategy": "random"}
    workspace.start(msg.Tune(trials=4, **tune))
    qtbot.waitUntil(bar.go_on_button.isVisible, timeout=200_000)
    press(qtbot, bar.go_on_button)
    qtbot.keyClicks(bar.more.further, "3")
    qtbot.keyClick(bar.more.further, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: workspace.job.running, timeout=10_000)
    assert workspace.state_shown(workspace.run()) == bar.state.text() == "preparing", "the file tells of the end before"
    qtbot.waitUntil(lambda: not workspace.job.running, timeout=200_000)
    run = workspace.run()
    assert (run["id"], run["state"], run["trials"], run["budget_trials"]) == (1, "finished", 7, 7)
