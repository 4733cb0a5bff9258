"""An engine that is stopped in its tracks: the window says so, and ends it with all that it started."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from pruner_engine import protocol as msg
from pruner_engine.jobs.client import EngineProcess
from pruner_studio import engine_client
from pruner_studio.engine_client import EngineClient
from pruner_studio.main_window import MainWindow

pytestmark = pytest.mark.timeout(600)


def texts(window: MainWindow) -> list[str]:
    return [card.problem.message for card in window.problems.cards()]


def tuning(qtbot, window: MainWindow, project: Path) -> list[psutil.Process]:
    """Start a run; returns its engine and what that has started, once trials are there."""
    plan = {"model": "matmul:64,64,64", "strategy": "random", "settings": {"round_trials": 8}}
    window.workspace.start(msg.Tune(project=str(project), trials=400, **plan))
    qtbot.waitUntil(lambda: bool((window.workspace.run() or {}).get("trials")), timeout=240_000)
    engine = psutil.Process(window.workspace.job._process.processId())
    return [engine, *engine.children(recursive=True)]


def gone(processes: list[psutil.Process]) -> bool:
    return not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in processes)


def test_silence_is_told_ended_by_a_click_and_the_run_goes_on(qtbot, window: MainWindow, tmp_path: Path) -> None:
    processes = tuning(qtbot, window, tmp_path / "silent.pruner")
    window.workspace.job.pulse.worry_s = 2.0
    processes[0].suspend()
    qtbot.waitUntil(lambda: "The engine has given no sign of life for 2 s." in texts(window), timeout=20_000)
    assert window.workspace.job.running

    processes[0].resume()  # a machine that was only slow: the card goes by itself
    qtbot.waitUntil(lambda: not texts(window), timeout=20_000)
    assert window.workspace.run()["alive"]

    processes = [processes[0], *processes[0].children(recursive=True)]
    processes[0].suspend()
    qtbot.waitUntil(lambda: bool(texts(window)), timeout=20_000)
    (end,) = [b for b in window.problems.findChildren(QPushButton) if b.text() == "End it now"]
    qtbot.mouseClick(end, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=20_000)
    assert any("no sign of life" in text and "was ended" in text for text in texts(window))
    qtbot.waitUntil(lambda: gone(processes), timeout=20_000)

    run = window.workspace.run()
    assert run["interrupted"] and run["trials"] > 0
    qtbot.waitUntil(window.run_bar.resume_button.isVisible, timeout=10_000)
    qtbot.mouseClick(window.run_bar.resume_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.workspace.run()["trials"] > run["trials"], timeout=240_000)
    window.run_bar.stop()
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=60_000)


@pytest.fixture
def client(qtbot, monkeypatch):
    monkeypatch.setattr(engine_client, "GRACE_S", 0.5)  # a stopped process does not use it
    made = EngineClient()
    made.pulse.worry_s, made.pulse.end_s = 1.0, 3.0
    yield made
    made.quit()
    made.wait_ended(8000)


def test_an_engine_that_stays_silent_is_ended_unasked(qtbot, client: EngineClient) -> None:
    heard, ends, failures = [], [], []
    client.received.connect(heard.append)
    client.ended.connect(ends.append)
    client.send(msg.Unpause())
    qtbot.waitUntil(lambda: any(isinstance(event, msg.Hello) for event in heard), timeout=60_000)
    engine = psutil.Process(client._process.processId())
    engine.suspend()
    client.ask(msg.Doctor(), lambda _: None, failures.append)
    qtbot.waitUntil(lambda: bool(ends), timeout=30_000)
    assert "no sign of life for 4 s" in ends[0] and not client.running
    assert failures[0].message == ends[0], "who waits for an answer is told"
    assert gone([engine])


def listens(path: Path) -> bool:
    """Whether somebody can connect: between bind and listen the file is there already."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def test_the_engine_of_a_terminal_is_ended_too(qtbot, client: EngineClient, tmp_path: Path) -> None:
    ends = []
    client.ended.connect(ends.append)
    with EngineProcess() as terminal:
        engine = psutil.Process(terminal.pid)
        terminal.send(msg.ImportRecords(project=str(tmp_path / "none.pruner"), folder=str(tmp_path)))
        base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
        place = Path(base) / f"pruner-studio-{os.getuid()}" / f"engine-{terminal.pid}.sock"
        qtbot.waitUntil(lambda: listens(place), timeout=60_000)
        engine.suspend()  # before it is attached to: not even a hello comes
        assert client.attach(str(place)) and not client.owned
        qtbot.waitUntil(lambda: bool(ends), timeout=30_000)
        assert "no sign of life" in ends[0]
        qtbot.waitUntil(lambda: gone([engine]), timeout=30_000)  # its socket closes before its memory is given back
