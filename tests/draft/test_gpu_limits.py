"""What the GPU analyzer calls valid is what VerifyGPUCode lets through, and what the draft chooses compiles."""

from __future__ import annotations

import json

import numpy as np
import pytest
import tvm
from tvm.s_tir import Schedule
from tvm.tirx.compilation_pipeline import get_tir_pipeline
from tvm.tirx.transform import BindTarget

from cuda_compiler import needs_cuda_compiler
from draft.operators import HALF, HALF_RELU, PACKED
from draft.spaces import EPILOGUES, GPU, PADDED, SPLIT, blocks, named_task, rows_of_each, space_of
from pruner_engine.benchmarks.compiling import bench_compile
from pruner_engine.draft import analyzer_for
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureOptions, MeasureResult, inputs_of
from pruner_engine.search.explorer import Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import resolve_target


@pytest.mark.parametrize(
    "workload", ["matmul:128,96,64", "conv2d:1,16,14,14,32,3,pad=1", "softmax:64,256", HALF, SPLIT[0]]
)
def test_validity_is_predicted(workload):
    space = space_of(workload, GPU)
    analyzer = analyzer_for(space, profile_for(GPU))
    rng = np.random.default_rng(0)
    right = total = 0
    for sketch in space.sketches:
        rows = sketch.sample(rng, 400)
        valid = np.isfinite(analyzer.score(sketch.index, rows))
        for wanted in (True, False):
            some = rows[valid == wanted][:8]
            candidates = [space.candidate(sketch.index, row) for row in some]
            passed = len(space.materialise(candidates))
            right += passed if wanted else len(candidates) - passed
            total += len(candidates)
    assert right >= 0.85 * total


@pytest.mark.parametrize("limit", ["max_threads_per_block", "max_shared_memory_per_block"])
def test_limits_of_a_target_count_that_are_below_its_devices(limit):
    attributes = {"kind": "cuda", "arch": "sm_80", limit: 2048 if "shared" in limit else 64}
    target = resolve_target(json.dumps(attributes))
    space = DesignSpace.generate(named_task("matmul:128,96,64", target), target)
    analyzer = analyzer_for(space, profile_for(target))
    rows = space.sketches[0].sample(np.random.default_rng(0), 400)
    valid = rows[np.isfinite(analyzer.score(0, rows))]
    assert 0 < len(valid) < 200
    assert len(space.materialise([space.candidate(0, row) for row in valid[:8]])) == min(8, len(valid))


def agree(schedule: Schedule) -> bool:
    """Whether all loops of a launch that are bound to the same threads are as long."""
    bound: dict[tuple[tvm.tirx.Var, str], set[int]] = {}
    for _, loops in blocks(schedule.mod["main"].body):
        for loop in loops:
            if loop.thread_binding is not None and "threadIdx" in (thread := str(loop.thread_binding.thread_tag)):
                bound.setdefault((loops[0].loop_var, thread), set()).add(int(loop.extent))
    return all(len(extents) == 1 for extents in bound.values())


def test_threads_that_do_not_agree_are_not_valid():
    """Two reductions of a kernel, each across threads of its own number: what TVM makes of them nobody has seen run."""
    space = space_of("group norm, channels last", GPU)
    analyzer = analyzer_for(space, profile_for(GPU))
    refused = 0
    for sketch in space.sketches:
        unroll = [c.start for c, d in zip(sketch.columns, sketch.decisions, strict=True) if d.name == "unroll_explicit"]
        for row in sketch.sample(np.random.default_rng(0), rows_of_each(4)):
            row[unroll] = 0
            schedule = space.apply(space.candidate(sketch.index, row))
            if schedule is not None:
                assert analyzer.explain(sketch.index, row).valid == agree(schedule)
                refused += not agree(schedule)
    assert refused


HOPPER = resolve_target("h100")


def lowers(schedule: Schedule) -> bool:
    with HOPPER:
        try:
            get_tir_pipeline("s_tir")[0](BindTarget(HOPPER)(schedule.mod))
        except RuntimeError:
            return False
    return True


def builds(schedule: Schedule) -> bool:
    with HOPPER:
        try:
            tvm.tirx.build(schedule.mod, target=HOPPER)
        except RuntimeError:
            return False
    return True


@pytest.mark.parametrize(
    ("workload", "width"), [("conv2d:1,64,56,56,64,3,layout=NHWC", 2), ("conv2d:1,48,28,28,96,3", 1)]
)
def test_vectors_that_tvm_cannot_lower_are_not_valid(workload, width):
    """Those that straddle rows of a fetch whose rounds stay a loop; where they are unrolled there is no such limit."""
    space = space_of(workload, HOPPER)
    analyzer, sketch = analyzer_for(space, profile_for(HOPPER)), space.sketches[0]
    rows = sketch.sample(np.random.default_rng(0), 2000)
    *_, weights, unroll = (columns.start for columns in sketch.columns)
    rows[:, weights], rows[:, unroll] = width, 7
    rows = rows[np.isfinite(analyzer.score(0, rows))]
    rows[:, unroll] = 0
    valid = np.isfinite(analyzer.score(0, rows))
    for wanted in (True, False):
        some = [space.candidate(0, row) for row in rows[valid == wanted][:10]]
        applied = space.materialise(some)
        assert len(applied) == 10 and [lowers(c.schedule) for c in applied] == [wanted] * 10


def test_sums_across_threads_that_unrolling_repeats_are_not_valid():
    """TVM lowers one such sum of a kernel and block, not what an unrolled loop over several results makes of it."""
    space = space_of("group norm, channels last", HOPPER)
    analyzer, found = analyzer_for(space, profile_for(HOPPER)), set()
    for sketch in space.sketches:
        for row in sketch.sample(np.random.default_rng(0), rows_of_each(6)):
            schedule = space.apply(space.candidate(sketch.index, row))
            if schedule is not None and agree(schedule):
                valid = analyzer.explain(sketch.index, row).valid
                assert valid == lowers(schedule)
                found.add(valid)
    assert found == {True, False}


@pytest.mark.parametrize(("workload", "named"), [("matmul:96,96,96", True), ("matmul:96,96,96,bfloat16", False)])
def test_vectors_of_an_odd_number_of_brain_floats_are_not_valid(workload, named):
    space = space_of(workload, HOPPER)
    analyzer, sketch = analyzer_for(space, profile_for(HOPPER)), space.sketches[0]
    fetches = [at for at, decision in enumerate(sketch.decisions) if decision.name == "cooperative_fetch"]
    columns = [sketch.columns[at].start for at in fetches]
    rows = sketch.sample(np.random.default_rng(0), 4000)
    rows[:, columns] = 3  # of four numbers
    rows = rows[np.isfinite(analyzer.score(0, rows))]
    rows[:, columns] = 2  # of three
    assert np.isfinite(analyzer.score(0, rows)).any() == named
    applied = space.materialise([space.candidate(0, row) for row in rows[:10]])
    assert all(builds(c.schedule) for c in applied) == named


PATCHES = "conv2d:1,{},32,32,96,4,stride=4,layout=NHWC,float16"


@pytest.mark.parametrize(("channels", "several"), [(3, False), (8, True)])
def test_vectors_of_eight_end_where_rows_of_a_window_do(channels, several):
    """Rows of 12 and of 32 numbers: CUDA has no vector of eight indices for what lies in two of them."""
    space = space_of(PATCHES.format(channels), HOPPER)
    analyzer, sketch = analyzer_for(space, profile_for(HOPPER)), space.sketches[0]
    fetch = [c.start for c, d in zip(sketch.columns, sketch.decisions, strict=True) if d.name == "cooperative_fetch"][1]
    rows = sketch.sample(np.random.default_rng(0), 2000)
    rows[:, fetch] = 3  # of eight numbers
    assert np.isfinite(analyzer.score(0, rows)).any() == several


@needs_cuda_compiler
def test_vectors_of_eight_that_lie_apart_do_not_compile_and_are_not_valid():
    """Across rows of a tile of weights: TVM gathers them by an index."""
    space = space_of("conv2d:1,64,14,14,64,3,groups=4,float16", HOPPER)
    analyzer, sketch = analyzer_for(space, profile_for(HOPPER)), space.sketches[0]
    fetches = [at for at, decision in enumerate(sketch.decisions) if decision.name == "cooperative_fetch"]
    weights, eight = sketch.columns[fetches[-1]].start, sketch.decisions[fetches[-1]].candidates.index(8)
    rows = sketch.sample(np.random.default_rng(0), 4000)
    rows[:, weights], rows[:, -1] = eight - 1, 7
    rows = rows[np.isfinite(analyzer.score(0, rows))]
    rows[:, weights] = eight
    valid = np.isfinite(analyzer.score(0, rows))
    assert compiled(space, rows[valid][:2]) == 2
    assert compiled(space, rows[~valid][:3]) == 0


def compiled(space: DesignSpace, rows: np.ndarray) -> int:
    """How many of some rows of the first sketch become machine code."""
    candidates = space.materialise([space.candidate(0, row) for row in rows])
    results: list[MeasureResult] = []
    with Measurer(space.target, MeasureOptions(check="none", build_timeout_s=120.0)) as measurer:
        measurer.build(inputs_of(candidates), results.append)
    return sum(result.ok for result in results)


GROUPED = "conv2d:1,64,56,56,64,3,groups=4"
GROUPED_HALVES = "conv2d:1,128,28,28,128,3,pad=1,groups=32,bfloat16"
T4 = resolve_target("t4")
SEVERAL_A_CHANNEL = "conv2d:1,16,14,14,64,3,pad=1,groups=16"
DRAFTED = [
    "matmul:128,96,64",
    "bmm:4,32,64,16",
    "conv1d:1,16,64,32,3,pad=1",
    "conv3d:1,8,6,10,10,16,3,pad=1",
    "depthwise:1,48,14,14,3,pad=1,layout=NHWC",
    "conv2d:1,32,28,28,64,3,layout=NHWC,float16",
    "matmul:128,128,128,int8",
    *PADDED,
    HALF_RELU,
    *SPLIT[1:3],
    EPILOGUES[0],
    *EPILOGUES[4:],
]


@pytest.mark.parametrize(
    ("workload", "target", "seed"),
    [
        *(pytest.param(workload, GPU, 0, id=f"sm_80-{workload}") for workload in DRAFTED),
        *(pytest.param(workload, HOPPER, 1, id=f"sm_90-{workload}") for workload in (DRAFTED[0], *DRAFTED[4:])),
        *(pytest.param(GROUPED, HOPPER, seed, id=f"sm_90-{GROUPED}-{seed}") for seed in (0, 7)),
        pytest.param(SEVERAL_A_CHANNEL, HOPPER, 0, id=f"sm_90-{SEVERAL_A_CHANNEL}"),
        pytest.param(PACKED, HOPPER, 0, id=f"sm_90-{PACKED}"),
        pytest.param(GROUPED_HALVES, HOPPER, 0, id=f"sm_90-{GROUPED_HALVES}"),
        *(pytest.param(workload, T4, 0, id=f"sm_75-{workload}") for workload in ("matmul:128,128,128,bfloat16", HALF)),
    ],
)
def test_no_candidate_is_drafted_that_tvm_refuses(workload, target, seed):
    space = space_of(workload, target)
    settings = SearchSettings(population=512, draft_set=rows_of_each(8))
    explorer = Explorer(space, analyzer_for(space, profile_for(target)), settings)
    drafted = explorer.draft(np.random.default_rng(seed)).candidates
    assert drafted and len(space.materialise(drafted)) == len(drafted)


@needs_cuda_compiler
@pytest.mark.parametrize(
    ("target", "workload", "tensor_cores"),
    [
        ("a100-40g", "conv2d:1,16,14,14,32,3,layout=NHWC", False),
        ("h100", "matmul:128,128,128,float16", True),
        ("t4", "matmul:128,128,128,bfloat16", False),
        ('{"kind":"cuda","arch":"sm_120"}', "matmul:128,128,128,int8", True),
        ("h100", "conv2d:1,64,56,56,64,3,groups=4,int8", False),
    ],
)
def test_drafted_candidates_compile_without_a_gpu(target, workload, tensor_cores):
    """To the device's own machine code, by the builders that a tuning uses."""
    (found,) = bench_compile(target, [workload], candidates=3)["operators"]
    assert found["compiled"] == found["built"] == 3, found["failures"]
    assert (found["tensor_core"] > 0) == tensor_cores
