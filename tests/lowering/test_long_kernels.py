"""Kernels of many stages without a schedule become few loops, and compute the same."""

import numpy as np
import pytest
import tvm
from tvm import te

from pruner_engine.lowering.loops.long_kernels import in_few_loops, in_long_loops

X = np.linspace(-1, 1, 128, dtype="f").reshape(8, 16)
HALF = np.float32(0.5)
STEPS = {  # of numbers, of arrays, and how many loops they may become
    "reads once": (lambda v: te.round(v * 1.25) + 0.5, lambda v: np.round(v * np.float32(1.25)) + HALF, 1),
    "reads twice": (lambda v: v * v - 0.5, lambda v: v * v - HALF, 6),
    "reads often": (lambda v: te.tanh(v) + 0.5, lambda v: np.tanh(v) + HALF, 20),
}


def stage(x, step):
    return lambda i, j: step(x[i, j])


def behind(values, step):
    return lambda *at: step(values[at])


def chain(stages, step):
    x = te.placeholder(X.shape, "float32", name="x")
    y = x
    for number in range(stages):
        y = te.compute(X.shape, stage(y, step), name=f"stage{number}")
    return tvm.IRModule({"kernel": te.create_prim_func([x, y]).with_attr("global_symbol", "kernel")})


@pytest.mark.parametrize("kind", STEPS)
def test_stages_are_computed_where_they_are_read(kind):
    """As long as that does not become a large expression."""
    step, of_arrays, most = STEPS[kind]
    made = in_few_loops(chain(20, step))
    assert made.script().count("T.grid") <= most
    assert len(made.script()) < 20_000
    out, want = tvm.runtime.empty(X.shape, "float32"), X
    for _ in range(20):
        want = of_arrays(want)
    tvm.compile(made, target="llvm")["kernel"](tvm.runtime.tensor(X), out)
    np.testing.assert_allclose(out.numpy(), want, 1e-4, 1e-5)


def test_kernels_of_few_stages_stay_as_they_are():
    mod = chain(2, te.tanh)
    assert in_few_loops(mod).same_as(mod)


def test_what_a_schedule_keeps_apart_stays_apart():
    schedule = tvm.s_tir.Schedule(chain(20, STEPS["reads once"][0])["kernel"])
    schedule.parallel(schedule.get_loops(schedule.get_sblock("stage0"))[0])
    assert in_few_loops(schedule.mod).same_as(schedule.mod)


@pytest.mark.parametrize(("shape", "fused"), [((1, 10, 10, 992), True), ((5, 5, 64), True), ((4, 48, 64), False)])
def test_loops_of_few_iterations_become_one(shape, fused):
    """LLVM would write them out, and take seconds for it."""
    x, s = te.placeholder(shape, name="x"), te.placeholder(shape[-1:], name="s")
    y = te.compute(shape, lambda *at: x[at] * s[at[-1]])
    z = te.compute(shape, lambda *at: te.max(y[at] + s[at[-1]], te.const(0.0, "float32")))
    mod = tvm.IRModule({"kernel": te.create_prim_func([x, s, z]).with_attr("global_symbol", "kernel")})
    made = in_long_loops(mod)
    assert ("fused" in made.script()) == fused
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(n).astype("f") for n in (shape, shape[-1:], shape)]
    args = [tvm.runtime.tensor(a) for a in arrays]
    library = tvm.compile(made, target="llvm")
    library["kernel"](*args)
    np.testing.assert_allclose(args[-1].numpy(), np.maximum(arrays[0] * arrays[1] + arrays[1], 0), 1e-5, 1e-6)
    assert library.mod.inspect_source("ll").count("\n") < 3_000


def test_what_is_to_be_kept_is_kept_and_the_stages_behind_it_become_one():
    """What a quantised convolution ends in: its operand, widened once, says that it is not to be computed again."""
    shape = (1, 4, 4, 144)
    x = te.placeholder(shape, "int32", name="x")
    made = te.compute(shape, lambda *at: x[at] >> 1, name="wide", attrs={"meta_schedule.inline_rule": "disable"})
    for step in (
        lambda v: te.max(v.astype("float32"), te.const(0.0, "float32")),
        lambda v: te.round(v * 9.0),
        lambda v: te.min(v, te.const(255.0, "float32")).astype("uint8"),
        lambda v: v.astype("float32") * 0.25,
    ):
        made = te.compute(shape, behind(made, step))
    kernel = te.create_prim_func([x, made]).with_attr("global_symbol", "kernel")
    mod = in_long_loops(in_few_loops(tvm.IRModule({"kernel": kernel})))
    nests = mod["kernel"].body.block.body.seq
    assert len(nests) == 2 and "wide" in mod.script()
    assert all(int(nest.extent) > 32 for nest in nests)  # of fewer LLVM writes out each with all that it holds
    numbers = np.random.default_rng(0).integers(-99, 99, shape, "int32")
    out = tvm.runtime.empty(shape, "float32")
    tvm.compile(mod, target="llvm")["kernel"](tvm.runtime.tensor(numbers), out)
    steps = np.minimum(np.round(np.maximum(numbers >> 1, 0).astype("f") * np.float32(9)), 255)
    np.testing.assert_array_equal(out.numpy(), steps.astype("uint8") * np.float32(0.25))


def test_loops_that_somebody_has_annotated_stay():
    """As a kernel of one's own may have them: TVM does not fuse such."""
    x = te.placeholder((5, 5, 64), name="x")
    schedule = tvm.s_tir.Schedule(te.create_prim_func([x, te.compute(x.shape, lambda *at: x[at] * 2.0, name="y")]))
    schedule.annotate(schedule.get_loops("y")[0], "pragma_unroll_explicit", 1)
    assert "fused" not in in_long_loops(schedule.mod).script()
