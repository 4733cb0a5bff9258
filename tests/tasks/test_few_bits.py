"""Weights of few bits stay so in products of a few rows."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import pytest
import tvm
from onnx import TensorProto, helper, numpy_helper
from tvm import relax
from tvm.ir.expr import GenericConst

from draft.spaces import AMX, CPU, GPU
from graphs import graph
from machines import machine_of, result_of
from pruner_engine.frontends import load_model
from pruner_engine.measure.running.correctness import ANY_BITS, dtype_of, make_array
from pruner_engine.measure.running.kernel import facts_of
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.words.blocks import WORD_BITS, block_weights, least_step

DEPTH, COLUMNS = 512, 516


def quantised(bits, block, *, unsigned=False, depth=DEPTH, columns=COLUMNS, seed=0):
    """Real numbers that lie on grids of so many bits, one for each block of a column."""
    rng = np.random.default_rng(seed)
    blocks = -(-depth // block)
    steps = rng.integers(0, 1 << bits, (blocks, block, columns))
    zeros = rng.integers(0, 1 << bits, (blocks, 1, columns)) if unsigned else 1 << (bits - 1)
    scales = rng.uniform(0.001, 0.02, (blocks, 1, columns)).astype("float32")
    return ((steps - zeros).astype("float32") * scales).reshape(-1, columns)[:depth]


def real(found, block, depth, columns):
    """The weights that words, scales and middles stand for."""
    shifts = np.arange(0, WORD_BITS, found.bits)[:, None]
    parts = (found.words[:, :, None] >> shifts) & ((1 << found.bits) - 1)
    steps = parts.reshape(len(found.words), -1, found.words.shape[-1]).astype("float64")
    steps += least_step(found.bits) if found.middles is None else found.middles[:, None]
    made = steps * found.scales[:, None]
    return made[:, :block].reshape(-1, made.shape[-1])[:depth, :columns]


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("block", [16, 32, 128, DEPTH])
@pytest.mark.parametrize(("bits", "kept"), [(2, 4), (4, 4), (6, 8), (8, 8)])
def test_steps_and_scales_stand_for_the_weights(bits, kept, block, unsigned):
    weights = quantised(bits, block, unsigned=unsigned)
    found = block_weights(weights)
    assert found is not None and (found.bits, len(found.words)) == (kept, DEPTH // block)
    assert found.words.nbytes < weights.nbytes * kept / WORD_BITS * 1.02
    assert (found.middles is not None) == unsigned or bits < kept
    np.testing.assert_allclose(real(found, block, DEPTH, COLUMNS), weights, rtol=0, atol=1e-6 * np.abs(weights).max())


def rounded(dtype, bits=4, *, unsigned=False):
    """Steps of blocks of 32 weights by scales of a type of 16 bits, rounded to that type."""
    rng = np.random.default_rng(2)
    steps = rng.integers(0, 1 << bits, (DEPTH // 32, 32, COLUMNS))
    zeros = rng.integers(0, 1 << bits, (len(steps), 1, COLUMNS)) if unsigned else 1 << (bits - 1)
    scales = rng.uniform(0.01, 0.02, (len(steps), 1, COLUMNS)).astype(dtype_of(dtype)).astype("float32")
    return ((steps - zeros) * scales).astype(dtype_of(dtype)).reshape(DEPTH, COLUMNS)


@pytest.mark.parametrize(
    ("dtype", "bits", "unsigned"),
    [("float16", 4, False), ("float16", 4, True), ("float16", 8, False), ("bfloat16", 4, False), ("bfloat16", 4, True)],
)
def test_steps_and_scales_of_rounded_weights_are_found_exactly(dtype, bits, unsigned):
    weights = rounded(dtype, bits, unsigned=unsigned)
    found = block_weights(weights)
    assert found is not None and found.bits == bits and len(found.words) == DEPTH // 32
    np.testing.assert_array_equal(real(found, 32, DEPTH, COLUMNS).astype("float32").astype(weights.dtype), weights)


def test_rounded_weights_on_no_grid():
    rng = np.random.default_rng(0)
    for dtype in ("float16", "bfloat16"):
        assert block_weights(rng.standard_normal((128, 64)).astype(dtype_of(dtype))) is None


@pytest.mark.parametrize("depth", [500, 517, 1030])
def test_blocks_and_words_that_are_not_full_are_filled_up(depth):
    weights = quantised(4, 64, depth=depth, columns=9)
    found = block_weights(weights)
    assert found is not None and found.depth == -(-depth // 64) * 64 and found.words.shape[-1] == 16
    np.testing.assert_allclose(real(found, 64, depth, 9), weights, rtol=0, atol=1e-7)


def test_a_block_of_zeros_is_one_of_any_grid():
    weights = quantised(4, 32)
    weights[32:64] = 0
    found = block_weights(weights)
    assert found is not None and found.bits == 4 and not real(found, 32, DEPTH, COLUMNS)[32:64].any()


def test_other_numbers_lie_on_no_grid():
    rng = np.random.default_rng(0)
    assert block_weights(rng.standard_normal((64, 48)).astype("float32")) is None
    one = quantised(4, 32)
    one[300, 17] *= 1.01
    assert block_weights(one) is None, "a single weight beside the grid"
    assert block_weights(np.full((64, 48), np.nan, "float32")) is None
    assert block_weights(np.full((64, 48), 0.5, "float32")) is None, "what stands in for weights"


def model_of(weights, rows):
    """A product with constant weights, a bias and an activation."""

    def made(x):
        product = relax.op.matmul(x, relax.const(weights))
        return relax.op.nn.silu(
            relax.op.add(product, relax.const(np.linspace(-1, 1, weights.shape[1], dtype="float32")))
        )

    return graph(made, (rows, len(weights)))


def bytes_of_constants(mod):
    found = []
    relax.analysis.post_order_visit(mod["main"], found.append)
    arrays = (node.value for node in found if isinstance(node, GenericConst))
    return sum(array.numpy().nbytes for array in arrays if isinstance(array, tvm.runtime.Tensor))


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize(("bits", "block", "depth"), [(4, 32, DEPTH), (4, 128, 515), (8, 515, 515), (8, 32, DEPTH)])
@pytest.mark.parametrize("rows", [1, 5, 24, 37])
def test_rows_meet_weights_that_stay_few_bits(rows, bits, block, depth, unsigned):
    weights = quantised(bits, block, depth=depth, unsigned=unsigned)
    mod = model_of(weights, rows)
    kept, plain = prepare(mod, CPU), prepare(mod, CPU, without=["few-bits"])
    assert bytes_of_constants(kept) < (0.3 if bits == 4 else 0.55) * bytes_of_constants(plain)
    x = np.random.default_rng(1).standard_normal((rows, depth)).astype("float32")
    got, want = (machine_of(form)["main"](tvm.runtime.tensor(x)).numpy() for form in (kept, plain))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())


@pytest.mark.parametrize("rows", [2, 36])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products_of_halves(dtype, rows):
    weights = rounded(dtype)
    mod = graph(lambda x: relax.op.matmul(x, relax.const(weights, dtype)), (rows, DEPTH), dtype=dtype)
    kept, plain = prepare(mod, CPU), prepare(mod, CPU, without=["few-bits"])
    assert bytes_of_constants(kept) < 0.4 * bytes_of_constants(plain)
    x = np.random.default_rng(1).standard_normal((rows, DEPTH)).astype(weights.dtype)
    got, want = (machine_of(form)["main"](tvm.runtime.tensor(x)).numpy().astype("float32") for form in (kept, plain))
    np.testing.assert_allclose(got, want, rtol=0, atol=2 * float(ml_dtypes.finfo(x.dtype).eps) * np.abs(want).max())


@pytest.mark.parametrize(("rows", "smaller"), [(2, 0.4), (36, 1.1)])
def test_many_rows_of_bfloat16_are_multiplied_two_by_two(rows, smaller):
    weights = rounded("bfloat16")
    mod = graph(lambda x: relax.op.matmul(x, relax.const(weights, "bfloat16")), (rows, DEPTH), dtype="bfloat16")
    assert bytes_of_constants(prepare(mod, AMX)) < smaller * weights.nbytes
    assert (bytes_of_constants(prepare(mod, AMX)) < weights.nbytes) == (rows == 2)


@pytest.mark.parametrize("rows", [1, 40])
@pytest.mark.parametrize("depth", [DEPTH, 515])
def test_on_a_gpu_a_product_reads_few_bits(rows, depth):
    mod = model_of(quantised(4, 32 if depth == DEPTH else depth, depth=depth), rows)
    kept, plain = prepare(mod, GPU), prepare(mod, CPU, without=["few-bits"])
    assert bytes_of_constants(kept) < 0.3 * bytes_of_constants(plain)
    x = np.random.default_rng(1).standard_normal((rows, depth)).astype("float32")
    got, want = (machine_of(form)["main"](tvm.runtime.tensor(x)).numpy() for form in (kept, plain))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())


@pytest.mark.parametrize("rows", [1, 40])
def test_tensor_cores_multiply_many_rows_of_real_numbers(rows):
    weights = rounded("float16")
    mod = graph(lambda x: relax.op.matmul(x, relax.const(weights, "float16")), (rows, DEPTH), dtype="float16")
    assert (bytes_of_constants(prepare(mod, GPU)) < 0.4 * weights.nbytes) == (rows == 1)


@pytest.mark.parametrize(
    ("rows", "weights"),
    [
        (1, quantised(4, 32, columns=64)),
        (1, np.random.default_rng(0).standard_normal((DEPTH, COLUMNS)).astype("float32")),
    ],
    ids=["few weights", "weights on no grid"],
)
def test_others_are_products_of_real_numbers(rows, weights):
    mod = model_of(weights, rows)
    kept, plain = prepare(mod, CPU), prepare(mod, CPU, without=["few-bits"])
    assert bytes_of_constants(kept) == bytes_of_constants(plain) > weights.nbytes


@pytest.mark.parametrize("rows", [1, 37])
def test_candidates_of_every_sketch_compute_the_same(rows):
    """With the layouts of words and scales that schedules choose, and the epilogue in the kernel."""
    task = extract_tasks(prepare(model_of(quantised(4, 32), rows), CPU), CPU)[0]
    assert "few" not in task.name and task.op == "matmul"
    space = DesignSpace.generate(task, CPU)
    rng = np.random.default_rng(3)
    candidates = [space.candidate(s.index, row) for s in space.sketches for row in s.sample(rng, 2)]
    made = space.materialise(candidates)
    assert len(made) == len(candidates)
    facts = facts_of(task.mod)
    assert facts.words == {1: ANY_BITS}
    inputs = [
        make_array(spec.shape, spec.dtype, at, words=facts.words.get(at, "")) for at, spec in enumerate(task.args)
    ]
    assert (inputs[1] < 0).any() and (inputs[1] & 0xF0 != 0).any()
    want = result_of(task.mod, inputs)
    for candidate in made:
        np.testing.assert_allclose(result_of(candidate.schedule.mod, inputs), want, rtol=2e-4, atol=1e-3)


def test_a_language_models_layer_reads_an_eighth_of_its_weights(tmp_path):
    """As ONNX Runtime's quantiser writes it: blocks of 32, packed by columns."""
    depth, columns = 512, 1024
    rng = np.random.default_rng(4)
    packed = rng.integers(0, 256, (columns, depth // 32, 16), dtype="uint8")
    scales = rng.uniform(0.01, 0.02, columns * depth // 32).astype("float32")
    node = helper.make_node(
        "MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft", K=depth, N=columns, bits=4, block_size=32
    )
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, n]) for name, n in (("x", depth), ("y", columns))
    ]
    weights = [numpy_helper.from_array(packed, "w"), numpy_helper.from_array(scales, "s")]
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(
        helper.make_graph([node], "g", ends[:1], ends[1:], weights), opset_imports=domains, ir_version=8
    )
    onnx.save(model, tmp_path / "layer.onnx")
    mod = prepare(load_model(str(tmp_path / "layer.onnx")).mod, CPU)
    assert bytes_of_constants(mod) == packed.nbytes + scales.nbytes
    x = rng.standard_normal((1, depth)).astype("float32")
    steps = np.stack([packed & 15, packed >> 4], -1).reshape(columns, -1, 32) - 8.0
    want = x @ (steps * scales.reshape(columns, -1, 1)).reshape(columns, depth).T
    got = machine_of(mod)["main"](tvm.runtime.tensor(x)).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
