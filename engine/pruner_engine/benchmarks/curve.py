"""The latency that a run had reached after each trial and each second of searching, from its project file alone."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pruner_engine.benchmarks.adaptation import Accuracies, accuracies_of
from pruner_engine.benchmarks.again import Again
from pruner_engine.store.figures.comparison import of_one_model
from pruner_engine.store.reader import ProjectReader, Row
from pruner_engine.store.run_states import IMPORTED

PARTS = ("draft", "verify", "learn", "build", "run")


class Point(NamedTuple):
    """After so many trials and seconds of searching the model's best known latency was so many seconds."""

    trials: int
    seconds: float
    latency_s: float | None


@dataclass(frozen=True)
class RunCurve:
    """A run as a comparison sees it.

    Attributes:
        run: its row.
        points: one per trial, in order. `seconds` counts from the end of the preparation and the untuned baselines,
            which all strategies share; what an interruption cost is left out. `latency_s` is the sum over tasks of
            calls times the best measured latency, of the untuned kernel where a task has none yet; None while nothing
            valid was measured.
        work_s: seconds of work in each part; builds run side by side, so that their sum may exceed `wall_s`.
        wall_s: seconds of searching altogether.
        adaptations: pair accuracies of MoA's models at each adaptation.
    """

    run: Row
    points: list[Point]
    work_s: dict[str, float]
    wall_s: float
    adaptations: list[Accuracies]

    @property
    def final_s(self) -> float | None:
        """Latency at the end."""
        return self.points[-1].latency_s if self.points else None

    def at(self, trials: int) -> float | None:
        """Latency after so many trials; after all where the run has fewer."""
        return self.points[min(trials, len(self.points)) - 1].latency_s if self.points else None

    def reach(self, latency_s: float) -> Point | None:
        """The first point that is as good; None where the run never was."""
        return next((p for p in self.points if p.latency_s is not None and p.latency_s <= latency_s), None)


def finished_runs(reader: ProjectReader) -> list[Row]:
    """The project's finished runs that a comparison may hold against each other: those like the newest of them."""
    own = [r for r in reader.runs() if r["state"] == "finished" and r["trials"] and r["strategy"] != IMPORTED]
    return [row for row in own if of_one_model(row, own[-1])]


def curve_of(reader: ProjectReader, run_id: int, again: Again | None = None) -> RunCurve:
    """Read a run's curve; what was timed again counts with that time, chosen by what the run measured of it."""
    tasks = reader.tasks(run_id)
    weights = {task["id"]: task["weight"] for task in tasks}
    known: dict[int, float | None] = {task["id"]: task["untuned_s"] for task in tasks}
    measured: dict[int, float] = {}
    progress = reader.progress(run_id)
    rounds = reader.rounds(run_id)
    rows = reader.rows(
        "SELECT x.task_id, x.stage, x.seconds, x.censored, x.elapsed_s, c.round_id, c.hash FROM measurements x"
        " JOIN candidates c ON c.id = x.candidate_id WHERE x.run_id = ? ORDER BY x.id",
        (run_id,),
    )
    pauses = _pauses(progress, rows, rounds)

    def searching(elapsed_s: float) -> float:
        return elapsed_s - sum(min(elapsed_s, end) - begin for begin, end in pauses if begin < elapsed_s)

    points = []
    for number, row in enumerate(rows, 1):
        if row["stage"] == "ok" and not row["censored"]:
            task_id, seconds = row["task_id"], row["seconds"]
            if seconds < measured.get(task_id, math.inf):
                measured[task_id] = seconds
                known[task_id] = (again or {}).get((task_id, row["hash"]), seconds)
        points.append(Point(number, searching(row["elapsed_s"]), _end_to_end(weights, known) if measured else None))
    end = max([row["elapsed_s"] for row in (*progress[-1:], *rows[-1:])], default=0.0)
    return RunCurve(
        run=reader.run(run_id),
        points=points,
        work_s={part: sum(row[f"{part}_s"] for row in rounds) for part in PARTS},
        wall_s=searching(end),
        adaptations=accuracies_of(reader, run_id),
    )


def _end_to_end(weights: dict[int, int], known: dict[int, float | None]) -> float | None:
    total = 0.0
    for task_id, seconds in known.items():
        if seconds is None:
            return None
        total += weights[task_id] * seconds
    return total


def _pauses(progress: Sequence[Row], trials: Sequence[Row], rounds: Sequence[Row]) -> list[tuple[float, float]]:
    """Stretches of the working time that were not searching: before the first round, restoring after interruptions.

    A session of a run writes a progress row when its search begins, and one after each round that ends. Rounds end in
    the order in which they were begun, after a trial of their own, be it that the last ones come later: a row from
    before the first trial of the round that ended next is a session's. What lies between the last commit and that row
    went into loading and restoring.
    """
    first = {row["round_id"]: number for number, row in reversed([*enumerate(trials, 1)])}
    # of a round that an interruption has cut off trials are counted, too, but nothing was learned
    ended = deque(first.get(row["id"], 0) for row in rounds if row["learn_s"])
    pauses, before = [], 0.0
    for place, row in enumerate(progress):
        if place and ended and ended[0] <= row["trials"]:
            ended.popleft()
        else:
            commit = trials[row["trials"] - 1]["elapsed_s"] if row["trials"] else 0.0
            pauses.append((max(before, commit), row["elapsed_s"]))
        before = row["elapsed_s"]
    return pauses
