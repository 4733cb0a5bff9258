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
    """Shared by the job and whoever commands it.

    `on_hang` notes in the project why the job will never get past what it does now, `on_moved` where it can be reached.
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
        """Whether the job is asked to hold after what is in flight."""
        return self.stop.is_set() or not self.running.is_set()

    def wait_while_paused(self) -> float:
        """Block until the job may go on; returns the seconds it was held."""
        start = time.monotonic()
        while not self.running.wait(0.2) and not self.stop.is_set():
            pass
        return time.monotonic() - start
