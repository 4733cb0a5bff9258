"""Sums over the measurements of a project that is open for reading, updated from the rows that are new."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

TOLD_ANEW = "told anew"  # key in the table `meta`: how often times of measurements were told anew
# by rowid, which is how new rows lie together; through an index SQLite would jump between all of them
_COUNTS = (
    "SELECT run_id, count(*), sum(stage = 'ok'), max(id) FROM measurements NOT INDEXED WHERE id > ? GROUP BY run_id"
)
_FAILURES = (
    "SELECT run_id, task_id, stage, error, count(*), min(id) FROM measurements NOT INDEXED"
    " WHERE id > ? AND id <= ? AND stage <> 'ok' GROUP BY run_id, task_id, stage, error"
)
_TRIALS = (
    "SELECT task_id, candidate_id, stage = 'ok', censored, seconds FROM measurements NOT INDEXED"
    " WHERE id > ? AND id <= ? AND run_id = ? ORDER BY id"
)
_LAST = "SELECT max(id) FROM measurements"


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
        failures: by task, stage and kind of error, how many and the id of the first measurement.
    """

    trials: int = 0
    valid: int = 0
    failures: dict[tuple[int, str, str], tuple[int, int]] = field(default_factory=dict)


class Tally:
    """Sums over an open project: ids tell which measurements are new; where times are told anew, a new tally begins."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._counted = 0
        self._tried: defaultdict[int, int] = defaultdict(int)  # the last id that was there when a run was read
        self._runs: defaultdict[int, RunTally] = defaultdict(RunTally)
        self._tasks: defaultdict[int, defaultdict[int, TaskTally]] = defaultdict(lambda: defaultdict(TaskTally))

    def run(self, run_id: int) -> RunTally:
        """Sums over a run as of now; SQLite adds up, as a window shows them before anything else."""
        before, failed = self._counted, False
        for of, count, valid, last in self._rows(_COUNTS, before):
            self._runs[of].trials += count
            self._runs[of].valid += valid
            self._counted = max(self._counted, last)
            failed |= valid < count
        for of, task_id, stage, error, count, first in self._rows(_FAILURES, before, self._counted) if failed else ():
            failures = self._runs[of].failures
            known, earliest = failures.get((task_id, stage, error), (0, first))
            failures[task_id, stage, error] = known + count, earliest
        return self._runs[run_id]

    def tasks(self, run_id: int) -> defaultdict[int, TaskTally]:
        """Tasks of a run as of now, by id."""
        tasks, task, now = self._tasks[run_id], TaskTally(), -1
        last = self._rows(_LAST)[0][0] or 0  # of another run maybe, whose rows are not looked through again then
        rows = self._rows(_TRIALS, self._tried[run_id], last, run_id)
        self._tried[run_id] = last
        for task_id, candidate_id, ok, censored, seconds in rows:
            if task_id != now:
                now, task = task_id, tasks[task_id]
            task.trials += 1
            if not ok:
                continue
            task.valid += 1
            if not censored and isinstance(seconds, float) and (task.best_s is None or seconds < task.best_s):
                task.best_s, task.best_candidate_id = seconds, candidate_id
                task.gains.append((task.trials, seconds))
        return tasks

    def _rows(self, sql: str, *bounds: int) -> list[tuple[Any, ...]]:
        cursor = self._db.cursor()
        cursor.row_factory = None  # tuples: half the time of rows, and there may be very many
        return cursor.execute(sql, bounds).fetchall()
