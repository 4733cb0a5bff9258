"""Kernels that no trial has reached: an export has the draft's best schedule of those that matter.

What a CPU's kernel takes untuned is mostly many times what its first drafted schedule takes, so that a few that a short
run left out would be most of an inference. A GPU's are scheduled by TVM's default rules, some of them well: there a
drafted schedule has to be expected in half of what the untuned kernel was measured at. Nobody has measured these
schedules; what they compute is checked with all that an export computes.
"""

from __future__ import annotations

import math
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
# Of an untuned kernel's time. What an H100 measured of the draft's first sixteen of two kernels, and of the best of six
# of a network's, took 0.5 to 1.25 times what the draft had said.
_CLEARLY = 0.5


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


def most_expected(tasks: Sequence[TuningTask], call_s: Mapping[str, float], profile: DeviceProfile) -> dict[str, float]:
    """Seconds of a call that a drafted schedule may be expected to take at most, by name of the task.

    Args:
        call_s: as for `worth_drafting`; what is not known of a GPU's kernel stays untuned.
        profile: expectations are worth little where its figures are not measured.
    """
    if profile.gpu is None:
        return {task.name: math.inf for task in tasks}
    share = _CLEARLY if profile.source == "measured" else 0.0
    return {task.name: share * call_s.get(task.name, 0.0) for task in tasks}


def drafted_database(
    tasks: Sequence[TuningTask],
    most_s: Mapping[str, float],
    target: Target,
    profile: DeviceProfile,
    settings: SearchSettings,
    seed: int,
) -> tuple[Database, dict[str, str]]:
    """A record of each task's best drafted schedule that is valid, and by name why others could not be drafted.

    Args:
        most_s: as `most_expected` tells; what is expected to take longer has no record.
    """
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
            schedule, score = candidate.schedule, candidate.draft_score
            assert schedule is not None and score is not None
            if 2.0**-score > most_s[task.name]:
                continue
            args = ArgInfo.from_entry_func(schedule.mod, remove_preproc=True)
            workload = database.commit_workload(task.mod)
            database.commit_tuning_record(TuningRecord(schedule.trace, workload, [1.0], target, args))
    return database, failed
