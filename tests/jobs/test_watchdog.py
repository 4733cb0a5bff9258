"""Jobs that hang: in Python, outside of it, and so that not even the heart beats."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from pruner_engine.errors import PhaseSilentError, UserError
from pruner_engine.jobs import client, watchdog
from pruner_engine.jobs.client import EngineProcess
from pruner_engine.jobs.watchdog import Watchdog
from pruner_engine.protocol import Failed, Notice, Resume, RunFinished, Tune
from pruner_engine.store.reader import ProjectReader

PLUGIN = """
import ctypes, time
from pruner_engine.jobs import watchdog
from pruner_engine.search.strategy import Strategy, register_strategy

watchdog.LIMITS["draft"] = 1.0
watchdog.GRACE_S = 2.0

def in_python():
    while True:
        time.sleep(0.01)

def outside_python():
    ctypes.CDLL(None).sleep(1000)

def heartless():
    time.sleep(1.0)  # let the phase be told
    ctypes.PyDLL(None).sleep(1000)

class Hanging(Strategy):
    name = "hanging"

    def propose(self, state, count):
        self.context.on_phase("draft", state.task.name)
        {where}()

    def learn(self, state, trials):
        return {{}}

register_strategy("hanging", Hanging)
"""


def tune(folder, where: str) -> Tune:
    plugin = folder / "hanging.py"
    plugin.write_text(PLUGIN.format(where=where))
    return Tune(
        project=str(folder / "m.pruner"),
        model="matmul:32,32,32",
        trials=4,
        strategy="hanging",
        plugins=[str(plugin)],
        settings={"check": "none"},
    )


def test_a_phase_that_hangs_is_ended_and_its_task_left_out(tmp_path):
    with EngineProcess() as engine:
        engine.send(tune(tmp_path, "in_python"))
        events = []
        for event in engine.events():
            events.append(event)
            if isinstance(event, RunFinished | Failed):
                break
    texts = [event.text for event in events if isinstance(event, Notice)]
    assert any("draft has given no sign of life" in text for text in texts), texts
    assert any("tuned no more" in text for text in texts), texts
    assert isinstance(events[-1], RunFinished) and events[-1].state == "failed"


RULE = """
import time
from tvm.ir.utils import derived_object
from tvm.s_tir.meta_schedule.schedule_rule import PyScheduleRule
from pruner_engine.jobs import watchdog
from pruner_engine.space.rules import register_rule

watchdog.LIMITS["space"] = 1.0

@derived_object
class Hanging(PyScheduleRule):
    def __init__(self, machine):
        super().__init__()

    def _initialize_with_tune_context(self, context):
        pass

    def apply(self, sch, block):
        while True:
            time.sleep(0.01)

    def clone(self):
        return Hanging(None)

register_rule("hanging", Hanging)
"""


def test_a_rule_that_hangs_is_asked_no_more_and_the_others_schedule(tmp_path):
    (plugin := tmp_path / "rule.py").write_text(RULE)
    settings = {"check": "none"}
    command = {"model": "relu:32,48", "trials": 2, "strategy": "random", "settings": settings, "plugins": [str(plugin)]}
    with EngineProcess() as engine:
        engine.send(Tune(project=str(tmp_path / "p.pruner"), **command))
        events = []
        for event in engine.events():
            events.append(event)
            if isinstance(event, RunFinished | Failed):
                break
    assert isinstance(events[-1], RunFinished) and events[-1].valid > 0
    texts = [event.text for event in events if isinstance(event, Notice)]
    assert sum('The schedule rule "hanging" fails on' in text and "it hangs" in text for text in texts) == 1


def test_an_engine_that_cannot_end_a_phase_ends_itself_and_the_next_leaves_the_task_out(tmp_path):
    command = tune(tmp_path, "outside_python")
    with EngineProcess() as engine:
        engine.send(command)
        failed = next(event for event in engine.events() if isinstance(event, Failed | RunFinished))
        assert isinstance(failed, Failed) and failed.kind == "user"
        assert "draft hung" in failed.message and "Resume" in failed.hint
        assert engine._process.wait(10) == 1
    with ProjectReader(command.project) as reader:
        assert "hung" in reader.tasks(1)[0]["quarantined"]
        assert reader.run()["interrupted"]
    with EngineProcess() as engine:
        engine.send(Resume(project=command.project, plugins=command.plugins))
        finished = next(event for event in engine.events() if isinstance(event, Failed | RunFinished))
    assert isinstance(finished, RunFinished)


def test_an_engine_whose_heart_stops_is_ended_by_its_client(tmp_path, monkeypatch):
    with EngineProcess() as engine:
        engine.send(tune(tmp_path, "heartless"))
        with pytest.raises(UserError, match="no sign of life"):
            for event in engine.events():
                if getattr(event, "name", "") == "draft":
                    monkeypatch.setattr(client, "SILENT_S", 3.0)
        assert engine._process.wait(10) < 0


def test_time_in_which_the_process_was_stopped_is_no_silence_of_its_phase(monkeypatch):
    told: list[str] = []
    clock = time.monotonic
    dog = Watchdog(told.append, told.append)
    dog.begin("draft")
    dog.look()
    monkeypatch.setattr(time, "monotonic", lambda: clock() + 24 * 3600)  # a container that was paused for a day
    dog.look()
    assert told == []
    with pytest.raises(PhaseSilentError):
        for _ in range(round(watchdog.LIMITS["draft"]) + 1):
            dog.look()
    assert len(told) == 1 and "draft has given no sign of life" in told[0]


TERMINAL = """
from pruner_engine.jobs import client

client.SILENT_S = 3.0
with client.EngineProcess() as engine:
    for _ in engine.events():
        print("heard", flush=True)
"""


def test_a_terminal_that_was_stopped_for_long_goes_on():
    command = [sys.executable, "-c", TERMINAL]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as terminal:
        assert terminal.stdout is not None and terminal.stderr is not None
        for _ in range(3):  # a greeting, and its heart beats
            assert terminal.stdout.readline() == "heard\n"
        terminal.send_signal(signal.SIGSTOP)
        time.sleep(4.0)
        terminal.send_signal(signal.SIGCONT)
        for _ in range(6):  # more than waits in the pipes
            assert terminal.stdout.readline() == "heard\n", terminal.stderr.read()
        terminal.kill()
