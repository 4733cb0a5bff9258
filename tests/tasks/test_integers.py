"""Quantised convolutions and products are computed on bytes, exactly, where the processor multiplies them."""

from __future__ import annotations

import re

import numpy as np
import pytest
import tvm
from tvm import relax
from tvm.s_tir import Schedule
from tvm.target import Target

from draft.spaces import rows_of_each
from machines import machine_of, result_of
from pruner_engine.frontends.workloads import build_workload
from pruner_engine.lowering.words.products import (
    BYTES,
    MIXED_BYTES,
    PAIRS,
    SHORT_BYTES,
    SIGNED_BYTES,
    WIDE_PAIRS,
    byte_products_of,
    multiplied,
)
from pruner_engine.measure.running.kernel import facts_of
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import is_of_this_architecture, resolve_target, runs_here
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.words.weights import as_words, on_grid
from word_kernels import product_of_words, words_of

FORMS = {
    "AVX2": (PAIRS, resolve_target('{"kind":"llvm","mcpu":"haswell","num-cores":2}')),
    "AVX-512": (WIDE_PAIRS, resolve_target('{"kind":"llvm","mcpu":"skylake-avx512","num-cores":2}')),
    "VNNI": (BYTES, resolve_target('{"kind":"llvm","mcpu":"cascadelake","num-cores":2}')),
    "AVX-VNNI": (SHORT_BYTES, resolve_target('{"kind":"llvm","mcpu":"alderlake","num-cores":2}')),
    "Arm": (SIGNED_BYTES, resolve_target('{"kind":"llvm","mtriple":"aarch64-linux-gnu","mcpu":"cortex-a76"}')),
    "I8MM": (MIXED_BYTES, resolve_target("graviton3")),
}
INSTRUCTIONS = {"AVX2": "vpmaddwd", "AVX-512": "vpmaddwd", "Arm": r"\bsdot", "I8MM": "usdot|sudot"}  # others: vpdpbusd
# one of each kind: pairs of 16 bits, bytes of which one operand's have signs, bytes that all have; the others do what
# one of these does, in vectors of another length or by another name
KINDS = ("AVX2", "VNNI", "Arm")


def of_forms(cases, some):
    """Every case in one form of each kind, and some in the others."""
    return [(form, *case) for form in FORMS for case in (cases if form in KINDS else some)]


@pytest.fixture(params=FORMS)
def form(request):
    """How a processor multiplies bytes, and the target."""
    return FORMS[request.param]


@pytest.fixture
def here(form):
    """The same, of those that this processor is, and of other architectures."""
    if is_of_this_architecture(form[1]) and not runs_here(form[1]):
        pytest.skip("this processor lacks the instruction")
    return form


@pytest.fixture
def instruction(form):
    """What multiplies bytes."""
    return INSTRUCTIONS.get(next(name for name, known in FORMS.items() if known is form), "vpdpbusd")


def bytes_of(shape, dtype, seed=0):
    bounds = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(bounds.min, bounds.max + 1, shape).astype(dtype)


REGISTERS = {4: r"xmm|v\d+\.4s", 8: "ymm", 16: "zmm", 2: r"v\d+\.2s"}


def test_a_step_of_a_vector_is_one_instruction(form, instruction):
    multiply, target = form
    for lanes in multiply.instructions:
        lines = tvm.compile(product_of_words(lanes, multiply), target=target).mod.inspect_source("asm").splitlines()
        made = [line for line in lines if re.search(instruction, line)]
        assert made and all(re.search(REGISTERS[lanes], line) for line in made)
        assert not any(re.search(r"vpmulld|\bmul\tv", line) for line in lines)
        if multiply.adds:
            assert not any(re.search(r"vpaddd|\badd\tv", line) for line in lines), "the sum is part of the instruction"


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16, 32])
def test_products_are_exact_in_vectors_of_any_length(here, lanes):
    multiply, target = here
    if multiply.bits == 8:
        left, right = bytes_of((8, 64), "int8" if multiply.signed else "uint8"), bytes_of((64, 32), "int8")
        given = [words_of(left), as_words(right)]
    else:  # the largest numbers, of which two products go just into 32 bits
        left, right = bytes_of((8, 32), "int16"), bytes_of((32, 32), "int16")
        left[0], right[:, 0] = -32767, 32767
        given = [words_of(left), words_of(right.reshape(16, 2, 32).swapaxes(1, 2))[..., 0]]
    result = result_of(product_of_words(lanes, multiply), [*given, np.empty((8, 32), "int32")], target)
    assert (result == (left.astype("int64") @ right.astype("int64")).astype("int32")).all()


def test_more_lanes_than_a_register_has_are_several_instructions(form, instruction):
    multiply, target = form
    lanes = 2 * max(multiply.instructions)
    text = tvm.compile(product_of_words(lanes, multiply), target=target).mod.inspect_source("asm")
    assert re.search(instruction, text) and not re.search(r"vpmulld|\bmul\tv", text)


def test_processors_multiply_bytes_as_they_can(form):
    multiply, target = form
    assert byte_products_of(target) is multiply


@pytest.mark.parametrize("words", [{"mcpu": "nehalem"}, {"mcpu": "knl"}, {"mtriple": "aarch64-linux-gnu"}], ids=str)
def test_other_processors_keep_real_numbers(words):
    assert byte_products_of(Target({"kind": "llvm", **words})) is None


def test_weights_on_a_grid_are_found():
    steps, scales = bytes_of((40, 12), "int8"), np.random.default_rng(1).uniform(1e-4, 3, 12).astype("float32")
    steps[:, 3] = 0
    steps[:, 4] //= 50  # few steps
    found, found_scales = on_grid(steps * scales)
    np.testing.assert_allclose(found * found_scales, steps * scales, rtol=1e-6)
    assert (found[:, 3] == 0).all()


def test_steps_of_unsigned_weights_are_found():
    steps = bytes_of((60, 8), "uint8").astype("int32") - np.arange(100, 108)
    found, scales = on_grid((steps * 0.0171).astype("float32"))
    assert (found == steps).all() and np.allclose(scales, 0.0171)


def test_other_weights_are_left_alone():
    rng = np.random.default_rng(2)
    assert on_grid(rng.standard_normal((40, 12)).astype("float32")) is None
    wide = np.arange(-200, 200, 5)[:, None].astype("float32") + np.array([0, 1, 2, 3], "float32")
    assert on_grid(wide) is None, "400 steps are more than a byte has"
    assert on_grid(np.full((4, 4), np.nan, "float32")) is None
    mixed = bytes_of((40, 12), "int8").astype("float32")
    mixed[20, 5] += 0.3
    assert on_grid(mixed) is None


def quantised(x, signed, scale, zero):
    kind = "int8" if signed else "uint8"
    one = (relax.const(np.float32(scale)), relax.const(np.array(zero, kind)))
    q = relax.op.quantize(x, *one, axis=1, out_dtype=kind)
    return q, lambda q: relax.op.dequantize(q, *one, axis=1, out_dtype="float32")


def network(signed, conv, channels=13, filters=10, middle=0, size=(9, 11)):
    """quantize, dequantize, convolve, quantize, dequantize."""
    steps = bytes_of((filters, channels, 3, 3), "int8", 3).astype("float32") + middle
    weights = steps * np.random.default_rng(4).uniform(0.001, 0.01, (filters, 1, 1, 1)).astype("float32")
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((2, channels, *size), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            q, real = quantised(x, signed, 0.03, 7)
            inner = builder.emit(real(builder.emit(q)))
            made = builder.emit(relax.op.nn.conv2d(inner, relax.const(weights.astype("float32")), **conv))
            q, real = quantised(made, signed, 0.05, 3)
            result = builder.emit_output(real(builder.emit(q)))
        builder.emit_func_output(result)
    return builder.finalize(), weights


def kernels(mod):
    return [f.script() for f in mod.functions.values() if isinstance(f, tvm.tirx.PrimFunc)]


def ran(prepared, x, target):
    machine = machine_of(prepared, target)
    return machine["main"](tvm.runtime.tensor(x)).numpy()


CONVOLUTIONS = [
    {"padding": (1, 1), "strides": (1, 1)},
    {"padding": (2, 0, 1, 3), "strides": (2, 1)},
    {"padding": (2, 2), "strides": (1, 2), "dilation": (2, 2)},
    {},
]


CONVOLVED = [
    *((False, 0, conv) for conv in CONVOLUTIONS),
    *((True, 0, conv) for conv in CONVOLUTIONS[1:3]),  # padding is where signs and zeros differ
    *((False, 30, conv) for conv in CONVOLUTIONS[1:3]),
]


@pytest.mark.parametrize(
    ("form", "signed", "middle", "conv"), of_forms(CONVOLVED, CONVOLVED[2::2]), indirect=["form"], ids=str
)
def test_convolutions_of_bytes_agree_with_those_of_real_numbers(here, signed, middle, conv):
    multiply, target = here
    mod, _ = network(signed, conv, middle=middle)
    x = np.random.default_rng(5).standard_normal((2, 13, 9, 11)).astype("float32") * 2
    whole, real = prepare(mod, target), prepare(mod, target, without=["integers"])
    assert any(multiply.name in text for text in kernels(whole))
    summed = any("sum_of_bytes" in text for text in kernels(whole))
    assert summed == (bool(middle) and multiply.bits == 8), "numbers of 16 bits need no middle"
    assert not any(multiply.name in text for text in kernels(real))
    got, want = ran(whole, x, target), ran(real, x, target)
    # sums of floats are rounded, those of bytes are not: a result half way between two steps may differ by one
    assert np.abs(got - want).max() <= 0.05 * 1.001 and (got != want).mean() < 0.01
    assert len(np.unique(want)) > 20


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("rows", [1, 64, 67])
def test_products_with_zeros_that_are_known_only_when_they_run_are_exact(here, unsigned, rows):
    multiply, target = here
    weights = bytes_of((50, 24), "uint8" if unsigned else "int8", 6).astype("int32") - (117 if unsigned else 0)
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((rows, 50), "uint8"))
    zero = relax.Var("zero", relax.TensorType((), "uint8"))
    with builder.function("main", [x, zero]):
        with builder.dataflow():
            whole, off = (builder.emit(relax.op.astype(var, "int32")) for var in (x, zero))
            moved = builder.emit(relax.op.subtract(whole, off))
            made = relax.op.matmul(moved, relax.const(weights, "int32"), out_dtype="int32")
            result = builder.emit_output(made)
        builder.emit_func_output(result)
    prepared = prepare(builder.finalize(), target)
    assert any(multiply.name in text for text in kernels(prepared))
    given = [bytes_of((rows, 50), "uint8", 7), np.array(131, "uint8")]
    machine = machine_of(prepared, target)
    got = machine["main"](*map(tvm.runtime.tensor, given)).numpy()
    assert (got == (given[0].astype("int32") - 131) @ weights).all()


COMPUTED = [
    "matmul:64,64,64,int8",
    "matmul:33,50,37,int8",
    "bmm:2,24,40,21,int8",
    "dense:32,40,64,int8",
    "conv2d:2,16,9,11,24,3,int8,layout=NHWC",
    "conv2d:1,9,9,11,10,3,int8,stride=2",
]


@pytest.mark.parametrize("workload", COMPUTED)
def test_bytes_that_both_operands_are_computed_of_are_multiplied_exactly(here, workload):
    multiply, target = here
    mod = build_workload(workload)
    whole, plain = prepare(mod, target), prepare(mod, target, without=["integers"])
    assert any(multiply.name in text for text in kernels(whole))
    given = [bytes_of([int(n) for n in param.ty.shape], "int8", at) for at, param in enumerate(mod["main"].params)]
    for operand in given[:2]:
        operand.flat[:3] = -128, -128, 127
    got, want = (machine_of(m, target)["main"](*map(tvm.runtime.tensor, given)).numpy() for m in (whole, plain))
    assert got.dtype == "int32" and (got == want).all()


def test_a_matrix_is_not_packed_for_few_rows(form):
    multiply, target = form
    assert not any(multiply.name in text for text in kernels(prepare(build_workload("matmul:4,64,64,int8"), target)))


def test_products_of_which_sums_may_overflow_are_left_alone(form):
    multiply, target = form
    deep = prepare(build_workload("matmul:16,16,40000,int8"), target)
    assert not any(multiply.name in text for text in kernels(deep))


def attention(kinds, zeros=(7, 121)):
    """Products of every head's bytes by another's, which lie transposed, as real numbers."""
    builder = relax.BlockBuilder()
    given = [relax.Var(name, relax.TensorType((2, 3, 20, 36), kind)) for name, kind in zip("qk", kinds, strict=True)]
    with builder.function("main", given):
        with builder.dataflow():
            real = []
            for value, scale, zero in zip(given, (0.02, 0.05), zeros, strict=True):
                number = builder.emit(relax.op.astype(value, "float32"))
                moved = builder.emit(relax.op.subtract(number, relax.const(np.float32(zero))))
                real.append(builder.emit(relax.op.multiply(moved, relax.const(np.float32(scale)))))
            turned = builder.emit(relax.op.permute_dims(real[1], [0, 1, 3, 2]))
            result = builder.emit_output(relax.op.matmul(real[0], turned))
        builder.emit_func_output(result)
    return builder.finalize()


@pytest.mark.parametrize("kinds", [("uint8", "uint8"), ("uint8", "int8"), ("int8", "uint8"), ("int8", "int8")], ids=str)
def test_products_of_each_by_one_of_its_own_agree_with_those_of_real_numbers(kinds):
    multiply, target = FORMS["VNNI"]
    if not runs_here(target):
        pytest.skip("this processor lacks the instruction")
    mod = attention(kinds)
    whole = prepare(mod, target)
    assert any(multiply.name in text for text in kernels(whole))
    q, k = given = [bytes_of((2, 3, 20, 36), kind, at) for at, kind in enumerate(kinds)]
    want = ((q.astype("float64") - 7) * 0.02) @ ((k.astype("float64") - 121) * 0.05).swapaxes(-1, -2)
    got = machine_of(whole, target)["main"](*map(tvm.runtime.tensor, given)).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-4)


def test_pairs_multiply_no_real_numbers_that_are_computed():
    multiply, target = FORMS["AVX2"]
    assert not any(multiply.name in text for text in kernels(prepare(attention(("uint8", "int8")), target)))


@pytest.mark.parametrize("rows", [24, 31])
def test_products_with_zeros_of_both_that_are_known_only_when_they_run_are_exact(here, rows):
    multiply, target = here
    builder = relax.BlockBuilder()
    shapes = {"a": (rows, 50), "b": (50, 24), "x": (), "y": ()}
    types = zip(shapes.items(), ("uint8", "int8", "uint8", "int8"), strict=True)
    params = [relax.Var(name, relax.TensorType(shape, kind)) for (name, shape), kind in types]
    with builder.function("main", params):
        with builder.dataflow():
            a, b, x, y = (builder.emit(relax.op.astype(var, "int32")) for var in params)
            moved = [builder.emit(relax.op.subtract(value, zero)) for value, zero in ((a, x), (b, y))]
            result = builder.emit_output(relax.op.matmul(*moved, out_dtype="int32"))
        builder.emit_func_output(result)
    prepared = prepare(builder.finalize(), target)
    assert any(multiply.name in text for text in kernels(prepared))
    a, b = bytes_of((rows, 50), "uint8", 7), bytes_of((50, 24), "int8", 8)
    given = [a, b, np.array(131, "uint8"), np.array(-13, "int8")]
    got = machine_of(prepared, target)["main"](*map(tvm.runtime.tensor, given)).numpy()
    assert (got == (a.astype("int32") - 131) @ (b.astype("int32") + 13)).all()


def test_bytes_that_wrap_around_are_no_operands():
    """What is taken from a byte in a byte's own arithmetic is no zero of a quantised number."""
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType((16, 32), "uint8"))
    with builder.function("main", [x]):
        with builder.dataflow():
            moved = builder.emit(relax.op.subtract(x, relax.const(np.array(9, "uint8"))))
            weights = relax.const(bytes_of((32, 16), "int8").astype("int32"))
            result = builder.emit_output(relax.op.matmul(builder.emit(relax.op.astype(moved, "int32")), weights))
        builder.emit_func_output(result)
    given, target = bytes_of((16, 32), "uint8", 9), resolve_target("auto")
    got = ran(prepare(builder.finalize(), target), given, target)
    assert (got == (given - np.uint8(9)).astype("int32") @ bytes_of((32, 16), "int8").astype("int32")).all()


@pytest.mark.parametrize("operator", ["pool", "depthwise", "product"])
def test_images_less_a_mean_are_no_quantised_numbers(operator):
    """Bytes that become real numbers, but not around a byte: what is rounded would be wrong."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((1, 16, 8, 8), "uint8"))
    filters = (bytes_of((16, 1 if operator == "depthwise" else 16, 1, 1), "int8", 8) / 10).astype("float32")
    with builder.function("main", [x]):
        with builder.dataflow():
            number = builder.emit(relax.op.astype(x, "float32"))
            moved = builder.emit(relax.op.subtract(number, relax.const(123.5, "float32")))
            real = builder.emit(relax.op.multiply(moved, relax.const(0.017, "float32")))
            if operator == "pool":
                made = relax.op.nn.max_pool2d(real, pool_size=(1, 1))
            else:
                made = relax.op.nn.conv2d(real, relax.const(filters), groups=16 // filters.shape[1])
            result = builder.emit_output(made)
        builder.emit_func_output(result)
    image = bytes_of((1, 16, 8, 8), "uint8", 9)
    want = (image - 123.5) * 0.017
    if operator != "pool":
        square = np.diag(filters[:, 0, 0, 0]) if operator == "depthwise" else filters[:, :, 0, 0]
        want = np.einsum("oi,nihw->nohw", square, want)
    target = resolve_target("auto")
    got = ran(prepare(builder.finalize(), target), image, target)
    np.testing.assert_allclose(got, want, atol=1e-4)


def test_signed_bytes_that_become_halves_stay_signed():
    one = (relax.const(np.float32(0.05)), relax.const(np.array(3, "int8")))
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((4, 8), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            q = builder.emit(relax.op.quantize(x, *one, axis=1, out_dtype="int8"))
            halves = builder.emit(relax.op.dequantize(q, *one, axis=1, out_dtype="float16"))
            result = builder.emit_output(relax.op.astype(halves, "float32"))
        builder.emit_func_output(result)
    given = np.random.default_rng(1).standard_normal((4, 8)).astype("float32")
    target = resolve_target("auto")
    got = ran(prepare(builder.finalize(), target), given, target)
    assert np.abs(got - given).max() < 0.03


def task_of(mod, target):
    """The heaviest kernel that multiplies bytes."""
    return next(t for t in extract_tasks(prepare(mod, target), target) if facts_of(t.mod).words)


def arguments_of(task):
    """Random words, factors whose results fill the range of a byte, and room for the result."""
    words, rng = facts_of(task.mod).words, np.random.default_rng(7)

    def one(at, spec):
        if at in words:
            parts = bytes_of((*spec.shape, 4 // np.dtype(words[at]).itemsize), "int8", at)
            return words_of(parts.astype("int16") if words[at] == "int16" else parts)[..., 0]
        if spec.dtype == "int32":
            return rng.integers(-500, 500, spec.shape, "int32")
        return rng.uniform(0.02, 0.06, spec.shape).astype(spec.dtype)

    *given, out = task.args
    return [*(one(at, spec) for at, spec in enumerate(given)), np.zeros(out.shape, out.dtype)]


def product(rows, depth, columns):
    """A product of a matrix of bytes by a constant one."""
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType((rows, depth), "uint8"))
    weights = relax.const(bytes_of((depth, columns), "int8").astype("int32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            whole = builder.emit(relax.op.astype(x, "int32"))
            result = builder.emit_output(relax.op.matmul(whole, weights, out_dtype="int32"))
        builder.emit_func_output(result)
    return builder.finalize()


SHAPES = {
    "a convolution with a border": lambda: network(False, {"padding": (1, 1)}, 16, 32),
    "one of 37 channels, two pixels apart": lambda: network(False, {"strides": (2, 1)}, 37, 24, size=(7, 13)),
    "one of spread windows": lambda: network(False, {"padding": (3, 0, 1, 2), "dilation": (2, 1)}, 9, 40, size=(8, 5)),
    "rows that are appended": lambda: (product(31, 50, 24),),
    "a single row": lambda: (product(1, 129, 40),),
    "a matrix that is computed": lambda: (build_workload("matmul:31,24,50,int8"),),
    "matrices of each": lambda: (build_workload("bmm:2,24,40,21,int8"),),
}


@pytest.mark.parametrize(
    ("form", "shape"),
    of_forms([(shape,) for shape in SHAPES], [(shape,) for shape in [*SHAPES][::3]]),
    indirect=["form"],
)
def test_drafted_schedules_of_products_of_bytes_are_exact(here, shape):
    target = here[1]
    task = task_of(SHAPES[shape]()[0], target)
    arrays = arguments_of(task)
    want = result_of(task.mod, arrays, target)
    assert len(np.unique(want)) > 20
    space, rng, seen, rows = DesignSpace.generate(task, target), np.random.default_rng(3), 0, rows_of_each(1)
    for sketch in space.sketches:
        for row in sketch.sample(rng, rows):
            schedule = space.apply(space.candidate(sketch.index, row))
            if schedule is not None:  # a postprocessor may refuse one
                np.testing.assert_allclose(result_of(schedule.mod, arrays, target), want, rtol=1e-6)
                seen += 1
    assert seen > len(space.sketches) * rows / 2


def two_products(rows=8, depth=64, inner=128, columns=16):
    """Two products whose operands are quantised: the first one's kernel reads bytes and writes more of them."""
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType((rows, depth), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            value = x
            for shape, scale in (((depth, inner), 0.02), ((inner, columns), 2.0)):
                q, real = quantised(value, False, scale, 100)
                weights = relax.const(bytes_of(shape, "int8").astype("float32") / 100)
                value = builder.emit(relax.op.matmul(builder.emit(real(builder.emit(q))), weights))
            result = builder.emit_output(value)
        builder.emit_func_output(result)
    return builder.finalize()


def row_by_row(function):
    """The kernel with its product computed for a row of the result at a time, as tuned ones do for tiles."""
    sch = Schedule(function)
    *others, last = sch.get_child_blocks(sch.get_sblock("root"))
    product = next(block for block in others if sch.get(block).init is not None)
    for block in others:
        if block is not product:
            sch.compute_inline(block)
    sch.compute_at(product, sch.get_loops(last)[0])
    return sch.mod["main"].without_attr("global_symbol")


def test_bytes_keep_their_memory_while_they_are_read_as_words(here):
    """It was given to the result of the kernel that reads them."""
    target = here[1]
    prepared = prepare(two_products(), target)
    x = np.random.default_rng(8).standard_normal((8, 64)).astype("float32")
    want = ran(prepared, x, target)
    variable = next(v for v, f in prepared.functions.items() if re.search("matmul.*round", v.name_hint))
    prepared.update_func(variable, row_by_row(prepared[variable]))
    np.testing.assert_allclose(ran(prepared, x, target), want, rtol=1e-6)


def test_their_instructions_are_in_the_schedules(form, instruction):
    """Compiled for the target, whatever runs the test; the register tile is the rule's."""
    target = form[1]
    task = task_of(network(False, {"padding": (1, 1)}, 16, 32)[0], target)
    space = DesignSpace.generate(task, target)
    assert len(space.sketches) == 4, "in blocks or not, a border for each tile or before all else"
    assert len(DesignSpace.generate(task, target, without=["register-tile"]).sketches) != 4
    for sketch in space.sketches:
        schedule = space.apply(space.candidate(sketch.index, sketch.sample(np.random.default_rng(1), 1)[0]))
        text = tvm.compile(schedule.mod, target=target).mod.inspect_source("asm")
        assert re.search(instruction, text)


def test_their_kernels_are_checked_with_bytes_and_to_a_step(form):
    multiply, target = form
    prepared = prepare(network(False, {"padding": (1, 1)}, channels=16, filters=32)[0], target)
    (task,) = (task for task in extract_tasks(prepared, target) if task.op == "conv2d")
    facts = facts_of(task.mod)
    filters = (3, 3, 4, 32) if multiply.bits == 8 else (3, 3, 2, 4, 32)
    assert [task.args[i].shape for i in facts.words] == [(2, 9, 11, 4), filters]
    assert list(facts.words.values()) == ["uint8", "uint8" if multiply.bits == 8 else "int16"]
    assert re.fullmatch("conv2d_dequantize_quantize_dequantize_[0-9a-f]{6}", task.name)
    assert facts.rounds and facts.inputs == ["random", "zeros"]


def test_pairs_are_left_to_real_numbers_where_these_are_faster():
    """Where Winograd's convolution takes less than half of the plain one's time, and for few channels."""
    target = FORMS["AVX2"][1]

    def holds(mod, without=()):
        return any(PAIRS.name in text for text in kernels(prepare(mod, target, without)))

    wide, _ = network(False, {"padding": (1, 1)}, 64, 64, size=(56, 56))
    assert not holds(wide) and holds(wide, ["winograd"])
    assert holds(network(False, {"padding": (1, 1), "strides": (2, 2)}, 64, 64, size=(56, 56))[0])
    assert not holds(network(False, {}, 3, 64)[0])


def test_a_sum_of_products_counts_as_one_multiplication():
    from tvm.s_tir.analysis import estimate_tir_flops

    assert estimate_tir_flops(multiplied(product_of_words(16, BYTES))) == 2 * 8 * 16 * 32
    assert estimate_tir_flops(multiplied(product_of_words(16, PAIRS))) == 2 * 8 * 16 * 32
