"""What every job of the engine is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pruner_engine.notices import Level
from pruner_engine.protocol import Event, Notice
from pruner_engine.search.control import Control


@dataclass
class JobContext:
    """Where a job tells what it does, and how it is commanded meanwhile.

    Attributes:
        emit: takes an event; callable from any thread.
        control: pause, stop, steer.
        socket: path of the engine's control socket, for the run's row.
    """

    emit: Callable[[Event], None]
    control: Control = field(default_factory=Control)
    socket: str = ""

    def notice(self, level: Level, text: str, hint: str) -> None:
        """Tell a sentence, and what to do about it."""
        self.emit(Notice(level=level, text=text, hint=hint))
