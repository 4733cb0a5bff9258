"""Trials as an earlier session of the run committed them."""

from __future__ import annotations

import json
from typing import Any

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import Trace

from pruner_engine.measure.types import MeasureResult
from pruner_engine.search.task_state import TaskState, Trial


def trial_from_row(row: dict[str, Any], state: TaskState) -> Trial:
    """A trial as an earlier session committed it."""
    assert state.space is not None
    decisions = json.loads(row["decisions"])
    if row["sketch_id"] in state.sketch_ids:
        index = state.sketch_ids.index(row["sketch_id"])
        candidate = state.space.candidate(index, state.space.sketches[index].from_json(decisions), row["origin"])
    else:
        schedule = Schedule(state.task.mod, error_render_level="none")
        Trace.apply_json_to_schedule(json.loads(row["trace"]), schedule)
        candidate = state.space.from_trace(schedule.trace, row["origin"])
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
