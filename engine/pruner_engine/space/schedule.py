"""A task's schedule from its trace."""

from __future__ import annotations

import tvm
from tvm.s_tir import Schedule
from tvm.s_tir.meta_schedule import TuneContext
from tvm.s_tir.meta_schedule.postproc import Postproc
from tvm.s_tir.schedule import Trace

from pruner_engine.errors import UserError
from pruner_engine.space.design_space import INVALID, seed_of, space_generator
from pruner_engine.tasks.foreign import read_trace
from pruner_engine.tasks.layout_free import unmark_vectors
from pruner_engine.tasks.task import TuningTask


def schedule_of(task: TuningTask, target: tvm.target.Target, trace_json: str, candidate: str = "0") -> Schedule:
    """Apply a trace as the task's design space does, with its postprocessors where the trace stops before them.

    Args:
        trace_json: JSON text of `Trace.as_json()`.
        candidate: hash of the candidate whose trace it is; what the postprocessors sample depends on it.

    Raises:
        UserError: the trace does not fit the task, or a postprocessor refuses the result.
    """
    # held while the schedule is made: TVM changes in place what nobody else holds, and this shares bodies with the task
    mod = unmark_vectors(task.mod)
    try:
        schedule = Schedule(mod, seed=seed_of(candidate), error_render_level="none")
        instructions, decisions = read_trace(trace_json)
        Trace.apply_json_to_schedule([instructions, decisions], schedule)
    except INVALID as error:
        raise UserError(f"The trace does not fit the task {task.name}.", "It may be of another task.") from error
    if not any(name == "EnterPostproc" for name, *_ in instructions):
        schedule.enter_postproc()
        context = TuneContext(task.mod, target=target, space_generator=space_generator(target))
        for postproc in context.space_generator.postprocs:
            if not _accepts(postproc, schedule):
                raise UserError(f"The postprocessor {type(postproc).__name__} refuses this schedule of {task.name}.")
    return schedule


def _accepts(postproc: Postproc, schedule: Schedule) -> bool:
    """Whether a postprocessor takes the schedule: one that fails on it has refused it, too."""
    try:
        return bool(postproc.apply(schedule))
    except INVALID:
        return False
