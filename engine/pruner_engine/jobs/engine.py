"""The engine: takes commands from standard input, carries out their jobs in turn, writes events to standard output."""

from __future__ import annotations

import ctypes
import functools
import gc
import importlib
import os
import platform
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pruner_engine import __version__
from pruner_engine.errors import StoppedError, of_surroundings
from pruner_engine.jobs.channel import Hub, Listener
from pruner_engine.jobs.heartbeat import BEAT_S
from pruner_engine.jobs.watchdog import Watchdog
from pruner_engine.processes.loading import loading
from pruner_engine.protocol import (
    PROTOCOL,
    Bye,
    CheckModel,
    Command,
    Detach,
    Doctor,
    Event,
    Export,
    ExportRecords,
    Failed,
    Heartbeat,
    Hello,
    ImportRecords,
    Inspect,
    ListBoards,
    Notice,
    Pause,
    Phase,
    Pin,
    Profile,
    Quit,
    Resume,
    RunFinished,
    State,
    Steer,
    Stop,
    Try,
    Tune,
    Unpause,
    Verify,
    WhatIf,
    WithPlugins,
)
from pruner_engine.search.control import Control, PinnedRow

_PR_SET_PDEATHSIG = 1
_NOTE_S = 15.0
# Module and function of each command: one that only looks at a schedule does not wait for the libraries that learn
_WORK = {
    Tune: ("tune", "start"),
    Resume: ("tune", "resume"),
    Export: ("bundle", "export"),
    ExportRecords: ("records", "export_records"),
    ImportRecords: ("records", "import_records"),
    ListBoards: ("fleet", "list_boards"),
    Profile: ("profiles", "profile"),
    CheckModel: ("ask", "check_model"),
    Inspect: ("ask", "inspect"),
    WhatIf: ("ask", "what_if"),
    Verify: ("verdict", "verify"),
    Try: ("trial", "try_row"),
    Pin: ("trial", "pin_row"),
}


def tie_to_parent(*, tied: bool) -> None:
    """Let the kernel end this process when its parent ends, or no longer.

    Linux keeps the wish with the calling thread: the one that asked must be the one that takes it back.
    """
    if platform.system() == "Linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL if tied else 0, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class _Job:
    """A command that waits or is carried out, and what steers it meanwhile."""

    command: Command
    control: Control = field(default_factory=Control)

    @property
    def is_tuning(self) -> bool:
        return isinstance(self.command, Tune | Resume)


def _failed(error: Exception, request: int) -> Failed:
    """What is told of a job that an error has ended."""
    if (said := of_surroundings(error)) is not None:
        kind: Literal["stopped", "user"] = "stopped" if isinstance(error, StoppedError) else "user"
        return Failed(kind=kind, message=said.message, hint=said.hint, request=request)
    from pruner_engine.diagnostics.bug_report import WHAT_TO_DO, bug_report

    return Failed(
        kind="bug",
        message=f"The engine met an error of its own: {type(error).__name__}.",
        hint=WHAT_TO_DO,
        report=bug_report(error),
        request=request,
    )


class Engine:
    """Runs one job after another; commands that steer a job take effect while it runs."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._jobs: tuple[_Job, ...] = ()  # those that wait or work, in order
        self._changing = threading.Lock()
        self._hub = Hub(self._take)
        self._detached = False
        self._parent = os.getppid()
        self._watchdog = Watchdog(self._warn, self._give_up)
        self._socket = ""
        self._hello = Hello(protocol=PROTOCOL, version=__version__, pid=os.getpid())

    def serve(self) -> None:
        """Until `Quit`, until the parent is gone, or, detached from it, until the job is done."""
        # What TVM, LLVM or a model prints must not get between the messages
        events = os.fdopen(os.dup(1), "wb", 0)
        os.dup2(2, 1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's client decides what ^C means
        parent = self._hub.add(events.write, self._hello)
        threading.Thread(target=self._read_parent, args=(parent,), daemon=True).start()
        threading.Thread(target=self._beat, daemon=True).start()
        while (job := self._queue.get()) is not None:
            self._run(job)
            if self._detached and self._queue.empty():
                break  # nobody is left to give it more work
        self._hub.emit(Bye())
        self._hub.close()

    # ------------------------------------------------------------ commands

    def _read_parent(self, parent: Listener) -> None:
        tie_to_parent(tied=True)
        if os.getppid() != self._parent:
            os._exit(0)
        self._hub.read_commands(sys.stdin.buffer.readline, parent)
        if not self._detached:
            # The parent is gone; what was measured is committed
            self._hub.close()
            os._exit(0)

    def _take(self, command: Command) -> None:
        steered = self._steered()
        control = steered.control if steered else Control()
        if isinstance(command, Pause):
            control.running.clear()
            self._hub.emit(State(name="paused"))
        elif isinstance(command, Unpause):
            self._watchdog.alive()
            control.running.set()
            self._hub.emit(State(name="tuning"))
        elif isinstance(command, Stop):
            control.stop.set()
            self._hub.emit(State(name="stopping"))
        elif isinstance(command, Steer):
            control.steering.put((command.task_id, command.action))
        elif isinstance(command, Pin) and steered and steered.is_tuning:
            control.pinned.put(PinnedRow(command.task_id, command.sketch_id, command.decisions))
        elif isinstance(command, Detach):
            self._detached = True
            tie_to_parent(tied=False)
            # The parent's end of standard error goes with it: a stray print must not fail there
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), 1)
                os.dup2(nowhere.fileno(), 2)
            self._hub.emit(State(name="detached"))
        elif isinstance(command, Quit):
            for job in self._jobs:
                job.control.stop.set()
            self._queue.put(None)
        else:
            job = _Job(command)
            with self._changing:
                self._jobs = (*self._jobs, job)
            self._queue.put(job)

    def _steered(self) -> _Job | None:
        """What a user steers: the tuning that works or is the next to, else whatever works."""
        jobs = self._jobs
        return next((job for job in jobs if job.is_tuning), jobs[0] if jobs else None)

    def _leave(self, job: _Job) -> None:
        """Steer it no more: what is said after its end was told is meant for the next."""
        with self._changing:
            self._jobs = tuple(other for other in self._jobs if other is not job)

    def _run(self, job: _Job) -> None:
        request = getattr(job.command, "request", 0)
        failed = None
        try:
            self._work_of(job)()
        except Exception as error:
            failed = _failed(error, request)
        self._leave(job)
        if failed is not None:
            self._hub.emit(failed)
        self._watchdog.begin("idle")

    def _work_of(self, job: _Job) -> Callable[[], None]:
        """The function that carries a job out; TVM is loaded by the first that needs it."""
        command = job.command
        if isinstance(command, Doctor):
            from pruner_engine.diagnostics.doctor import run_checks

            return lambda: self._emit(run_checks())
        from pruner_engine.tvm_import import import_tvm

        self._emit(Phase(name="start"))
        if not isinstance(command, CheckModel):
            # Detach or not: a job socket lets a window come back to this engine
            self._socket = self._socket or self._hub.listen(self._hello)
        module, function = _WORK[type(command)]
        name = f"pruner_engine.jobs.{module}"
        if name not in sys.modules:
            with loading():
                import_tvm()
                importlib.import_module(name)
            gc.freeze()
        from pruner_engine.jobs.job import JobContext
        from pruner_engine.plugins import load_plugins

        def emit(event: Event) -> None:
            if isinstance(event, RunFinished):
                self._leave(job)
            self._emit(event)

        work = getattr(sys.modules[name], function)
        # with the installed ones: a project may hold what they have made
        load_plugins(command.plugins if isinstance(command, WithPlugins) else ())
        return functools.partial(work, command, JobContext(emit, job.control, self._socket))

    # ------------------------------------------------------------ events

    def _emit(self, event: Event) -> None:
        if isinstance(event, Phase):
            self._watchdog.begin(event.name)
        self._watchdog.alive()
        self._hub.emit(event)

    def _beat(self) -> None:
        while True:
            name, seconds = self._watchdog.phase
            self._hub.emit(Heartbeat(phase=name, phase_s=seconds))
            job = self._steered()
            if job is None or job.control.running.is_set():
                self._watchdog.look()
            self._stay_reachable(job)
            time.sleep(BEAT_S)

    def _stay_reachable(self, job: _Job | None) -> None:
        """Listen elsewhere where the socket's folder was removed, and have the run's row say so."""
        before = self._socket
        if before and (now := self._hub.listen(self._hello)) != before:
            self._socket = now
            if job is not None and job.control.on_moved is not None:
                # the main thread may hold the project, and the heart has to beat
                threading.Thread(target=job.control.on_moved, args=(now,), daemon=True).start()

    def _warn(self, text: str) -> None:
        self._hub.emit(Notice(level="warning", text=text))

    def _give_up(self, phase: str) -> None:
        """End the process, whose main thread hangs; what made it hang is noted, so that it is left out next time."""
        why = f"the phase {phase} hung and could not be ended"
        job = self._steered()
        if job is not None and job.control.on_hang is not None:
            note = threading.Thread(target=job.control.on_hang, args=(why,), daemon=True)
            note.start()
            note.join(_NOTE_S)  # the main thread may hold the project
        hint = "Resume the run: what was measured is kept, and the task that hung is left out."
        self._hub.emit(Failed(kind="user", message=f"The engine ended itself: {why}.", hint=hint))
        self._hub.close()
        os._exit(1)
