"""Drafted schedules for GPUs compute what the untuned kernel computes, shown without a GPU."""

import numpy as np
import pytest

from draft.spaces import GPU, accepted, space_of
from machines import arrays_for, result_of
from pruner_engine.space import rules
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.rules.rule import schedule_rule
from schedules import task_of
from without_threads import one_after_another

WORKLOADS = ["matmul:32,24,40", "bmm:3,16,24,8", "dense:16,20,24", "conv1d:1,8,18,16,3,pad=1"]
WORKLOADS += ["conv2d:1,8,10,10,16,3,stride=2,pad=1", "conv2d:1,8,10,10,12,3,layout=NHWC", "conv3d:1,4,3,6,6,8,3,pad=1"]
WORKLOADS += ["depthwise:1,12,8,8,3,layout=NHWC", "maxpool:1,6,9,9,3,stride=2"]
WORKLOADS += ["softmax:16,40", "layernorm:12,24", "sum:12,50", "gelu:12,20"]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_threads_one_after_another_compute_the_same(workload):
    space = space_of(workload, GPU)
    rng = np.random.default_rng(3)
    arrays = arrays_for(space.task, rng)
    wanted = result_of(space.task.mod, arrays)
    modules, _ = accepted(space, "a100-40g", 2)
    assert modules and all("thread_binding" in str(mod) for mod in modules)
    for mod in modules:
        found = result_of(one_after_another(mod), arrays)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


class Flat:
    """One loop over a kernel of a single block, shared among blocks of threads that each take some vectors."""

    def __init__(self, machine):
        self.lanes = machine.vector_bits // 32

    def apply(self, sch, block):
        loop = sch.fuse(*sch.get_loops(block))
        groups, thread, vector = sch.split(loop, sch.sample_perfect_tile(loop, n=3, max_innermost_factor=self.lanes))
        sch.bind(groups, "blockIdx.x")
        sch.bind(thread, "threadIdx.x")
        sch.vectorize(vector)
        sch.annotate(block, "schedule_rule", "None")
        return [sch]


def test_a_rule_registered_for_gpus_makes_their_sketches_and_can_be_left_out(monkeypatch):
    monkeypatch.setattr(rules, "GPU_RULES", dict(rules.GPU_RULES))
    rules.register_rule("flat", schedule_rule("flat", Flat), kind="cuda")
    task = task_of("relu:24,40", GPU)
    (sketch,) = (space := DesignSpace.generate(task, GPU)).sketches
    assert len(sketch.decisions) == 1
    array = np.random.default_rng(4).standard_normal(task.args[0].shape).astype("float32")
    modules, tried = accepted(space, "a100-40g", 8)
    assert len(modules) == tried == 8
    for mod in modules:
        assert "blockIdx.x" in str(mod)
        found = result_of(one_after_another(mod), [array, np.zeros_like(array)])
        np.testing.assert_array_equal(found, np.maximum(array, 0))
    without = DesignSpace.generate(task, GPU, without=["flat"])
    assert all(sketch.hash != other.hash for other in without.sketches)
