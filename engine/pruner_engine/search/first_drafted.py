"""The first candidates of a kernel's draft, for those that ask no learned model."""

from __future__ import annotations

import numpy as np
from tvm.target import Target

from pruner_engine.draft import analyzer_for
from pruner_engine.search.explorer import Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.target import threads_of
from pruner_engine.tasks.task import TuningTask


def first_drafted(
    task: TuningTask, target: Target, profile: DeviceProfile, settings: SearchSettings, seed: int, count: int
) -> list[Candidate]:
    """So many that the analyzer likes best, less those whose schedules are not valid; these are set.

    Raises:
        Exception: of whatever kind, where a rule stumbles over the kernel.
    """
    space = DesignSpace.generate(task, target, without=settings.without_rules)
    drafted = Explorer(space, analyzer_for(space, profile), settings).draft(np.random.default_rng(seed)).candidates
    return space.materialise(drafted[:count], threads_of(target))
