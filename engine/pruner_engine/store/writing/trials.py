"""Candidates and their measurements."""

from __future__ import annotations

import hashlib
import json
import math
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

from pruner_engine.caches import Caches
from pruner_engine.measure.types import MeasureResult
from pruner_engine.space.candidate import Candidate
from pruner_engine.store.file.writer import Writer
from pruner_engine.store.queries.tally import TOLD_ANEW
from pruner_engine.store.run_states import IMPORTED
from pruner_engine.store.writing.of_run import CACHES
from pruner_engine.store.writing.runs import RunRepository


class TrialRepository:
    """Writes candidates and their measurements; a candidate is measured at most once a run."""

    def __init__(self, file: Writer, runs: RunRepository) -> None:
        self._file = file
        self._runs = runs

    def add_candidates(
        self, run_id: int, task_id: int, round_id: int, sketch_ids: Sequence[int], candidates: Sequence[Candidate]
    ) -> dict[str, int]:
        """Ids by hash. One that an earlier round of the run drafted keeps its row and takes the newer scores.

        What the user chose stays the user's, and what another project knew its, whoever drafts it too.
        """
        rows = [
            {
                "run_id": run_id,
                "task_id": task_id,
                "round_id": round_id,
                "sketch_id": None if c.sketch is None else sketch_ids[c.sketch],
                "hash": c.hash,
                "decisions": json.dumps(c.decisions),
                "origin": c.origin,
                "draft_score": _finite(c.draft_score),
                "verified_score": _finite(c.verified_score),
            }
            for c in candidates
        ]
        with self._file.transaction() as db:
            db.conn.executemany(
                "INSERT INTO candidates (run_id, task_id, round_id, sketch_id, hash, decisions, origin, draft_score,"
                " verified_score) VALUES (:run_id, :task_id, :round_id, :sketch_id, :hash, :decisions, :origin,"
                " :draft_score, :verified_score) ON CONFLICT (run_id, task_id, hash) DO UPDATE SET"
                " round_id = excluded.round_id, draft_score = coalesce(excluded.draft_score, draft_score),"
                " origin = iif(excluded.origin IN ('user', 'known'), excluded.origin, origin),"
                " verified_score = coalesce(excluded.verified_score, verified_score)"
                " WHERE id NOT IN (SELECT candidate_id FROM measurements)",
                rows,
            )
            found = db.execute(
                "SELECT hash, id FROM candidates WHERE run_id = ? AND task_id = ?"
                " AND hash IN (SELECT value FROM json_each(?))",
                [run_id, task_id, json.dumps([c.hash for c in candidates])],
            ).fetchall()
        return dict(found)

    def add_measurement(
        self, run_id: int, task_id: int, candidate_id: int, trace: str, result: MeasureResult, elapsed_s: float
    ) -> None:
        """Commit one trial together with its trace and the run's working time."""
        now = time.time()
        with self._file.transaction() as db:
            db["candidates"].update(candidate_id, {"trace": trace})
            db["measurements"].insert(
                {
                    "candidate_id": candidate_id,
                    "run_id": run_id,
                    "task_id": task_id,
                    "stage": result.stage,
                    "error": result.error,
                    "message": result.message,
                    "log": result.log,
                    "seconds": result.seconds,
                    "repeats": json.dumps(list(result.repeats)),
                    "censored": int(result.censored),
                    "checked": int(result.checked),
                    "build_s": result.build_s,
                    "run_s": result.run_s,
                    "at": now,
                    "elapsed_s": elapsed_s,
                }
            )
            db["runs"].update(run_id, {"updated": now, "elapsed_s": elapsed_s})

    def add_elsewhere(self, run_id: int, task_id: int, round_id: int, seconds: Mapping[str, Sequence[float]]) -> None:
        """Trials that were made elsewhere: repeats in seconds a call by the JSON of a trace."""
        keys, now = {"run_id": run_id, "task_id": task_id}, time.time()
        with self._file.transaction() as db:
            for trace, repeats in seconds.items():
                digest = hashlib.sha256(trace.encode()).hexdigest()[:16]
                candidate = {"round_id": round_id, "hash": digest, "decisions": "[]", "trace": trace, "origin": "user"}
                candidate_id = db["candidates"].insert({**keys, **candidate}).last_pk
                measured = {"stage": "ok", "seconds": statistics.median(repeats), "at": now, "elapsed_s": 0.0}
                measured |= {"candidate_id": candidate_id, "repeats": json.dumps(list(repeats))}
                db["measurements"].insert({**keys, **measured})

    def rescale(self, task_id: int, factor: float, *, caches: Caches) -> None:
        """Tell what was measured of a task with caches of one kind so many times as long, in all runs and their curves.

        What was measured elsewhere stays as it is.
        """
        rows = self._file.query(
            "SELECT id, repeats FROM measurements WHERE task_id = ? AND seconds IS NOT NULL"
            f" AND run_id IN (SELECT id FROM runs WHERE {CACHES} = ? AND strategy != ?)",
            (task_id, caches, IMPORTED),
        )
        with self._file.transaction() as db:
            for row in rows:
                repeats = [seconds * factor for seconds in json.loads(str(row["repeats"]))]
                told = {"seconds": statistics.median(repeats), "repeats": json.dumps(repeats)}
                db["measurements"].update(row["id"], told)
            runs = self._file.query(
                f"SELECT id FROM runs WHERE {CACHES} = ? AND id IN (SELECT run_id FROM run_tasks WHERE task_id = ?)",
                (caches, task_id),
            )
            for run in runs:
                self._runs.tell_curve_anew(int(run["id"]))
            db.conn.execute(
                "INSERT INTO meta (key, value) VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET value = value + 1",
                (TOLD_ANEW,),
            )

    def pin(self, run_id: int, task_id: int, sketch_ids: Sequence[int], candidate: Candidate) -> int:
        """Store a candidate for the run's next round of the task; until then it belongs to the newest round."""
        with self._file.transaction():
            last = self._file.query(
                "SELECT max(id) AS id FROM rounds WHERE run_id = ? AND task_id = ?", (run_id, task_id)
            )[0]["id"]
            round_id = int(last) if last is not None else self._runs.add_round(run_id, task_id)
            return self.add_candidates(run_id, task_id, round_id, sketch_ids, [candidate])[candidate.hash]

    def pinned(self, run_id: int) -> list[dict[str, Any]]:
        """Pinned candidates that the run has not measured yet: id, task_id, sketch_id, decisions."""
        return self._file.query(
            "SELECT id, task_id, sketch_id, decisions FROM candidates WHERE run_id = ? AND origin = 'user'"
            " AND id NOT IN (SELECT candidate_id FROM measurements) ORDER BY id",
            (run_id,),
        )

    def measured_as(self, run_id: int, task_id: int, hash_: str) -> dict[str, Any] | None:
        """The run's measurement of the candidate with that hash."""
        found = self._file.query(
            "SELECT x.* FROM measurements x JOIN candidates c ON c.id = x.candidate_id"
            " WHERE c.run_id = ? AND c.task_id = ? AND c.hash = ?",
            (run_id, task_id, hash_),
        )
        return found[0] if found else None

    def trace(self, candidate_id: int, task_id: int) -> str | None:
        """JSON of the trace of a measured candidate of the task."""
        found = self._file.query("SELECT trace FROM candidates WHERE id = ? AND task_id = ?", (candidate_id, task_id))
        return str(found[0]["trace"]) if found and found[0]["trace"] else None

    def measured(self, run_id: int, task_id: int | None = None) -> list[dict[str, Any]]:
        """Measured trials of a run in order: candidate columns and the measurement's."""
        sql = (
            "SELECT c.id, c.sketch_id, c.hash, c.decisions, c.trace, c.origin, c.draft_score, c.verified_score,"
            " c.round_id, x.task_id, x.stage, x.error, x.message, x.seconds, x.repeats, x.censored, x.checked,"
            " x.build_s, x.run_s FROM measurements x JOIN candidates c ON c.id = x.candidate_id WHERE x.run_id = ?"
        )
        args: tuple[object, ...] = (run_id,)
        if task_id is not None:
            sql, args = sql + " AND x.task_id = ?", (run_id, task_id)
        return self._file.query(sql + " ORDER BY x.id", args)

    def failures(self, run_id: int) -> list[dict[str, Any]]:
        """Failed trials of a run by kind, the most frequent first: stage, error, n, and message and id of the first."""
        return self._file.query(  # with `min` SQLite takes the message from that row
            "SELECT stage, error, count(*) AS n, message, min(id) AS id FROM measurements"
            " WHERE run_id = ? AND stage != 'ok' GROUP BY stage, error ORDER BY n DESC, id",
            (run_id,),
        )

    def counts(self, run_id: int) -> tuple[int, int]:
        """Trials of a run: all, valid."""
        row = self._file.query(
            "SELECT count(*) AS n, coalesce(sum(stage = 'ok'), 0) AS ok FROM measurements WHERE run_id = ?", (run_id,)
        )[0]
        return int(row["n"]), int(row["ok"])


def _finite(score: float | None) -> float | None:
    return None if score is None or not math.isfinite(score) else float(score)
