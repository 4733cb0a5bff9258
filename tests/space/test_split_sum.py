"""The rule that shares out the steps of long sums among blocks of a GPU's grid."""

import random

import numpy as np
import pytest
from tvm.relax import op

from cuda_compiler import needs_cuda_compiler
from draft.spaces import GPU, SPLIT, space_of
from graphs import graph
from machines import arrays_for, result_of
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.rule_names import SPLIT_RULE
from pruner_engine.search.explorer import Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from schedules import task_of
from seeds import seeds
from without_threads import one_after_another

HOPPER = resolve_target("h100")
PROFILES = {target: load_presets()[name].profile for target, name in ((GPU, "a100-40g"), (HOPPER, "h100"))}


def split_sketches(space):
    return [sketch for sketch in space.sketches if "RFactor" in sketch.trace_json()]


def split_modules(space, count, seed=0):
    """Modules of random rows that the closed form calls valid: TVM takes all of them."""
    (sketch,) = split_sketches(space)
    rows = sketch.sample(np.random.default_rng(seed), 3000)
    valid = rows[np.isfinite(Analyzer(space, PROFILES[space.target]).score(sketch.index, rows))][:count]
    candidates = [space.candidate(sketch.index, row) for row in valid]
    assert len(space.materialise(candidates)) == count
    return [candidate.schedule.mod for candidate in candidates]


def assert_same(space, count, seed=0):
    rng = np.random.default_rng(seed)
    arrays = arrays_for(space.task, rng)
    wanted = result_of(space.task.mod, arrays)
    for mod in split_modules(space, count, seed):
        np.testing.assert_allclose(result_of(one_after_another(mod), arrays), wanted, rtol=1e-3, atol=1e-4)


def long_sums(seed):
    """Workloads of every kind that the rule takes, with lengths that no tile divides."""
    rng = random.Random(seed)
    steps, size = rng.choice([770, 924, 1000, 1022, 1155, 2048]), lambda: rng.randint(2, 40)
    images = f"{rng.randint(1, 2)},{rng.choice([90, 98, 130])},{rng.randint(3, 9)},{rng.randint(3, 9)},{size()},3,pad=1"
    return [
        f"matmul:{size()},{size()},{steps}",
        f"dense:{rng.randint(1, 5)},{size()},{steps}",
        f"bmm:{rng.randint(2, 3)},{size()},{size()},{steps}",
        f"conv2d:{images},stride={rng.randint(1, 2)}",
        f"conv2d:{images},layout=NHWC",
    ]


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("kind", range(5))
def test_parts_add_up_to_what_the_untuned_kernel_computes(kind, seed):
    workload = long_sums(f"{kind} {seed}")[kind]
    assert_same(DesignSpace.generate(task_of(workload, GPU), GPU), 2)


def test_what_follows_a_product_is_computed_where_the_parts_are_added_up():
    mod = graph(
        lambda x, residual, w, bias: op.nn.relu(op.add(op.add(op.matmul(x, w), bias), residual)),
        (12, 960),
        (12, 20),
        constants=[(960, 20), (20,)],
    )
    (task,) = extract_tasks(prepare(mod, GPU), GPU)
    space = DesignSpace.generate(task, GPU)
    assert_same(space, 3)
    (kernel,) = split_modules(space, 1)
    assert kernel.script().count('thread="blockIdx.x"') == 2


@pytest.mark.parametrize("workload", SPLIT)
def test_the_other_sketches_are_those_of_a_space_without_the_rule(workload):
    space = space_of(workload, GPU)
    without = DesignSpace.generate(space.task, GPU, without=[SPLIT_RULE])
    assert [sketch.hash for sketch in space.sketches[:-1]] == [sketch.hash for sketch in without.sketches]
    assert split_sketches(space) == space.sketches[-1:] and not split_sketches(without)


@pytest.mark.parametrize(
    "workload",
    [
        "matmul:128,512,512",  # a short sum
        "matmul:1024,1024,1024",  # results for all threads
        "matmul:24,36,1021",  # steps that cannot be shared out
        "matmul:128,512,2048,float16",  # Tensor Cores
        "sum:12,2048",  # nothing is read for several results
        "depthwise:1,48,14,14,3,pad=1",
        "softmax:64,1024",
    ],
)
def test_other_kernels_keep_their_spaces(workload):
    space = space_of(workload, GPU)
    without = DesignSpace.generate(space.task, GPU, without=[SPLIT_RULE])
    assert [sketch.hash for sketch in space.sketches] == [sketch.hash for sketch in without.sketches]


@needs_cuda_compiler
@pytest.mark.parametrize(("preset", "target"), [("a100-40g", GPU), ("h100", HOPPER)], ids=["sm_80", "sm_90"])
def test_they_compile_to_machine_code(preset, target, built):
    modules = [mod for workload in (SPLIT[1], SPLIT[2]) for mod in split_modules(space_of(workload, target), 1)]
    results = built(preset, modules)
    assert len(results) == 2 and all(result.ok for result in results), [result.message for result in results]


def expected(space):
    """Seconds that the draft expects of its best candidate."""
    explorer = Explorer(space, Analyzer(space, PROFILES[space.target]), SearchSettings(draft_set=8))
    return 2.0 ** -explorer.draft(np.random.default_rng(0)).candidates[0].draft_score


def test_the_draft_expects_a_gain_where_so_few_results_keep_few_threads_busy():
    """Of the feed-forward layer of a small BERT."""
    task = task_of("matmul:128,512,2048", HOPPER)
    with_rule, without = (expected(DesignSpace.generate(task, HOPPER, without=w)) for w in ([], [SPLIT_RULE]))
    assert with_rule < 0.8 * without
