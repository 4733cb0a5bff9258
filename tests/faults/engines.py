"""Engines that die at a chosen moment: forked from one warm process, so that many deaths cost seconds."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from databases import connected
from pruner_engine.tvm_import import import_tvm

import_tvm()

from pruner_engine.errors import UserError  # noqa: E402
from pruner_engine.jobs.commands import bundle, tune  # noqa: E402
from pruner_engine.jobs.job import JobContext  # noqa: E402
from pruner_engine.measure.workers import wire  # noqa: E402
from pruner_engine.measure.workers.launch import ZygoteProcess  # noqa: E402
from pruner_engine.protocol import Export, Phase, Progress, Resume, Tune  # noqa: E402
from pruner_engine.store.project import Project  # noqa: E402
from pruner_engine.targets.target import device_of, resolve_target, target_json  # noqa: E402

EARLIER = Path(__file__).parent / "earlier"  # project files of every schema version: eight trials of WORKLOAD
WORKLOAD = "matmul:32,32,32"
SETTINGS = {"round_trials": 4, "population": 64, "draft_set": 8, "fresh_samples": 2, "repeats": 1}
REFUSED = 3  # exit code of an engine that ended with a sentence
KILLED = (-signal.SIGKILL, -signal.SIGALRM)  # of one that died

_JOBS = {Tune: tune.start, Resume: tune.resume, Export: bundle.export}
_PATH = [str(Path(__file__).parents[2] / "engine"), str(Path(__file__).parents[1]), str(Path(__file__).parent)]


@dataclass(frozen=True)
class Death:
    """The end of an engine, at once, after something has happened for the `nth` time.

    Attributes:
        at: a phase has begun ("draft", "export compile the tuned model"), a message has been sent to the measurement
            processes ("build", "run"), an SQL statement is about to be carried out ("sql INSERT"), or something that
            Python's audit hooks tell ("os.rename").
        calls: so many Python and C calls later.
        seconds: or so much later, wherever in native code that is.
    """

    at: str
    nth: int = 1
    calls: int = 1
    seconds: float | None = None


class _Reaper:
    """Counts what happens and kills its own process."""

    def __init__(self, death: Death) -> None:
        self._death = death
        self._seen = 0

    def happened(self, what: str) -> None:
        if what.startswith(self._death.at):
            self._seen += 1
            if self._seen == self._death.nth:
                self._calls = 0
                if self._death.seconds is None:
                    sys.setprofile(self._count)
                else:
                    signal.setitimer(signal.ITIMER_REAL, self._death.seconds)

    def _count(self, *_: object) -> None:
        self._calls += 1
        if self._calls >= self._death.calls:
            os.kill(os.getpid(), signal.SIGKILL)


def _watch(reaper: _Reaper) -> None:
    send, open_project = ZygoteProcess.send, Project._open

    def telling(self: ZygoteProcess, message: wire.Message) -> None:
        send(self, message)
        reaper.happened(type(message).__name__.lower())

    def traced(self: Project):
        db = open_project(self)
        db.conn.set_trace_callback(lambda sql: reaper.happened(f"sql {sql}"))
        return db

    ZygoteProcess.send, Project._open = telling, traced
    sys.addaudithook(lambda event, _: reaper.happened(event))


def _engine(command: Tune | Resume | Export, death: Death | None, told: str) -> None:
    reaper = _Reaper(death or Death("never"))
    _watch(reaper)

    def emit(event: object) -> None:
        with Path(told).open("a", encoding="utf-8") as file:
            if isinstance(event, Progress):
                file.write(f"trials {event.trials}\n")
            elif isinstance(event, Phase):
                file.write(f"phase {event.name} {event.detail}\n")
        if isinstance(event, Phase):
            reaper.happened(f"{event.name} {event.detail}".strip())

    try:
        _JOBS[type(command)](command, JobContext(emit))
    except UserError as error:
        Path(told).write_text(f"refused {error}\n", encoding="utf-8")
        os._exit(REFUSED)
    os._exit(0)


def started(
    command: Tune | Resume | Export, told: Path, death: Death | None = None
) -> multiprocessing.process.BaseProcess:
    """An engine of its own that carries a command out.

    Args:
        told: file for what it tells: a line for each phase and each progress, or the sentence with which it ended.
    """
    told.write_text("", encoding="utf-8")
    process = context().Process(target=_engine, args=(command, death, str(told)))
    process.start()
    return process


def engine(command: Tune | Resume | Export, told: Path, death: Death | None = None) -> int:
    """The exit code of such an engine."""
    process = started(command, told, death)
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def say_of_this_machine(project: Path) -> None:
    """Say of a project that it was tuned here: latencies of another machine are rightly not gone on with."""
    target = resolve_target("auto")
    values = (target_json(target), device_of(target).fingerprint)
    with connected(project) as db:
        db.execute("UPDATE targets SET text = ?, fingerprint = ?", values)
    db.close()


@functools.cache
def context() -> multiprocessing.context.ForkServerContext:
    # once: every module that a process imports is looked for in all of these
    os.environ["PYTHONPATH"] = os.pathsep.join([*_PATH, os.environ.get("PYTHONPATH", "")])
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["engines", "torch", "xgboost"])  # in this order: TVM would import PyTorch its way
    return context
