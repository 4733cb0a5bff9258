"""Measurement processes that end while they start."""

from __future__ import annotations

import os
import signal
import sys
import tempfile

import psutil
import pytest

from pruner_engine.errors import UserError
from pruner_engine.measure import launch, pipeline, wire
from pruner_engine.measure.launch import ZygoteProcess
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureResult
from schedules import CPU, random_schedule, task_of

BROKEN = {
    "at once": "import sys; sys.exit('libtvm is not here')",
    "after its setup": "import sys; sys.stdin.buffer.read(8); sys.exit('libtvm is not here')",
    "hangs": "import sys, time; print('libtvm is not here', file=sys.stderr, flush=True); time.sleep(600)",
}


@pytest.fixture(autouse=True)
def no_process_is_left():
    before = set(psutil.Process().children())  # of pytest, and of what other tests share
    yield
    assert set(psutil.Process().children()) <= before


@pytest.mark.parametrize("how", BROKEN)
def test_one_that_does_not_start_says_why(how, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(launch, "command", lambda start: [sys.executable, "-c", BROKEN[how]])
    monkeypatch.setattr(launch, "_START_S", 2.0 if how == "hangs" else 3600.0)  # one that has ended is not waited for
    handles = psutil.Process().num_fds()
    with pytest.raises(UserError, match="did not start") as told:
        Measurer(CPU)
    assert told.value.message.endswith("did not start. libtvm is not here")
    assert psutil.Process().num_fds() == handles
    assert not any(tmp_path.iterdir())


def test_one_that_is_up_too_late_does_not_take_its_log_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(launch, "_START_S", 0.01)
    with pytest.raises(UserError, match="did not start"):
        Measurer(CPU)


def killing_starts(monkeypatch, count: int) -> list[int]:
    """Kill so many of the next zygotes as soon as they have their setup; returns the list of them."""
    killed: list[int] = []
    send = ZygoteProcess.send

    def cruel(self: ZygoteProcess, message: wire.Setup | wire.Build | wire.Run) -> None:
        send(self, message)
        if isinstance(message, wire.Setup) and len(killed) < count:
            killed.append(self.pid)
            os.kill(self.pid, signal.SIGKILL)

    monkeypatch.setattr(ZygoteProcess, "send", cruel)
    return killed


@pytest.mark.parametrize("kills", [3, 100])
def test_one_that_is_killed_as_it_starts_is_started_again(kills, monkeypatch):
    task = task_of("matmul:32,32,32")
    inputs = [MeasureInput(str(i), random_schedule(task).mod) for i in range(3)]
    results: list[MeasureResult] = []
    with Measurer(CPU, check="none") as measurer:
        killed = killing_starts(monkeypatch, kills)
        os.kill(measurer._pipeline.pid, signal.SIGKILL)
        if kills == 3:
            measurer.measure(task, inputs, best_s=None, on_result=results.append)
            assert all(result.ok for result in results), results
            assert len(results) == len(inputs)
        else:
            with pytest.raises(UserError, match="again and again"):
                measurer.measure(task, inputs, best_s=None, on_result=results.append)
            assert len(killed) == pipeline._RESTARTS
