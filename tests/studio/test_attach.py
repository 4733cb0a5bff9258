"""A window that comes to an engine which runs already, one that goes while its engine runs, one that a signal ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from pruner_engine import protocol as msg
from pruner_engine.store.reader import ProjectReader
from pruner_studio.engine_client import EngineClient
from pruner_studio.left_alone import LeftAlone
from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.pill import Pill

_TUNE = {"model": "matmul:64,64,64", "strategy": "random", "settings": {"round_trials": 8, "repeats": 1}}
_LEFT = Qt.MouseButton.LeftButton


def test_a_window_steers_a_job_that_another_process_started(
    qtbot, window: MainWindow, tmp_path: Path, finished_project: Path
) -> None:
    project = tmp_path / "job.pruner"
    other = EngineClient()
    finished = []
    other.received.connect(lambda event: finished.append(event) if isinstance(event, msg.RunFinished) else None)
    other.send(msg.Tune(project=str(project), trials=500, **_TUNE))
    qtbot.waitUntil(lambda: _trials(project) > 0, timeout=120_000)

    window.workspace.open(project)
    qtbot.waitUntil(lambda: window.workspace.job.running, timeout=10_000)
    assert not window.workspace.job.owned

    # it was not begun here: who reads another page stays there
    window.workspace.job.quit()
    window.show_page("tasks")
    window.workspace.attach()
    assert window.workspace.job.running and window.current_page == "tasks"

    # out of sight, it is left alone: the window is free for another project
    window.workspace.open(finished_project)
    assert not window.workspace.job.running and window.run_bar.stop_button.isHidden()
    window.workspace.open(project)
    assert window.workspace.job.running
    window.workspace.leave()
    assert not window.workspace.job.running and other.running and not finished

    # a window that starts tells of it
    window.settle()
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=20_000)
    (card,) = window.problems.cards()
    assert card.problem.message == "Run 1 of job is being tuned."
    qtbot.mouseClick(next(made for made in card.findChildren(QPushButton) if made.text() == "Open"), _LEFT)
    assert window.workspace.job.running and not window.problems.cards()

    window.run_bar.toggle_pause()
    qtbot.waitUntil(lambda: window.run_bar.state.text() == "paused", timeout=60_000)
    assert window.run_bar.phase.text() == "", "nothing is drafted, built or learned now"
    left = window.show_page("overview").tiles["left"]
    qtbot.waitUntil(lambda: left._remark.text() == "paused", timeout=20_000)
    recent = window.show_page("start").recent
    qtbot.waitUntil(lambda: "paused" in [pill.text() for pill in recent.findChildren(Pill)], timeout=20_000)
    window.workspace.leave()
    LeftAlone(window.workspace, window.problems).look()
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=20_000)
    (card,) = window.problems.cards()
    assert card.problem.message == "Run 1 of job is paused."
    qtbot.mouseClick(next(made for made in card.findChildren(QPushButton) if made.text() == "Open"), _LEFT)
    qtbot.waitUntil(lambda: window.run_bar.pause_button.text() == "Go on", timeout=20_000)
    window.run_bar.toggle_pause()
    qtbot.waitUntil(lambda: window.run_bar.state.text() == "tuning", timeout=60_000)
    window.run_bar.stop()
    qtbot.waitUntil(lambda: bool(finished), timeout=60_000)
    assert finished[0].state == "stopped" and finished[0].trials < 500
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=20_000)
    qtbot.waitUntil(window.run_bar.resume_button.isVisible, timeout=20_000)
    other.quit()
    other.wait_ended(10_000)


def test_a_window_that_turns_to_a_run_at_work_steers_it(qtbot, window: MainWindow, tmp_path: Path) -> None:
    """Another process goes on with a run that is not the newest."""
    project, other = tmp_path / "job.pruner", EngineClient()
    finished = []
    other.received.connect(lambda event: finished.append(event) if isinstance(event, msg.RunFinished) else None)
    for seed in (0, 1):
        other.send(msg.Tune(project=str(project), trials=4, seed=seed, **_TUNE))
        qtbot.waitUntil(lambda runs=seed + 1: len(finished) == runs, timeout=120_000)
    window.workspace.open(project)
    assert window.workspace.run_id == 2
    other.send(msg.Resume(project=str(project), run_id=1, trials=5000))
    other.send(msg.Pause())
    with ProjectReader(project) as reader:
        qtbot.waitUntil(lambda: reader.run(1)["state"] == "paused", timeout=120_000)
    assert not window.workspace.job.running, "the run that is shown has ended"

    window.workspace.choose_run(1)
    assert window.workspace.steers_shown and window.run_bar.stop_button.isVisible()
    window.workspace.job.quit()  # the line is lost
    assert window.run_bar.stop_button.isHidden()
    window.workspace.refresh()
    assert window.workspace.steers_shown and window.run_bar.stop_button.isVisible()
    window.run_bar.stop()
    qtbot.waitUntil(lambda: len(finished) == 3, timeout=60_000)
    other.quit()
    other.wait_ended(10_000)


def test_the_sudden_end_of_another_process_is_told(qtbot, window: MainWindow, tmp_path: Path) -> None:
    project = tmp_path / "job.pruner"
    other = EngineClient()
    other.send(msg.Tune(project=str(project), trials=500, **_TUNE))
    qtbot.waitUntil(lambda: _trials(project) > 0, timeout=120_000)
    window.workspace.open(project)
    assert window.workspace.job.running and not window.problems.cards()
    other._process.kill()
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=20_000)
    (card,) = window.problems.cards()
    assert "ended suddenly" in card.problem.message and "press Resume" in card.problem.hint
    other.wait_ended(10_000)


_LEAVES_A_JOB = f"""
import sys
from PySide6.QtCore import QTimer
from pruner_engine import protocol as msg
from pruner_studio import app, main_window

class Leaving(main_window.MainWindow):
    def settle(self, path=None):
        self.workspace.start(msg.Tune(project=sys.argv[1], trials=12, **{_TUNE}))
        self.timer = QTimer(self, interval=100)
        self.timer.timeout.connect(self.leave)
        self.timer.start()

    def leave(self):
        run = self.workspace.run()
        if run and run["trials"]:
            self.timer.stop()
            self.keep_job = True
            self.close()

main_window.MainWindow = Leaving
sys.exit(app.main(["pruner-studio"]))
"""


def test_a_job_goes_on_after_its_window_is_gone(tmp_path: Path) -> None:
    project = tmp_path / "kept.pruner"
    done = subprocess.run(
        [sys.executable, "-c", _LEAVES_A_JOB, str(project)],
        env={**_environment(), "QT_QPA_PLATFORM": "offscreen"},
        timeout=200,
        check=False,
    )
    assert done.returncode == 0
    with ProjectReader(project) as reader:
        deadline = time.monotonic() + 120
        while reader.run()["state"] != "finished" and time.monotonic() < deadline:
            assert reader.run()["alive"] or reader.run()["state"] == "finished"
            time.sleep(0.5)
        assert reader.run()["trials"] == 12


def test_a_window_whose_engine_is_too_busy_to_be_left_stays_open(qtbot, window: MainWindow, tmp_path: Path) -> None:
    project, job = tmp_path / "busy.pruner", window.workspace.job
    window.workspace.start(msg.Tune(project=str(project), trials=5000, **_TUNE))
    qtbot.waitUntil(lambda: _trials(project) > 0, timeout=120_000)
    engine = job._process.processId()
    job._patience.setInterval(100)
    os.kill(engine, signal.SIGSTOP)
    with qtbot.waitSignal(job.detached, timeout=10_000) as outcome:
        window._close_and(keep_job=True)
        assert window.isVisible()
    assert outcome.args == [False] and window.isVisible() and job.running
    assert window.problems.cards()[0].problem.message.startswith("The window stays open")
    os.kill(engine, signal.SIGCONT)
    qtbot.waitUntil(lambda: job.alone, timeout=60_000)
    assert window.isVisible()
    window._close_and(keep_job=False)
    assert not window.isVisible() and not job.running


def test_a_window_is_closed_whose_job_ends_before_it_is_left(qtbot, window: MainWindow, tmp_path: Path) -> None:
    project, job = tmp_path / "short.pruner", window.workspace.job
    window.workspace.start(msg.Tune(project=str(project), trials=5000, **_TUNE))
    qtbot.waitUntil(lambda: _trials(project) > 0, timeout=120_000)
    window.workspace.control(msg.Stop())
    with qtbot.waitSignal(job.ended, timeout=120_000):
        window._close_and(keep_job=True)
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=10_000)
    assert not window.problems.problems()


_WORKS = f"""
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that runs the tests beside it has it ignored
from pruner_engine import protocol as msg
from pruner_studio import app, main_window

class Working(main_window.MainWindow):
    def settle(self, path=None):
        super().settle(path)
        self.workspace.start(msg.Tune(project=sys.argv[1], trials=5000, **{_TUNE}))

main_window.MainWindow = Working
sys.exit(app.main(["pruner-studio"]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_job_and_closes_the_window(tmp_path: Path, number: signal.Signals) -> None:
    project = tmp_path / "job.pruner"
    home = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CONFIG", "DATA", "STATE")}
    environment = _environment() | home | {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", _WORKS, str(project)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as window:
        deadline = time.monotonic() + 200
        while not _trials(project) and window.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
        logs = len(_logs(tmp_path))
        window.send_signal(number)
        try:
            _, said = window.communicate(timeout=120)
        finally:
            window.kill()
    assert logs == 1
    assert (window.returncode, said) == (0, "")
    assert not _logs(tmp_path), "the next window would tell of a crash"
    with ProjectReader(project) as reader:
        run = reader.run()
    assert (run["state"], run["alive"]) == ("stopped", False) and run["trials"]


def _logs(folder: Path) -> list[Path]:
    """Where each window writes its errors for as long as it lives."""
    return list(folder.rglob("session-*.log"))


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def _trials(project: Path) -> int:
    if not project.is_file():
        return 0
    try:
        with ProjectReader(project) as reader:
            return int(reader.run()["trials"])
    except Exception:  # the engine is still making the file
        return 0
