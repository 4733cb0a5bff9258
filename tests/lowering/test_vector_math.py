"""Exponentials, logarithms and error functions of kernels for CPUs are right over their whole range."""

from __future__ import annotations

from collections.abc import Callable
from math import erf, inf, nan

import numpy as np
import pytest
from scipy import special
from scipy.special import softmax

from pruner_engine.tvm_import import import_tvm

tvm = import_tvm()

from tvm import relax, s_tir, te, tirx  # noqa: E402
from tvm.relax import op  # noqa: E402

from pruner_engine.targets.target import resolve_target  # noqa: E402
from pruner_engine.tasks.prepare import prepare  # noqa: E402

HOST = resolve_target("auto")
SPECIAL = [0.0, -0.0, 1.0, -1.0, 87.0, -87.0, -88.0, -1e9, -inf, inf, nan, 1e-30]


def run(function: Callable[[relax.Expr], relax.Expr], x: np.ndarray) -> np.ndarray:
    builder = relax.BlockBuilder()
    argument = relax.Var("x", relax.TensorType(x.shape, str(x.dtype)))
    with builder.function("main", [argument]):
        with builder.dataflow():
            out = builder.emit_output(builder.emit(function(argument)))
        builder.emit_func_output(out)
    machine = relax.VirtualMachine(tvm.compile(prepare(builder.get(), HOST), target=HOST), tvm.cpu())
    return machine["main"](tvm.runtime.tensor(x)).numpy()


def values(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(2)
    return np.concatenate([rng.uniform(-80, 80, 500), rng.standard_normal(489), SPECIAL]).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_exponential(dtype):
    x = values(dtype)
    want = np.exp(x.astype("float64"))
    want[want < np.finfo("float32").tiny] = 0  # below the normal numbers
    np.testing.assert_allclose(run(op.exp, x), want, rtol=2e-7, atol=1e-37)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logarithm(dtype):
    x = values(dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(run(op.log, x), np.log(x.astype("float64")), rtol=2e-7)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_error_function(dtype):
    x = values(dtype)
    got = run(op.erf, x)
    np.testing.assert_allclose(got, np.vectorize(erf)(x), rtol=5e-7)
    np.testing.assert_array_equal(np.signbit(got[x == 0]), np.signbit(x[x == 0]))


def every(bits: int) -> np.ndarray:
    """Every `bits`-th float32 number, denormal ones, infinities and those that are none too."""
    return np.arange(0, 2**32, bits, dtype="uint64").astype("uint32").view("float32")


def test_every_tenthousandth_exponential_is_right_to_two_units():
    x = every(9973)
    with np.errstate(all="ignore"):
        want = np.exp(x.astype("float64")).astype("float32")
    want[want < np.finfo("float32").tiny] = 0
    check_places(run(op.exp, x), want, 2)


def test_exponentials_reach_the_largest_number():
    x = np.array([88.3, 88.37, 88.5, 88.7, 88.72283, 88.72284, 88.73, 100], "float32")
    with np.errstate(over="ignore"):
        want = np.exp(x.astype("float64")).astype("float32")
    assert np.isfinite(want[4]) and np.isinf(want[5])
    check_places(run(op.exp, x), want, 2)


def test_every_tenthousandth_logarithm_is_right_to_two_units():
    x = every(9973)
    with np.errstate(all="ignore"):
        check_places(run(op.log, x), np.log(x.astype("float64")).astype("float32"), 2)


def test_every_tenthousandth_error_function_is_right_to_eight_units():
    x = every(9973)
    with np.errstate(invalid="ignore"):
        check_places(run(op.erf, x), special.erf(x.astype("float64")).astype("float32"), 8)


def test_every_tenthousandth_hyperbolic_tangent_is_right_to_five_units():
    x = every(9973)
    with np.errstate(invalid="ignore"):
        want = np.tanh(x.astype("float64")).astype("float32")
    got = run(op.tanh, x)
    check_places(got, want, 5)
    assert not (np.abs(got) > 1).any()
    np.testing.assert_array_equal(np.signbit(got[x == 0]), np.signbit(x[x == 0]))


@pytest.mark.parametrize("name", ["exp", "log", "erf", "tanh", "nearbyint", "isnan", "rsqrt"])
def test_a_vector_of_numbers_is_computed_as_one(name):
    x = te.placeholder((64,), name="x")
    y = te.compute((64,), lambda i: getattr(tirx, name)(x(i)), name="y")
    schedule = s_tir.Schedule(te.create_prim_func([x, y]))
    schedule.vectorize(schedule.split(*schedule.get_loops("y"), [None, 8])[1])
    opaque = s_tir.transform.LowerOpaqueBlock()(s_tir.transform.ConvertBlocksToOpaque()(schedule.mod))
    loops = tirx.transform.VectorizeLoop()(opaque).script()
    assert f"T.{name}(x[T.Ramp(" in loops


@pytest.mark.parametrize("name", ["exp", "log", "erf", "tanh"])
def test_a_vector_of_doubles_is_right(name):
    """Of the error function the C library has none of vectors."""
    x = te.placeholder((64,), "float64", "x")
    y = te.compute((64,), lambda i: getattr(te, name)(x(i)), name="y")
    schedule = s_tir.Schedule(te.create_prim_func([x, y]))
    schedule.vectorize(schedule.split(*schedule.get_loops("y"), [None, 4])[1])
    given, out = np.linspace(0.1, 3, 64), tvm.runtime.tensor(np.zeros(64))
    tvm.compile(schedule.mod, target=HOST)["main"](tvm.runtime.tensor(given), out)
    want = special.erf(given) if name == "erf" else getattr(np, name)(given)
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-7)


def check_places(got: np.ndarray, want: np.ndarray, most: int) -> None:
    """Whether numbers differ by so many units in the last place at most, and are no numbers, or infinite, as wanted."""
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(want))
    finite = np.isfinite(want)
    apart = np.abs(got[finite].astype("float64") - want[finite]) / np.spacing(np.abs(want[finite]))
    assert apart.max() <= most


def test_softplus_is_right_far_from_zero():
    x = np.linspace(-30, 90, 1203, dtype="float32")
    want = np.logaddexp(0, x.astype("float64"))
    np.testing.assert_allclose(run(op.nn.softplus, x), want, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("columns", [1, 7, 16, 40, 197])
def test_softmax_of_rows_that_do_not_fill_their_last_vector(columns):
    x = np.random.default_rng(4).standard_normal((5, columns)).astype("float32") * 9
    x[1], x[3], x[4] = -1e9, np.finfo("float32").min, -inf
    if columns > 1:
        x[2, 1:] = -inf
    with np.errstate(invalid="ignore"):  # of the row of infinities, which is NaN
        want = softmax(x, axis=-1)
    np.testing.assert_allclose(run(lambda v: op.nn.softmax(v, axis=-1), x), want, rtol=1e-5, atol=1e-7)


def test_a_row_with_nan_is_nan():
    x = np.zeros((2, 20), "float32")
    x[0, 3] = nan
    out = run(lambda v: op.nn.softmax(v, axis=-1), x)
    assert np.isnan(out[0]).all() and np.isfinite(out[1]).all()
