"""Kernels that no trial has reached: an export has the draft's best schedule of those that matter.

What a kernel takes untuned is mostly many times what its first drafted schedule takes, so that a few that a short run
left out would be most of an inference. Nobody has measured these schedules; what they compute is checked with all that
an export computes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tvm.s_tir.meta_schedule.arg_info import ArgInfo
from tvm.s_tir.meta_schedule.database import Database, MemoryDatabase, TuningRecord
from tvm.target import Target

from pruner_engine.errors import UserError
from pruner_engine.faults import in_one_line
from pruner_engine.search.first_drafted import first_drafted
from pruner_engine.search.settings import SearchSettings
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.tasks.task import TuningTask

_SHARE = 0.01  # of an inference at its best, that a kernel has to take untuned
_CANDIDATES = 8  # that are applied until one is valid


def worth_drafting(
    tasks: Sequence[TuningTask], call_s: Mapping[str, float], tried: Collection[str], profile: DeviceProfile
) -> list[TuningTask]:
    """The untried tasks that would take much of an inference in which all others are as fast as can be.

    Args:
        call_s: seconds of a call by name, measured of the best schedule or untuned; what is not known may take long.
        tried: hashes of tasks of which something was measured.
    """

    def least_s(task: TuningTask) -> float:
        known = call_s.get(task.name) if task.hash in tried else None
        return profile.least_s(task.flops, task.bytes) if known is None else known

    total = sum(task.weight * least_s(task) for task in tasks)
    untried = (task for task in tasks if task.hash not in tried)
    return [task for task in untried if task.weight * call_s.get(task.name, total) >= _SHARE * total]


def drafted_database(
    tasks: Sequence[TuningTask], target: Target, profile: DeviceProfile, settings: SearchSettings, seed: int
) -> tuple[Database, dict[str, str]]:
    """A record of each task's best drafted schedule that is valid, and by name why others could not be drafted."""
    database, failed = MemoryDatabase(), {}
    for task in tasks:
        try:
            found = first_drafted(task, target, profile, settings, seed, _CANDIDATES)
        except UserError:  # the environment's
            raise
        except Exception as error:  # of whatever kind: the other kernels are drafted all the same
            failed[task.name] = in_one_line(error)
            continue
        for candidate in found[:1]:
            schedule = candidate.schedule
            assert schedule is not None
            args = ArgInfo.from_entry_func(schedule.mod, remove_preproc=True)
            workload = database.commit_workload(task.mod)
            database.commit_tuning_record(TuningRecord(schedule.trace, workload, [1.0], target, args))
    return database, failed
