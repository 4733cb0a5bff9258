"""Norms written out in arithmetic become single kernels, and compute what they did."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest
import torch
import tvm
from onnx import helper, numpy_helper
from torch.nn import functional
from tvm import relax
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.graph import operator_of
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.written_norms import with_norms

TARGET = resolve_target("auto")
EPSILON = relax.const(1e-3, "float32")
Write = Callable[..., relax.Expr]


def of_layers(x, root: Write = op.sqrt, axes=(-1,)):
    """As exporters of ONNX before version 17 write it."""
    apart = op.subtract(x, op.mean(x, axes, keepdims=True))
    squares = op.power(apart, relax.const(2.0, "float32"))
    spread = op.add(op.mean(squares, axes, keepdims=True), EPSILON)
    return op.divide(apart, root(spread))


def by_inverse(x, inverse: Write):
    apart = op.subtract(x, op.mean(x, [-1], keepdims=True))
    again = op.subtract(x, op.mean(x, [-1], keepdims=True))
    spread = op.add(EPSILON, op.mean(op.multiply(again, again), [-1], keepdims=True))
    return op.multiply(inverse(spread), apart)


def of_instances(x, axes):
    """As TVM's importer writes it."""
    spread = op.sqrt(op.add(op.variance(x, axes, keepdims=True), EPSILON))
    return op.divide(op.subtract(x, op.mean(x, axes, keepdims=True)), spread)


def of_groups(x):
    return op.reshape(of_instances(op.reshape(x, (2, 3, 24)), [2]), (2, 6, 4, 3))


def weighted(normed: Write) -> Write:
    return lambda x, scale, shift: op.add(op.multiply(normed(x), scale), shift)


ROWS, IMAGE, CHANNELS = (2, 5, 8), (2, 6, 4, 3), (6, 1, 1)
CASES = {
    "layers": (weighted(of_layers), ROWS, (8,), "relax.nn.layer_norm"),
    "layers of channels": (weighted(lambda x: of_layers(x, axes=[1])), IMAGE, CHANNELS, "relax.nn.layer_norm"),
    "layers by a power": (
        weighted(lambda x: of_layers(x, lambda v: op.power(v, relax.const(0.5, "float32")))),
        ROWS,
        (8,),
        "relax.nn.layer_norm",
    ),
    "layers by a factor": (weighted(lambda x: by_inverse(x, op.rsqrt)), ROWS, (8,), "relax.nn.layer_norm"),
    "layers by a reciprocal": (
        weighted(lambda x: by_inverse(x, lambda v: op.divide(relax.const(1.0, "float32"), op.sqrt(v)))),
        ROWS,
        (8,),
        "relax.nn.layer_norm",
    ),
    "instances": (weighted(lambda x: of_instances(x, [2, 3])), IMAGE, CHANNELS, "relax.nn.group_norm"),
    "instances, channels last": (weighted(lambda x: of_instances(x, [1, 2])), IMAGE, (3,), "relax.nn.group_norm"),
    "instances of signals": (weighted(lambda x: of_instances(x, [2])), ROWS, (5, 1), "relax.nn.group_norm"),
    "groups": (weighted(of_groups), IMAGE, CHANNELS, "relax.nn.group_norm"),
    "one scale for all": (weighted(of_layers), ROWS, (1,), "relax.nn.layer_norm"),
}


def run(mod: tvm.IRModule, x: np.ndarray) -> np.ndarray:
    return machine_of(mod, TARGET)["main"](tvm.runtime.tensor(x)).numpy()


def operators(mod: tvm.IRModule) -> list[str]:
    found = []
    relax.analysis.post_order_visit(mod["main"], lambda node: found.append(operator_of(node)))
    return [name for name in found if name]


@pytest.mark.parametrize("case", CASES)
def test_a_norm_takes_up_its_scale_and_shift(case):
    function, shape, weights, name = CASES[case]
    mod = relax.transform.CanonicalizeBindings()(graph(function, shape, constants=[weights, weights]))
    x = np.random.default_rng(4).standard_normal(shape).astype("float32") + 3
    made = with_norms(mod)
    assert operators(made) == [name]
    np.testing.assert_allclose(run(made, x), run(mod, x), rtol=1e-4, atol=1e-4)


def two_readers(x, scale):
    normed = relax.BlockBuilder.current().emit(of_layers(x))
    return op.add(op.multiply(normed, scale), op.sigmoid(normed))


ELSE = {
    "another mean": (lambda x, w: op.divide(op.subtract(x, op.mean(w, [-1], keepdims=True)), w), ROWS, ROWS),
    "other axes": (
        lambda x, w: op.multiply(
            op.divide(
                op.subtract(x, op.mean(x, [-1], keepdims=True)),
                op.sqrt(op.add(op.variance(x, [-2], keepdims=True), EPSILON)),
            ),
            w,
        ),
        ROWS,
        (8,),
    ),
}


@pytest.mark.parametrize("case", ELSE)
def test_what_is_no_norm_is_left(case):
    function, shape, weights = ELSE[case]
    assert not any("norm" in name for name in operators(with_norms(graph(function, shape, constants=[weights]))))


def test_a_scale_for_one_of_two_readers_stays_behind_the_norm():
    mod = graph(two_readers, ROWS, constants=[(8,)])
    x = np.random.default_rng(5).standard_normal(ROWS).astype("float32")
    made = with_norms(mod)
    assert operators(made).count("relax.nn.layer_norm") == 1 and "relax.multiply" in operators(made)
    np.testing.assert_allclose(run(made, x), run(mod, x), rtol=1e-4, atol=1e-4)


def of_groups_of_channels(x):
    """Over two groups of three channels, whose pixels are one axis meanwhile."""
    ones, zeros = relax.const(np.ones(6, "float32")), relax.const(np.zeros(6, "float32"))
    normed = op.nn.group_norm(op.reshape(x, (2, 6, 12)), ones, zeros, num_groups=2, channel_axis=1, axes=[2])
    return op.reshape(normed, IMAGE)


BETWEEN_RESHAPES = {
    "groups of several channels": (of_groups_of_channels, IMAGE),
    "all numbers": (lambda x: op.reshape(of_layers(op.reshape(x, (144,))), IMAGE), IMAGE),
}


@pytest.mark.parametrize("case", BETWEEN_RESHAPES)
def test_a_norm_between_reshapes_computes_what_it_did(case):
    function, shape = BETWEEN_RESHAPES[case]
    mod = relax.transform.CanonicalizeBindings()(graph(function, shape))
    x = (np.random.default_rng(7).standard_normal(shape) * np.arange(1, 7).reshape(6, 1, 1)).astype("float32")
    np.testing.assert_allclose(run(with_norms(mod), x), run(mod, x), rtol=1e-4, atol=1e-4)


def test_an_epsilon_of_more_axes_than_the_norm_adds_them():
    def function(x):
        spread = op.add(op.variance(x, [-1], keepdims=True), relax.const(np.full((1,) * 4, 1e-3, "float32")))
        return op.divide(op.subtract(x, op.mean(x, [-1], keepdims=True)), op.sqrt(spread))

    mod = graph(function, ROWS)
    x = np.random.default_rng(8).standard_normal(ROWS).astype("float32")
    made = run(with_norms(mod), x)
    assert made.shape == (1, *ROWS)
    np.testing.assert_allclose(made, run(mod, x), rtol=1e-4, atol=1e-4)


def test_groups_as_exporters_of_onnx_write_them(tmp_path):
    """A norm over instances between reshapes: one kernel with the activation behind it, channels last."""
    rng = np.random.default_rng(6)
    arrays = {
        "w": rng.standard_normal((16, 16, 1, 1)),
        "one": np.ones(4),
        "none": np.zeros(4),
        "scale": rng.standard_normal((16, 1, 1)),
        "shift": rng.standard_normal((16, 1, 1)),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"]),
        helper.make_node("Reshape", ["a", "rows"], ["b"]),
        helper.make_node("InstanceNormalization", ["b", "one", "none"], ["c"], epsilon=1e-5),
        helper.make_node("Reshape", ["c", "image"], ["d"]),
        helper.make_node("Mul", ["d", "scale"], ["e"]),
        helper.make_node("Add", ["e", "shift"], ["f"]),
        helper.make_node("Relu", ["f"], ["g"]),
        helper.make_node("Conv", ["g", "w"], ["y"]),
    ]
    known = [numpy_helper.from_array(value.astype("float32"), name) for name, value in arrays.items()]
    known += [numpy_helper.from_array(np.array(n), s) for s, n in (("rows", [0, 4, -1]), ("image", [1, 16, 8, 8]))]
    shape = [1, 16, 8, 8]
    infos = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name in "xy"]
    model = helper.make_graph(nodes, "groups", infos[:1], infos[1:], known)
    path = tmp_path / "groups.onnx"
    onnx.save(helper.make_model(model, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    prepared = prepare(load_model(str(path)).mod, TARGET, layout="channels-last")
    names = [task.name.rpartition("_")[0] for task in extract_tasks(prepared, TARGET)]
    assert [name for name in names if "norm" in name or "variance" in name] == ["group_norm_relu"]
    x = rng.standard_normal(shape).astype("float32")
    w, scale, shift = (torch.from_numpy(arrays[name]).float() for name in ("w", "scale", "shift"))
    normed = functional.group_norm(functional.conv2d(torch.from_numpy(x), w), 4, scale.flatten(), shift.flatten())
    expected = functional.conv2d(functional.relu(normed), w).numpy()
    np.testing.assert_allclose(run(prepared, x), expected, rtol=1e-3, atol=1e-3)
