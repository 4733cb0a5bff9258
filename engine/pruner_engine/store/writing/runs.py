"""Runs and what happens in them: rounds, progress, events, model checkpoints, adaptations, exports."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from pruner_engine.store.file.writer import Writer
from pruner_engine.store.queries.run_rows import newest_run, run_row, task_rows
from pruner_engine.store.writing.of_run import ASKED_LAYOUT, ASKED_TARGET, CALLS, UNTUNED_S, WEIGHT
from pruner_engine.store.writing.work import WorkRepository

# of SQLite's two `min` the one of one value leaves out NULL, the one of two is NULL where either is
_LATENCY = f"""
SELECT CASE WHEN count(*) = count(s) THEN sum(weight * s) END AS latency_s FROM (
  SELECT weight, min(coalesce(best_s, untuned_s), coalesce(untuned_s, best_s)) AS s FROM (
    SELECT {WEIGHT} AS weight, {UNTUNED_S} AS untuned_s,
      (SELECT min(x.seconds) FROM measurements x
        WHERE x.run_id = j.run_id AND x.task_id = k.id AND x.stage = 'ok' AND x.censored = 0) AS best_s
    FROM run_tasks j JOIN tasks k ON k.id = j.task_id JOIN runs r ON r.id = j.run_id WHERE j.run_id = ?))
"""


class _Calls(msgspec.Struct):
    calls: int


class _AskedLayout(msgspec.Struct):
    layout: str


class _AskedTarget(msgspec.Struct):
    target: str


class RunRepository:
    """State of runs; every change is one transaction."""

    def __init__(self, file: Writer, work: WorkRepository) -> None:
        self._file = file
        self._work = work

    def add(self, model_id: int, strategy: str, seed: int, *, asked_target: str = "", **columns: Any) -> int:
        """New run in state preparing; `columns` are further columns, JSON ones already dumped.

        Args:
            asked_target: the target as the user named it; empty where nobody did.
        """
        now = time.time()
        row = {"model_id": model_id, "strategy": strategy, "seed": seed, "state": "preparing", "pid": os.getpid()}
        with self._file.transaction() as db:
            run_id = int(db["runs"].insert({**row, "created": now, "updated": now, **columns}).last_pk)
            if asked_target:
                self._work.keep_fact(ASKED_TARGET.format(run=run_id), _AskedTarget(asked_target))
            return run_id

    def get(self, run_id: int) -> dict[str, Any]:
        """As `run_row`."""
        return run_row(self._file, run_id)

    def tunes(self, run_id: int, task_id: int) -> bool:
        """Whether a task is one of a run's."""
        return bool(self._file.query("SELECT 1 FROM run_tasks WHERE run_id = ? AND task_id = ?", (run_id, task_id)))

    def newest_unfinished(self) -> int | None:
        """The run to resume: the newest that did not spend its budget."""
        found = self._file.query("SELECT id FROM runs WHERE state != 'finished' ORDER BY id DESC LIMIT 1")
        return int(found[0]["id"]) if found else None

    def newest(self) -> int | None:
        """As `newest_run`."""
        return newest_run(self._file)

    def update(self, run_id: int, **columns: Any) -> None:
        with self._file.transaction() as db:
            db["runs"].update(run_id, {"updated": time.time(), **columns})

    def settle_layout(self, run_id: int, settings: str, *, asked: str) -> None:
        """Give a run the settings with the layout that was measured, and keep which one had been asked for."""
        with self._file.transaction():
            self._work.keep_fact(ASKED_LAYOUT.format(run=run_id), _AskedLayout(asked))
            self.update(run_id, settings=settings)

    def add_tasks(self, run_id: int, task_ids: Collection[int], weights: Sequence[int] = ()) -> None:
        """Add tasks to a run, in which they are called so often; without `weights` as often as their rows say."""
        with self._file.transaction() as db:
            for task_id, calls in zip(task_ids, weights, strict=False):
                if db["tasks"].get(task_id)["weight"] != calls:
                    self._work.keep_fact(CALLS.format(run=run_id, task=task_id), _Calls(calls))
            db["run_tasks"].insert_all(({"run_id": run_id, "task_id": task_id} for task_id in task_ids), ignore=True)

    def tasks(self, run_id: int) -> list[dict[str, Any]]:
        """As `task_rows`."""
        return task_rows(self._file, run_id)

    def update_task(self, run_id: int, task_id: int, **columns: Any) -> None:
        with self._file.transaction() as db:
            db["run_tasks"].update((run_id, task_id), columns)

    # ------------------------------------------------------------ rounds

    def add_round(self, run_id: int, task_id: int, **columns: Any) -> int:
        with self._file.transaction() as db:
            idx = db.execute("SELECT coalesce(max(idx) + 1, 0) FROM rounds WHERE run_id = ?", [run_id]).fetchone()[0]
            row = {"run_id": run_id, "task_id": task_id, "idx": idx, "started": time.time()}
            return int(db["rounds"].insert({**row, **columns}).last_pk)

    def update_round(self, round_id: int, **columns: Any) -> None:
        with self._file.transaction() as db:
            db["rounds"].update(round_id, columns)

    def sum_up_round(self, round_id: int) -> None:
        """Have a round's figures be those of its candidates that are measured."""
        with self._file.transaction() as db:
            db.conn.execute(
                "UPDATE rounds SET (measured, valid, build_s, run_s) = (SELECT count(*),"
                " coalesce(sum(stage = 'ok'), 0), coalesce(sum(build_s), 0), coalesce(sum(run_s), 0) FROM measurements"
                " WHERE candidate_id IN (SELECT id FROM candidates WHERE round_id = rounds.id)) WHERE id = ?",
                (round_id,),
            )

    def rounds(self, run_id: int) -> list[dict[str, Any]]:
        return self._file.query("SELECT * FROM rounds WHERE run_id = ? ORDER BY idx", (run_id,))

    # ------------------------------------------------------------ what is told on the way

    def latency(self, run_id: int) -> float | None:
        """Estimated latency of the model in seconds, as `search.task_state.end_to_end` tells it of a run at work."""
        value = self._file.query(_LATENCY, (run_id,))[0]["latency_s"]
        return None if value is None else float(value)

    def add_progress(
        self,
        run_id: int,
        *,
        elapsed_s: float,
        trials: int,
        valid: int,
        latency_s: float | None,
        left_s: float | None = None,
    ) -> None:
        """Add a point to a run's curve."""
        row = {"run_id": run_id, "elapsed_s": elapsed_s, "trials": trials, "valid": valid, "failed": trials - valid}
        with self._file.transaction() as db:
            db["progress"].insert({**row, "latency_s": latency_s, "left_s": left_s})

    def tell_curve_anew(self, run_id: int) -> None:
        """Have the points of a run's curve tell what its measurements tell now: each of those made by then."""
        rows = self.tasks(run_id)
        points = self._file.query(
            "SELECT id, trials FROM progress WHERE run_id = ? AND latency_s IS NOT NULL ORDER BY id", (run_id,)
        )
        trials = self._file.query(
            "SELECT task_id, iif(stage = 'ok' AND NOT censored, seconds, NULL) AS seconds FROM measurements"
            " WHERE run_id = ? ORDER BY id",
            (run_id,),
        )
        known = {row["id"]: math.inf if row["untuned_s"] is None else row["untuned_s"] for row in rows}
        told, made = [], 0
        for point in points:
            for trial in trials[made : point["trials"]]:
                if trial["seconds"] is not None:
                    known[trial["task_id"]] = min(known.get(trial["task_id"], math.inf), trial["seconds"])
            made = max(made, point["trials"])
            latency_s = sum(row["weight"] * known[row["id"]] for row in rows)
            if math.isfinite(latency_s):
                told.append((latency_s, point["id"]))
        with self._file.transaction() as db:
            db.conn.executemany("UPDATE progress SET latency_s = ? WHERE id = ?", told)

    def add_event(self, run_id: int, level: str, text: str, hint: str = "") -> None:
        with self._file.transaction() as db:
            db["events"].insert({"run_id": run_id, "at": time.time(), "level": level, "text": text, "hint": hint})

    def was_told(self, run_id: int, text: str) -> bool:
        """Whether an event of a run has this text."""
        return bool(self._file.query("SELECT 1 FROM events WHERE run_id = ? AND text = ? LIMIT 1", (run_id, text)))

    def first_trouble(self, run_id: int) -> str:
        """The first warning or error of a run; empty without any."""
        found = self._file.query(
            "SELECT text FROM events WHERE run_id = ? AND level != 'info' ORDER BY id LIMIT 1", (run_id,)
        )
        return str(found[0]["text"]) if found else ""

    def save_checkpoint(
        self, run_id: int, role: str, kind: str, step: int, data: bytes, recipe: dict[str, Any]
    ) -> None:
        """Replaces the run's checkpoint of that role."""
        row = {"run_id": run_id, "role": role, "kind": kind, "step": step, "data": data, "recipe": json.dumps(recipe)}
        with self._file.transaction() as db:
            db["checkpoints"].delete_where("run_id = ? AND role = ?", [run_id, role])
            db["checkpoints"].insert(row)

    def checkpoints(self, run_id: int) -> dict[str, bytes]:
        """Data of the run's checkpoints by role, those of a plugin's own roles among them."""
        rows = self._file.query("SELECT role, data FROM checkpoints WHERE run_id = ?", (run_id,))
        return {row["role"]: row["data"] for row in rows}

    def has_learned(self, run_id: int) -> bool:
        """Whether a run has measured something and kept the model that learned from it."""
        sql = "SELECT EXISTS (SELECT 1 FROM measurements WHERE run_id = ?) AND EXISTS (SELECT 1 FROM checkpoints"
        found = self._file.query(f"{sql} WHERE run_id = ? AND role = 'model') AS learned", (run_id, run_id))
        return bool(found[0]["learned"])

    def add_adaptation(self, run_id: int, round_id: int, **columns: Any) -> None:
        with self._file.transaction() as db:
            db["adaptations"].insert({"run_id": run_id, "round_id": round_id, **columns})

    def add_export(self, run_id: int, out: str, ok: bool, summary: dict[str, Any]) -> None:
        """Keep an export's summary, to which the last round that it knew is added."""
        last = self._file.query("SELECT max(id) AS id FROM rounds WHERE run_id = ?", (run_id,))[0]["id"]
        told = json.dumps({**summary, "last_round": last})
        row = {"run_id": run_id, "out": out, "at": time.time(), "ok": int(ok), "summary": told}
        with self._file.transaction() as db:
            db["exports"].insert(row)
