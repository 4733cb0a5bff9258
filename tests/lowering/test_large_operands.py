"""Sums over an operand that the nearest caches do not hold go along its rows and compute the same; others stay."""

import numpy as np
import pytest
import tvm
from tvm import relax, te

from pruner_engine.export.build import compile_model
from pruner_engine.frontends import load_model
from pruner_engine.lowering.loops.large_operands import by_rows
from pruner_engine.tasks.prepare import prepare

LLVM = tvm.target.Target("llvm")
WORDS = 1 << 12  # 64 channels of them are 1 MB


def product(rows, channels, words, transposed=False, scale=1):
    x = te.placeholder((rows, channels), name="x")
    w = te.placeholder((words, channels) if transposed else (channels, words * scale), name="w")
    k = te.reduce_axis((0, channels), name="k")
    y = te.compute(
        (rows, words), lambda i, j: te.sum(x[i, k] * (w[j, k] if transposed else w[k, scale * j]), axis=k), name="y"
    )
    z = te.compute((rows, words), lambda i, j: te.max(y[i, j], 0.0), name="z")
    return te.create_prim_func([x, w, z])


def loops_around(function, name):
    """Extents of the loops around a block, outer ones first."""
    schedule = tvm.s_tir.Schedule(tvm.IRModule({"main": function}))
    return [int(schedule.get(loop).extent) for loop in schedule.get_loops(schedule.get_sblock(name))]


def in_parallel(function):
    """The function with a schedule that keeps the order of its loops."""
    schedule = tvm.s_tir.Schedule(tvm.IRModule({"main": function}))
    schedule.parallel(schedule.get_loops(schedule.get_sblock("y"))[0])
    return schedule.mod["main"]


@pytest.mark.parametrize(
    ("words", "loops"),
    [
        (WORDS, [8, 2, 64, 512]),
        (WORDS + 8, [9, 2, 64, 456]),
        (WORDS + 3, [9, 2, 64, 512]),  # a prime: the last part is left incomplete
    ],
)
def test_a_product_goes_through_its_weights_from_end_to_end(words, loops):
    function = product(2, 64, words)
    made = by_rows(tvm.IRModule({"main": function}))["main"]
    assert loops_around(made, "y_update") == loops
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, 64), np.float32), rng.standard_normal((64, words), np.float32)
    given = [tvm.runtime.tensor(array) for array in (x, w)]
    results = []
    for kernel in (in_parallel(function), made):
        result = tvm.runtime.empty((2, words), "float32")
        tvm.compile(tvm.IRModule({"main": kernel}), target=LLVM)["main"](*given, result)
        results.append(result.numpy())
    np.testing.assert_array_equal(*results)  # terms are added in the same order
    np.testing.assert_allclose(results[0], np.maximum(x @ w, 0), 1e-4, 1e-4)


@pytest.mark.parametrize(
    "function",
    [
        product(2, 64, 64),
        product(2, 64, WORDS, transposed=True),
        product(2, 64, WORDS // 2, scale=2),
        in_parallel(product(2, 64, WORDS)),
    ],
    ids=["small", "lies along what is summed up", "every other word", "scheduled"],
)
def test_other_sums_stay_as_they_are(function):
    assert by_rows(tvm.IRModule({"main": function}))["main"].same_as(function)


def test_a_library_has_such_loops_and_computes_the_same():
    prepared = prepare(load_model(f"matmul:2,{WORDS},64").mod, LLVM)
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, 64), np.float32), rng.standard_normal((64, WORDS), np.float32)
    program = relax.VirtualMachine(compile_model(prepared, LLVM), tvm.cpu())
    result = program["main"](tvm.runtime.tensor(x), tvm.runtime.tensor(w))
    np.testing.assert_allclose(result.numpy(), x @ w, 1e-4, 1e-4)
