"""Nothing that is slower than a library is exported without a word: before, and for as long as the export is kept."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pointer import press
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_studio.main_window import MainWindow

RUN = 3


@pytest.fixture
def path(finished_project: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(finished_project, tmp_path / "resnet18.pruner"))


def change(path: Path, sql: str, *args: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(sql, args)


def summary_of(path: Path) -> dict:
    with closing(sqlite3.connect(path)) as db:
        return json.loads(db.execute("SELECT summary FROM exports WHERE run_id = ?", (RUN,)).fetchone()[0])


def beaten(path: Path) -> dict:
    """The summary of an export that ONNX Runtime beats by a quarter, as the project holds it from now on."""
    summary = summary_of(path)
    summary["latency"]["onnxruntime"]["seconds"] = summary["latency"]["tuned"]["seconds"] / 1.25
    change(path, "UPDATE exports SET summary = ? WHERE run_id = ?", json.dumps(summary), RUN)
    return summary


def question(window: MainWindow) -> QMessageBox | None:
    return next((box for box in window.findChildren(QMessageBox) if box.isVisible()), None)


def exports(qtbot, window: MainWindow) -> None:
    """An export has begun; of made-up rows it comes to nothing."""
    assert window.workspace.job.work.task == "export"
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=120_000)


def ready(window: MainWindow, path: Path, rested):
    assert window.workspace.open(path, RUN)
    page = window.show_page("export")
    rested(page)
    page.out.setText(str(path.with_name("bundle")))
    return page


def test_a_card_tells_of_a_slower_export_whenever_it_is_opened(qtbot, window: MainWindow, path: Path, rested) -> None:
    page = ready(window, path, rested)
    assert page.result.slower.isHidden()
    summary = beaten(path)
    window.workspace.leave()
    page = ready(window, path, rested)
    assert page.result.slower.isVisible()
    seconds = (summary["latency"][name]["seconds"] for name in ("tuned", "onnxruntime"))
    ours, theirs = map(units.latency, seconds)
    assert (
        page.result.slower.text.text()
        == f"The tuned model (measured {ours}) is slower than ONNX Runtime ({theirs}) by 25 %."
    )
    slowest = max(summary["coverage"]["functions"], key=lambda row: row["seconds"])
    assert "Tune it longer" in page.result.slower.remedy.text() and slowest["task"] in page.result.slower.remedy.text()
    card = page.result.slower
    press(qtbot, next(made for made in card.findChildren(QPushButton) if made.text() == "Show the tasks"))
    assert window.current_page == "tasks"


def test_the_window_asks_before_it_exports_what_is_known_to_be_slower(
    qtbot, window: MainWindow, path: Path, rested
) -> None:
    change(path, "UPDATE baselines SET seconds = 1e-6 WHERE name = 'torch'")
    page = ready(window, path, rested)
    press(qtbot, page.go)
    box = question(window)
    assert box is not None and "is slower than PyTorch" in box.text() and "Tune it longer" in box.informativeText()
    qtbot.keyClick(box, Qt.Key.Key_Return)  # to be careful is what Enter means
    assert question(window) is None and not window.workspace.job.running
    press(qtbot, page.go)
    box = question(window)
    press(qtbot, next(made for made in box.buttons() if made.text() == "Export all the same"))
    exports(qtbot, window)


@pytest.mark.parametrize("leave", [QMessageBox.close, lambda box: QTest.keyClick(box, Qt.Key.Key_Escape)])
def test_a_question_that_is_closed_was_answered_by_no(
    qtbot, window: MainWindow, path: Path, rested, leave: Callable[[QMessageBox], object]
) -> None:
    change(path, "UPDATE baselines SET seconds = 1e-6 WHERE name = 'torch'")
    page = ready(window, path, rested)
    press(qtbot, page.go)
    leave(question(window))
    assert question(window) is None and not window.workspace.job.running
    assert page.phase.isVisible() and page.phase.text() == "You were asked, and nothing was exported."


def test_what_is_not_known_to_be_slower_is_exported_without_a_question(
    qtbot, window: MainWindow, path: Path, rested
) -> None:
    change(path, "UPDATE baselines SET seconds = 1e3")
    press(qtbot, ready(window, path, rested).go)
    assert question(window) is None
    exports(qtbot, window)


def test_the_end_of_a_slower_export_is_told_on_every_page(window: MainWindow, path: Path, rested) -> None:
    ready(window, path, rested)
    window.show_page("overview")
    exported = window.workspace.job.received
    exported.emit(msg.Exported(out="bundle", summary=summary_of(path)))
    assert [card.problem.level for card in window.problems.cards()] == ["info"]
    exported.emit(msg.Exported(out="bundle", summary=beaten(path)))
    _, card = window.problems.cards()  # below where it was written
    assert card.problem.level == "warning" and "is slower than ONNX Runtime" in card.problem.message
    assert "Tune it longer" in card.problem.hint
