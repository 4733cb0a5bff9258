"""The two engines that answer the window's questions: one for quick answers, so that they never wait for slow ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from pruner_engine import protocol as msg
from pruner_studio.engine_client import EngineClient
from pruner_studio.problem import Problem
from pruner_studio.questions import OnFailed, OnReply
from pruner_studio.translation import tr

# Checks, measurements, learned models, boards and whatever writes into a project: seconds or minutes. A score takes
# 10 to 20 ms, a replay or the assembly of a kernel some 0.3 s, where TVM is loaded.
_SLOW = (
    msg.Doctor,
    msg.CheckModel,
    msg.Profile,
    msg.ListBoards,
    msg.Verify,
    msg.Try,
    msg.Pin,
    msg.ExportRecords,
    msg.ImportRecords,
)
# What times on the cores that a run times on, or writes into a project as a run does
_BUSY: dict[type, str] = {
    msg.Profile: tr("The device is being measured: wait until that has ended."),
    msg.Try: tr("A schedule is being measured: wait until that has ended."),
    msg.Pin: tr("A schedule is being pinned: wait until that has ended."),
    msg.ImportRecords: tr("Records are being imported: wait until that has ended."),
}


class Helpers(QObject):
    """Two engines, each started by the first question to it, which answers one after another.

    Signals:
        busy_changed: what `hindrance` or `checks` says.
        problem: a Problem to show, which no answer tells.

    Attributes:
        quick: shows schedules and their code, and scores them.
        slow: does the rest.
    """

    busy_changed = Signal()
    problem = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._busy_with: list[Any] = []  # checks and questions that keep runs waiting, without an answer yet
        self.quick, self.slow = EngineClient(self), EngineClient(self)
        self.both = self.quick, self.slow
        for engine in self.both:
            engine.received.connect(self._heard)

    def ask(self, command: Any, on_reply: OnReply, on_failed: OnFailed) -> None:
        """Send a question to the engine for its kind, and call back with the reply or the failure."""
        engine = self.slow if isinstance(command, _SLOW) else self.quick
        if isinstance(command, msg.Doctor) or _keeps_runs_waiting(command):
            self._busy_with.append(command)
            on_reply, on_failed = (self._until_answered(command, then) for then in (on_reply, on_failed))
            self.busy_changed.emit()
        engine.ask(command, on_reply, on_failed)

    def _until_answered(self, command: Any, then: Callable[[Any], object]) -> Callable[[Any], None]:
        def answered(answer: Any) -> None:
            self._busy_with.remove(command)
            self.busy_changed.emit()
            then(answer)

        return answered

    def hindrance(self) -> str:
        """Why no run is to begin now; empty where one can."""
        return next((_BUSY[type(command)] for command in self._busy_with if _keeps_runs_waiting(command)), "")

    @property
    def checks(self) -> bool:
        """This machine is being checked."""
        return any(isinstance(command, msg.Doctor) for command in self._busy_with)

    def _heard(self, event: Any) -> None:
        """What an engine says of its own accord; no page shows it, as those of a run do."""
        match event:
            case msg.Notice():
                self.problem.emit(Problem(event.text, event.hint, level=event.level))
            case msg.Failed():
                self.problem.emit(Problem(event.message, event.hint, event.report))

    def quit(self) -> None:
        for engine in self.both:
            engine.quit()

    def wait_ended(self, milliseconds: int) -> None:
        """Block until both are gone."""
        for engine in self.both:
            engine.wait_ended(milliseconds)


def _keeps_runs_waiting(command: Any) -> bool:
    return type(command) in _BUSY and getattr(command, "measure", True)
