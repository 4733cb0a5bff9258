"""Constants whose layout may follow the loops that read them."""

from __future__ import annotations

import numpy as np
from tvm import relax, topi
from tvm.relax import op

from draft.spaces import CPU
from graphs import graph
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare


def marked(task) -> list[int]:
    return [int(i) for i in task.mod["main"].attrs.get("layout_free_buffers", ())]


def group_norm(x, scale, shift):
    """TVM's, which reshapes scale and shift."""
    return relax.BlockBuilder.current().call_te(topi.nn.group_norm, x, scale, shift, 4, 1, [2, 3])


def test_constants_that_are_reshaped_in_a_kernel_keep_their_layout():
    mod = graph(group_norm, (1, 8, 14, 10), constants=[(8,), (8,)])
    (task,) = extract_tasks(prepare(mod, CPU), CPU)
    assert marked(task) == []
    space = DesignSpace.generate(task, CPU)
    rng = np.random.default_rng(0)
    tried = [space.candidate(sketch.index, row) for sketch in space.sketches for row in sketch.sample(rng, 8)]
    assert len(space.materialise(tried)) == len(tried)


def test_other_constants_follow_the_loops():
    (task,) = extract_tasks(prepare(graph(op.matmul, (16, 32), constants=[(32, 48)]), CPU), CPU)
    assert marked(task) == [1]


def test_one_kernel_may_hold_both():
    def both(x, weight, scale, shift):
        made = relax.BlockBuilder.current().emit(op.nn.conv2d(x, weight, padding=[1, 1]))
        return group_norm(made, scale, shift)

    mod = graph(both, (1, 8, 14, 10), constants=[(8, 8, 3, 3), (8,), (8,)])
    tasks = {task.op: marked(task) for task in extract_tasks(prepare(mod, CPU), CPU)}
    assert tasks["normalization"] == [] and tasks["conv2d"] == [1]


def test_constants_that_a_kernel_reads_in_part_keep_their_layout():
    """What is added to the results of appended filters is as long as they are, until the results are cut."""

    def cut(x, weight, shift):
        made = op.add(op.nn.conv2d(x, weight, data_layout="NHWC", kernel_layout="HWIO"), shift)
        return op.nn.relu(op.strided_slice(made, [3], [0], [40]))

    mod = graph(cut, (1, 8, 8, 16), constants=[(3, 3, 16, 48), (48,)])
    (task,) = extract_tasks(prepare(mod, CPU), CPU)
    assert marked(task) == [1]
    space, rng = DesignSpace.generate(task, CPU), np.random.default_rng(0)
    for sketch in space.sketches:
        for schedule in map(space.apply, (space.candidate(sketch.index, row) for row in sketch.sample(rng, 4))):
            assert schedule is None or "% T.int64(40)" not in schedule.mod.script(), (
                "no copy of 48 goes around after 40"
            )


def test_a_candidate_writes_weights_anew_and_leaves_vectors_as_they_are():
    """A bias has one layout only; to write it anew takes as long for every candidate as the weights do."""

    def biased(x, weight, bias):
        made = op.add(op.nn.conv2d(x, weight, padding=[1, 1], data_layout="NHWC", kernel_layout="HWIO"), bias)
        return op.nn.relu(made)

    (task,) = extract_tasks(prepare(graph(biased, (1, 8, 8, 16), constants=[(3, 3, 16, 32), (32,)]), CPU), CPU)
    assert marked(task) == [1, 2], "what counts as a weight of the model stays"
    space = DesignSpace.generate(task, CPU)
    candidate = space.candidate(0, space.sketches[0].sample(np.random.default_rng(0), 1)[0])
    script = space.apply(candidate).mod.script()
    assert "param_0_global" in script
    assert "param_1_global" not in script
    assert space.apply(candidate).mod.script() == script
