"""A project that is written: its file, and what is kept in it."""

from __future__ import annotations

from pathlib import Path

from pruner_engine.store.file.writer import Writer
from pruner_engine.store.writing.runs import RunRepository
from pruner_engine.store.writing.trials import TrialRepository
from pruner_engine.store.writing.work import WorkRepository


class Project(Writer):
    """A project file open for writing; see `Writer` for what is raised.

    Attributes:
        work: models, targets, tasks and sketches.
        runs: runs, rounds, progress, events, checkpoints, exports.
        trials: candidates and measurements.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.work = WorkRepository(self)
        self.runs = RunRepository(self, self.work)
        self.trials = TrialRepository(self, self.runs)
