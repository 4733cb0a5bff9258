"""The queries by which terminal, window and reports read a project, so that a number means the same everywhere."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path

from pruner_engine.errors import UserError
from pruner_engine.measure.advice import advice
from pruner_engine.store.candidates import CandidateReader, of_tasks
from pruner_engine.store.lock import is_being_written, last_words
from pruner_engine.store.of_run import UNTUNED_S, WEIGHT
from pruner_engine.store.read_only import Row
from pruner_engine.store.reading import makes_sense
from pruner_engine.store.roofline import Place, place
from pruner_engine.store.runs import BUSY, NEWEST_FIRST, no_run
from pruner_engine.store.tally import TOLD_ANEW, Tally, TaskTally

__all__ = ["WORK_PARTS", "ProjectReader", "Row"]

_CHUNK = 1_000  # rows; some 5 ms
WORK_PARTS = ("draft_s", "verify_s", "build_s", "run_s", "learn_s")

_RUNS = f"""
SELECT r.*, m.name AS model, m.kind AS model_kind, m.source, m.sha256 AS model_sha256, m.inputs, m.outputs,
       t.text AS target, t.device, t.fingerprint, t.profile,
       (SELECT CASE WHEN count(*) = count({UNTUNED_S}) THEN sum({WEIGHT} * {UNTUNED_S}) END
         FROM run_tasks j JOIN tasks k ON k.id = j.task_id WHERE j.run_id = r.id) AS untuned_s,
       (SELECT latency_s FROM progress p WHERE p.run_id = r.id ORDER BY p.id DESC LIMIT 1) AS latency_s,
       (SELECT left_s FROM progress p WHERE p.run_id = r.id ORDER BY p.id DESC LIMIT 1) AS left_s
FROM runs r JOIN models m ON m.id = r.model_id LEFT JOIN targets t ON t.id = r.target_id
"""

_TASKS = f"""
SELECT k.id, k.name, k.op, k.hash, k.shapes, k.flops, k.model_id, k.target_id, j.steer, j.quarantined,
       {WEIGHT} AS weight, {UNTUNED_S} AS untuned_s
FROM run_tasks j JOIN tasks k ON k.id = j.task_id JOIN runs r ON r.id = j.run_id WHERE j.run_id = ? ORDER BY k.id
"""

_SCORED = """
SELECT x.id AS measurement_id, c.id, c.round_id, c.task_id, c.origin, c.draft_score, c.verified_score, x.stage,
       x.seconds, x.censored
FROM measurements x JOIN candidates c ON c.id = x.candidate_id WHERE +x.run_id = ? AND x.id > ? ORDER BY x.id
"""

# what an engine changes in a round's row once it has begun others
_FIGURES = "SELECT id, measured, build_s, run_s, learn_s FROM rounds WHERE run_id = ? ORDER BY id"

_PROBES = """
SELECT id, json_extract(stats, '$.probe_s') AS probe_s FROM rounds
WHERE run_id = ? AND id > ? AND json_extract(stats, '$.probe_s') > 0 ORDER BY id
"""


@makes_sense
class ProjectReader(CandidateReader):
    """What the product shows of a project file: rows as dictionaries, JSON columns parsed.

    Raises:
        UserError: from every method, where the file is no project or its content makes no sense.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self._probes: dict[int, list[Row]] = {}
        self._progress: dict[int, list[Row]] = {}
        self._scored: dict[int, list[Row]] = {}
        self._rounds: dict[int, dict[int, Row]] = {}
        self._roofs: dict[int, Place | None] = {}
        self._told = 0  # how often times were told anew

    def _open(self) -> None:
        super()._open()
        self._tally = Tally(self._db)

    # ------------------------------------------------------------ runs

    def runs(self) -> list[Row]:
        """All runs, oldest first; `alive` tells whether an engine works on it now, `failed` counts failed trials."""
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
        profile, tally = self.profile(run_id), self._tasks_tally(run_id)
        for row in tasks:
            own = tally[row["id"]]
            row["trials"], row["valid"] = own.trials, own.valid
            row["best_s"], row["best_candidate_id"] = own.best_s, own.best_candidate_id
        times = [min(filter(None, (row["best_s"], row["untuned_s"])), default=0.0) * row["weight"] for row in tasks]
        total = sum(times)
        for row, time in zip(tasks, times, strict=True):
            row["failed"] = row["trials"] - row["valid"]
            row["share"] = time / total if total else None
            row["gflops"] = row["flops"] / row["best_s"] / 1e9 if row["best_s"] else None
            row["gain"] = row["untuned_s"] / row["best_s"] if row["best_s"] and row["untuned_s"] else None
            if row["id"] not in self._roofs and profile:
                self._roofs[row["id"]] = place(row, profile, None)
            under = self._roofs.get(row["id"])
            row["intensity"], row["roof"], row["bound"] = (
                (None,) * 3 if under is None else (under.intensity, under.roof, under.bound)
            )
            row["roof_share"] = row["flops"] / row["best_s"] / under.roof if under and row["best_s"] else None
        return tasks

    def task_names(self, run_id: int) -> dict[int, str]:
        """Names of a run's tasks by id."""
        sql = "SELECT k.id, k.name FROM run_tasks j JOIN tasks k ON k.id = j.task_id WHERE j.run_id = ? ORDER BY k.id"
        return {row["id"]: row["name"] for row in self.rows(sql, (run_id,))}

    def profile(self, run_id: int) -> Row:
        """Device profile of a run; empty until the device was profiled."""
        row = self.one("SELECT t.profile FROM runs r JOIN targets t ON t.id = r.target_id WHERE r.id = ?", (run_id,))
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
        """Points of the curve: elapsed_s, trials, valid, failed, latency_s, left_s."""
        return self._grown(
            self._progress, "SELECT * FROM progress WHERE run_id = ? AND id > ? ORDER BY id", run_id, "id"
        )

    def scored(self, run_id: int) -> tuple[list[Row], bool]:
        """Measured candidates in the order of their measurements: ids, origin, scores, stage, seconds.

        Returns:
            The rows read until now, and whether these are all: a call reads no more than a thousand new ones, so
            that a window stays responsive while it calls again. A new list begins where times were told anew.
        """
        self._forget_old_times()
        known = len(self._scored.get(run_id, ()))
        rows = self._grown(self._scored, f"{_SCORED} LIMIT {_CHUNK}", run_id, "measurement_id")
        return rows, len(rows) - known < _CHUNK

    def told_anew(self) -> int:
        """How often times of the project's measurements were told anew."""
        row = self.one("SELECT value FROM meta WHERE key = ?", (TOLD_ANEW,))
        return 0 if row is None else int(row["value"])

    def _grown(self, known: dict[int, list[Row]], sql: str, run_id: int, key: str) -> list[Row]:
        """Rows that are only ever added to: those that came since the last call are read."""
        rows = known.setdefault(run_id, [])
        new = self._db.execute(sql, (run_id, rows[-1][key] if rows else 0)).fetchall()
        rows.extend(map(dict, new))
        return rows

    def _tasks_tally(self, run_id: int) -> Mapping[int, TaskTally]:
        self._forget_old_times()
        return self._tally.tasks(run_id)

    def _forget_old_times(self) -> None:
        """Read all measurements once more if an engine has told their times anew."""
        told = self.told_anew()
        if told != self._told:
            self._told, self._tally = told, Tally(self._db)
            self._scored.clear()

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
        rows = self._grown(self._probes, _PROBES, run_id, "id")
        return [row["probe_s"] for row in rows]

    def baselines(self, run_id: int) -> list[Row]:
        """Measured latencies of the untuned model and of libraries, on the run's device in the run's float type."""
        rows = self.rows(
            "SELECT b.*, r.settings FROM baselines b"
            " JOIN runs r ON r.model_id = b.model_id AND r.target_id = b.target_id WHERE r.id = ? ORDER BY b.id",
            (run_id,),
        )
        wanted = [row.pop("settings").get("dtype", "float32") for row in rows]
        # the first schema does not tell types apart
        return [row for row, dtype in zip(rows, wanted, strict=True) if row.get("dtype", dtype) == dtype]

    def adaptations(self, run_id: int) -> list[Row]:
        return self.rows(
            "SELECT a.*, r.idx AS round, r.task_id FROM adaptations a JOIN rounds r ON r.id = a.round_id"
            " WHERE a.run_id = ? ORDER BY a.id",
            (run_id,),
        )

    def exports(self, run_id: int | None = None) -> list[Row]:
        where, args = ("", ()) if run_id is None else (" WHERE run_id = ?", (run_id,))
        return self.rows(f"SELECT * FROM exports{where} ORDER BY id", args)

    def exported(self, run_id: int) -> Row | None:
        """How fast the library of a run's last export was on the run's own device; None where that was not measured.

        `seconds` of one inference, those of what was timed in turns with it (`beside`, by name), when (`at`), and
        whether the run was `tuned_since`.
        """
        row = self.one("SELECT at, summary FROM exports WHERE run_id = ? ORDER BY id DESC LIMIT 1", (run_id,))
        if row is None:
            return None
        summary, at = row["summary"], row["at"]
        seconds = summary["latency"]["tuned"]["seconds"]
        # an older summary does not tell where it was measured, but only what was on the run's device is a baseline too
        known = {line["seconds"] for line in self.baselines(run_id) if line["name"] == "tuned"}
        if not seconds or not summary.get("on_device", seconds in known):
            return None
        newest = self.one("SELECT started FROM rounds WHERE run_id = ? ORDER BY id DESC LIMIT 1", (run_id,))
        beside = {name: line["seconds"] for name, line in summary["latency"].items() if name != "tuned"}
        tuned_since = newest is not None and newest["started"] > at
        return {"seconds": seconds, "beside": beside, "at": at, "tuned_since": tuned_since}

    def events(self, run_id: int) -> list[Row]:
        """Notices of a run, oldest first: at (seconds since the epoch), level, text, hint."""
        return self.rows("SELECT * FROM events WHERE run_id = ? ORDER BY id", (run_id,))
