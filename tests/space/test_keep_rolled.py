"""Nests that move vectors are no bodies that a compiler writes out without end."""

from __future__ import annotations

import numpy as np
from tvm.s_tir import Schedule
from tvm.tirx import For, ForKind

from draft.spaces import CPU
from pruner_engine.frontends import load_model
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare


def space_of(workload: str) -> DesignSpace:
    return DesignSpace.generate(extract_tasks(prepare(load_model(workload).mod, CPU), CPU)[0], CPU)


def around(schedule: Schedule, name: str) -> list[For]:
    """Loops around the block of this name behind the parallel one, outermost first."""
    loops = [schedule.get(loop) for loop in schedule.get_loops(schedule.get_sblock(name))]
    parallel = max(i for i, loop in enumerate(loops) if loop.kind == ForKind.PARALLEL)
    return loops[parallel + 1 :]


def test_a_tile_between_reduction_blocks_is_cleared_by_one_loop_an_axis():
    space = space_of("dense:128,512,96")
    rng = np.random.default_rng(0)
    tiles = registers = 0
    for sketch in space.sketches:
        for row in sketch.sample(rng, 20):
            schedule = space.apply(space.candidate(sketch.index, row))
            loops = [] if schedule is None else around(schedule, "matmul_init")
            kinds = [loop.kind for loop in loops]
            if kinds == [ForKind.SERIAL, ForKind.SERIAL, ForKind.VECTORIZED]:
                tiles += 1
            elif loops:  # what fits into registers is cleared at once
                registers += 1
                assert ForKind.UNROLLED in kinds
    assert tiles
    assert registers


def test_a_window_outside_a_copy_is_no_loop_of_its_own():
    space = space_of("conv2d:1,64,28,28,64,3,pad=1,layout=NHWC")
    rng = np.random.default_rng(0)
    large = 0
    for sketch in space.sketches:
        for row in sketch.sample(rng, 8):
            schedule = space.apply(space.candidate(sketch.index, row))
            if schedule is None:
                continue
            block = schedule.get_sblock("weight_global")
            alone = []
            for loop in reversed([schedule.get(loop) for loop in schedule.get_loops(block)]):
                if alone and not isinstance(loop.body, For):
                    break
                alone.append(int(loop.extent))
            *moves, outermost = alone[1:]
            if int(np.prod(moves)) * outermost >= 256:
                large += 1
                assert outermost > 10
    assert large
