"""The two engines that answer the window's questions: one for quick answers, so that they never wait for slow ones."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from pruner_engine import protocol as msg
from pruner_studio.engine_client import EngineClient
from pruner_studio.problem import Problem
from pruner_studio.questions import OnFailed, OnReply

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


class Helpers(QObject):
    """Two engines, each started by the first question to it, which answers one after another.

    Attributes:
        quick: shows schedules and their code, and scores them.
        slow: does the rest.

    Signals:
        problem: a Problem to show, which no answer tells.
    """

    problem = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.quick, self.slow = EngineClient(self), EngineClient(self)
        self.both = self.quick, self.slow
        for engine in self.both:
            engine.received.connect(self._heard)

    def ask(self, command: Any, on_reply: OnReply, on_failed: OnFailed) -> None:
        """Send a question to the engine for its kind, and call back with the reply or the failure."""
        (self.slow if isinstance(command, _SLOW) else self.quick).ask(command, on_reply, on_failed)

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
