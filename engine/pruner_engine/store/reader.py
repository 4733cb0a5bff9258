"""The queries by which terminal, window and reports read a project, so that a number means the same everywhere."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

from pruner_engine.caches import Caches, caches_of
from pruner_engine.errors import UserError
from pruner_engine.measure.advice import advice
from pruner_engine.store.figures.roofline import Place, place
from pruner_engine.store.file.lock import is_being_written, last_words
from pruner_engine.store.file.read_only import Row
from pruner_engine.store.file.reading import makes_sense
from pruner_engine.store.queries.appended import AppendedRows
from pruner_engine.store.queries.candidates import CandidateReader, of_tasks
from pruner_engine.store.queries.results import ResultReader
from pruner_engine.store.queries.tally import TOLD_ANEW, Tally, TaskTally
from pruner_engine.store.run_states import BUSY, NEWEST_FIRST, no_run
from pruner_engine.store.writing.of_run import LAYOUT_ASKED, TARGET_ASKED, UNTUNED_S, WEIGHT

__all__ = ["WORK_PARTS", "ProjectReader", "Row"]

_CHUNK = 1_000  # rows; some 5 ms
WORK_PARTS = ("draft_s", "verify_s", "build_s", "run_s", "learn_s")

_RUNS = f"""
SELECT r.*, m.name AS model, m.kind AS model_kind, m.source, m.sha256 AS model_sha256, m.inputs, m.outputs,
       t.text AS target, t.device, t.fingerprint, t.profile,
       (SELECT CASE WHEN count(*) = count({UNTUNED_S}) THEN sum({WEIGHT} * {UNTUNED_S}) END
         FROM run_tasks j JOIN tasks k ON k.id = j.task_id WHERE j.run_id = r.id) AS untuned_s,
       {LAYOUT_ASKED} AS asked_layout, {TARGET_ASKED} AS asked_target,
       (SELECT count(*) FROM run_tasks j WHERE j.run_id = r.id) AS tasks,
       (SELECT count(*) FROM run_tasks j WHERE j.run_id = r.id AND j.steer <> 'freeze' AND j.quarantined = ''
         AND NOT EXISTS (SELECT 1 FROM measurements x WHERE x.run_id = r.id AND x.task_id = j.task_id)) AS untried,
       (SELECT latency_s FROM progress p WHERE p.run_id = r.id ORDER BY p.id DESC LIMIT 1) AS latency_s,
       (SELECT left_s FROM progress p WHERE p.run_id = r.id ORDER BY p.id DESC LIMIT 1) AS left_s
FROM runs r JOIN models m ON m.id = r.model_id LEFT JOIN targets t ON t.id = r.target_id
"""

_TASKS = f"""
SELECT k.id, k.name, k.op, k.hash, k.shapes, k.flops, k.model_id, k.target_id, j.steer, j.quarantined,
       {WEIGHT} AS weight, {UNTUNED_S} AS untuned_s
FROM run_tasks j JOIN tasks k ON k.id = j.task_id JOIN runs r ON r.id = j.run_id WHERE j.run_id = ? ORDER BY k.id
"""

_DEVICE = "SELECT t.profile, r.settings FROM runs r JOIN targets t ON t.id = r.target_id WHERE r.id = ?"

_PROGRESS = "SELECT * FROM progress WHERE run_id = ? AND id > ? ORDER BY id"

_SCORED = f"""
SELECT x.id AS measurement_id, c.id, c.round_id, c.task_id, c.origin, c.draft_score, c.verified_score, x.stage,
       x.seconds, x.censored
FROM measurements x JOIN candidates c ON c.id = x.candidate_id WHERE +x.run_id = ? AND x.id > ? ORDER BY x.id
LIMIT {_CHUNK}
"""

# what an engine changes in a round's row once it has begun others
_FIGURES = "SELECT id, measured, build_s, run_s, learn_s FROM rounds WHERE run_id = ? ORDER BY id"

_PROBES = """
SELECT id, json_extract(stats, '$.probe_s') AS probe_s FROM rounds
WHERE run_id = ? AND id > ? AND json_extract(stats, '$.probe_s') > 0 ORDER BY id
"""


class _Told(msgspec.Struct):
    """What is computed with, or laid out, of a run's row, which in a file of unknown origin may be of any type."""

    model: str
    strategy: str
    state: str
    reason: str
    seed: int
    budget_trials: int | None
    budget_s: float | None
    elapsed_s: float
    left_s: float | None
    untuned_s: float | None
    latency_s: float | None
    settings: dict[str, Any]
    asked_target: str | None
    profile: dict[str, Any] | None
    inputs: list[dict[str, Any]]


@makes_sense
class ProjectReader(CandidateReader, ResultReader):
    """What the product shows of a project file: rows as dictionaries, JSON columns parsed.

    Raises:
        UserError: from every method, where the file is no project or its content makes no sense.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self._probes = AppendedRows(_PROBES)
        self._progress = AppendedRows(_PROGRESS)
        self._scored = AppendedRows(_SCORED, "measurement_id")
        self._rounds: dict[int, dict[int, Row]] = {}
        self._roofs: dict[tuple[int, Caches], Place | None] = {}
        self._told = 0  # how often times were told anew

    def _open(self) -> None:
        super()._open()
        self._tally = Tally(self._db)

    # ------------------------------------------------------------ runs

    def runs(self) -> list[Row]:
        """All runs, oldest first.

        `alive` tells whether an engine works on it now, `failed` counts failed trials, `untried` the tasks that wait
        for their first one, `asked_layout` the setting `layout` before what was measured took its place (else None),
        `asked_target` the target as the user named it (None in a run of an earlier version).
        """
        return [self._with_state(row) for row in self.rows(_RUNS + " ORDER BY r.id")]

    def newest(self) -> int | None:
        """The newest run that was tuned here; only where there is none, the newest that holds imported records."""
        row = self.one(f"SELECT r.id FROM runs r ORDER BY {NEWEST_FIRST} LIMIT 1")
        return None if row is None else int(row["id"])

    def run(self, run_id: int | None = None) -> Row:
        """One run; the newest, as `newest` tells it, when no id is given."""
        row = self.one(_RUNS + " WHERE r.id = ?", (self.newest() if run_id is None else run_id,))
        if row is None and run_id is None:
            raise no_run(self.path)
        if row is None:
            raise UserError(f"{self.path.name} holds no run {run_id}.", "`pruner status` lists its runs.")
        return self._with_state(row)

    def _with_state(self, row: Row) -> Row:
        msgspec.convert(row, _Told)
        busy = row["state"] in BUSY
        row["alive"] = busy and row["pid"] is not None and is_being_written(self.path)
        if busy and not row["alive"] and (words := last_words(self.path)) and words.run_id == row["id"]:
            busy = False
            row |= {"state": "failed", "phase": "", "reason": words.reason}
        row["interrupted"] = busy and not row["alive"]
        tally = self._tally.run(row["id"])
        row["trials"], row["valid"] = tally.trials, tally.valid
        row["failed"] = row["trials"] - row["valid"]
        row["gain"] = row["untuned_s"] / row["latency_s"] if row["untuned_s"] and row["latency_s"] else None
        return row

    # ------------------------------------------------------------ what a run holds

    def tasks(self, run_id: int) -> list[Row]:
        """Tasks of a run with best latency, GFLOP/s, gain over untuned and share of the estimated end-to-end time.

        `intensity`, `roof` (FLOP/s), `bound` and `roof_share` place the best schedule under the device's roofline.
        """
        tasks = self.rows(_TASKS, (run_id,))
        run = self.one(_DEVICE, (run_id,))
        tally = self._tasks_tally(run_id)
        for row in tasks:
            row.update(_figures(row, tally[row["id"]]) | self._under_the_roof(row, run))
            row["roof_share"] = row["flops"] / row["best_s"] / row["roof"] if row["roof"] and row["best_s"] else None
        times = [min(filter(None, (row["best_s"], row["untuned_s"])), default=0.0) * row["weight"] for row in tasks]
        total = sum(times)
        for row, time in zip(tasks, times, strict=True):
            row["share"] = time / total if total else None
        return tasks

    def _under_the_roof(self, task: Row, run: Row | None) -> Row:
        """`intensity`, `roof` and `bound` of a task of a run, which stay what they are; None without a profile."""
        under = None
        if run is not None and run["profile"]:
            key = (task["id"], caches_of(run))
            if key not in self._roofs:
                self._roofs[key] = place(task, run["profile"], caches_of(run))
            under = self._roofs[key]
        return {name: getattr(under, name, None) for name in ("intensity", "roof", "bound")}

    def task_names(self, run_id: int) -> dict[int, str]:
        """Names of a run's tasks by id."""
        sql = "SELECT k.id, k.name FROM run_tasks j JOIN tasks k ON k.id = j.task_id WHERE j.run_id = ? ORDER BY k.id"
        return {row["id"]: row["name"] for row in self.rows(sql, (run_id,))}

    def profile(self, run_id: int) -> Row:
        """Device profile of a run; empty until the device was profiled."""
        row = self.one(_DEVICE, (run_id,))
        return {} if row is None else dict(row["profile"])

    def gains(self, run_id: int) -> dict[int, list[tuple[int, float]]]:
        """By task, each trial (numbered from 1 within the task) that was the fastest until then, and its seconds."""
        return {task_id: own.gains for task_id, own in self._tasks_tally(run_id).items() if own.gains}

    def task(self, task_id: int) -> Row | None:
        return self.one(
            "SELECT id, model_id, target_id, name, op, hash, shapes, flops, weight, untuned_s FROM tasks WHERE id = ?",
            (task_id,),
        )

    def progress(self, run_id: int) -> list[Row]:
        """Points of the curve: elapsed_s, trials, valid, failed, latency_s, left_s; anew where times were."""
        self._forget_old_times()
        return self._progress.of(self._db, run_id)

    def scored(self, run_id: int) -> tuple[list[Row], bool]:
        """Measured candidates in the order of their measurements: ids, origin, scores, stage, seconds.

        Returns:
            The rows read until now, and whether these are all: a call reads no more than a thousand new ones, so
            that a window stays responsive while it calls again. A new list begins where times were told anew.
        """
        self._forget_old_times()
        known = self._scored.known(run_id)
        rows = self._scored.of(self._db, run_id)
        return rows, len(rows) - known < _CHUNK

    def told_anew(self) -> int:
        """How often times of the project's measurements were told anew."""
        row = self.one("SELECT value FROM meta WHERE key = ?", (TOLD_ANEW,))
        return 0 if row is None else int(row["value"])

    def _tasks_tally(self, run_id: int) -> Mapping[int, TaskTally]:
        self._forget_old_times()
        return self._tally.tasks(run_id)

    def _forget_old_times(self) -> None:
        """Read all measurements once more if an engine has told their times anew."""
        told = self.told_anew()
        if told != self._told:
            self._told, self._tally = told, Tally(self._db)
            self._scored.forget()
            self._progress.forget()

    def failures(self, run_id: int, task_ids: Collection[int] | None = None) -> list[Row]:
        """Failed trials by stage and kind: count, what to do, and first message and log; of some tasks, or of all."""
        found: dict[tuple[str, str], Row] = {}
        for (task_id, stage, error), (count, first_id) in self._tally.run(run_id).failures.items():
            if task_ids is None or task_id in task_ids:
                row = found.setdefault(
                    (stage, error), {"stage": stage, "error": error, "count": 0, "first_id": first_id}
                )
                row["count"] += count
                row["first_id"] = min(row["first_id"], first_id)
        for row in found.values():
            row["message"], row["log"] = self._db.execute(
                "SELECT message, log FROM measurements WHERE id = ?", (row["first_id"],)
            ).fetchone()
            row["hint"] = advice(row["stage"], row["error"])
        return sorted(found.values(), key=lambda row: -row["count"])

    def worked(self, run_id: int, task_ids: Collection[int] | None = None) -> Row:
        """Seconds of work of a run in each part of its rounds, of some tasks, or of all."""
        parts = ", ".join(f"coalesce(sum({part}), 0.0) AS {part}" for part in WORK_PARTS)
        sql = f"SELECT {parts} FROM rounds WHERE run_id = ?{of_tasks(task_ids)}"
        return self.rows(sql, (run_id, *(task_ids or ())))[0]

    def rounds(self, run_id: int, task_id: int | None = None) -> list[Row]:
        """Rounds of a run, or of one of its tasks; the newest ones may still be at work."""
        known = self._rounds.setdefault(run_id, {})
        rows = [dict(row) for row in self._db.execute(_FIGURES, (run_id,)).fetchall()]
        changed = [row["id"] for row in rows if row is rows[-1] or not row.items() <= known.get(row["id"], {}).items()]
        sql = "SELECT * FROM rounds WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
        known |= {row["id"]: row for row in self.rows(sql, (json.dumps(changed),))}
        return [row for row in known.values() if task_id is None or row["task_id"] == task_id]

    def probes(self, run_id: int) -> list[float]:
        """Seconds of the fixed kernel that is timed before a round, of all rounds that did."""
        return [row["probe_s"] for row in self._probes.of(self._db, run_id)]


def _figures(task: Row, own: TaskTally) -> Row:
    """What the trials of a task add to its row."""
    best_s, untuned_s = own.best_s, task["untuned_s"]
    return {
        "trials": own.trials,
        "valid": own.valid,
        "failed": own.trials - own.valid,
        "best_s": best_s,
        "best_candidate_id": own.best_candidate_id,
        "gflops": task["flops"] / best_s / 1e9 if best_s else None,
        "gain": untuned_s / best_s if best_s and untuned_s else None,
    }
