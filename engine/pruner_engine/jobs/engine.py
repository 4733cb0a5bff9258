"""The engine: takes commands from standard input, carries out their jobs in turn, writes events to standard output."""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pruner_engine import __version__
from pruner_engine import protocol as msg
from pruner_engine.errors import StoppedError
from pruner_engine.jobs.channel import Hub, Listener, write_whole
from pruner_engine.jobs.heartbeat import BEAT_S
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.job_queue import JobQueue, QueuedJob
from pruner_engine.jobs.watchdog import Watchdog
from pruner_engine.jobs.work import work_of
from pruner_engine.plugins import load_plugins, told_of
from pruner_engine.processes.lifetime import Tie
from pruner_engine.search.control import Control

_NOTE_S = 15.0


def _failed(error: Exception | SystemExit, request: int) -> msg.Failed:
    """What is told of a job that an error has ended."""
    if (said := told_of(error)) is not None:
        kind: Literal["stopped", "user"] = "stopped" if isinstance(error, StoppedError) else "user"
        return msg.Failed(kind=kind, message=said.message, hint=said.hint, request=request)
    from pruner_engine.diagnostics.bug_report import WHAT_TO_DO, bug_report

    return msg.Failed(
        kind="bug",
        message=f"The engine met an error of its own: {type(error).__name__}.",
        hint=WHAT_TO_DO,
        report=bug_report(error),
        request=request,
    )


class Engine:
    """Runs one job after another; commands that steer a job take effect while it runs."""

    def __init__(self) -> None:
        self._jobs = JobQueue()
        self._hub = Hub(self._take)
        self._detached = False
        self._tie = Tie(os.getppid())
        self._watchdog = Watchdog(self._warn, self._give_up)
        self._socket = ""
        self._hello = msg.Hello(protocol=msg.PROTOCOL, version=__version__, pid=os.getpid())

    def serve(self) -> None:
        """Until `Quit`, until the parent is gone, or, detached from it, until the job is done."""
        # What TVM, LLVM or a model prints must not get between the messages
        events = os.dup(1)
        os.dup2(2, 1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's client decides what ^C means
        parent = self._hub.add(functools.partial(write_whole, events), self._hello)
        threading.Thread(target=self._read_parent, args=(parent,), daemon=True).start()
        threading.Thread(target=self._beat, daemon=True).start()
        while (job := self._jobs.next()) is not None:
            self._run(job)
            if self._detached and self._jobs.none_waits:
                break  # nobody is left to give it more work
        self._hub.emit(msg.Bye())
        self._hub.close()

    # ------------------------------------------------------------ commands

    def _read_parent(self, parent: Listener) -> None:
        self._hub.read_commands(sys.stdin.buffer.readline, parent)
        if not self._detached:
            # The parent is gone; what was measured is committed
            self._hub.close()
            os._exit(0)

    def _take(self, command: msg.Command) -> None:
        steered = self._jobs.steered()
        control = steered.control if steered else Control()
        match command:
            case msg.Pause():
                control.running.clear()
                self._hub.emit(msg.State(name="paused"))
            case msg.Unpause():
                self._watchdog.alive()
                control.running.set()
                self._hub.emit(msg.State(name="tuning"))
            case msg.Stop():
                control.stop.set()
                self._hub.emit(msg.State(name="stopping"))
            case msg.Steer():
                control.steering.put((command.task_id, command.action))
            case msg.Pin():
                self._jobs.pin(command)
            case msg.Detach():
                self._detach()
            case msg.Quit():
                self._jobs.stop_all()
                self._jobs.end()
            case _:
                self._jobs.add(command)

    def _detach(self) -> None:
        """Go on without the parent."""
        self._detached = True
        self._tie.cut()
        # The parent's end of standard error goes with it: a stray print must not fail there
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        self._hub.emit(msg.State(name="detached"))
        if self._jobs.steered() is None:  # the last has just ended: nobody is left to give it more work
            self._jobs.end()

    def _run(self, job: QueuedJob) -> None:
        failed = None
        try:
            self._work_of(job)()
        except (Exception, SystemExit) as error:  # a plugin's code ends no engine
            failed = _failed(error, job.request)
        self._jobs.leave(job)
        if left := job.control.pinned.qsize():
            rows = f"{left} rows were pinned too late: the run had ended before it took them."
            text = "One row was pinned too late: the run had ended before it took it." if left == 1 else rows
            self._hub.emit(msg.Notice(level="warning", text=text, hint="Pin again for when it goes on."))
        if failed is not None:
            self._hub.emit(failed)
        self._watchdog.begin("idle")

    def _work_of(self, job: QueuedJob) -> Callable[[], None]:
        """What carries a job out."""
        command = job.command

        def emit(event: msg.Event) -> None:
            if isinstance(event, msg.RunFinished):
                self._jobs.leave(job)
            elif isinstance(event, msg.Answer):
                event.request = job.request
            self._emit(event)

        if isinstance(command, msg.Doctor):
            from pruner_engine.diagnostics.doctor import run_checks

            return lambda: emit(run_checks())
        self._emit(msg.Phase(name="start"))
        if not isinstance(command, msg.CheckModel):
            # Detached or not: a job socket lets a window come back to this engine
            self._socket = self._socket or self._hub.listen(self._hello)
        work = work_of(command)
        # with the installed ones: a project may hold what they have made
        load_plugins(command.plugins if isinstance(command, msg.WithPlugins) else ())
        return functools.partial(work, command, JobContext(emit, job.control, self._socket))

    # ------------------------------------------------------------ events

    def _emit(self, event: msg.Event) -> None:
        if isinstance(event, msg.Phase):
            self._watchdog.begin(event.name)
        self._watchdog.alive()
        self._hub.emit(event)

    def _beat(self) -> None:
        while True:
            self._hub.emit(msg.Heartbeat())
            job = self._jobs.steered()
            if job is None or job.control.running.is_set():
                self._watchdog.look()
            self._stay_reachable(job)
            time.sleep(BEAT_S)

    def _stay_reachable(self, job: QueuedJob | None) -> None:
        """Listen elsewhere where the socket's folder was removed, and have the run's row say so."""
        before = self._socket
        if before and (now := self._hub.listen(self._hello)) != before:
            self._socket = now
            if job is not None and job.control.on_moved is not None:
                # the main thread may hold the project, and the heart has to beat
                threading.Thread(target=job.control.on_moved, args=(now,), daemon=True).start()

    def _warn(self, text: str) -> None:
        self._hub.emit(msg.Notice(level="warning", text=text))

    def _give_up(self, phase: str) -> None:
        """End the process, whose main thread hangs; what made it hang is noted, so that it is left out next time."""
        why = f"the phase {phase} hung and could not be ended"
        job = self._jobs.steered()
        hint = "What was measured is kept: do the same once more, and if it hangs again, copy a report for the makers."
        if job is not None and job.control.on_hang is not None:
            hint = "Resume the run: what was measured is kept, and the task that hung is left out."
            note = threading.Thread(target=job.control.on_hang, args=(why,), daemon=True)
            note.start()
            note.join(_NOTE_S)  # the main thread may hold the project
        self._hub.emit(msg.Failed(kind="user", message=f"The engine ended itself: {why}.", hint=hint))
        self._hub.close()
        os._exit(1)
