"""An export under way is stopped from the window, or goes on without it: real engine, real clicks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from pointer import press
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMessageBox

from pruner_engine import protocol as msg
from pruner_engine.resources import resource_dir
from pruner_engine.store.reader import ProjectReader
from pruner_studio.main_window import MainWindow
from pruner_studio.models.words import PHASES

SAMPLE = resource_dir() / "samples" / "small-cnn.pruner"


@pytest.fixture
def exporting(qtbot, window: MainWindow, tmp_path: Path) -> MainWindow:
    """A window whose export has begun."""
    window.workspace.open(shutil.copy(SAMPLE, tmp_path / "small-cnn.pruner"))
    page = window.show_page("export")
    page.out.setText(str(tmp_path / "bundle"))
    assert window.run_bar.stop_button.isHidden() and not stop_entry(window).isEnabled()
    press(qtbot, page.go)
    qtbot.waitUntil(lambda: window.workspace.job.work.phase.startswith(PHASES["prepare"]), timeout=120_000)
    return window


def stop_entry(window: MainWindow) -> QAction:
    return next(made for made in window.findChildren(QAction) if made.text() == "&Stop")


def answer(qtbot, window: MainWindow, text: str) -> None:
    """Close the window and answer what it asks."""
    window.close()
    box = next(made for made in window.findChildren(QMessageBox) if made.isVisible())
    assert "exported" in box.text()
    press(qtbot, next(made for made in box.buttons() if made.text() == text))


def test_an_export_is_stopped_by_a_click(qtbot, exporting: MainWindow, tmp_path: Path) -> None:
    bar = exporting.run_bar
    assert not bar.pause_button.isVisible() and stop_entry(exporting).isEnabled()
    assert bar.state.text() == "finished" and bar.phase.text().startswith("Exporting: ")
    exporting.workspace.job._heard(msg.Phase(name="export", detail="compile the tuned model"))
    assert bar.phase.text() == "Exporting: compile the tuned model"
    press(qtbot, bar.stop_button)
    qtbot.waitUntil(lambda: not exporting.workspace.job.running, timeout=120_000)
    told = exporting.problems.cards()[0].problem
    assert (told.message, told.level) == ("The export was stopped.", "info")
    assert bar.stop_button.isHidden() and not stop_entry(exporting).isEnabled()
    assert exporting.workspace.reader.exports() == [] and not (tmp_path / "bundle" / "metadata.json").exists()
    qtbot.waitUntil(exporting.show_page("export").go.isEnabled)


def test_closing_asks_what_becomes_of_an_export(qtbot, exporting: MainWindow) -> None:
    engine = psutil.Process(exporting.workspace.job._process.processId())
    answer(qtbot, exporting, "Cancel")
    assert exporting.isVisible() and engine.is_running()
    answer(qtbot, exporting, "Stop and close")
    assert not exporting.isVisible() and not psutil.pid_exists(engine.pid)


def test_closing_asks_nothing_about_a_job_that_has_ended(qtbot, exporting: MainWindow) -> None:
    """Its process takes a moment to end."""
    press(qtbot, exporting.run_bar.stop_button)
    with qtbot.waitSignal(exporting.workspace.job.problem, timeout=120_000):
        pass
    exporting.close()
    assert not exporting.isVisible() and not exporting.workspace.job.running


_LEAVES_AN_EXPORT = """
import sys
from pruner_engine import protocol as msg
from pruner_studio import app, main_window
from pruner_studio.models.words import PHASES

class Leaving(main_window.MainWindow):
    def settle(self, path=None):
        self.workspace.open(sys.argv[1])
        self.workspace.job_changed.connect(self.leave)
        self.workspace.start(msg.Export(project=sys.argv[1], out=sys.argv[2], all_runs=True))

    def leave(self):
        if self.workspace.job.work.phase.startswith(PHASES["prepare"]) and self.keep_job is None:
            self.keep_job = True
            self.close()

main_window.MainWindow = Leaving
sys.exit(app.main(["pruner-studio"]))
"""


def test_an_export_goes_on_after_its_window_is_gone(tmp_path: Path) -> None:
    project, out = Path(shutil.copy(SAMPLE, tmp_path / "kept.pruner")), tmp_path / "bundle"
    path = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", _LEAVES_AN_EXPORT, str(project), str(out)],
        env={**os.environ, "PYTHONPATH": path, "QT_QPA_PLATFORM": "offscreen"},
        timeout=200,
        check=False,
    )
    assert done.returncode == 0
    deadline = time.monotonic() + 200
    with ProjectReader(project) as reader:
        assert reader.exports() == []
        while not reader.exports() and time.monotonic() < deadline:
            time.sleep(0.5)
        (kept,) = reader.exports()
    assert kept["out"] == str(out) and (out / "metadata.json").is_file()
