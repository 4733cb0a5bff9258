"""While a helper engine measures or writes, no run is begun beside it, and the window says why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pointer import press
from project_factory import make_project
from PySide6.QtGui import QAction

from pruner_engine import protocol as msg
from pruner_studio.main_window import MainWindow

_MEASURES = "The device is being measured: wait until that has ended."


@pytest.fixture
def left(window: MainWindow, tmp_path: Path) -> MainWindow:
    """A window that shows a run which can be gone on with."""
    window.workspace.open(make_project(tmp_path / "left.pruner", runs=1, rounds=2, state="tuning"))
    return window


def entry(window: MainWindow, name: str) -> QAction:
    return next(made for made in window.findChildren(QAction) if made.text() == name)


def ask(window: MainWindow, command: object) -> None:
    window.workspace.helpers.ask(command, lambda _: None, lambda _: None)


def test_no_run_begins_while_the_device_is_measured(qtbot, left: MainWindow) -> None:
    bar, start = left.run_bar, left.start_page()
    start.set_model("matmul:64,64,64")
    qtbot.waitUntil(start.tune.isEnabled, timeout=120_000)
    again = start.preflight.again
    assert bar.resume_button.isEnabled() and entry(left, "&Resume").isEnabled() and again.isEnabled()
    ask(left, msg.Profile(measure=False))
    assert bar.resume_button.isEnabled() and start.tune.isEnabled(), "it only tells what is known"

    ask(left, msg.Profile(measure=True))
    for made in (bar.resume_button, start.tune, again):
        assert not made.isEnabled() and made.toolTip() == _MEASURES
    assert start.hindrance.text() == _MEASURES and not entry(left, "&Resume").isEnabled()
    bar.resume()
    assert not left.workspace.job.running

    slow = left.workspace.helpers.slow
    slow._process.kill()  # as the system does where memory runs short
    qtbot.waitUntil(lambda: not slow.running, timeout=20_000)
    for made in (bar.resume_button, start.tune, again):
        assert made.isEnabled() and made.toolTip() != _MEASURES
    assert entry(left, "&Resume").isEnabled() and start.hindrance.text() == ""


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (
            lambda project: msg.Try(project=project, run_id=1, task_id=1, sketch_id=1, decisions=[]),
            "A schedule is being measured: wait until that has ended.",
        ),
        (
            lambda project: msg.ImportRecords(project=project, folder="none"),
            "Records are being imported: wait until that has ended.",
        ),
    ],
)
def test_a_run_goes_on_once_a_trial_or_an_import_has_ended(
    qtbot, left: MainWindow, make: Callable[[str], object], why: str
) -> None:
    resume = left.run_bar.resume_button
    ask(left, make(left.workspace.path))
    assert not resume.isEnabled() and resume.toolTip() == why
    qtbot.waitUntil(resume.isEnabled, timeout=120_000)  # both are refused, which is an answer, too


def test_a_machine_is_not_checked_twice_at_once(qtbot, window: MainWindow) -> None:
    preflight = window.start_page().preflight
    press(qtbot, preflight.again)
    assert not preflight.again.isEnabled() and preflight.again.toolTip() == "This machine is being checked."
    preflight.check()
    assert len(window.workspace.helpers.slow.questions) == 1
    qtbot.waitUntil(preflight.again.isEnabled, timeout=200_000)
    assert preflight.state.text() in ("ready", "not ready")


def test_a_machine_is_not_checked_beside_a_run(qtbot, window: MainWindow, tmp_path: Path) -> None:
    again = window.start_page().preflight.again
    window.workspace.start(msg.Tune(project=str(tmp_path / "p.pruner"), model="matmul:8,8,8", trials=1))
    assert not again.isEnabled() and again.toolTip().startswith("A job is running")
    window.workspace.job._process.kill()
    qtbot.waitUntil(again.isEnabled, timeout=20_000)
