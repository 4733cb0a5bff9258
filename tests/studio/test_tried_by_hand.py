"""What-if with the real engine, by clicks: predict, verify, measure, pin, compare; steering a run that works."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox

from databases import connected
from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.jobs.client import EngineProcess
from pruner_engine.search.settings import SearchSettings
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.what_if import TileRow

_SMALL = {"round_trials": 6, "population": 128, "draft_set": 16, "fresh_samples": 4}


@pytest.fixture(scope="module")
def tuned(tmp_path_factory) -> Path:
    """A project of two runs of one small product."""
    project = tmp_path_factory.mktemp("tuned") / "product.pruner"
    with EngineProcess() as engine:
        for strategy in ("random", "pruner"):
            engine.send(
                msg.Tune(project=str(project), model="matmul:64,64,64", strategy=strategy, trials=12, settings=_SMALL)
            )
            assert next(e for e in engine.events() if isinstance(e, msg.RunFinished | msg.Failed)).state == "finished"
    return project


@pytest.fixture
def opened(window: MainWindow, tuned: Path, tmp_path: Path) -> MainWindow:
    assert window.workspace.open(shutil.copy(tuned, tmp_path / "product.pruner"))
    return window


def press(qtbot, widget) -> None:
    assert widget.isVisible() and widget.isEnabled()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def schedule_with(qtbot, window: MainWindow, pane: str):
    page = window.show_page("schedule")
    page.refresh()
    page.tabs.setCurrentWidget(getattr(page, pane))
    return page


def edit(qtbot, pane) -> None:
    """Move the first slider that can be moved, by its keys."""
    for row in pane.editor.findChildren(TileRow):
        for slider, _, choices in row._parts:
            if len(choices) > 1:
                key = Qt.Key.Key_Right if slider.value() < slider.maximum() else Qt.Key.Key_Left
                qtbot.keyClick(slider, key)
                return
    box = pane.editor.findChildren(QComboBox)[0]
    box.activated.emit((box.currentIndex() + 1) % box.count())


def test_an_edit_is_predicted_verified_measured_and_told_as_a_command(qtbot, opened: MainWindow) -> None:
    page = schedule_with(qtbot, opened, "what_if")
    pane = page.what_if
    qtbot.waitUntil(lambda: "Predicted" in pane.parts.verdict.text(), timeout=120_000)
    assert "measured" in pane.parts.verdict.text() and pane.parts.note.text().startswith("•")
    edit(qtbot, pane)
    qtbot.waitUntil(lambda: "the candidate" in pane.parts.verdict.text(), timeout=60_000)
    press(qtbot, page.copy_button)
    command = QGuiApplication.clipboard().text()
    assert command.startswith("pruner try") and "--decide" in command

    press(qtbot, pane.verify_button)
    qtbot.waitUntil(lambda: "on place" in pane.answer.text(), timeout=120_000)
    assert pane.answer.text().startswith(f"{SearchSettings().model} puts it")
    press(qtbot, page.copy_button)
    assert QGuiApplication.clipboard().text() == f"{command} --verify"

    run_id, decisions = opened.workspace.run_id, list(pane.editor.decisions)
    press(qtbot, pane.measure_button)
    qtbot.waitUntil(pane.verify_button.isEnabled, timeout=120_000)
    with ProjectReader(opened.workspace.path) as reader:
        (row,) = [r for r in reader.candidates(run_id) if r["origin"] == "user" or r["decisions"] == decisions]
        assert row["decisions"] == decisions and row["stage"] is not None
        assert str(row["id"]) in pane.answer.text()
    press(qtbot, page.copy_button)
    assert QGuiApplication.clipboard().text() == f"{command} --measure"
    qtbot.waitUntil(lambda: page.candidates.model.row_of(row["id"]) >= 0, timeout=20_000)
    with qtbot.waitActive(opened):
        opened.activateWindow()
    qtbot.keyClick(opened, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert pane.editor.decisions == pane.editor.start
    press(qtbot, page.copy_button)
    assert QGuiApplication.clipboard().text() == command.partition(" --decide")[0]
    press(qtbot, pane.next_button)
    press(qtbot, page.copy_button)
    assert QGuiApplication.clipboard().text().endswith(" --pin")


def test_an_edit_is_held_against_its_own_candidate_whichever_was_looked_at_since(qtbot, opened: MainWindow) -> None:
    page = schedule_with(qtbot, opened, "what_if")
    verdict = page.what_if.parts.verdict.text
    qtbot.waitUntil(lambda: "Predicted" in verdict(), timeout=120_000)
    edited, task_id = page._subject.candidate_id, page._subject.task_id
    edit(qtbot, page.what_if)
    qtbot.waitUntil(lambda: "the candidate" in verdict(), timeout=60_000)
    told = verdict()
    worst = max((row for row in page.candidates.model.rows if row["seconds"]), key=lambda row: row["seconds"])["id"]
    unedited = lambda: verdict().startswith("Predicted") and "the candidate" not in verdict()  # noqa: E731
    for shown, expected in ((worst, unedited), (edited, lambda: verdict() == told)):
        opened.workspace.select(task_id, shown)
        page.refresh()
        qtbot.waitUntil(expected, timeout=60_000)


def test_a_time_that_is_told_anew_is_the_one_beside_the_prediction(qtbot, opened: MainWindow) -> None:
    page = schedule_with(qtbot, opened, "what_if")
    verdict = page.what_if.parts.verdict.text
    qtbot.waitUntil(lambda: "measured" in verdict(), timeout=120_000)
    subject = page._subject
    with Project(subject.project) as project:
        project.trials.rescale(subject.task_id, 0.5, caches=SearchSettings().caches)
    with ProjectReader(subject.project) as reader:
        now = units.latency(reader.candidate(subject.candidate_id)["seconds"])
    page.refresh()
    qtbot.waitUntil(lambda: f"measured {now}" in verdict(), timeout=60_000)


def test_what_was_measured_is_a_click_away(qtbot, opened: MainWindow) -> None:
    page = schedule_with(qtbot, opened, "what_if")
    pane = page.what_if
    qtbot.waitUntil(lambda: "Predicted" in pane.parts.verdict.text(), timeout=120_000)
    edit(qtbot, pane)
    decisions = list(pane.editor.decisions)
    assert not pane.show_button.isVisible()
    press(qtbot, pane.measure_button)
    qtbot.waitUntil(pane.show_button.isVisible, timeout=120_000)
    press(qtbot, pane.show_button)
    row = opened.workspace.reader.candidate(opened.workspace.candidate_id)
    assert row["decisions"] == decisions and row["stage"] is not None
    page.refresh()
    assert page.candidate_card.heading.text() == f"Candidate {row['id']}" and not pane.show_button.isVisible()


def test_an_edit_outlives_a_better_candidate_of_the_run(qtbot, opened: MainWindow) -> None:
    page = schedule_with(qtbot, opened, "what_if")
    opened.workspace.select(opened.workspace.task_id, None)  # whatever is best is shown
    edit(qtbot, page.what_if)
    decisions, candidate_id = list(page.what_if.editor.decisions), opened.workspace.candidate_id
    with connected(opened.workspace.path) as db:
        names = [row[1] for row in db.execute("PRAGMA table_info(measurements)") if row[1] != "id"]
        other = "SELECT min(id) FROM candidates WHERE run_id = 2 AND id NOT IN (SELECT candidate_id FROM measurements)"
        new = {"candidate_id": f"({other})", "seconds": "seconds / 100"}
        taken = ", ".join(new.get(name, name) for name in names)
        db.execute(
            f"INSERT INTO measurements ({', '.join(names)}) SELECT {taken} FROM measurements"
            " WHERE run_id = 2 AND stage = 'ok' LIMIT 1"
        )
    best = lambda: opened.workspace.reader.tasks(2)[0]["best_candidate_id"]  # noqa: E731
    qtbot.waitUntil(lambda: best() != candidate_id, timeout=20_000)
    opened.workspace.changed.emit()
    page.refresh()
    assert page.what_if.editor.decisions == decisions and opened.workspace.candidate_id == candidate_id


def test_two_schedules_of_two_runs_are_compared_and_named(qtbot, opened: MainWindow) -> None:
    page = schedule_with(qtbot, opened, "diff")
    assert "Best of run 1" in page.diff.left.currentText()
    for form, told in (("nest", "for "), ("trace", "sch."), ("llvm", "define "), ("asm", "mov"), ("why", "predicted")):
        press(qtbot, page.diff.forms.part(form))
        qtbot.waitUntil(lambda: "lines differ" in page.diff.view.told.text(), timeout=120_000)
        (left, left_text), (right, right_text) = page.diff.view.sides
        assert "run 1, random" in left.text() and "run 2, pruner" in right.text()
        assert told in left_text.toPlainText() and told in right_text.toPlainText()


def test_a_schedule_beside_the_untuned_kernel(qtbot, opened: MainWindow) -> None:
    page = schedule_with(qtbot, opened, "diff")
    press(qtbot, page.diff.forms.part("tvmscript"))
    page.diff.left.setFocus()
    qtbot.keyClick(page.diff.left, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: "Untuned kernel" in page.diff.view.sides[0][0].text(), timeout=120_000)
    (_, left_text), (_, right_text) = page.diff.view.sides
    assert "T.parallel(" not in left_text.toPlainText() and "T.parallel(" in right_text.toPlainText()
    assert " --candidate untuned --as tvmscript --against " in page.command_line()


def test_tasks_are_steered_and_rows_pinned_while_the_run_works(qtbot, opened: MainWindow) -> None:
    workspace = opened.workspace
    schedule = schedule_with(qtbot, opened, "what_if")
    pane = schedule.what_if
    qtbot.waitUntil(lambda: "Predicted" in pane.parts.verdict.text(), timeout=120_000)
    edit(qtbot, pane)
    decisions = list(pane.editor.decisions)
    workspace.start(msg.Resume(project=workspace.path, run_id=2, trials=400))
    qtbot.waitUntil(lambda: workspace.run()["trials"] > 12, timeout=180_000)
    opened.show_page("schedule")
    press(qtbot, pane.next_button)

    def pinned() -> None:
        """Measured as the user's, or found measured: the round that was under way may have chosen the same row."""
        rows = [row for row in workspace.reader.candidates(2) if row["decisions"] == decisions and row["stage"]]
        told = [event["text"] for event in workspace.reader.events(2)]
        own = any(row["origin"] == "user" for row in rows)
        assert rows and (own or any("measured already" in text for text in told)), (rows, told, workspace.run())

    qtbot.waitUntil(pinned, timeout=120_000)

    tasks = opened.show_page("tasks")
    tasks.refresh()
    for button, action in zip(tasks.steer_buttons, ("pin", "boost", "freeze", "normal"), strict=True):
        if action == "freeze":
            continue  # the only task of the run: frozen, the run would end
        press(qtbot, button)
        qtbot.waitUntil(lambda action=action: workspace.reader.tasks(2)[0]["steer"] == action, timeout=120_000)
    opened.run_bar.stop()
    qtbot.waitUntil(lambda: not workspace.job.running, timeout=120_000)
