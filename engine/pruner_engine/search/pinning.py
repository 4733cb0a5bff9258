"""Pinned rows: decisions of the user's that a run measures next."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pruner_engine.errors import UserError
from pruner_engine.search.control import PinnedRow
from pruner_engine.search.task_state import TaskState
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.row_check import checked_row
from pruner_engine.store.project import Project


def pin(project: Project, run_id: int, states: Sequence[TaskState], row: PinnedRow) -> str:
    """Write a pinned row to the project and queue it at its task; returns the sentence that tells so.

    Args:
        states: of the run's tasks; the row's has its design space.

    Raises:
        UserError: it is of none of the run's tasks or sketches.
    """
    state = next((s for s in states if s.task_id == row.task_id), None)
    if state is None:
        raise UserError(f"The run does not tune task {row.task_id}.", "`pruner tasks --run` lists what it tunes.")
    candidate = _candidate(state, row)
    known = project.trials.measured_as(run_id, row.task_id, candidate.hash)
    if known is not None:
        return f"{state.task.name}: what was pinned is measured already, as candidate {known['candidate_id']}."
    if candidate.hash not in {waiting.hash for waiting in state.pinned}:
        state.pinned.append(candidate)
    candidate_id = project.trials.pin(run_id, row.task_id, state.sketch_ids, candidate)
    return f"{state.task.name}: candidate {candidate_id} is pinned and measured next."


def pinned_before(project: Project, run_id: int) -> list[PinnedRow]:
    """Rows that an earlier session pinned and the run has not measured yet."""
    rows = project.trials.pinned(run_id)
    return [PinnedRow(row["task_id"], row["sketch_id"], json.loads(row["decisions"])) for row in rows]


def _candidate(state: TaskState, row: PinnedRow) -> Candidate:
    assert state.space is not None
    if row.sketch_id not in state.sketch_ids:
        raise UserError(f"The task has no sketch {row.sketch_id}.", "It may come from a rule that is not loaded.")
    index = state.sketch_ids.index(row.sketch_id)
    return state.space.candidate(index, checked_row(state.space.sketches[index], row.decisions), "user")
