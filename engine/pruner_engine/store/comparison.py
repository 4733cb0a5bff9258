"""Runs of one model against each other: when was each as good as the one that sets the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pruner_engine.errors import UserError
from pruner_engine.store.reader import ProjectReader

Row = dict[str, Any]


@dataclass(frozen=True)
class Comparison:
    """Attributes:
    goal_s: latency to reach, in seconds; None before anything is measured.
    base: the run that sets it.
    runs: rows of `ProjectReader.runs`, with `goal_trials` and `goal_s` (trials and seconds of work until the goal;
        None where it was not reached) and `goal_gain` (the base's seconds over the run's).
    progress: points of the latency curve of each run, by its id.
    """

    goal_s: float | None
    base: Row
    runs: list[Row]
    progress: dict[int, list[Row]]


def comparable(run: Row, other: Row) -> bool:
    """Whether two rows of `ProjectReader.runs` tell of one model on one device, with products of one float type."""
    kinds = [(row["model_id"], row["target_id"], row["settings"].get("dtype", "float32")) for row in (run, other)]
    return kinds[0] == kinds[1]


def compare(reader: ProjectReader, chosen: Row, goal_of: int | None = None) -> Comparison:
    """The chosen run and all that are comparable with it.

    Args:
        goal_of: the run that sets the goal; None for the newest of the stock search that has a latency, where there is
            none the chosen one.

    Raises:
        UserError: none of them has that number.
    """
    runs = [run for run in reader.runs() if comparable(run, chosen)]
    progress = {run["id"]: reader.progress(run["id"]) for run in runs}
    if goal_of is None:
        stock = (run for run in reversed(runs) if run["strategy"] == "metaschedule" and run["latency_s"])
        base = next(stock, chosen)
    else:
        base = next((run for run in runs if run["id"] == goal_of), {})
    if not base:
        text = f"The project holds no run {goal_of} of {chosen['model']} on the same device with the same float type."
        raise UserError(text, "`pruner status` lists the runs.")
    goal_s: float | None = base["latency_s"]
    reached = {run["id"]: _reached(progress[run["id"]], goal_s) for run in runs}
    first = reached[base["id"]]
    for run in runs:
        at = reached[run["id"]]
        run["goal_trials"], run["goal_s"] = (at["trials"], at["elapsed_s"]) if at else (None, None)
        run["goal_gain"] = first["elapsed_s"] / at["elapsed_s"] if first and at and at["elapsed_s"] else None
    return Comparison(goal_s, base, runs, progress)


def _reached(progress: Sequence[Row], goal_s: float | None) -> Row | None:
    """The first point of a run with that latency or a better one."""
    if not goal_s:
        return None
    return next((row for row in progress if row["latency_s"] is not None and row["latency_s"] <= goal_s), None)
