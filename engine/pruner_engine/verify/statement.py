"""Statement features: MetaSchedule's vector per buffer store, 164 wide, already on a log2 scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import tvm
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms

from pruner_engine.space.candidate import Candidate
from pruner_engine.targets.target import threads_of
from pruner_engine.verify.model import Features, schedules_of
from pruner_engine.verify.workload import workload_embedding

if TYPE_CHECKING:
    from pruner_engine.space.design_space import DesignSpace

WIDTH = 164
_MAX_STORES = 24
_THREADS = 2  # at least: the interpreter has something else to do meanwhile


def statements_and_workload(space: DesignSpace, candidates: Sequence[Candidate]) -> list[Features]:
    """What a model sees that knows statements and the workload only."""
    embedding = workload_embedding(space.task)
    rows = statement_features(space.target, schedules_of(candidates))
    return [Features(statement=stores, workload=embedding) for stores in rows]


def statement_features(target: tvm.target.Target, schedules: Sequence[Schedule]) -> list[np.ndarray]:
    """Extract MetaSchedule's features on native threads, the GIL released.

    Args:
        target: what the schedules are for.
        schedules: with their postprocs applied; they are not changed.

    Returns:
        Per schedule float32[stores, 164], in program order; of a program with more stores the last 24.
    """
    if not schedules:
        return []
    # the extractor reads nothing of the context but target and threads
    context = ms.TuneContext(mod=schedules[0].mod, target=target, num_threads=max(_THREADS, threads_of(target)))
    candidates = [ms.MeasureCandidate(schedule, []) for schedule in schedules]
    rows = ms.feature_extractor.PerStoreFeature().extract_from(context, candidates)
    return [row.numpy()[-_MAX_STORES:].astype(np.float32) for row in rows]
