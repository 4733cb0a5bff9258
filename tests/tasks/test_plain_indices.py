"""Indices that reshapes leave behind are simplified."""

import numpy as np
import tvm
import tvm_ffi
from tvm import relax, tirx
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.plain_indices import plain_indices
from pruner_engine.tasks.prepare import prepare
from schedules import CPU, GPU

SHAPES = [(1, 8, 6, 10), (1, 8, 1, 1)]


def gated(x, gate):
    """Pairs of channels, each weighted by a number of its own, as pixels of channels that come last."""
    pairs = op.multiply(op.reshape(x, (1, 4, 2, 6, 10)), op.reshape(op.sigmoid(gate), (1, 4, 2, 1, 1)))
    return op.permute_dims(op.reshape(pairs, (1, 8, 60)), [0, 2, 1])


def divisors_of(function):
    found = []
    tvm_ffi.structural_walk(function.body, ((tirx.FloorDiv, tirx.FloorMod), found.append))
    return {int(quotient.b) for quotient in found}


def test_what_splits_no_axis_is_no_quotient():
    mod = graph(gated, *SHAPES)
    (task,) = extract_tasks(prepare(mod, CPU), CPU)
    assert divisors_of(task.mod["main"]) <= {2, 10}  # of pairs, and of rows of pixels
    x, gate = (np.random.default_rng(seed).random(shape, "float32") for seed, shape in enumerate(SHAPES))
    found = machine_of(prepare(mod, CPU))["main"](*map(tvm.runtime.tensor, (x, gate))).numpy()
    np.testing.assert_allclose(found, (x / (1 + np.exp(-gate))).reshape(1, 8, 60).swapaxes(1, 2), rtol=1e-5)


def test_kernels_without_any_stay_as_they_are():
    fused = relax.transform.LegalizeOps()(graph(lambda x: op.add(op.sigmoid(x), x), (4, 6)))
    assert plain_indices(fused) is fused


def test_a_norm_of_one_group_has_a_space_on_a_gpu():
    """A sum that no more depends on the channel that it is for would be tiled as a product, which ends in an error."""
    mod = graph(
        lambda x, scale, shift: op.nn.group_norm(x, scale, shift, num_groups=1, channel_axis=3, axes=[1, 2]),
        (1, 6, 3, 8), (8,), (8,),
    )  # fmt: skip
    (task,) = extract_tasks(prepare(mod, GPU), GPU)
    assert DesignSpace.generate(task, GPU).sketches
