"""Numbers that fill vectors and lie side by side are one load on Arm processors, and nothing else is read."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pruner_engine.tvm_import import import_tvm

tvm = import_tvm()

from tvm import IRModule, te, tirx  # noqa: E402
from tvm.s_tir import Schedule  # noqa: E402

from machines import arrays_for, result_of  # noqa: E402
from pruner_engine.lowering.words.products import MIXED_BYTES, NEON_BFLOAT16S, SIGNED_BYTES  # noqa: E402
from pruner_engine.space.design_space import DesignSpace  # noqa: E402
from pruner_engine.targets.target import resolve_target  # noqa: E402
from schedules import task_of  # noqa: E402

ARM = resolve_target("graviton3")
OLDER = resolve_target('{"kind":"llvm","mtriple":"aarch64-linux-gnu","mcpu":"cortex-a76","num-cores":4}')
DEPTH, COLUMNS = 480, 32
MULTIPLY = {
    "real numbers": (lambda x, y: x * y, "float32", "float32", ARM),
    "bytes": (MIXED_BYTES.of, "int32", "int32", ARM),
    "signed bytes": (SIGNED_BYTES.of, "int32", "int32", OLDER),
    "halves": (NEON_BFLOAT16S.of, "int32", "float32", ARM),
}
EXACT = [name for name in MULTIPLY if name != "halves"]


def product(multiply="real numbers", *, rows=4, vectors=2, steps=4, apart=1, guard=False) -> IRModule:
    """A product of which a tile of results is added to for some unrolled steps.

    Args:
        apart: elements between the steps' numbers.
        guard: the numbers of every third row are read as zeros, by a condition.
    """
    of, kind, *_ = MULTIPLY[multiply]
    x = te.placeholder((16, DEPTH * apart), kind, "x")
    y = te.placeholder((DEPTH, COLUMNS), kind, "y")
    k = te.reduce_axis((0, DEPTH), "k")

    def left(i):
        number = x[i, k * apart]
        return tirx.if_then_else(i % 3 > 0, number, tirx.const(0, kind)) if guard else number

    made = te.compute((16, COLUMNS), lambda i, j: te.sum(of(left(i), y[k, j]), axis=k), name="product")
    sch = Schedule(te.create_prim_func([x, y, made]))
    block = sch.get_sblock("product")
    kept = sch.cache_write(block, 0, "global")
    i, j, k = sch.get_loops(block)
    (i, row), (j, vector, lane), (k, step) = (
        sch.split(loop, factors) for loop, factors in ((i, [None, rows]), (j, [None, vectors, 4]), (k, [None, steps]))
    )
    sch.reorder(i, j, k, step, row, vector, lane)
    for loop in (step, row, vector):
        sch.unroll(loop)
    sch.vectorize(lane)
    sch.reverse_compute_at(kept, j)
    sch.decompose_reduction(block, k)
    return sch.mod


def arrays_of(multiply, apart=1):
    rng = np.random.default_rng(0)
    kinds = MULTIPLY[multiply][1:3]
    shapes = ((16, DEPTH * apart), (DEPTH, COLUMNS))
    made = [rng.integers(-(2**31), 2**31, shape) for shape in shapes]
    if kinds[0] == "float32":
        made = [rng.standard_normal(shape) for shape in shapes]
    return [*(array.astype(kinds[0]) for array in made), np.zeros((16, COLUMNS), kinds[1])]


def inner(mod, multiply="real numbers"):
    """The lines of assembly of the innermost loop."""
    lines = tvm.tirx.build(mod, target=MULTIPLY[multiply][3]).inspect_source("asm").splitlines()
    product = next(n for n, line in enumerate(lines) if re.search(r"fmla\t|dot\t", line))
    begin = max(n for n in range(product) if re.match(r"\.L\w+:", lines[n]))
    end = next(n for n in range(product, len(lines)) if re.match(r"\tb\.", lines[n]))
    return lines[begin:end]


@pytest.mark.parametrize("multiply", EXACT)
def test_numbers_of_unrolled_steps_are_lanes_of_one_load(multiply):
    lines = inner(product(multiply), multiply)
    products = [line for line in lines if re.search(r"fmla\t|dot\t", line)]
    assert len(products) == 4 * 2 * 4
    assert {line.rpartition("b")[2].rpartition("s")[2] for line in products} == {"[0]", "[1]", "[2]", "[3]"}
    assert not any(re.search(r"ld1r|\bdup\t|ldr\ts", line) for line in lines)


def test_halves_fill_registers_by_themselves():
    """LLVM does not see that `bfdot` could take a lane of what is loaded."""
    assert sum("ld1r" in line for line in inner(product("halves"), "halves")) > 8


@pytest.mark.parametrize("options", [{"apart": 3}, {"steps": 1}, {"guard": True}, {"rows": 8, "vectors": 4}], ids=str)
def test_others_are_read_one_by_one(options):
    """They lie apart, are alone, need not be there, or there would be too few registers beside the results."""
    lines = inner(product(**options))
    assert not any(re.search(r"fmla.*\[[123]\]", line) for line in lines)


@pytest.mark.parametrize(
    "options", [{}, {"steps": 3}, {"steps": 6}, {"steps": 2, "rows": 8}, {"guard": True}, {"apart": 3}], ids=str
)
@pytest.mark.parametrize("multiply", EXACT)
def test_products_stay_what_they_are(multiply, options):
    mod, arrays = product(multiply, **options), arrays_of(multiply, options.get("apart", 1))
    target = MULTIPLY[multiply][3]
    plain = product(multiply, steps=1, rows=1, **{k: v for k, v in options.items() if k in ("guard", "apart")})
    got, want = (result_of(made, arrays, target) for made in (mod, plain))
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    assert len(np.unique(want)) > 100


@pytest.mark.parametrize("workload", ["matmul:30,36,24", "conv2d:1,6,9,9,16,3,layout=NHWC", "bmm:2,16,20,16"])
def test_drafted_schedules_compute_what_the_plain_kernel_does(workload):
    task = task_of(workload, ARM)
    rng = np.random.default_rng(1)
    arrays = arrays_for(task, rng)
    want, seen = result_of(task.mod, arrays, ARM), 0
    space = DesignSpace.generate(task, ARM)
    for sketch in space.sketches:
        for row in sketch.sample(rng, 3):
            candidate = space.apply(space.candidate(sketch.index, row))
            if candidate is not None:
                np.testing.assert_allclose(result_of(candidate.mod, arrays, ARM), want, rtol=1e-4, atol=1e-4)
                seen += 1
    assert seen > len(space.sketches)
