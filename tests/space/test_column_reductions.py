"""The rule for what is reduced along axes whose elements lie apart."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from tvm import relax
from tvm.relax import op

from graphs import graph
from machines import arrays_for, result_of
from pruner_engine.draft import analyzer_for
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.sketch import Sketch
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import resolve_target, vector_bits_of
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.task import TuningTask
from schedules import is_closed
from seeds import seeds

HOST = resolve_target("auto")
OTHERS = ["rows", "register-tile", "vector-copy", "moves"]


def length(x: relax.Expr) -> relax.Expr:
    """Each pixel divided by the length of its channels."""
    return op.divide(x, op.sqrt(op.add(op.sum(op.multiply(x, x), axis=[1], keepdims=True), relax.const(1e-3))))


def channel_norm(x: relax.Expr, scale: relax.Expr, shift: relax.Expr) -> relax.Expr:
    return op.nn.layer_norm(x, scale, shift, axes=[1])


def kernels(seed: int) -> dict[str, tuple[Callable[..., relax.Expr], list[tuple[int, ...]]]]:
    """Reductions of every form that the rule takes, over columns of whole vectors and of half ones."""
    rng = random.Random(seed)
    channels, rows = rng.randint(2, 21), rng.randint(1, 5)
    wide, odd = 16 * rng.randint(1, 6), 8 * rng.randrange(1, 9, 2)
    return {
        "softmax of channels": (lambda x: op.nn.softmax(x, axis=1), [(rows, channels, 3, wide)]),
        "softmax of rows above each other": (lambda x: op.nn.softmax(x, axis=-2), [(2, rows, channels, odd)]),
        "its logarithm": (lambda x: op.nn.log_softmax(x, axis=0), [(channels, odd)]),
        "mean": (lambda x: op.mean(x, axis=[1]), [(rows, channels, wide)]),
        "mean that keeps its axis": (lambda x: op.mean(x, axis=[1], keepdims=True), [(rows, channels, 7, odd)]),
        "largest of several axes": (lambda x: op.max(x, axis=[0, 2]), [(channels, rows, 5, wide)]),
        "length": (length, [(1, channels, rows, odd)]),
        "norm of channels": (channel_norm, [(1, channels, rows, wide), (channels,), (channels,)]),
    }


def task_of(function: Callable[..., relax.Expr], shapes: list[tuple[int, ...]]) -> TuningTask:
    return extract_tasks(prepare(graph(function, *shapes), HOST, ["simplify"]), HOST)[0]


def taken(space: DesignSpace) -> list[Sketch]:
    """The sketches in which an own rule closes what it has scheduled."""
    return [sketch for sketch in space.sketches if is_closed(sketch.trace)]


@pytest.mark.parametrize("name", kernels(0))
@pytest.mark.parametrize("seed", seeds())
def test_columns_compute_the_same_in_vectors(name, seed):
    task = task_of(*kernels(seed)[name])
    space = DesignSpace.generate(task, HOST, without=OTHERS)
    rng = np.random.default_rng(seed)
    arrays = arrays_for(task, rng)
    want = result_of(task.mod, arrays, HOST)
    (sketch,) = taken(space)
    assert len(space.sketches) > 1, "the stock rules have their try"
    assert analyzer_for(space, profile_for(HOST)).compiled(sketch.index)
    for row in sketch.sample(rng, 2):
        schedule = space.apply(space.candidate(sketch.index, row))
        script = schedule.mod.script()
        assert "T.parallel" in script and "T.vectorized" in script
        np.testing.assert_allclose(result_of(schedule.mod, arrays, HOST), want, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        pytest.param(lambda x: op.mean(x, axis=[1]), [(4, 32, 7)], id="columns that are no vector"),
        pytest.param(lambda x: op.sum(x, axis=[2]), [(4, 5, 64)], id="rows"),
        pytest.param(op.matmul, [(16, 32), (32, 64)], id="product"),
        pytest.param(
            lambda x: op.nn.max_pool2d(x, pool_size=3, strides=2, layout="NHWC"), [(1, 9, 9, 32)], id="windows"
        ),
        pytest.param(
            lambda x, w: op.nn.conv2d(x, w, groups=32, data_layout="NHWC", kernel_layout="HWOI"),
            [(1, 9, 9, 32), (3, 3, 32, 1)],
            id="depthwise",
        ),
    ],
)
def test_what_has_no_columns_is_left_to_other_rules(function, shapes):
    task = task_of(function, shapes)
    space, others = (DesignSpace.generate(task, HOST, without=without) for without in ([], ["columns"]))
    assert len(space.sketches) == len(others.sketches) and len(taken(space)) == len(taken(others))


def test_no_more_vectors_lie_beside_each_other_than_have_registers():
    space = DesignSpace.generate(task_of(lambda x: op.mean(x, axis=[0]), [(8, 4096)]), HOST, without=OTHERS)
    (sketch,) = taken(space)
    (tile,) = sketch.decisions
    lanes = vector_bits_of(HOST) // 32
    assert int(tile.values()[:, 1].max()) == 16 and int(tile.values().prod(axis=1)[0]) == 4096 // lanes
