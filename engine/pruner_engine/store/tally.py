"""What the measurements of a project add up to, kept while it is read: only rows that are new are looked at."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from dataclasses import dataclass, field

_NEW = (
    "SELECT id, run_id, task_id, candidate_id, stage, error, seconds, censored FROM measurements"
    " WHERE id > ? ORDER BY id"
)


@dataclass
class TaskTally:
    """Trials of one task in one run.

    Attributes:
        gains: each trial (numbered from 1 within the task) that was the fastest until then, and its seconds.
    """

    trials: int = 0
    valid: int = 0
    best_s: float | None = None
    best_candidate_id: int | None = None
    gains: list[tuple[int, float]] = field(default_factory=list)


@dataclass
class RunTally:
    """Trials of one run.

    Attributes:
        tasks: by id of the task.
        failures: by task, stage and kind of error, how many and the id of the first measurement.
    """

    tasks: defaultdict[int, TaskTally] = field(default_factory=lambda: defaultdict(TaskTally))
    failures: dict[tuple[int, str, str], tuple[int, int]] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        return sum(task.trials for task in self.tasks.values())

    @property
    def valid(self) -> int:
        return sum(task.valid for task in self.tasks.values())


class Tally:
    """Sums over an open project; measurements are added to it and never changed, so that their ids tell what is new."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._last = 0
        self._runs: defaultdict[int, RunTally] = defaultdict(RunTally)

    def of(self, run_id: int) -> RunTally:
        """Sums of a run as of now."""
        cursor = self._db.cursor()
        cursor.row_factory = None  # tuples: half the time of rows, and there may be very many
        new = cursor.execute(_NEW, (self._last,)).fetchall()
        run, task, now = RunTally(), TaskTally(), (-1, -1)
        for id_, run_id_, task_id, candidate_id, stage, error, seconds, censored in new:
            if (run_id_, task_id) != now:
                now = run_id_, task_id
                run = self._runs[run_id_]
                task = run.tasks[task_id]
            self._last = id_
            task.trials += 1
            if stage != "ok":
                count, first = run.failures.get((task_id, stage, error), (0, id_))
                run.failures[task_id, stage, error] = count + 1, first
                continue
            task.valid += 1
            if not censored and isinstance(seconds, float) and (task.best_s is None or seconds < task.best_s):
                task.best_s, task.best_candidate_id = seconds, candidate_id
                task.gains.append((task.trials, seconds))
        return self._runs[run_id]
