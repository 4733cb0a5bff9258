"""Products of tiles: every schedule of the rule computes what it is to compute, by instructions of AMX."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import te

from amx_in_python import result_in_python
from machines import result_of
from pruner_engine.lowering.tile_nests import TILE
from pruner_engine.lowering.word_products import BFLOAT16S, BYTES, WordProducts
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.task import TensorSpec, TuningTask
from pruner_engine.tasks.words.kernels import Window, conv2d, matmul
from seeds import seeds

AMX = resolve_target('{"kind":"llvm","mcpu":"sapphirerapids","num-cores":2}')


def product(products: WordProducts, shape: tuple[int, ...], weights: tuple[int, ...], rows: int) -> list[te.Tensor]:
    x, w = te.placeholder(shape, "int32", "x"), te.placeholder(weights, "int32", "w")
    return [x, w, matmul(x, w, rows, products)]


def convolution(products: WordProducts, shape: tuple[int, ...], weights: tuple[int, ...], step: int) -> list[te.Tensor]:
    x, w = te.placeholder(shape, "int32", "x"), te.placeholder(weights, "int32", "w")
    return [x, w, conv2d(x, w, Window([*weights[:2]], [1, 1, 1, 1], [step, step], [1, 1]), 3, products)]


def rounded(x: te.Tensor, w: te.Tensor, total: te.Tensor) -> list[te.Tensor]:
    """Sums that become bytes again."""
    scale = te.placeholder((1,), "float32", "scale")

    def byte(*i: tvm.tirx.Var) -> tvm.tirx.Expr:
        number = tvm.tirx.nearbyint(total(*i).astype("float32") * scale(0))
        return tvm.tirx.min(tvm.tirx.max(number, 0.0), 255.0).astype("uint8")

    return [x, w, scale, te.compute(total.shape, byte, name="byte")]


KERNELS = {
    "product": lambda p: product(p, (48, 24), (24, 48), 48),
    "product of few words": lambda p: product(p, (12, 6), (6, 24), 12),
    "product with rows appended": lambda p: product(p, (13, 16), (16, 32), 14),
    "products of a batch": lambda p: product(p, (4, 32, 16), (4, 16, 16), 32),
    "convolution": lambda p: convolution(p, (1, 14, 14, 16), (3, 3, 16, 32), 1),
    "convolution by steps of two": lambda p: convolution(p, (2, 16, 16, 32), (3, 3, 32, 16), 2),
    "convolution of one word": lambda p: convolution(p, (1, 14, 14, 1), (5, 7, 1, 32), 2),
    "convolution, rounded": lambda p: rounded(*convolution(p, (1, 8, 8, 16), (1, 1, 16, 32), 1)),
}


def task_of(made: list[te.Tensor]) -> TuningTask:
    function = te.create_prim_func(made).with_attr("global_symbol", "main")
    shapes = tuple(TensorSpec(t.name, tuple(int(n) for n in t.shape), str(t.dtype)) for t in made)
    return TuningTask("kernel", "kernel", "0", tvm.IRModule({"main": function}), shapes, 1e6, 1)


def arrays_of(task: TuningTask, products: WordProducts, rng: np.random.Generator) -> list[np.ndarray]:
    def words(shape: tuple[int, ...]) -> np.ndarray:
        if products is BYTES:
            return rng.integers(-(2**31), 2**31, shape).astype("int32")
        halves = rng.standard_normal((*shape, 2)).astype("float32").view("uint32") >> 16
        return (halves[..., 0] | halves[..., 1] << 16).view("int32")

    x, w, *others = task.args
    return [
        words(x.shape),
        words(w.shape),
        *(np.full(o.shape, 1e-3 if products is BYTES else 10, o.dtype) for o in others),
    ]


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("products", [BYTES, BFLOAT16S], ids=lambda p: p.name)
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_schedule_computes_the_same_by_tiles(kernel, products, seed):
    task = task_of(KERNELS[kernel](products))
    arrays = arrays_of(task, products, np.random.default_rng(seed))
    want = result_of(task.mod, arrays)
    assert np.any(want != want.flat[0])
    space = DesignSpace.generate(task, AMX)
    tiled = [sketch for sketch in space.sketches if TILE in str(sketch.trace)]
    assert tiled
    rng = np.random.default_rng(seed)
    for sketch in tiled:
        for row in sketch.sample(rng, 3):
            schedule = space.apply(space.candidate(sketch.index, row))
            assert schedule is not None
            got, instructions = result_in_python(schedule.mod, arrays)
            assert instructions
            # the order of sums differs, and what is rounded to a byte may be one more
            exact = products is BYTES
            step = 1.0 if got.dtype == "uint8" else 1e-3
            np.testing.assert_allclose(
                got.astype("float64"), want, rtol=0 if exact else 1e-4, atol=0 if exact else step
            )
