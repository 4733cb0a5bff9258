"""Nothing of a task, run, project or question before stays behind on the pages."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from painted import LastText
from project_factory import make_project
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from databases import connected
from pruner_engine import protocol as msg
from pruner_engine.jobs.lines import decision_names
from pruner_engine.store.reader import ProjectReader
from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.axis import HumanAxis
from pruner_studio.widgets.scale import Scale


@pytest.fixture
def opened(window: MainWindow, finished_project: Path, tmp_path: Path) -> MainWindow:
    assert window.workspace.open(shutil.copy(finished_project, tmp_path / "resnet18.pruner"))
    return window


def test_an_edit_that_is_not_shown_is_not_undone(opened: MainWindow, rested) -> None:
    workspace = opened.workspace
    page = opened.show_page("schedule")
    rested(page)
    page.tabs.setCurrentWidget(page.what_if)
    rested(page)
    editor = page.what_if.editor
    at = next(i for i, value in enumerate(editor.decisions) if isinstance(value, list))
    edited = [editor.decisions[at][-1], *editor.decisions[at][1:-1], editor.decisions[at][0]]
    editor._edit(at, edited)
    other = next(row for row in workspace.reader.tasks(workspace.run_id) if row["id"] != workspace.task_id)
    page.tabs.setCurrentWidget(page.panes[0][1])
    workspace.select(other["id"], other["best_candidate_id"])
    rested(page)
    QTest.keySequence(opened, QKeySequence(QKeySequence.StandardKey.Undo))
    assert (workspace.task_id, workspace.candidate_id) == (other["id"], other["best_candidate_id"])
    assert "undo" not in opened.edit_actions()


def test_decisions_of_one_name_are_told_apart(opened: MainWindow, rested) -> None:
    page = opened.show_page("schedule")
    rested(page)
    page.tabs.setCurrentWidget(page.what_if)
    rested(page)
    pane = page.what_if
    for spec in pane._specs:
        spec["name"] = "ax0"
    at = next(i for i, value in enumerate(pane.editor.decisions) if isinstance(value, list))
    pane.editor._edit(at, pane.editor.decisions[at][::-1])
    assert pane.words()[-1].startswith(f"{decision_names(pane._specs)[at]}=")


def test_choices_of_one_project_are_forgotten_in_another(opened: MainWindow, finished_project: Path, rested) -> None:
    compare, schedule = (opened.show_page(key) for key in ("compare", "schedule"))
    rested(schedule)
    schedule.reference_button.click()
    opened.show_page("compare")
    rested(compare)
    compare.goal_of.setCurrentIndex(1)
    compare._goal_chosen()
    assert "--goal" in compare.command_line() and schedule.diff.reference is not None
    opened.workspace.open(finished_project)  # its runs and candidates have the same numbers
    assert "--goal" not in compare.command_line()
    assert (schedule.diff.reference, schedule.diff._chosen) == (None, None)


def test_pages_without_a_run_tell_nothing_of_the_run_before(opened: MainWindow, rested) -> None:
    overview = opened.show_page("overview")
    rested(overview)
    overview.curve.left_out = "7 of 9 runs drawn"
    assert "7 of 9" in "".join(overview.notes())
    opened.workspace.leave()
    rested(opened.show_page("overview"))
    assert not any(overview.notes())


def test_a_state_that_only_the_file_knows_is_told_as_it_is(
    window: MainWindow, finished_project: Path, tmp_path: Path, rested
) -> None:
    path = shutil.copy(finished_project, tmp_path / "of_a_later_version.pruner")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE runs SET state = 'resting'")
    assert window.workspace.open(path)
    overview = window.show_page("overview")
    rested(overview)
    assert overview.tiles["left"]._remark.text() == "resting" and window.problems.cards() == []


def test_a_new_run_is_shown_without_the_candidate_of_the_one_before(opened: MainWindow, rested) -> None:
    workspace = opened.workspace
    workspace.choose_run(1)
    task = workspace.reader.tasks(1)[0]
    workspace.select(task["id"], task["best_candidate_id"])
    rested(opened.show_page("schedule"))
    workspace.job.received.emit(msg.RunStarted(project=workspace.path, run_id=2))
    assert (workspace.run_id, workspace.task_id, workspace.candidate_id) == (2, None, None)


def test_a_task_stays_chosen_in_another_run_that_has_it(qtbot, opened: MainWindow, rested) -> None:
    workspace, runs = opened.workspace, opened.run_bar.runs
    with closing(sqlite3.connect(workspace.path, isolation_level=None)) as db:
        db.execute("DELETE FROM run_tasks WHERE run_id = 1 AND task_id = 4")
    workspace.open(workspace.path, 3)
    page = opened.show_page("schedule")
    rested(page)
    task = next(row for row in workspace.reader.tasks(3) if row["id"] == 4)
    page.task.setFocus()
    qtbot.keyClick(page.task, Qt.Key.Key_Home)
    while page.task.currentData() != task["id"]:
        qtbot.keyClick(page.task, Qt.Key.Key_Down)
    rested(page)
    page.candidates.table.setFocus()
    qtbot.keyClick(page.candidates.table, Qt.Key.Key_Down)
    assert workspace.candidate_id is not None
    runs.setFocus()
    for run_id, kept in ((2, 4), (1, None)):
        qtbot.keyClick(runs, Qt.Key.Key_Down)
        assert (workspace.run_id, workspace.task_id, workspace.candidate_id) == (run_id, kept, None)
        rested(page)
        best = {row["id"]: row["best_candidate_id"] for row in workspace.reader.tasks(run_id)}
        assert page._subject.candidate_id == best[page._subject.task_id]
        assert page.task.currentData() == page._subject.task_id and (kept is None or page._subject.task_id == kept)


def test_another_run_is_shown_at_once_although_the_page_rests(qtbot, opened: MainWindow, rested) -> None:
    overview = opened.show_page("overview")
    rested(overview)
    overview.refreshing._rested = time.monotonic() + 3_600  # as after a refresh that took long
    opened.workspace.changed.emit()
    assert overview.refreshing._timer.remainingTime() > 60_000
    opened.run_bar.runs.setFocus()
    qtbot.keyClick(opened.run_bar.runs, Qt.Key.Key_End)
    assert opened.workspace.run_id == 1
    qtbot.waitUntil(lambda: "metaschedule" in overview.subtitle_label.text(), timeout=20_000)

    overview.refreshing.touch()
    overview.refreshing.begin_if_shown()  # a refresh under way begins anew for the other run
    overview.refreshing._rested = time.monotonic() + 3_600
    qtbot.keyClick(opened.run_bar.runs, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: "moa-pruner" in overview.subtitle_label.text(), timeout=20_000)


def test_a_project_that_was_replaced_is_read_anew(qtbot, opened: MainWindow, tmp_path: Path) -> None:
    path = Path(opened.workspace.path)
    other = Path(shutil.copy(path, tmp_path / "other.pruner"))
    with closing(sqlite3.connect(other, isolation_level=None)) as db:  # closed: all of it is in this one file
        db.execute("UPDATE models SET name = 'another'")
    path.unlink()
    qtbot.wait(600)
    assert opened.workspace.run()["model"] != "another"  # nothing lies there now: what was read stays
    other.rename(path)
    qtbot.waitUntil(lambda: opened.workspace.run()["model"] == "another", timeout=20_000)


def test_a_project_that_is_copied_in_place_is_read_once_it_is_there_as_a_whole(
    qtbot, opened: MainWindow, tmp_path: Path
) -> None:
    path = Path(opened.workspace.path)
    other = Path(shutil.copy(path, tmp_path / "other.pruner"))
    with closing(sqlite3.connect(other, isolation_level=None)) as db:
        db.execute("UPDATE models SET name = 'another'")
    whole = other.read_bytes()
    path.unlink()
    path.write_bytes(whole[: len(whole) // 2])
    cannot = "cannot be read as a project"
    qtbot.waitUntil(lambda: any(cannot in card.problem.message for card in opened.problems.cards()), timeout=20_000)
    assert opened.workspace.run()["model"] != "another"
    with path.open("ab") as half:
        half.write(whole[len(whole) // 2 :])
    qtbot.waitUntil(lambda: opened.workspace.run()["model"] == "another", timeout=20_000)
    assert not opened.problems.cards(), "it goes with what it told of"


def test_a_project_that_was_taken_away_is_told_and_can_be_kept(qtbot, opened: MainWindow, tmp_path: Path) -> None:
    path, away, kept = Path(opened.workspace.path), tmp_path / "away.pruner", tmp_path / "kept.pruner"
    path = Path(shutil.copy(path, tmp_path / "mine.pruner"))
    assert opened.workspace.open(path)
    path.rename(away)
    qtbot.waitUntil(lambda: bool(opened.problems.cards()), timeout=20_000)
    (card,) = opened.problems.cards()
    assert card.problem.message == f"{path} is not there any more: it was moved, renamed or removed."
    away.unlink()  # only what the window has open is left of it
    opened.menus.files.write_copy(str(kept))
    qtbot.waitUntil(lambda: "copy" not in opened.menus.files.under_way, timeout=20_000)
    assert len(opened.problems.cards()) == 2
    with ProjectReader(kept) as copy:
        assert len(copy.runs()) == len(opened.workspace.reader.runs())
    kept.rename(path)
    gone = "it was moved, renamed or removed"
    qtbot.waitUntil(lambda: not any(gone in one.problem.message for one in opened.problems.cards()), timeout=20_000)


def test_what_cannot_be_read_leaves_the_open_project_alone(opened: MainWindow, tmp_path: Path) -> None:
    before = opened.workspace.path
    damaged = Path(shutil.copy(before, tmp_path / "damaged.pruner"))
    with connected(damaged) as db:
        db.execute("UPDATE runs SET settings = '{'")
    told = []
    opened.workspace.problem.connect(told.append)
    assert not opened.workspace.open(damaged)
    assert opened.workspace.path == before and opened.workspace.run() is not None and told


def test_a_chosen_round_is_given_up_by_a_click(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("draft")
    rested(page)
    assert not page.every_round.isVisible()
    page.table.selectRow(2)
    rested(page)
    chosen = page.model.rows[2]["id"]
    assert page.table.chosen_id == chosen and page.funnel_card.heading.text().startswith("Funnel of round")
    page.model.show_rows([dict(row) for row in reversed(page.model.rows)])  # as news of a live run do
    page.refresh()
    rested(page)
    assert page.table.chosen_id == chosen
    qtbot.mouseClick(page.every_round, Qt.MouseButton.LeftButton)
    rested(page)
    assert page.table.chosen_id is None and page.funnel_card.heading.text() == "Funnel of all rounds"


def test_rounds_that_are_read_later_show_how_well_they_were_foretold(
    qtbot, window: MainWindow, tmp_path: Path, rested
) -> None:
    window.workspace.open(make_project(tmp_path / "long.pruner", runs=1, rounds=450))  # trials for three readings
    page = window.show_page("draft")
    newest = window.workspace.reader.rounds(1)[-1]["id"]
    told = [LastText(page.table, newest, title) for title in ("ρ draft", "Top-5 draft")]
    qtbot.mouseClick(page.score.part("verified_score"), Qt.MouseButton.LeftButton)
    page.table.viewport().repaint()
    assert [one.text for one in told] == ["–", "–"]  # of the first reading
    rested(page)
    qtbot.waitUntil(lambda: all(one.text == one.now() != "–" for one in told), timeout=5_000)


@pytest.mark.parametrize(("low", "high"), [(-1000.0, 1000.0), (-3.0, 500.0), (400.0, 500.0), (-500.0, -400.0)])
def test_a_plot_may_be_zoomed_out_as_far_as_one_likes(qapp, low: float, high: float) -> None:
    axis = HumanAxis("left", Scale("", str, log=True))
    for _, values in axis.tickValues(low, high, 300.0):
        assert axis.tickStrings(values, 1.0, 1.0)


def test_a_folder_that_cannot_be_made_is_a_sentence(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = []
    window.workspace.problem.connect(told.append)
    page = window.start_page()
    page.set_model("matmul:8,8,8")
    page.project.setText(str(tmp_path / "file" / "p.pruner"))
    page.start()
    assert "cannot be made" in told[-1].message and not window.workspace.job.running
    page.project.setText("~/p.pruner")
    assert page.plan().project == str(Path.home() / "p.pruner")


@pytest.mark.timeout(120)
def test_a_run_that_could_not_begin_leads_back_to_its_plan(qtbot, opened: MainWindow) -> None:
    start = opened.start_page()
    opened.workspace.start(msg.Tune(project="/proc/none.pruner", model="matmul:64,64,64", trials=4, strategy="random"))
    assert opened.current_page == "overview"
    qtbot.waitUntil(lambda: not opened.workspace.job.running, timeout=60_000)
    (card,) = opened.problems.cards()
    assert "/proc cannot be written" in card.problem.message and "Choose a folder" in card.problem.hint
    assert opened.current_page == "start" and start.isVisible()


def test_an_export_is_of_the_model_that_is_shown(opened: MainWindow, rested) -> None:
    opened.workspace.choose_run(1)
    page = opened.show_page("export")
    rested(page)
    assert (page.plan().run_id, page.plan().all_runs) == (1, True)
    page.which.setCurrentIndex(1)
    assert (page.plan().run_id, page.plan().all_runs) == (1, False)
    with ProjectReader(opened.workspace.path) as reader:
        assert reader.run().get("id") != 1
