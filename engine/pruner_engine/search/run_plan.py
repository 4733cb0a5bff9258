"""What a run is: what it tunes, on which device, how it searches and for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tvm

from pruner_engine.search.budget import Budget
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.task_state import TaskState
from pruner_engine.targets.profile import DeviceProfile


@dataclass(frozen=True)
class RunPlan:
    """One run.

    Attributes:
        run_id: its row in the project file.
        states: its tasks.
        target, profile: the device that its kernels are for, and that device's figures.
        strategy: a name that `make_strategy` takes.
    """

    run_id: int
    states: Sequence[TaskState]
    target: tvm.target.Target
    profile: DeviceProfile
    strategy: str
    seed: int
    settings: SearchSettings
    budget: Budget
