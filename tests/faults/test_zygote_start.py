"""Measurement processes that end while they start, talk while they are told something, or talk nonsense."""

from __future__ import annotations

import os
import signal
import sys
import tempfile

import psutil
import pytest

from pruner_engine.errors import UserError
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
from pruner_engine.measure.workers import launch, pipeline, wire
from pruner_engine.measure.workers.launch import ZygoteProcess
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
    with pytest.raises(UserError, match="did not start") as told, Measurer(CPU) as measurer:
        measurer.wait_until_up()
    assert told.value.message.endswith("did not start. libtvm is not here")
    assert psutil.Process().num_fds() == handles
    assert not any(tmp_path.iterdir())


def test_one_that_is_up_too_late_does_not_take_its_log_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(launch, "_START_S", 0.01)
    with pytest.raises(UserError, match="did not start"), Measurer(CPU) as measurer:
        measurer.noise()


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
    with Measurer(CPU, MeasureOptions(check="none")) as measurer:
        measurer.wait_until_up()
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


def setup_in(folder) -> wire.Setup:
    return wire.Setup(
        folder=str(folder),
        workers=1,
        builder_cores=[0],
        threads=1,
        runner_cores=[0],
        build_timeout_s=60.0,
        memory_bytes=1 << 30,
        cuda=False,
    )


@pytest.fixture
def zygote_of(tmp_path, monkeypatch):
    """What starts a script in the zygote's place."""

    def start(script: str) -> ZygoteProcess:
        monkeypatch.setattr(launch, "command", lambda start: [sys.executable, "-c", script])
        (tmp_path / "zygote").mkdir()
        zygote = ZygoteProcess(setup_in(tmp_path / "zygote"))
        zygote.wait_until_up()
        return zygote

    return start


TALKATIVE = """
from pruner_engine.measure.workers import wire

wire.receive(0)
wire.send(1, wire.Ready())
while (build := wire.receive(0)) is not None:
    wire.send(1, wire.Built(id=build.id, log="x" * 300_000))
"""


def test_one_that_tells_much_is_heard_while_it_is_told_something(zygote_of, monkeypatch):
    """Each of the messages is larger than a pipe: as on a machine with many cores, where many are under way."""
    monkeypatch.setattr(launch, "_TAKE_S", 5.0)
    zygote = zygote_of(TALKATIVE)
    for job in range(4):
        zygote.send(wire.Build(id=job, mod="x" * 300_000, target="", library=""))
    answers = [zygote.receive(60.0) for _ in range(4)]
    zygote.close()
    assert [(answer.id, len(answer.log)) for answer in answers] == [(job, 300_000) for job in range(4)]


LAST_WORDS = """
import os, select, signal
from pruner_engine.measure.building import build
from pruner_engine.measure.workers import wire, zygote

def serve(inbox, outbox, limit_s):
    while (job := wire.receive(inbox)) is not None:
        wire.send(outbox, wire.Built(id=job.id))
        if job.id == 0 and DIES:
            os.kill(os.getpid(), signal.SIGKILL)

def end_overdue(self):
    for child in [child for child in self._children.values() if child.job is not None and child.job.id == 0]:
        if DIES:
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            self._reap()
        elif not child.timed_out:
            select.select([child.read], [], [])  # it has answered, and is ended before that is heard
            child.deadline = 0.0
    ended(self)

build.serve, ended = serve, zygote.Zygote._end_overdue
zygote.Zygote._end_overdue = end_overdue
zygote.main()
"""


@pytest.mark.parametrize("dies", [True, False])
def test_a_builder_that_is_dead_after_its_last_words_gets_no_other_build(zygote_of, dies):
    zygote = zygote_of(f"DIES = {dies}{LAST_WORDS}")
    for job in range(2):
        zygote.send(wire.Build(id=job, mod="", target="", library=""))
    answers = [zygote.receive(30.0) for _ in range(2)]
    zygote.close()
    assert [(answer.id, answer.error) for answer in answers] == [(0, ""), (1, "")]


NONSENSE = """
import os, signal
from pruner_engine.measure.running import runner
from pruner_engine.measure.workers import wire, zygote

def serve(folder, inbox, outbox):
    job = wire.receive(inbox)
    os.write(outbox, wire.frame(wire.Ran(id=job.id, repeats=[float("inf")])))
    signal.pause()

runner.serve = serve
zygote.main()
"""


def test_a_runner_that_talks_nonsense_ends_and_the_zygote_goes_on(zygote_of):
    zygote = zygote_of(NONSENSE)
    facts = wire.KernelFacts([], 1, ["random"], {}, {}, 0.0, False)
    kernel = wire.Kernel("", [])
    answers = []
    for job in range(2):
        run = wire.Run(
            id=job, task="t", device="cpu", threads=1, kernel=kernel, args=[], facts=facts, best_s=None, repeats=1,
            check="none", cold=False, timeout_s=60.0,
        )  # fmt: skip
        zygote.send(run)
        answers.append(zygote.receive(30.0))
    zygote.close()
    assert [(answer.id, answer.stage, answer.error) for answer in answers] == [(0, "run", "crash"), (1, "run", "crash")]
