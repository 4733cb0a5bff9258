"""What TVM's postprocessing makes of a schedule is what the closed form has reckoned with."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import tvm
from tvm.s_tir import SBlock, Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.target import Target
from tvm.tirx import For, ForKind

from draft.operators import PAIRS_OF_BYTES
from draft.spaces import (
    AMX,
    ARM,
    CPU,
    GPU,
    LARGE,
    SPLIT,
    TENSORISED,
    TILES,
    WORDS,
    WORKLOADS,
    analyzer_of,
    blocks,
    rows_of_each,
    space_of,
)
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.draft.formulas.evaluation import Evaluation
from pruner_engine.draft.nests.nest import Block, all_loops
from pruner_engine.space.design_space import DesignSpace, seed_of
from pruner_engine.space.sketch import Sketch
from pruner_engine.targets.target import target_json

ROWS = rows_of_each(2)
PARTS_OF_VECTORS = ["relu:11,17", "avgpool:1,47,3,11,2"]  # the last vector of all elements is not whole
_AT_A_TIME = 8  # rows that are drawn: each may put its blocks elsewhere, and is then compiled alone
_TURNED = (
    "kernel_transform"  # weights of a transposed convolution: TVM takes a fused loop of two of their axes for none
)
Told = list[tuple[Block, dict[str, float]]]


def finished(space: DesignSpace, sketch: int, row: np.ndarray) -> Schedule | None:
    """The applied schedule, postprocessed but for what replaces blocks by instructions; None where it is refused."""
    candidate = space.candidate(sketch, row)
    schedule = Schedule(space.task.mod, seed=seed_of(candidate.hash), error_render_level="none")
    space.trace_of(candidate).apply_to_schedule(schedule, remove_postproc=True)
    schedule.enter_postproc()
    wanted = [p for p in ms.Postproc.create(space.target.kind.name) if not isinstance(p, ms.postproc.RewriteTensorize)]
    context = ms.TuneContext(
        space.task.mod,
        target=space.target,
        space_generator=ms.space_generator.PostOrderApply(sch_rules=[], postprocs=wanted, mutator_probs={}),
    )
    return schedule if all(p.apply(schedule) for p in context.space_generator.postprocs) else None


def anything(sketch: Sketch, rows: np.ndarray) -> np.ndarray:
    return np.ones(len(rows), bool)


def parts_of_groups(sketch: Sketch, rows: np.ndarray) -> np.ndarray:
    """Whether a block of threads computes some filters of a group of 16, and reads all channels of it at once."""
    filters, channels = (rows[:, sketch.columns[at]] for at in (1, 4))
    return (filters[:, 0] > 4) & (filters[:, 0] < 64) & (channels[:, 0] == 1)


def valid_rows(
    analyzer: Analyzer,
    sketch: Sketch,
    wanted: Callable[[Sketch, np.ndarray], np.ndarray],
    *,
    many: int,
    tried: int,
) -> list[np.ndarray]:
    """The first `many` of `tried` random rows that are of interest and that the closed form calls valid."""
    rng, found = np.random.default_rng(1), []
    for _ in range(0, tried, _AT_A_TIME):
        rows = sketch.sample(rng, _AT_A_TIME)
        rows = rows[wanted(sketch, rows)]
        if len(rows):
            found.extend(rows[np.isfinite(analyzer.score(sketch.index, rows))])
        if len(found) >= many:
            break
    return found[:many]


@functools.cache
def compared(
    workload: str, target: Target, wanted: Callable[[Sketch, np.ndarray], np.ndarray] = anything, tried: int = 25
) -> list[tuple[DesignSpace, Schedule, Told]]:
    """Finished schedules of random rows that the closed form calls valid, and its symbols of every block.

    Args:
        wanted: which of a sketch's rows are of interest.
        tried: rows that are drawn, at most, for each one that is compared.
    """
    space, found = space_of(workload, target), []
    analyzer, many = analyzer_of(space), max(1, ROWS // len(space.sketches))
    for sketch in space.sketches:
        for row in valid_rows(analyzer, sketch, wanted, many=many, tried=tried * ROWS):
            schedule = finished(space, sketch.index, row)
            statements = analyzer.closed[sketch.index].variants.of(row.tolist()).parts.statements
            told = [(one.block, _values(one.symbols, row)) for one in statements]
            if schedule is not None:
                found.append((space, schedule, told))
    return found


def _values(symbols, row):
    return dict(zip(symbols, Evaluation(list(symbols.values()))(row.tolist()), strict=True))


def extent(loops: tuple[For, ...], kind: ForKind) -> int:
    return math.prod(int(loop.extent) for loop in loops if loop.kind == kind)


def bound(loops: tuple[For, ...], thread: str) -> int:
    tags = ((loop, loop.thread_binding) for loop in loops)
    return math.prod(
        int(loop.extent) for loop, tag in tags if tag is not None and str(tag.thread_tag).startswith(thread)
    )


def named(told: Told, block: SBlock) -> tuple[Block, dict[str, float]] | None:
    """What is told of a block; None of one that no trace holds: an initialisation, or a weight that is copied."""
    name = str(block.name_hint).removesuffix("_update")
    return next((one for one in told if one[0].name == name), None)


@pytest.mark.parametrize(
    ("workload", "target"),
    [
        *((name, CPU) for name in (*WORKLOADS, PAIRS_OF_BYTES, *PARTS_OF_VECTORS)),
        *((name, AMX) for name in TILES),
        *((name, ARM) for name in WORDS),
    ],
)
def test_loops_are_parallel_vectorised_and_unrolled_as_told(workload, target):
    seen = 0
    for _, schedule, told in compared(workload, target):
        for block, loops in blocks(schedule.mod["main"].body):
            found = named(told, block)
            if found is None or str(block.name_hint) == _TURNED:
                continue
            mine, symbols = found
            seen += 1
            assert symbols["parallel"] == extent(loops, ForKind.PARALLEL), mine.name
            if symbols["unroll"]:
                steps = [loop.annotations.get("pragma_auto_unroll_max_step", 0) for loop in loops]
                assert symbols["unroll"] == max(map(int, steps)), mine.name
            vector = extent(loops, ForKind.VECTORIZED)
            # padding takes branches whatever TVM makes of it; what a trace vectorises TVM fuses to a few vectors
            guarded = any(read.guarded for store in mine.stores for read in store.reads)
            if vector > 1 and not guarded and all(loop.kind == "serial" for loop in all_loops(mine)):
                assert symbols["vector"] == vector, mine.name
    assert seen >= ROWS


class Limits:
    """TVM's check of a schedule on a GPU that allows less."""

    def __init__(self, target: Target, **limits: int) -> None:
        checks = [ms.postproc.VerifyGPUCode()]
        generator = ms.space_generator.PostOrderApply(sch_rules=[], postprocs=checks, mutator_probs={})
        allowed = Target({**json.loads(target_json(target)), **limits})
        self.context = ms.TuneContext(tvm.IRModule({}), target=allowed, space_generator=generator)

    def admit(self, schedule: Schedule) -> bool:
        return bool(self.context.space_generator.postprocs[0].apply(schedule))


def limits_as_counted(found: Sequence[tuple[DesignSpace, Schedule, Told]], symbol: str, limit: str) -> int:
    """How many of the schedules a GPU admits that allows what is told, and refuses one that allows one less."""
    seen = 0
    for space, schedule, told in found:
        most = int(max(symbols[symbol] for _, symbols in told))
        if most:
            assert Limits(space.target, **{limit: most}).admit(schedule), (symbol, most)
            assert not Limits(space.target, **{limit: most - 1}).admit(schedule), (symbol, most)
            seen += 1
    return seen


@pytest.mark.parametrize("workload", [*WORKLOADS, *TENSORISED, *SPLIT])
def test_threads_and_shared_memory_are_what_tvm_counts(workload):
    found = compared(workload, GPU)
    seen = limits_as_counted(found, "threads", "max_threads_per_block")
    seen += limits_as_counted(found, "shared_bytes", "max_shared_memory_per_block")
    assert seen >= ROWS // 2


def test_shared_memory_of_parts_of_groups_is_what_tvm_counts():
    """TVM keeps channels of other groups too where it cannot tell which group it is."""
    found = compared("conv2d:1,64,14,14,64,3,groups=4", GPU, parts_of_groups, tried=2000)
    assert limits_as_counted(found, "shared_bytes", "max_shared_memory_per_block") >= ROWS // 2


@pytest.mark.parametrize("workload", [*WORKLOADS, *TENSORISED, *SPLIT, *LARGE])
def test_blocks_virtual_threads_and_fetches_are_bound_as_told(workload):
    for _, schedule, told in compared(workload, GPU):
        for block, loops in blocks(schedule.mod["main"].body):
            found = named(told, block)
            if found is None:
                continue
            mine, symbols = found
            assert symbols["blocks"] == bound(loops, "blockIdx"), mine.name
            assert symbols["vthreads"] >= bound(loops, "vthread"), mine.name
            if "meta_schedule.cooperative_fetch" in mine.annotations:
                vector = extent(loops, ForKind.VECTORIZED)
                buffers = {access.buffer for store in mine.stores for access in (store.write, *store.reads)}
                fetched = symbols["memory_operations_thread"] / len(buffers)
                # the last vectors of all may be more than there is left
                assert fetched <= extent(loops, ForKind.SERIAL) * vector <= fetched * vector, mine.name
