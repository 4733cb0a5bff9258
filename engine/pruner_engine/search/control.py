"""Pause, stop and steer a running job from another thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any


@dataclass(frozen=True)
class PinnedRow:
    """A row of decisions that the user wants measured next; ids are rows of the project file."""

    task_id: int
    sketch_id: int
    decisions: Sequence[Any]


@dataclass
class Control:
    """Shared by the thread that works on a job and the one that takes commands.

    Attributes:
        stop: set once the job is to end.
        running: cleared while the job is paused.
        steering: (task id, pin | boost | freeze | normal).
        pinned: rows to measure next.
        on_hang: notes in the project why the job hangs; called from another thread than the job's.
        on_moved: notes in the project the new path of the engine's control socket.
    """

    stop: threading.Event = field(default_factory=threading.Event)
    running: threading.Event = field(default_factory=threading.Event)
    steering: SimpleQueue[tuple[int, str]] = field(default_factory=SimpleQueue)
    pinned: SimpleQueue[PinnedRow] = field(default_factory=SimpleQueue)
    on_hang: Callable[[str], None] | None = None
    on_moved: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        self.running.set()

    def should_yield(self) -> bool:
        """Whether the job is to pause or stop once the candidates in flight are measured."""
        return self.stop.is_set() or not self.running.is_set()

    def wait_while_paused(self) -> float:
        """Block until the job may go on; returns the seconds it was held."""
        start = time.monotonic()
        while not self.running.wait(0.2) and not self.stop.is_set():
            pass
        return time.monotonic() - start
