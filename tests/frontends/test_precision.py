"""A float32 model in a smaller float type: what changes, what stays, what is told."""

from dataclasses import replace

import numpy as np
import pytest
from tvm import relax, topi
from tvm.relax import op

from graphs import emitted, graph
from pruner_engine.errors import UserError
from pruner_engine.export.precision import compare_precision
from pruner_engine.frontends import load_model
from pruner_engine.frontends.precision import in_precision
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.graph import operator_of
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.halves import coarsest_float
from pruner_engine.tasks.task import TensorSpec
from schedules import CPU


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products_change_their_type_and_the_interface_does_not(dtype):
    exact = load_model("dense:16,32,64")
    model = in_precision(exact, dtype)
    assert (model.inputs, model.outputs, model.file) == (exact.inputs, exact.outputs, exact.file)
    product = next(t for t in extract_tasks(prepare(model.mod, CPU), CPU) if t.op == "matmul")
    assert [a.dtype for a in product.args[:2]] == [dtype, dtype]


@pytest.mark.parametrize(("dtype", "epsilon"), [("float16", 2**-10), ("bfloat16", 2**-7)])
def test_outputs_are_as_far_from_float32_as_the_type_explains(dtype, epsilon):
    exact = load_model("matmul:32,32,64")
    found = compare_precision(exact, in_precision(exact, dtype))
    assert found.ok and 0 < found.error < 8 * epsilon


def types_of(mod, operator):
    """Types of what the calls of an operator make."""
    found = set()

    def visit(node):
        if operator_of(node) == operator:
            found.add(str(node.ty.dtype))

    relax.analysis.post_order_visit(mod["main"], visit)
    return found


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["exp", "square"])
def test_what_leaves_the_range_of_halves_stays_in_float32(name, dtype):
    """Also of a product, which is in the small type: e to the power of 12 is too large for float16."""
    mod = graph(lambda x, w: op.sqrt(getattr(op, name)(op.matmul(x, w))), (16, 32), constants=[(32, 16)])
    exact = replace(load_model("matmul:8,8,8"), mod=mod, inputs=[TensorSpec("x0", (16, 32), "float32")])
    assert types_of(in_precision(exact, dtype).mod, f"relax.{name}") == {"float32"}


def test_a_softmax_stays_in_float32():
    exact = load_model("softmax:16,64")
    assert {a.dtype for t in extract_tasks(prepare(in_precision(exact, "float16").mod, CPU), CPU) for a in t.args} == {
        "float32"
    }


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("function", [lambda y: op.clip(y, -1, 1.5), lambda y: op.tril(y, 1), lambda y: op.triu(y, -1)])
def test_operators_of_plain_numbers_are_converted(function, dtype):
    """As a bounded rectifier after a convolution, and the mask of an attention."""
    mod = graph(lambda x, w: function(op.matmul(x, w)), (4, 16, 32), constants=[(32, 16)])
    exact = replace(load_model("matmul:8,8,8"), mod=mod, inputs=[TensorSpec("x0", (4, 16, 32), "float32")])
    model = in_precision(exact, dtype)
    product = next(t for t in extract_tasks(prepare(model.mod, CPU), CPU) if t.op == "matmul")
    assert [a.dtype for a in product.args[:2]] == [dtype, dtype]
    assert compare_precision(exact, model).ok


def test_float32_is_no_conversion_and_other_floats_are_refused():
    exact = load_model("matmul:8,8,8")
    assert in_precision(exact, "float32") is exact
    with pytest.raises(UserError, match="float16"):
        in_precision(load_model("matmul:8,8,8,float16"), "bfloat16")


_FROM_CONSTANTS = {
    "angles of given positions": (lambda x, f: op.cos(op.matmul(op.reshape(f, (1, 32, 1)), x)), (1, 1, 64), [(32,)]),
    "angles of known positions": (lambda x, f, p: op.add(x, op.cos(op.matmul(f, p))), (32, 64), [(32, 1), (1, 64)]),
    "weights in another shape": (lambda x, w: op.multiply(x, op.exp(op.reshape(w, (1, 64)))), (32, 64), [(64,)]),
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", _FROM_CONSTANTS)
def test_what_is_no_product_of_a_network_keeps_all_digits(name, dtype):
    """As rotary embeddings, whose positions are beyond what bfloat16 tells apart."""
    function, shape, constants = _FROM_CONSTANTS[name]
    mod = graph(function, shape, constants=constants)
    exact = replace(load_model("matmul:8,8,8"), mod=mod, inputs=[TensorSpec("x0", shape, "float32")])
    assert coarsest_float(in_precision(exact, dtype).mod) == "float32"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products_of_whole_numbers_stay_whole(dtype):
    def both(x, w):
        whole = op.matmul(*(op.astype(one, "int32") for one in (x, w)), out_dtype="int32")
        return op.add(op.matmul(x, w), op.astype(whole, "float32"))

    mod = graph(both, (16, 32), constants=[(32, 16)])
    exact = replace(load_model("matmul:8,8,8"), mod=mod, inputs=[TensorSpec("x0", (16, 32), "float32")])
    model = in_precision(exact, dtype)
    assert types_of(model.mod, "relax.matmul") == {"float32", "int32"}
    assert compare_precision(exact, model).ok


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_of_the_models_own_stay_halves(dtype):
    """As in files that were converted to halves, with float32 as what goes in."""

    def partly(x, w, b):
        return op.add(op.astype(op.matmul(x, w), "float16"), op.astype(b, "float16"))

    mod = graph(partly, (16, 32), constants=[(32, 16), (16,)])
    exact = replace(load_model("matmul:8,8,8"), mod=mod, inputs=[TensorSpec("x0", (16, 32), "float32")])
    assert types_of(in_precision(exact, dtype).mod, "relax.add") == {"float16"}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_kernels_of_an_importer_stay_behind_a_product(dtype):
    """As pads that reflect, which are no operators."""
    w = relax.const(np.linspace(-1, 1, 512, dtype="float32").reshape(32, 16))

    def padded(builder, x):
        return builder.emit_te(topi.nn.mirror_pad, builder.emit(op.matmul(x, w)), [0, 1, 1], [0, 1, 1], "REFLECT")

    exact = load_model("matmul:8,8,8")
    exact = replace(exact, mod=emitted((4, 16, 32), padded), inputs=[TensorSpec("x0", (4, 16, 32), "float32")])
    found = compare_precision(exact, in_precision(exact, dtype))
    assert found.ok and found.error > 0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_what_follows_a_batch_norm_is_as_small_as_without(dtype):
    """Images between convolutions, and those that are added to them, move half as many bytes."""

    def block(x, w, scale, shift, mean, variance):
        first = op.nn.conv2d(x, w, padding=1)
        made = op.nn.batch_norm(op.nn.conv2d(first, w, padding=1), scale, shift, mean, variance, axis=1)
        return op.nn.conv2d(op.nn.relu(op.add(relax.TupleGetItem(made, 0), first)), w, padding=1)

    weights = [(8, 8, 3, 3), *[(8,)] * 4]
    mod = graph(block, (1, 8, 6, 6), constants=weights)
    exact = replace(load_model("matmul:8,8,8"), mod=mod, inputs=[TensorSpec("x0", (1, 8, 6, 6), "float32")])
    assert types_of(in_precision(exact, dtype).mod, "relax.nn.relu") == {dtype}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_norms_of_groups_are_converted(dtype):
    """TVM takes bfloat16 for no float there."""

    def network(x, kernel, w):
        return op.nn.group_norm(op.nn.conv2d(x, kernel), w, w, num_groups=2, channel_axis=1, axes=[2, 3])

    mod = graph(network, (1, 3, 8, 8), constants=[(8, 3, 3, 3), (8,)])
    exact = replace(load_model("matmul:8,8,8"), mod=mod, inputs=[TensorSpec("x0", (1, 3, 8, 8), "float32")])
    found = compare_precision(exact, in_precision(exact, dtype))
    assert found.ok and found.error > 0
