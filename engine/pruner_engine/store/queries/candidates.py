"""The queries of candidates: what was drafted and decided, how fast it is, and its trace."""

from __future__ import annotations

import json
from collections.abc import Collection

from pruner_engine.store.file.read_only import ReadOnlyProject, Row
from pruner_engine.store.file.reading import makes_sense

_CANDIDATES = """
SELECT c.id, c.run_id, c.task_id, c.round_id, c.sketch_id, c.hash, c.decisions, c.origin, c.draft_score,
       c.verified_score, r.idx AS round, x.stage, x.error, x.message, x.log, x.seconds, x.repeats, x.censored,
       x.checked, x.build_s, x.run_s, x.at, x.elapsed_s
FROM candidates c JOIN rounds r ON r.id = c.round_id {join} JOIN measurements x ON x.candidate_id = c.id
"""

_LISTED = """
SELECT c.id, c.task_id, c.origin, c.draft_score, c.verified_score, r.idx AS round, x.stage, x.error, x.message,
       x.seconds, x.censored, x.checked
FROM candidates c JOIN rounds r ON r.id = c.round_id LEFT JOIN measurements x ON x.candidate_id = c.id
WHERE c.run_id = ? AND c.task_id = ?
"""
_OF_KIND = {"measured": " AND x.id IS NOT NULL", "failed": " AND x.stage != 'ok'", "all": ""}
_BEST_FIRST = " ORDER BY x.seconds IS NULL, x.seconds, c.draft_score DESC LIMIT ?"

_DECIDED = """
SELECT c.decisions, c.origin, x.stage, x.censored, x.seconds
FROM candidates c LEFT JOIN measurements x ON x.candidate_id = c.id
WHERE c.run_id = ? AND c.task_id = ? AND c.sketch_id = ?
"""

_BESTS = """
SELECT id, run_id, task_id, seconds FROM (
  SELECT candidate_id AS id, run_id, task_id, seconds,
    row_number() OVER (PARTITION BY run_id ORDER BY seconds, x.id) AS place
  FROM measurements x WHERE task_id = ? AND stage = 'ok' AND NOT censored AND typeof(seconds) = 'real'
) WHERE place = 1 ORDER BY run_id
"""


@makes_sense
class CandidateReader(ReadOnlyProject):
    """Candidates of a project file, and the sketches that they fill in."""

    def candidates(self, run_id: int, task_id: int | None = None, *, measured: bool = False) -> list[Row]:
        """Candidates of a run, or of one of its tasks, in the order in which they came, with their scores.

        Args:
            measured: only those that were measured; the columns of the measurement are None for others.
        """
        sql, args = _CANDIDATES.format(join="" if measured else "LEFT") + " WHERE c.run_id = ?", [run_id]
        if task_id is not None:
            sql, args = sql + " AND c.task_id = ?", [run_id, task_id]
        return self.rows(sql + " ORDER BY c.id", args)

    def best_candidates(
        self, run_id: int, task_id: int, kind: str = "measured", *, limit: int = -1, kept: int | None = None
    ) -> list[Row]:
        """Candidates of a task, the fastest first, then those of the highest draft scores: what a list tells of them.

        Args:
            kind: measured | failed | all
            kept: one that is among them although it is none of the best.
        """
        sql, of_task = _LISTED + _OF_KIND[kind], (run_id, task_id)
        rows = self.rows(sql + _BEST_FIRST, (*of_task, limit))
        if kept is not None and all(row["id"] != kept for row in rows):
            rows += self.rows(sql + " AND c.id = ?", (*of_task, kept))
        return rows

    def bests(self, task_id: int) -> list[Row]:
        """The fastest candidate of a task in each run that has one, oldest run first: id, run_id, task_id, seconds."""
        return self.rows(_BESTS, (task_id,))

    def decided(self, run_id: int, task_id: int, sketch_id: int) -> list[Row]:
        """Decisions of a sketch's candidates, where they come from and how fast they are."""
        return self.rows(_DECIDED, (run_id, task_id, sketch_id))

    def drafted(self, run_id: int, task_ids: Collection[int] | None) -> tuple[int, int]:
        """How many different candidates a run has, of some tasks or of all, and how many of them were verified."""
        of_run = f"SELECT count(*) FROM candidates WHERE run_id = ?{of_tasks(task_ids)}"
        # two questions, since an index answers each without looking at a candidate: a page asks at every news of a run
        (drafted,), (verified,) = (
            self._db.execute(sql, (run_id, *(task_ids or ()))).fetchone()
            for sql in (of_run, f"{of_run} AND verified_score IS NOT NULL")
        )
        return drafted, verified

    def candidate(self, candidate_id: int) -> Row | None:
        return self.one(_CANDIDATES.format(join="LEFT") + " WHERE c.id = ?", (candidate_id,))

    def trace(self, candidate_id: int) -> str | None:
        """JSON of a candidate's trace: its own, or its sketch's with its decisions in place; None where not kept."""
        row = self.one(
            "SELECT c.trace, c.decisions, s.trace AS sketch FROM candidates c"
            " LEFT JOIN sketches s ON s.id = c.sketch_id WHERE c.id = ?",
            (candidate_id,),
        )
        if row is None:
            return None
        if row["trace"] is not None or row["sketch"] is None:
            own: str | None = row["trace"]
            return own
        instructions, places = json.loads(row["sketch"])
        decisions = [[at, value] for (at, _), value in zip(places, row["decisions"], strict=True)]
        return json.dumps([instructions, decisions])

    def sketches(self, task_id: int) -> list[Row]:
        return self.rows("SELECT * FROM sketches WHERE task_id = ? ORDER BY idx", (task_id,))


def of_tasks(task_ids: Collection[int] | None) -> str:
    """SQL that narrows rows to some tasks."""
    return "" if task_ids is None else f" AND task_id IN ({', '.join('?' * len(task_ids))})"
