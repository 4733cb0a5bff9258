"""The yardstick of a task, kept in the project, so that all its runs and sessions measure by the same kernel.

Without it each session would begin in a unit of its own, that of the minute in which it timed its first candidate, and
neither runs nor what was measured before and after a resume could be compared.

If that minute was a slow one (another program had a core), all kernels of the task are told too slow by as much: the
scheduler gives rounds to a task that has no need of them, and an export prefers an untuned kernel. So when the
yardstick is then seen to be clearly faster, everything that was told of the task is told anew.
"""

from __future__ import annotations

import contextlib

import msgspec

from pruner_engine.errors import UserError
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput
from pruner_engine.measure.yardsticks import Settled
from pruner_engine.notices import OnNotice
from pruner_engine.search.task_state import TaskState
from pruner_engine.space.schedule import schedule_of
from pruner_engine.store.project import Project
from pruner_engine.tasks.task import TuningTask

_CLEARLY = 0.85  # of the time that the yardstick is said to take, in its fastest slice
_SEEN = 3  # trials beside which it was as fast as that


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    candidate_id: int
    seconds: float


def restore_yardstick(
    project: Project, task: TuningTask, task_id: int, measurer: Measurer, on_notice: OnNotice
) -> None:
    """Measure the task's candidates by the yardstick that the project keeps.

    Where there is none, or it cannot be built any more, the first good candidate becomes one.

    Args:
        on_notice: told where there was one that cannot be built.
    """
    if measurer.yardstick(task) is not None:
        return
    kept = project.work.fact(_name(task_id, measurer), _Kept)
    trace = project.trials.trace(kept.candidate_id, task_id) if kept is not None else None
    if kept is None or trace is None or not kept.seconds > 0:
        return
    with contextlib.suppress(UserError):  # of another version
        key, mod = str(kept.candidate_id), schedule_of(task, measurer.target, trace).mod
        if measurer.measure_by(task, MeasureInput(key, mod), Settled(key, kept.seconds)):
            return
    on_notice(
        "warning",
        f"{task.name}: the kernel that its candidates were timed beside cannot be built any more.",
        "New ones are timed beside another: they compare with those before only as far as the machine is as fast.",
    )


def keep_yardstick(
    project: Project, task: TuningTask, task_id: int, measurer: Measurer, candidate_id: int, key: str
) -> None:
    """Keep the task's yardstick in the project if the candidate that was measured just now has become it.

    Args:
        candidate_id, key: row and hash of that candidate.
    """
    found = measurer.yardstick(task)
    if found is not None and found.key == key:
        project.work.keep_fact(_name(task_id, measurer), _Kept(candidate_id, found.seconds))


def tell_anew(project: Project, state: TaskState, measurer: Measurer) -> None:
    """Tell all that was measured of a task by what its yardstick takes, where it has proved to be clearly faster."""
    settled, paces = measurer.yardstick(state.task), sorted(state.paces)
    if settled is None or len(paces) < _SEEN or paces[_SEEN - 1] > _CLEARLY:
        return
    factor, name = paces[_SEEN - 1], _name(state.task_id, measurer)
    kept = project.work.fact(name, _Kept)
    with project.transaction():
        project.trials.rescale(state.task_id, factor, caches=measurer.options.caches)
        if kept is not None:
            project.work.keep_fact(name, _Kept(kept.candidate_id, kept.seconds * factor))
    measurer.settle(state.task, settled.seconds * factor)
    state.rescale(factor)


def _name(task_id: int, measurer: Measurer) -> str:
    return f"yardstick {task_id}{'' if measurer.options.caches == 'warm' else f' {measurer.options.caches}'}"
