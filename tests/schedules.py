"""Random valid schedules, for tests that need some without a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pruner_engine.tvm_import import import_tvm

tvm = import_tvm()

from tvm.s_tir import Schedule  # noqa: E402
from tvm.s_tir.meta_schedule.arg_info import ArgInfo  # noqa: E402
from tvm.s_tir.meta_schedule.database import MemoryDatabase, TuningRecord  # noqa: E402
from tvm.s_tir.schedule import Trace  # noqa: E402

from pruner_engine.frontends import load_model  # noqa: E402
from pruner_engine.space.design_space import DesignSpace  # noqa: E402
from pruner_engine.tasks.extract import extract_tasks  # noqa: E402
from pruner_engine.tasks.prepare import prepare  # noqa: E402
from pruner_engine.tasks.task import TuningTask  # noqa: E402

CPU = tvm.target.Target({"kind": "llvm", "num-cores": 2})
GPU = tvm.target.Target("nvidia/nvidia-a100")


def task_of(workload: str, target: tvm.target.Target = CPU) -> TuningTask:
    """The heaviest task of a built-in workload."""
    return extract_tasks(prepare(load_model(workload).mod, target), target)[0]


def is_closed(trace: Trace) -> bool:
    """An own rule closes the blocks that it takes."""
    return any(i.kind.name == "Annotate" and str(i.attrs[0]) == "schedule_rule" for i in trace.insts)


def built(space: DesignSpace, sketch: int, rows: np.ndarray) -> Iterator[Schedule]:
    """The valid ones of a sketch's rows, one after the other as they are asked for, postprocs run."""
    return filter(None, (space.apply(space.candidate(sketch, row)) for row in rows))


def random_schedule(task: TuningTask, target: tvm.target.Target = CPU, seed: int = 0) -> Schedule:
    """A valid schedule of a task, postprocs run."""
    space = DesignSpace.generate(task, target)
    rng = np.random.default_rng(seed)
    while True:
        sketch = space.sketches[int(rng.integers(len(space.sketches)))]
        if (found := next(built(space, sketch.index, sketch.sample(rng, 16)), None)) is not None:
            return found


def database_with(tasks: Sequence[TuningTask], target: tvm.target.Target = CPU, seed: int = 0) -> MemoryDatabase:
    """A database with one record of each task."""
    database = MemoryDatabase()
    for task in tasks:
        schedule = random_schedule(task, target, seed)
        args = ArgInfo.from_entry_func(schedule.mod, remove_preproc=True)
        workload = database.commit_workload(task.mod)
        database.commit_tuning_record(TuningRecord(schedule.trace, workload, [1e-3], target, args))
    return database
