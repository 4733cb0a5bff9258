"""The engine process: `python -m pruner_engine.jobs`, commands on standard input, events on standard output."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import os
import platform
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from pruner_engine import __version__
from pruner_engine.errors import UserError
from pruner_engine.jobs.channel import Hub
from pruner_engine.jobs.heartbeat import BEAT_S
from pruner_engine.jobs.messages import (
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
    Quit,
    Resume,
    State,
    Steer,
    Stop,
    Try,
    Tune,
    Unpause,
    Verify,
    WhatIf,
)
from pruner_engine.jobs.watchdog import Watchdog
from pruner_engine.search.control import Control, PinnedRow

_PR_SET_PDEATHSIG = 1
_NOTE_S = 15.0
# Module and function of each job: one that only looks at a schedule does not wait for the libraries that learn
_JOBS = {
    Tune: ("tune", "start"),
    Resume: ("tune", "resume"),
    Export: ("bundle", "export"),
    ExportRecords: ("records", "export_records"),
    ImportRecords: ("records", "import_records"),
    ListBoards: ("fleet", "list_boards"),
    CheckModel: ("ask", "check_model"),
    Inspect: ("ask", "inspect"),
    WhatIf: ("ask", "what_if"),
    Verify: ("verdict", "verify"),
    Try: ("trial", "try_row"),
    Pin: ("trial", "pin_row"),
}


def die_with_parent(signal_number: int = signal.SIGKILL) -> None:
    """Let the kernel end this process when its parent ends (0: no longer).

    Linux keeps the wish with the calling thread: the one that asked must be the one that takes it back.
    """
    if platform.system() == "Linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0)


class Engine:
    """Runs one job after another; commands that steer a job take effect while it runs."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._hub = Hub(self._take)
        self._control = Control()
        self._detached = False
        self._tunings = 0  # runs that wait or work: what is pinned goes to them
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
        self._hub.add(events.write, self._hello)
        threading.Thread(target=self._read_parent, daemon=True).start()
        threading.Thread(target=self._beat, daemon=True).start()
        while (command := self._jobs.get()) is not None:
            self._run(command)
            if self._detached and self._jobs.empty():
                break  # nobody is left to give it more work
        self._hub.emit(Bye())
        self._hub.close()

    # ------------------------------------------------------------ commands

    def _read_parent(self) -> None:
        die_with_parent()
        if os.getppid() != self._parent:
            os._exit(0)
        self._hub.read_commands(sys.stdin.buffer.readline)
        if not self._detached:
            # The parent is gone; what was measured is committed
            self._hub.close()
            os._exit(0)

    def _take(self, command: Command) -> None:
        control = self._control
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
        elif isinstance(command, Pin) and self._tunings:
            control.pinned.put(PinnedRow(command.task_id, command.sketch_id, command.decisions))
        elif isinstance(command, Detach):
            self._detached = True
            die_with_parent(0)
            # The parent's end of standard error goes with it: a stray print must not fail there
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), 1)
                os.dup2(nowhere.fileno(), 2)
            self._hub.emit(State(name="detached"))
        elif isinstance(command, Quit):
            control.stop.set()
            self._jobs.put(None)
        else:
            self._tunings += isinstance(command, Tune | Resume)
            self._jobs.put(command)

    def _run(self, command: Command) -> None:
        request = getattr(command, "request", 0)
        try:
            self._work_of(command)()
        except UserError as error:
            self._hub.emit(Failed(kind="user", message=error.message, hint=error.hint, request=request))
        except Exception as error:
            self._hub.emit(
                Failed(
                    kind="bug",
                    message=f"The engine met an error of its own: {type(error).__name__}.",
                    hint="Copy the report and send it to the makers of Pruner Studio; what was measured is kept.",
                    report=bug_report(error),
                    request=request,
                )
            )
        finally:
            self._tunings -= isinstance(command, Tune | Resume)
            self._watchdog.begin("idle")
            self._control = Control()

    def _work_of(self, command: Command) -> Callable[[], None]:
        """The function that carries a command out; TVM is loaded by the first job that needs it."""
        if isinstance(command, Doctor):
            from pruner_engine.doctor import run_checks

            return lambda: self._emit(run_checks())
        from pruner_engine.tvm_import import import_tvm

        self._emit(Phase(name="start"))
        if not isinstance(command, CheckModel):
            # Detach or not: a job socket lets a window come back to this engine
            self._socket = self._socket or self._hub.listen(self._hello)
        import_tvm()
        from pruner_engine.jobs.job import JobContext

        module, function = _JOBS[type(command)]
        job = JobContext(self._emit, self._control, self._socket)
        work = getattr(importlib.import_module(f"pruner_engine.jobs.{module}"), function)
        return functools.partial(work, command, job)

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
            if self._control.running.is_set():
                self._watchdog.look()
            time.sleep(BEAT_S)

    def _warn(self, text: str) -> None:
        self._hub.emit(Notice(level="warning", text=text))

    def _give_up(self, phase: str) -> None:
        """End the process, whose main thread hangs; what made it hang is noted, so that it is left out next time."""
        why = f"the phase {phase} hung and could not be ended"
        if self._control.on_hang is not None:
            note = threading.Thread(target=self._control.on_hang, args=(why,), daemon=True)
            note.start()
            note.join(_NOTE_S)  # the main thread may hold the project
        hint = "Resume the run: what was measured is kept, and the task that hung is left out."
        self._hub.emit(Failed(kind="user", message=f"The engine ended itself: {why}.", hint=hint))
        self._hub.close()
        os._exit(1)


def bug_report(error: BaseException) -> str:
    """All that is needed to look into an error of ours; holds no data of the user's model."""
    from pruner_engine.report import environment

    trace = "".join(traceback.format_exception(error))
    return f"{environment()}\n\n{trace}"


def main() -> None:
    with contextlib.suppress(BrokenPipeError):
        Engine().serve()
    # Native threads of TVM and torch would delay a normal exit by seconds
    os._exit(0)


if __name__ == "__main__":
    main()
