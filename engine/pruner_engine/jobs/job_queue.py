"""The jobs of an engine that wait or are worked on, and which of them is steered."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass, field

from pruner_engine.protocol import Command, Pin, Resume, Tune
from pruner_engine.search.control import Control, PinnedRow


@dataclass(frozen=True, eq=False)
class QueuedJob:
    """A command that waits or is carried out, and what steers it meanwhile."""

    command: Command
    control: Control = field(default_factory=Control)

    @property
    def request(self) -> int:
        """Number of the question; 0 where it is none."""
        number: int = getattr(self.command, "request", 0)
        return number

    @property
    def is_tuning(self) -> bool:
        return isinstance(self.command, Tune | Resume)


class JobQueue:
    """Jobs in their order; one thread works on them, others add and steer."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[QueuedJob | None] = queue.SimpleQueue()
        self._jobs: tuple[QueuedJob, ...] = ()  # with the one that is worked on
        self._changing = threading.Lock()

    def add(self, command: Command) -> None:
        """Put a job behind the others."""
        job = QueuedJob(command)
        with self._changing:
            self._jobs = (*self._jobs, job)
        self._waiting.put(job)

    def next(self) -> QueuedJob | None:
        """Wait for the next job; None: there will be none."""
        return self._waiting.get()

    def end(self) -> None:
        """Let no job follow those that wait."""
        self._waiting.put(None)

    def stop_all(self) -> None:
        """Ask every job to stop."""
        for job in self._jobs:
            job.control.stop.set()

    @property
    def none_waits(self) -> bool:
        return self._waiting.empty()

    def pin(self, row: Pin) -> None:
        """Hand a row to the tuning that is steered; where there is none, to a job that writes it into the project."""
        with self._changing:  # a tuning looks once more for rows when it is left
            job = self.steered()
            taken = job is not None and job.is_tuning
            if job is not None and taken:
                job.control.pinned.put(PinnedRow(row.task_id, row.sketch_id, row.decisions))
        if not taken:
            self.add(row)

    def leave(self, job: QueuedJob) -> None:
        """Steer it no more: what is said after its end was told is meant for the next."""
        with self._changing:
            self._jobs = tuple(other for other in self._jobs if other is not job)

    def steered(self) -> QueuedJob | None:
        """What a user steers: the tuning that works or is the next to, else whatever works."""
        jobs = self._jobs
        return next((job for job in jobs if job.is_tuning), jobs[0] if jobs else None)
