"""Convolutions and products of bfloat16 are computed two numbers a step, where the processor multiplies them so."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest
import tvm
from tvm import relax

from machines import machine_of, result_of
from pruner_engine.frontends.workloads import build_workload
from pruner_engine.lowering.words.products import BFLOAT16S, NEON_BFLOAT16S, bfloat16_products_of
from pruner_engine.measure.running.correctness import make_array
from pruner_engine.measure.running.kernel import facts_of
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import is_of_this_architecture, resolve_target, runs_here
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.words.bfloat16s import paired
from word_kernels import product_of_words, words_of

FORMS = {
    "AVX512-BF16": (BFLOAT16S, resolve_target('{"kind":"llvm","mcpu":"cooperlake","num-cores":2}')),
    "Arm": (NEON_BFLOAT16S, resolve_target("graviton3")),
}
INSTRUCTIONS = {"AVX512-BF16": "vdpbf16ps", "Arm": "bfdot"}
REGISTERS = {2: r"v\d+\.2s", 4: r"xmm|v\d+\.4s", 8: "ymm", 16: "zmm"}


@pytest.fixture(params=FORMS)
def form(request):
    """How a processor multiplies bfloat16, and the target."""
    return FORMS[request.param]


@pytest.fixture
def target(form):
    """That of a processor which this one is, or which has another architecture."""
    if is_of_this_architecture(form[1]) and not runs_here(form[1]):
        pytest.skip("this processor lacks the instruction")
    return form[1]


def numbers(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("name", FORMS)
def test_a_step_of_a_vector_is_one_instruction(name):
    products, target = FORMS[name]
    for lanes in products.instructions:
        lines = tvm.compile(product_of_words(lanes, products), target=target).mod.inspect_source("asm").splitlines()
        made = [line for line in lines if INSTRUCTIONS[name] in line]
        assert made and all(re.search(REGISTERS[lanes], line) for line in made)
        assert not any(re.search(r"vaddps|fadd\tv", line) for line in lines), "the sum is part of the instruction"
        assert not any(re.search(r"call|\bbl\t", line) and products.name in line for line in lines)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16, 32])
def test_sums_are_those_of_float32_in_vectors_of_any_length(form, target, lanes):
    left, right = numbers((8, 32)), numbers((32, 32), 1)
    arrays = [words_of(left), paired(right), np.empty((8, 32), "float32")]
    result = result_of(product_of_words(lanes, form[0]), arrays, target)
    np.testing.assert_allclose(result, left.astype("float64") @ right.astype("float64"), rtol=1e-5, atol=1e-5)


def test_weights_of_odd_depth_are_filled_up():
    weights = numbers((3, 7, 10))
    words = paired(weights)
    assert words.shape == (3, 4, 16)
    both = words.view(ml_dtypes.bfloat16).reshape(3, 4, 16, 2)
    assert (both[:, 1, :10, 1] == weights[:, 3]).all() and (both[:, 3, :10, 0] == weights[:, 6]).all()
    assert not both[:, 3, :, 1].astype("float32").any() and not both[..., 10:, :].astype("float32").any()


def network(dtype="bfloat16", channels=13, filters=10):
    """A convolution and a product with constant weights; bfloat16 in between."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((2, channels, 9, 11), dtype))
    filter_, matrix = numbers((filters, channels, 3, 3), 2), numbers((filters * 99, 21), 3)
    with builder.function("main", [x]):
        with builder.dataflow():
            made = builder.emit(relax.op.nn.conv2d(x, relax.const(filter_, dtype), padding=(1, 1), out_dtype="float32"))
            small = builder.emit(relax.op.astype(builder.emit(relax.op.nn.relu(made)), dtype))
            flat = builder.emit(relax.op.reshape(small, (2, filters * 99)))
            result = builder.emit_output(relax.op.matmul(flat, relax.const(matrix, dtype), out_dtype="float32"))
        builder.emit_func_output(result)
    return builder.finalize()


def holding(mod):
    """Kernels that multiply words."""
    functions = (f.script() for f in mod.functions.values() if isinstance(f, tvm.tirx.PrimFunc))
    return sum(any(products.name in text for products, _ in FORMS.values()) for text in functions)


def ran(mod, given, target):
    return machine_of(mod, target)["main"](*map(tvm.runtime.tensor, given)).numpy()


def test_other_processors_keep_single_numbers():
    for words in ('"mcpu":"cascadelake"', '"mcpu":"haswell"', '"mtriple":"aarch64-linux-gnu"'):
        target = resolve_target(f'{{"kind":"llvm",{words},"num-cores":2}}')
        assert bfloat16_products_of(target) is None and not holding(prepare(network(), target))


def test_networks_agree_with_those_of_single_numbers(target):
    whole, plain = prepare(network(), target), prepare(network(), target, without=["bfloat16s"])
    assert holding(whole) == 2 and not holding(plain)
    x = numbers((2, 13, 9, 11))
    got, want = ran(whole, [x], target), ran(plain, [x], target)
    assert np.abs(got - want).max() <= 0.02 * np.abs(want).max(), "a sum may be rounded to the next bfloat16 on the way"
    assert np.abs(got - want).mean() <= 0.002 * np.abs(want).max()


@pytest.mark.parametrize("workload", ["matmul:33,50,37", "bmm:2,24,40,21", "dense:32,40,64"])
def test_operands_that_are_computed_are_paired_first(target, workload):
    mod = build_workload(f"{workload},bfloat16")
    whole, plain = prepare(mod, target), prepare(mod, target, without=["bfloat16s"])
    assert holding(whole) == 1 and not holding(plain)
    given = [numbers([int(n) for n in param.ty.shape], at) for at, param in enumerate(mod["main"].params)]
    got, want = (ran(m, given, target).astype("float32") for m in (whole, plain))
    np.testing.assert_allclose(got, want, rtol=2**-7, atol=1e-4)


def test_what_is_paired_is_rounded_before(target):
    """TVM computes in float32 what it says is bfloat16: the kernel that pairs numbers gets them unrounded."""
    builder = relax.BlockBuilder()
    one = relax.Var("one", relax.TensorType((17, 17), "bfloat16"))
    x = relax.Var("x", relax.TensorType((17, 9), "float32"))
    with builder.function("main", [one, x]):
        with builder.dataflow():
            small = builder.emit(relax.op.astype(x, "bfloat16"))
            result = builder.emit_output(relax.op.matmul(one, small, out_dtype="float32"))
        builder.emit_func_output(result)
    prepared = prepare(builder.finalize(), target)
    assert holding(prepared) == 1
    identity = np.eye(17, dtype=ml_dtypes.bfloat16)
    given = np.random.default_rng(4).standard_normal((17, 9)).astype("float32")
    assert (ran(prepared, [identity, given], target) == given.astype(ml_dtypes.bfloat16).astype("float32")).all()
    given[3, 5] = np.array(-1, "int32").view("float32")  # a NaN that rounding would carry beyond its bits
    assert (np.isnan(ran(prepared, [identity, given], target)).any(0) == (np.arange(9) == 5)).all()


def test_a_matrix_is_not_paired_for_few_rows(target):
    assert not holding(prepare(build_workload("matmul:4,64,64,bfloat16"), target))


def test_drafted_schedules_agree(target):
    tasks = [task for task in extract_tasks(prepare(network(), target), target) if facts_of(task.mod).words]
    assert [task.op for task in tasks] == ["conv2d", "matmul"]
    for task in tasks:
        words = facts_of(task.mod).words
        assert set(words.values()) == {"bfloat16"}
        arrays = [make_array(s.shape, s.dtype, at, words=words.get(at, "")) for at, s in enumerate(task.args)]
        want = result_of(task.mod, arrays, target).astype("float32")
        assert np.isfinite(want).all() and len(np.unique(want)) > 20
        space, rng, seen = DesignSpace.generate(task, target), np.random.default_rng(3), 0
        for sketch in space.sketches:
            for row in sketch.sample(rng, 2):
                schedule = space.apply(space.candidate(sketch.index, row))
                if schedule is not None:
                    got = result_of(schedule.mod, arrays, target).astype("float32")
                    np.testing.assert_allclose(got, want, rtol=2**-7, atol=1e-4)
                    seen += 1
        assert seen > len(space.sketches) // 2


def test_words_hold_numbers_of_every_kind():
    made = {kind: make_array((8, 16), "int32", 0, kind, words="bfloat16") for kind in ("random", "zeros", "nan")}
    read = {kind: array.view(ml_dtypes.bfloat16).astype("float32") for kind, array in made.items()}
    assert all(array.shape == (8, 16) for array in made.values())
    assert np.abs(read["random"]).max() <= 1 and not read["zeros"].any() and np.isnan(read["nan"]).any()
