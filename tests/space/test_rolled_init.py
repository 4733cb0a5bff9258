"""What clears the accumulators of an outer tile is no body that a compiler unrolls without end."""

from __future__ import annotations

import numpy as np
from tvm.s_tir import Schedule
from tvm.tirx import For, ForKind

from draft.spaces import CPU
from pruner_engine.frontends import load_model
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare


def clearing(schedule: Schedule) -> list[For]:
    """Loops around the block that clears the accumulators, up to the parallel one, outermost first."""
    loops = [schedule.get(loop) for loop in schedule.get_loops(schedule.get_sblock("matmul_init"))]
    parallel = max(i for i, loop in enumerate(loops) if loop.kind == ForKind.PARALLEL)
    return loops[parallel + 1 :]


def test_a_tile_between_reduction_blocks_is_cleared_by_one_loop_over_short_rows():
    task = extract_tasks(prepare(load_model("dense:128,512,96").mod, CPU), CPU)[0]
    space = DesignSpace.generate(task, CPU)
    rng = np.random.default_rng(0)
    rolled = kept = 0
    for sketch in space.sketches:
        for row in sketch.sample(rng, 20):
            schedule = space.apply(space.candidate(sketch.index, row))
            if schedule is None:
                continue
            loops = clearing(schedule)
            unrolled = [int(loop.extent) for loop in loops if loop.kind == ForKind.UNROLLED]
            between = loops[0].kind == ForKind.SERIAL and "fused" in loops[0].loop_var.name
            rolled += between
            kept += not between
            # accumulators of one register tile are cleared at once, those of many are not
            assert not between or len(unrolled) <= 1
    assert rolled
    assert kept
