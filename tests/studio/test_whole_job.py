"""The whole job by clicks with the real engine: choose a model, tune, watch, open a schedule, export."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QPushButton

from pruner_engine.resources import resource_dir
from pruner_studio.main_window import MainWindow


class Desktop(QObject):
    """Shows files and folders in place of the machine's own programs."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    @Slot(QUrl)
    def show(self, url: QUrl) -> None:
        self.shown.append(url.toLocalFile())


def click(qtbot, widget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def named(parent, name: str) -> QPushButton:
    return next(b for b in parent.findChildren(QPushButton) if b.accessibleName() == name and b.isVisible())


@pytest.fixture
def lent() -> dict[str, object]:
    """All engines are the window's own."""
    return {}


def test_sample_is_tuned_looked_at_and_exported(qtbot, window: MainWindow, tmp_path: Path, rested) -> None:
    project = tmp_path / "job.pruner"
    start = window.show_page("start")
    click(qtbot, named(start, "Sample model small-cnn"))
    qtbot.waitUntil(lambda: "1×3×64×64" in start.drop.about.text(), timeout=60_000)
    start.project.setText(str(project))
    start.form.budget.setValue(16)  # one for each of 14 tasks, and further ones
    assert str(resource_dir() / "models" / "small-cnn.onnx") in start.command_line()
    click(qtbot, start.tune)

    qtbot.waitUntil(lambda: window.workspace.path == str(project), timeout=90_000)
    assert window.current_page == "overview"
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=240_000)
    run = window.workspace.run()
    assert run["state"] == "finished" and run["trials"] == 16 and run["valid"] > 0
    overview = window.show_page("overview")
    overview.refresh()
    assert overview.tiles["trials"]._value.text() == "16"
    assert overview.tiles["latency"]._value.text() not in ("–", "")

    tasks = window.show_page("tasks")
    rested(tasks)
    tuned = max((row for row in tasks.model.rows if row["best_s"]), key=lambda row: row["trials"])
    tasks.table.selectRow(tasks.model.row_of(tuned["id"]))
    qtbot.keyClick(tasks.table, Qt.Key.Key_Return)
    assert window.current_page == "schedule"
    schedule = window.show_page("schedule")
    qtbot.waitUntil(lambda: len(schedule.loops.view.model.rows) > 0)
    assert any(row["decision"] for row in schedule.loops.view.model.rows)
    for form, told in (("tvmscript", "@T.prim_func"), ("asm", ".text")):
        schedule.tabs.setCurrentWidget(schedule.code)
        click(qtbot, schedule.code.forms.part(form))
        view = schedule.code.code[form].view
        qtbot.waitUntil(lambda view=view, told=told: told in view.toPlainText(), timeout=60_000)

    schedule.reference_button.click()
    shown = schedule._subject.candidate_id
    other = next(row for row in schedule.candidates.model.rows if row["id"] != shown and row["stage"] == "ok")
    schedule.candidates.table.selectRow(schedule.candidates.model.row_of(other["id"]))
    qtbot.waitUntil(lambda: "lines differ" in schedule.diff.view.told.text(), timeout=60_000)

    export = window.show_page("export")
    out = tmp_path / "bundle"
    export.out.setText(str(out))
    click(qtbot, export.go)
    for asked in window.findChildren(QMessageBox):  # so few trials may be slower than a library
        click(qtbot, next(made for made in asked.buttons() if made.text() == "Export all the same"))
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=180_000)
    *others, card = sorted(window.problems.cards(), key=lambda card: card.problem.level == "info")
    assert card.problem.message == f"The model was exported to {out}."
    assert all(other.problem.level == "warning" for other in others)
    desktop = Desktop()
    QDesktopServices.setUrlHandler("file", desktop, "show")
    click(qtbot, named(card, "Open"))
    QDesktopServices.unsetUrlHandler("file")
    assert desktop.shown == [str(out)]
    export.refresh()
    assert export.result.check_state.text() == "equal"
    assert export.result.functions.rows
    assert json.loads((out / "metadata.json").read_text())["inputs"][0]["shape"] == [1, 3, 64, 64]
    done = subprocess.run(
        [sys.executable, str(out / "run.py")], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
