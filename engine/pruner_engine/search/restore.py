"""Trials as an earlier session of the run committed them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from pruner_engine.measure.types import MeasureResult
from pruner_engine.search.task_state import TaskState, Trial
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.project import Project

_AT_ONCE = 256  # trials between two signs of life


def restore_trials(
    project: Project,
    run_id: int,
    states: Sequence[TaskState],
    generate_space: Callable[[TaskState], None],
    on_phase: Callable[[str, str], None],
) -> None:
    """Give the run's tasks the trials, rounds and best latencies of earlier sessions.

    Args:
        states: of the run's tasks, without trials yet.
        generate_space: gives a state its design space.
        on_phase: told what is done, and of which task.
    """
    rows = project.trials.measured(run_id)
    by_id = {state.task_id: state for state in states}
    with making_sense(project.path):
        touched = [by_id[row["task_id"]] for row in rows]
    for state in touched:
        generate_space(state)
    with making_sense(project.path):
        for number, (row, state) in enumerate(zip(rows, touched, strict=True)):
            if number % _AT_ONCE == 0:
                on_phase("restore", state.task.name)
            state.add(trial_from_row(row, state))
    # one that was broken off before its first trial, or that holds what was pinned, is none
    rounds = Counter(row["task_id"] for row in project.runs.rounds(run_id) if row["measured"])
    for state in states:
        state.rounds = rounds[state.task_id]
        state.best_history = [state.best_s] * state.rounds if state.best_s is not None else []


def trial_from_row(row: dict[str, Any], state: TaskState) -> Trial:
    """A trial as an earlier session committed it."""
    assert state.space is not None
    decisions = json.loads(row["decisions"])
    if row["sketch_id"] in state.sketch_ids:
        index = state.sketch_ids.index(row["sketch_id"])
        candidate = state.space.candidate(index, state.space.sketches[index].from_json(decisions), row["origin"])
    else:
        candidate = state.space.from_json(row["trace"], row["origin"])
    candidate.draft_score, candidate.verified_score = row["draft_score"], row["verified_score"]
    result = MeasureResult(
        key=row["hash"],
        stage=row["stage"],
        error=row["error"],
        message=row["message"],
        repeats=tuple(json.loads(row["repeats"])),
        censored=bool(row["censored"]),
        checked=bool(row["checked"]),
        build_s=row["build_s"],
        run_s=row["run_s"],
    )
    return Trial(candidate, result)
