"""Runs of another project laid over those of the open one, by clicks."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog

from databases import connected
from pruner_studio.main_window import MainWindow


@pytest.fixture
def opened(window: MainWindow, finished_project: Path, tmp_path: Path) -> MainWindow:
    assert window.workspace.open(shutil.copy(finished_project, tmp_path / "here.pruner"))
    return window


@pytest.fixture
def other(finished_project: Path, tmp_path: Path) -> Path:
    made = Path(shutil.copy(finished_project, tmp_path / "there.pruner"))
    with connected(made) as db:
        db.execute("UPDATE progress SET latency_s = latency_s * 2")
    return made


def message(window: MainWindow) -> str:
    return window.problems.cards()[0].problem.message


def test_another_project_is_asked_for_shown_and_taken_away(qtbot, opened: MainWindow, other: Path, rested) -> None:
    page = opened.show_page("compare")
    rested(page)
    qtbot.mouseClick(page.add_button, Qt.MouseButton.LeftButton)
    (dialog,) = page.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(other))
    dialog.close()
    rested(page)
    assert [page.model.text_of(row, page.model.columns[0]) for row in page.model.rows] == [
        "1", "2", "3", "there:1", "there:2", "there:3",
    ]  # fmt: skip
    with connected(other) as db:
        stored = db.execute("SELECT DISTINCT latency_s FROM progress WHERE run_id = 2 ORDER BY id").fetchall()
    (drawn,) = [series for series in page.plot.series if series.name == "there:2 pruner"]
    assert {latency for (latency,) in stored} == set(drawn.y.tolist())
    assert page.command_line() == f"pruner compare {opened.workspace.path} {other} --run 3"

    page.goal_of.setCurrentIndex(page.goal_of.findData("there:1"))
    page.goal_of.activated.emit(page.goal_of.currentIndex())
    rested(page)
    assert "run there:1 (metaschedule)" in page.goal.text() and page.command_line().endswith("--goal there:1")
    with qtbot.waitSignal(opened.workspace.changed):
        qtbot.mouseClick(page.only_own, Qt.MouseButton.LeftButton)
    rested(page)
    assert len(page.model.rows) == 3 and page.only_own.isHidden() and "--goal" not in page.command_line()


def test_enter_on_a_run_of_another_project_opens_it(qtbot, opened: MainWindow, other: Path, rested) -> None:
    page = opened.show_page("compare")
    assert opened.workspace.add_beside(str(other))
    rested(page)
    page.table.choose("there:2")
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert (opened.workspace.path, opened.workspace.run_id) == (str(other), 2)
    assert opened.workspace.beside.readers == ()


def test_what_does_not_compare_is_refused(opened: MainWindow, other: Path, tmp_path: Path) -> None:
    workspace = opened.workspace
    assert not workspace.add_beside(workspace.path) and "here already" in message(opened)
    with connected(other) as db:
        db.execute("UPDATE models SET sha256 = 'another'")
    assert not workspace.add_beside(str(other)) and "of another model" in message(opened)
    (broken := tmp_path / "broken.pruner").write_bytes(b"nothing")
    assert not workspace.add_beside(str(broken)) and "cannot be read" in message(opened)
    assert workspace.beside.readers == ()


def test_what_grows_there_is_seen_here(qtbot, opened: MainWindow, other: Path, rested) -> None:
    page = opened.show_page("compare")
    assert opened.workspace.add_beside(str(other))
    rested(page)
    with connected(other) as db:
        db.execute("UPDATE progress SET latency_s = 1e-9 WHERE id = (SELECT max(id) FROM progress)")
        db.execute(
            "INSERT INTO progress SELECT max(id) + 1, run_id, elapsed_s, trials, valid, failed, 1e-9, 0 FROM progress"
        )
    latency = lambda: min(run["latency_s"] for run in page.model.rows)  # noqa: E731
    qtbot.waitUntil(lambda: latency() == 1e-9, timeout=20_000)


def test_a_project_that_is_replaced_or_gone_is_left_out_with_a_word(
    qtbot, opened: MainWindow, other: Path, rested, tmp_path: Path
) -> None:
    page = opened.show_page("compare")
    assert opened.workspace.add_beside(str(other))
    rested(page)
    (tmp_path / "new").write_bytes(b"nothing")
    os.replace(tmp_path / "new", other)  # noqa: PTH105
    qtbot.waitUntil(lambda: not opened.workspace.beside.readers, timeout=20_000)
    assert "shown no more" in message(opened)
    rested(page)
    QApplication.processEvents()
    assert len(page.model.rows) == 3


def test_a_schedule_of_another_project_at_the_left_keeps_no_third_one_from_opening(
    opened: MainWindow, other: Path, tmp_path: Path, rested
) -> None:
    third = shutil.copy(other, tmp_path / "third.pruner")
    page = opened.show_page("schedule")
    page.tabs.setCurrentWidget(page.diff)
    rested(page)
    assert opened.workspace.add_beside(str(other))
    rested(page)
    left = page.diff.left
    left.setCurrentIndex(next(at for at in range(left.count()) if str(left.itemData(at)).startswith(str(other))))
    left.activated.emit(left.currentIndex())
    assert f"pruner inspect {other} " in page.command_line()
    assert opened.workspace.open(third), "a reader that is closed by then would be asked for the line of the left side"
    assert opened.workspace.path == str(third) and opened.problems.cards() == []
