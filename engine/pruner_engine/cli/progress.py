"""Show an engine's events on a terminal."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import types
from collections.abc import Iterator
from typing import TypeVar

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pruner_engine.cli.output import console
from pruner_engine.errors import STOPPED, StoppedError, UserError
from pruner_engine.jobs.client import MEASURED_IS_KEPT, EngineProcess
from pruner_engine.protocol import (
    Answer,
    Command,
    Event,
    Export,
    Exported,
    Failed,
    Notice,
    Pause,
    Phase,
    Profile,
    Progress,
    Resume,
    RunFinished,
    RunStarted,
    State,
    Stop,
    Tune,
    Unpause,
)
from pruner_engine.units import counted, duration, latency, ratio

_End = TypeVar("_End", bound=RunFinished | Exported | Answer)
_JOBS = Tune | Resume | Export | Profile  # what has something to bring to an end
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class EngineBug(Exception):
    """An error of ours inside the engine, with the report that can be copied."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(f"{failed.message} {failed.hint}\n\n{failed.report}")


def carry_out(command: Command, answer: type[_End], *, quiet: bool = False) -> _End:
    """Run one command in a child engine, show its progress on stderr, return its answer, which is of that kind.

    ^C stops a job in good order, and so does what a shutdown or a terminal that is closed sends; a second one ends the
    engine at once, and the first where nothing would be left half done. ^Z pauses a run until `fg` or `bg`.

    Raises:
        UserError: the engine said so, or it died.
        StoppedError: the user stopped what leaves nothing behind then, or did not wait for its end.
        EngineBug: an error of ours.
    """
    with (
        _ended_at_once(),
        EngineProcess() as engine,
        _view(console(err=True, quiet=quiet), quiet) as view,
        _interruptible(engine) if isinstance(command, _JOBS) else _given_up(engine),
        _pausable(engine, view, command),
    ):
        engine.send(command)
        for event in engine.events():
            if isinstance(event, Failed):
                if event.kind == "bug":
                    raise EngineBug(event)
                kind = StoppedError if event.kind == "stopped" else UserError
                raise kind(event.message, event.hint)
            if isinstance(event, answer):
                return event
            view.show(event)
    raise UserError("The engine ended without an answer.", "Try again; `pruner doctor` checks the installation.")


@contextlib.contextmanager
def _ended_at_once() -> Iterator[None]:
    """Say what a second ^C does, also one that comes while the engine ends by itself."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise StoppedError("It was ended at once.", MEASURED_IS_KEPT) from error


@contextlib.contextmanager
def _interruptible(engine: EngineProcess) -> Iterator[None]:
    def stop(_number: int, _frame: types.FrameType | None) -> None:
        restore()
        with contextlib.suppress(BrokenPipeError):  # the same has ended the engine
            engine.send(Stop())

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    # nohup has one ignored, a shell what it runs in the background
    before = {number: signal.getsignal(number) for number in _STOPPING}
    before = {number: handler for number, handler in before.items() if handler != signal.SIG_IGN}
    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        restore()


@contextlib.contextmanager
def _given_up(engine: EngineProcess) -> Iterator[None]:
    """Nobody waits for the answer to a question that was taken back."""
    try:
        yield
    except KeyboardInterrupt as error:
        engine.kill()
        raise StoppedError(STOPPED) from error


@contextlib.contextmanager
def _pausable(engine: EngineProcess, view: _View, command: Command) -> Iterator[None]:
    """The engine is in no group of the shell's, to which ^Z is sent: a run would work on behind a stopped terminal."""

    def pause(_number: int, _frame: types.FrameType | None) -> None:
        with contextlib.suppress(BrokenPipeError):  # it has just ended
            engine.send(Pause())
            view.show_cursor(shown=True)
            os.kill(os.getpid(), signal.SIGSTOP)
            view.show_cursor(shown=False)
            engine.send(Unpause())

    before = signal.getsignal(signal.SIGTSTP)
    if not isinstance(command, Tune | Resume) or before == signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGTSTP, pause)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


class _View:
    """One live line on a terminal; in a log, a line for each change worth reading."""

    def __init__(self, out: Console, live: Live | None) -> None:
        self._out = out
        self._live = live
        self._whole = live is None  # lines of a log are not cut at the width of a terminal that is none
        self._phase = ""
        self._progress: Progress | None = None

    def show(self, event: Event) -> None:
        if isinstance(event, Phase):
            self._phase = " ".join(part for part in (event.name, event.task, event.detail) if part)
            if self._live is None and not event.task:
                self._out.print(self._phase, soft_wrap=self._whole)
        elif isinstance(event, Progress):
            ended = self._progress is not None and event.round_id is not None and event.trials != self._progress.trials
            self._progress = event
            if self._live is None and ended and event.trials % 10 == 0:
                self._out.print(self._line(), soft_wrap=self._whole)
        elif isinstance(event, Notice):
            style = {"info": "", "warning": "yellow", "error": "red"}[event.level]
            self._out.print(Text(f"{event.text} {event.hint}".strip(), style=style), soft_wrap=self._whole)
        elif isinstance(event, RunStarted):
            verb = "resumes" if event.resumed else "starts"
            self._out.print(f"run {event.run_id} {verb} in {event.project}", soft_wrap=True)
        elif isinstance(event, State):
            self._phase = event.name
        if self._live is not None:
            self._live.update(Text(self._line(), overflow="ellipsis", no_wrap=True))

    def show_cursor(self, *, shown: bool) -> None:
        """Which the live line hides; written at once, whatever a signal has interrupted."""
        if self._live is not None:
            with contextlib.suppress(OSError):
                os.write(sys.stderr.fileno(), b"\x1b[?25h" if shown else b"\x1b[?25l")

    def _line(self) -> str:
        p = self._progress
        if p is None:
            return self._phase
        gain = p.untuned_s / p.latency_s if p.untuned_s and p.latency_s else None
        parts = [
            f"{p.trials}/{counted(p.budget_trials, 'trial')}" if p.budget_trials else counted(p.trials, "trial"),
            f"best {latency(p.latency_s)}",
            f"gain {ratio(gain)}",
            f"{p.failed} failed",
            f"{duration(p.elapsed_s)} worked",
        ]
        if p.left_s is not None:
            parts.append(f"{duration(p.left_s)} left")
        return " · ".join([*parts, self._phase])


@contextlib.contextmanager
def _view(out: Console, quiet: bool) -> Iterator[_View]:
    if quiet or not sys.stderr.isatty():
        yield _View(out, None)
        return
    with Live(console=out, refresh_per_second=8, transient=True) as live:
        yield _View(out, live)
