"""The rule for kernels that bring elements into another order, and stages that are computed once."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
import tvm
from tvm import relax
from tvm.relax import op
from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock

from graphs import graph
from machines import arrays_for, result_of
from pruner_engine.draft import analyzer_for
from pruner_engine.lowering.loops.parted_loops import in_parted_loops
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.task import TuningTask
from seeds import seeds

HOST = resolve_target("auto")


def heads(x: relax.Expr, count: int) -> relax.Expr:
    """Parts of each row become matrices of their own, as queries of attention do."""
    _, rows, width = (int(n) for n in x.ty.shape)
    return op.permute_dims(op.reshape(x, (1, rows, count, width // count)), [0, 2, 1, 3])


def windows(x: relax.Expr, size: int) -> relax.Expr:
    """An image in windows, as Swin takes it apart."""
    _, height, width, channels = (int(n) for n in x.ty.shape)
    parts = op.reshape(x, (1, height // size, size, width // size, size, channels))
    return op.reshape(op.permute_dims(parts, [0, 1, 3, 2, 4, 5]), (height * width // size**2, size * size, channels))


def moved(seed: int) -> dict[str, tuple[Callable[..., relax.Expr], list[tuple[int, ...]]]]:
    """Kernels of every form that the rule has, of shapes that are drawn."""
    rng = random.Random(seed)
    odd, size, count = rng.randrange(5, 40, 2), rng.randint(2, 5), rng.randint(2, 6)
    axes = rng.sample(range(4), 4)
    last = [*rng.sample(range(3), 3), 3]
    return {
        "columns": (lambda x: op.permute_dims(x, [0, 2, 1]), [(2, odd, 16 * count)]),
        "any order": (lambda x: op.permute_dims(x, axes), [(size, odd, count, rng.randint(3, 20))]),
        "rows elsewhere": (lambda x: op.permute_dims(x, last), [(size, count, odd, rng.randint(5, 40))]),
        "colours last": (lambda x: op.permute_dims(x, [0, 2, 3, 1]), [(1, 3, 8 * count, odd)]),
        "colours first": (lambda x: op.permute_dims(x, [0, 3, 1, 2]), [(1, odd, 8 * count, 3)]),
        "heads": (lambda x: heads(x, count), [(1, odd, count * 8 * size)]),
        "heads across": (lambda x: op.permute_dims(heads(x, count), [0, 1, 3, 2]), [(1, odd, count * 8 * size)]),
        "windows": (lambda x: windows(x, size), [(1, size * count, size * 3, odd + 3)]),
        "a factor for each channel": (op.multiply, [(1, odd, size, 24), (1, 1, 1, 24)]),
        "a factor for each row": (op.multiply, [(1, odd, size, 24), (1, odd, 1, 1)]),
        "every second": (lambda x: op.strided_slice(x, [1, 2], [0, 1], [odd, 30], [2, 3]), [(2, odd, 30)]),
        "parts in another order": (
            lambda x, y: op.permute_dims(op.concat([x, y], axis=1), [0, 2, 1]),
            [(1, 16 * count, odd), (1, 8 * size, odd)],
        ),
        "parts of parts in another order": (
            lambda x, y, z: op.concat([z, op.sigmoid(op.permute_dims(op.concat([x, y], axis=1), [0, 2, 1]))], axis=1),
            [(1, 96, 5 * count), (1, 32 * size, 5 * count), (1, 4, 96 + 32 * size)],
        ),
        "parts of long rows": (
            lambda x, y: op.concat([op.tanh(x), y], axis=2),
            [(2, size, 2048 + 16 * count), (2, size, 512)],
        ),
        "all of it": (
            lambda x: op.permute_dims(x, [1, 2, 0]),
            [(8, 128 * size, 16 * count)],
        ),  # too much for one thread
    }


def task_of(function: Callable[..., relax.Expr], shapes: list[tuple[int, ...]]) -> TuningTask:
    (task,) = extract_tasks(prepare(graph(function, *shapes), HOST, ["simplify"]), HOST)
    return task


def run(mod: tvm.IRModule, arrays: list[np.ndarray]) -> np.ndarray:
    return result_of(RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(mod), arrays, HOST)


@pytest.mark.parametrize("kernel", moved(0))
@pytest.mark.parametrize("seed", seeds())
def test_every_schedule_moves_the_same_elements(kernel, seed):
    task = task_of(*moved(seed)[kernel])
    rng = np.random.default_rng(seed)
    arrays = arrays_for(task, rng)
    want = run(task.mod, arrays)
    space = DesignSpace.generate(task, HOST)
    analyzer = analyzer_for(space)
    for sketch in space.sketches:
        assert analyzer.compiled(sketch.index)
        for row in sketch.sample(rng, 3):
            schedule = space.apply(space.candidate(sketch.index, row))
            assert schedule is not None
            assert np.array_equal(run(schedule.mod, arrays), want)


def forms(function: Callable[..., relax.Expr], *shapes: tuple[int, ...]) -> list[list[str]]:
    """What the rule does with the loops of its sketches, in order; nothing where the kernel is left to TVM."""
    space = DesignSpace.generate(task_of(function, list(shapes)), HOST)
    ours = [str(s.trace) for s in space.sketches if "schedule_rule" in str(s.trace)]
    return sorted([kind for kind in ("parallel", "vectorize", "unroll") if f"sch.{kind}(" in t] for t in ours)


def test_a_walk_in_memory_order_is_left_to_tvm():
    assert forms(op.nn.relu, (7, 9, 31)) == []
    assert forms(op.add, (7, 64), (64,)) == []  # whole vectors of TVM's
    assert forms(op.add, (7, 48), (48,)) != []  # of which one would hold the ends of two rows


def test_heads_are_whole_vectors_and_small_kernels_need_no_threads():
    assert forms(lambda x: heads(x, 8), (1, 2048, 256)) == [["parallel", "vectorize"]]
    assert forms(lambda x: heads(x, 8), (1, 20, 256)) == [["parallel", "vectorize"], ["vectorize"]]


def joined(x: relax.Expr, y: relax.Expr) -> relax.Expr:
    """The rows of both as columns beside each other, as a detector joins what it finds at two sizes."""
    return op.permute_dims(op.concat([x, y], axis=1), [0, 2, 1])


def test_a_vector_is_of_one_part_whose_condition_is_known():
    space = DesignSpace.generate(task_of(joined, [(1, 96, 80), (1, 64, 80)]), HOST)
    assert space.sketches
    for sketch in space.sketches:
        schedule = space.apply(space.candidate(sketch.index, sketch.sample(np.random.default_rng(0), 1)[0]))
        assert "if_then_else" in str(schedule.mod) and "if_then_else" not in str(in_parted_loops(schedule.mod))
    assert forms(joined, (1, 96, 80), (1, 61, 80)) == [], "parts that share a vector"


def test_transposes_are_read_or_written_in_vectors():
    both = [["parallel", "vectorize"], ["parallel", "vectorize", "unroll"]]
    assert forms(lambda x: op.permute_dims(x, [1, 0]), (512, 512)) == both


def gated(x: relax.Expr, filters: relax.Expr, squeezed: relax.Expr) -> relax.Expr:
    """Channels scaled by the sigmoid of a 1×1 convolution of one pixel, as squeeze-and-excitation does."""
    gate = op.nn.conv2d(squeezed, filters, data_layout="NHWC", kernel_layout="HWIO")
    return op.multiply(x, op.sigmoid(gate))


@pytest.mark.parametrize(("pixels", "again"), [(12, False), (2, True)])
def test_what_many_pixels_share_is_computed_once(pixels, again):
    mod = graph(gated, (1, pixels, pixels, 32), (1, 1, 8, 32), (1, 1, 1, 8))
    task = next(task for task in extract_tasks(prepare(mod, HOST), HOST) if "sigmoid" in task.name)
    rng = np.random.default_rng(0)
    arrays = arrays_for(task, rng)
    want = run(task.mod, arrays)
    space = DesignSpace.generate(task, HOST)
    assert space.sketches
    for sketch in space.sketches:
        schedule = space.apply(space.candidate(sketch.index, sketch.sample(rng, 1)[0]))
        inside = [block for block in _blocks(schedule) if "sigmoid" in str(schedule.get(block).body)]
        pixels_of = [int(np.prod([int(v.dom.extent) for v in schedule.get(b).iter_vars])) for b in inside]
        assert (max(pixels_of) > 32) == again
        np.testing.assert_allclose(run(schedule.mod, arrays), want, rtol=1e-5, atol=1e-6)


def _blocks(schedule: tvm.s_tir.Schedule) -> list[tvm.s_tir.schedule.SBlockRV]:
    return list(schedule.get_child_blocks(schedule.get_sblock("root")))
