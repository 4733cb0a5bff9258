"""A window whose job tunes one run while another run, or another project, is shown: real engine, real clicks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pointer import press
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from pruner_engine import protocol as msg
from pruner_engine.resources import resource_dir
from pruner_engine.store.reader import ProjectReader
from pruner_studio.main_window import MainWindow

_TUNE = {"model": "matmul:64,64,64", "strategy": "random", "settings": {"round_trials": 8, "repeats": 1}}


@pytest.fixture
def sent(window: MainWindow, monkeypatch) -> list[object]:
    """What the window sends to the engine of its job."""
    told: list[object] = []
    send = window.workspace.job.send
    monkeypatch.setattr(window.workspace.job, "send", lambda command: (told.append(command), send(command)))
    return told


def test_only_the_run_that_is_tuned_is_steered(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path, sent: list[object]
) -> None:
    workspace, bar = window.workspace, window.run_bar
    project = tmp_path / "product.pruner"
    other = Path(shutil.copy(finished_project, tmp_path / "resnet18.pruner"))
    states: list[str] = []
    workspace.start(msg.Tune(project=str(project), trials=4, **_TUNE))
    bar.state.setText("")
    workspace.job_changed.connect(lambda: states.append(bar.state.text()))
    assert not workspace.steers_shown  # it has no number yet
    qtbot.waitUntil(lambda: workspace.steers_shown, timeout=120_000)
    qtbot.waitUntil(lambda: not workspace.job.running, timeout=120_000)
    assert bar.state.text() == "finished" and not workspace.steers_shown
    assert "preparing" not in states[states.index("tuning") :]

    workspace.start(msg.Tune(project=str(project), trials=100_000, seed=1, **_TUNE))
    assert (bar.state.text(), bar.phase.text()) == ("finished", "New run: starting")
    qtbot.waitUntil(lambda: workspace.steers_shown and workspace.run()["trials"] > 0, timeout=120_000)
    tasks = window.show_page("tasks")
    tasks.refresh()
    workspace.select(workspace.reader.tasks(2)[0]["id"])
    qtbot.waitUntil(lambda: all(made.isEnabled() for made in tasks.steer_buttons), timeout=20_000)
    assert bar.state.text() == "tuning" and ":" not in bar.phase.text()

    boost = next(choice for choice in tasks.copy_button.menu().actions() if choice.text() == "Boost")
    boost.trigger()
    line = f"pruner steer {project} boost --task {workspace.task_id}"
    assert tasks.copy_button.isEnabled() and QGuiApplication.clipboard().text() == line
    schedule = window.show_page("schedule")
    schedule.tabs.setCurrentWidget(schedule.what_if)
    what_if = schedule.what_if
    qtbot.waitUntil(lambda: what_if.measure_button.isEnabled() and what_if.next_button.isEnabled(), timeout=20_000)
    window.show_page("tasks")

    # the same run, its task out of sight
    qtbot.keyClicks(tasks.filter, "softmax")
    qtbot.waitUntil(lambda: tasks.model.rows == [], timeout=20_000)
    assert not any(made.isEnabled() for made in tasks.steer_buttons)
    tasks._steer("pin")
    assert not any(isinstance(command, msg.Steer) for command in sent)
    tasks.filter.clear()
    qtbot.waitUntil(lambda: tasks.model.rows != [], timeout=20_000)
    assert all(made.isEnabled() for made in tasks.steer_buttons)

    # another run of the same project
    workspace.choose_run(1)
    workspace.select(workspace.reader.tasks(1)[0]["id"])
    tasks.refresh()
    assert not any(made.isEnabled() for made in tasks.steer_buttons)
    assert {made.toolTip() for made in (*tasks.steer_buttons, tasks.copy_button)} == {
        "Only a task of the run that is at work can be steered."
    }
    assert bar.state.text() == "finished" and bar.phase.text().startswith("Run 2: ")
    window.show_page("schedule")
    schedule.refresh()
    taken = "Another engine works on this project: wait until it has ended, or stop it."
    assert what_if.verify_button.isEnabled()
    for made in (what_if.measure_button, what_if.next_button):
        assert not made.isEnabled() and made.toolTip() == taken
        qtbot.mouseClick(made, Qt.MouseButton.LeftButton)
    assert what_if.answer.text() == ""

    # another project
    workspace.open(other)
    tasks = window.show_page("tasks")
    tasks.refresh()
    workspace.select(workspace.reader.tasks(3)[0]["id"])
    tasks.refresh()
    assert not any(made.isEnabled() for made in tasks.steer_buttons)
    assert bar.state.text() == "finished" and bar.phase.text().startswith("product: ")
    assert bar.pause_button.isVisible() and bar.stop_button.isVisible() and not bar.resume_button.isVisible()
    tasks._steer("pin")
    schedule = window.show_page("schedule")
    schedule.refresh()
    schedule.tabs.setCurrentWidget(what_if)
    qtbot.mouseClick(what_if.measure_button, Qt.MouseButton.LeftButton)
    assert not what_if.measure_button.isEnabled() and "disturb each other" in what_if.measure_button.toolTip()
    assert what_if.answer.text() == "" and what_if.next_button.toolTip().startswith("The run measures it first")
    press(qtbot, what_if.next_button)
    assert not any(isinstance(command, msg.Steer | msg.Pin) for command in sent)
    assert "running search" not in schedule.what_if.answer.text()

    # the buttons of the bar hold and go on with the job all the same
    press(qtbot, bar.pause_button)
    qtbot.waitUntil(lambda: _state(project) == "paused" and bar.pause_button.text() == "Go on", timeout=60_000)
    assert bar.phase.text() == "product: paused"
    assert bar.state.text() == "finished"
    press(qtbot, bar.pause_button)
    qtbot.waitUntil(lambda: _state(project) == "tuning" and bar.pause_button.text() == "Pause", timeout=60_000)

    # and back
    workspace.open(project, 2)
    assert workspace.steers_shown and bar.state.text() == "tuning"
    tasks = window.show_page("tasks")
    workspace.select(workspace.reader.tasks(2)[0]["id"])
    tasks.refresh()
    assert "Taken up" not in tasks.count.text()
    tasks._steer("boost")
    assert isinstance(sent[-1], msg.Steer)
    assert "Taken up when this round has ended." in tasks.count.text()
    qtbot.waitUntil(lambda: workspace.reader.tasks(2)[0]["steer"] == "boost", timeout=120_000)
    qtbot.waitUntil(lambda: "Taken up" not in tasks.count.text(), timeout=20_000)
    press(qtbot, bar.stop_button)
    assert bar.state.text() == "stopping" and not bar.stop_button.isEnabled() and not bar.pause_button.isVisible()
    qtbot.waitUntil(lambda: not workspace.job.running, timeout=60_000)
    assert bar.resume_button.isVisible()


def test_a_project_that_is_opened_while_a_run_begins_stays_open(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    workspace, bar = window.workspace, window.run_bar
    project = tmp_path / "product.pruner"
    other = Path(shutil.copy(finished_project, tmp_path / "resnet18.pruner"))
    workspace.start(msg.Tune(project=str(project), trials=100_000, **_TUNE))
    workspace.open(other)
    qtbot.waitUntil(lambda: workspace.job.work.run_id is not None, timeout=120_000)
    qtbot.waitUntil(lambda: workspace.job.work.state == "tuning", timeout=120_000)
    assert workspace.path == str(other) and bar.phase.text().startswith("product: ")
    bar.stop()
    qtbot.waitUntil(lambda: not workspace.job.running, timeout=60_000)
    assert workspace.path == str(other)


def test_a_job_paused_while_it_is_prepared_goes_on(qtbot, window: MainWindow, tmp_path: Path) -> None:
    workspace, bar = window.workspace, window.run_bar
    project = tmp_path / "product.pruner"
    workspace.start(msg.Tune(project=str(project), trials=100_000, **_TUNE))
    told, button = [], bar.pause_button
    workspace.job_changed.connect(lambda: told.append((bar.state.text(), button.text())))
    bar.toggle_pause()
    qtbot.waitUntil(lambda: workspace.run_id is not None and _state(project) == "paused", timeout=120_000)
    assert ("pausing", "Go on") in told and not any(state == "tuning" for state, _ in told)
    qtbot.waitUntil(lambda: bar.state.text() == "paused", timeout=10_000)
    assert button.text() == button.accessibleName() == "Go on" and "Go on" in button.toolTip()
    bar.toggle_pause()
    qtbot.waitUntil(lambda: bar.state.text() == "tuning" and bar.pause_button.text() == "Pause", timeout=60_000)
    bar.stop()
    qtbot.waitUntil(lambda: not workspace.job.running, timeout=60_000)


def _state(project: Path) -> str:
    with ProjectReader(project) as reader:
        return str(reader.run()["state"])


def test_all_selected_tasks_are_steered(qtbot, window: MainWindow, tmp_path: Path, sent: list[object]) -> None:
    workspace = window.workspace
    model = resource_dir() / "models" / "small-cnn.onnx"
    workspace.start(msg.Tune(project=str(tmp_path / "p.pruner"), trials=100_000, **_TUNE | {"model": str(model)}))
    qtbot.waitUntil(lambda: workspace.steers_shown and len(workspace.reader.tasks(1)) > 3, timeout=120_000)
    tasks = window.show_page("tasks")
    tasks.refresh()
    tasks.table.setFocus()
    qtbot.keyClick(tasks.table, Qt.Key.Key_Home)
    qtbot.keyClick(tasks.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    selected = [row["id"] for row in tasks.model.rows[:2]]
    qtbot.waitUntil(lambda: all(made.isEnabled() for made in tasks.steer_buttons), timeout=20_000)
    freeze = next(made for made in tasks.steer_buttons if made.text() == "Freeze")
    press(qtbot, freeze)
    assert {one.task_id for one in sent if isinstance(one, msg.Steer)} == set(selected)
    next(choice for choice in tasks.copy_button.menu().actions() if choice.text() == "Freeze").trigger()
    assert [line.rpartition(" ")[2] for line in QGuiApplication.clipboard().text().splitlines()] == [
        *map(str, selected)
    ]
    assert "Taken up" in tasks.count.text()

    def steered() -> set[int]:
        return {row["id"] for row in workspace.reader.tasks(1) if row["steer"] == "freeze"}

    qtbot.waitUntil(lambda: steered() == set(selected), timeout=120_000)
    qtbot.waitUntil(lambda: "Taken up" not in tasks.count.text(), timeout=20_000)
    press(qtbot, window.run_bar.stop_button)
    qtbot.waitUntil(lambda: not workspace.job.running, timeout=60_000)
