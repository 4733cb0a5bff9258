"""Recurrent layers of ONNX compute what ONNX Runtime computes, and are few tasks however long they are."""

import sys

import numpy as np
import onnx
import onnxruntime
import pytest
import tvm
from onnx import TensorProto, helper, numpy_helper

from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

BATCH, INPUTS, HIDDEN = 3, 4, 6
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def written(folder, kind, *, steps=5, without=(), lengths=(), peepholes=False, opset=17, **attributes):
    """A model of one layer; `without` some of its optional inputs "b", "h" and "c"."""
    rng = np.random.default_rng(0)
    sides = 2 if attributes.get("direction") == "bidirectional" else 1
    wide = GATES[kind] * HIDDEN
    weights = {
        "w": rng.standard_normal((sides, wide, INPUTS)),
        "r": rng.standard_normal((sides, wide, HIDDEN)),
        "b": rng.standard_normal((sides, 2 * wide)),
        "lengths": np.array(lengths, "int32"),
        "h": rng.standard_normal((sides, BATCH, HIDDEN)),
    }
    if kind == "LSTM":
        weights |= {"c": rng.standard_normal(weights["h"].shape), "p": rng.standard_normal((sides, 3 * HIDDEN))}
    absent = {*without} | (set() if lengths else {"lengths"}) | (set() if peepholes else {"p"})
    inputs = ["x", *("" if name in absent else name for name in weights)]
    shapes = {"y": (steps, sides, BATCH, HIDDEN), "last": (sides, BATCH, HIDDEN), "cell": (sides, BATCH, HIDDEN)}
    outputs = list(shapes)[: 3 if kind == "LSTM" else 2]
    graph = helper.make_graph(
        [helper.make_node(kind, inputs, outputs, hidden_size=HIDDEN, **attributes)],
        "layer",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (steps, BATCH, INPUTS))],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in outputs],
        [
            numpy_helper.from_array(value if name == "lengths" else 0.4 * value.astype("float32"), name)
            for name, value in weights.items()
            if name not in absent
        ],
    )
    file = folder / "layer.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), file)
    return str(file)


def outputs_of(file, x):
    machine = machine_of(load_model(file).mod)
    return [o.numpy() for o in machine["main"](tvm.runtime.tensor(x))]


def agree(file, steps=5):
    x = np.random.default_rng(1).standard_normal((steps, BATCH, INPUTS)).astype("float32")
    expected = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    got = outputs_of(file, x)
    assert [g.shape for g in got] == [e.shape for e in expected]
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", GATES)
def test_a_layer_computes_what_onnx_runtime_computes(kind, direction, tmp_path):
    agree(written(tmp_path, kind, direction=direction))


@pytest.mark.parametrize(
    ("kind", "opset"), [*((kind, 9) for kind in GATES), ("GRU", 11), ("LSTM", 14), ("RNN", 20), ("LSTM", 20)]
)
def test_nothing_optional_is_needed(kind, opset, tmp_path):
    agree(written(tmp_path, kind, without=("b", "h", "c"), opset=opset))


@pytest.mark.parametrize("kind", GATES)
def test_sequences_of_a_batch_may_end_early(kind, tmp_path):
    agree(written(tmp_path, kind, lengths=(5, 1, 3), direction="bidirectional"))


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [
        ("GRU", {"linear_before_reset": 1}),
        ("GRU", {"linear_before_reset": 1, "without": ("b",)}),
        ("LSTM", {"peepholes": True, "direction": "bidirectional"}),
        ("LSTM", {"input_forget": 1}),
        ("LSTM", {"clip": 0.3}),
        ("GRU", {"clip": 0.3, "opset": 9}),
        ("RNN", {"activations": ["Relu"]}),
        ("LSTM", {"activations": ["HardSigmoid", "Softsign", "Relu"]}),
        ("RNN", {"activations": ["Relu", "Tanh"], "direction": "bidirectional"}),
    ],
)
def test_variants(kind, attributes, tmp_path):
    agree(written(tmp_path, kind, **attributes))


def test_a_batch_may_come_first(tmp_path):
    """ONNX Runtime has not learned this layout; it is the other one transposed."""
    x = np.random.default_rng(1).standard_normal((5, BATCH, INPUTS)).astype("float32")
    plain = outputs_of(written(tmp_path, "LSTM"), x)
    model = onnx.load(written(tmp_path, "LSTM", layout=1))
    for value in (*model.graph.input, *model.graph.output):
        dims = value.type.tensor_type.shape.dim
        order = [1, 0, 2] if len(dims) == 3 else [2, 0, 1, 3]
        extents = [dims[i].dim_value for i in order]
        for dim, extent in zip(dims, extents, strict=True):
            dim.dim_value = extent
    for weight in model.graph.initializer:
        if weight.name in "hc":
            turned = numpy_helper.to_array(weight).transpose(1, 0, 2)
            weight.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(turned), weight.name))
    file = tmp_path / "first.onnx"
    onnx.save(model, file)
    y, *states = outputs_of(str(file), np.ascontiguousarray(x.transpose(1, 0, 2)))
    np.testing.assert_allclose(y.transpose(1, 2, 0, 3), plain[0], rtol=1e-6, atol=1e-7)
    for got, expected in zip(states, plain[1:], strict=True):
        np.testing.assert_allclose(got.transpose(1, 0, 2), expected, rtol=1e-6, atol=1e-7)


def test_what_goes_into_a_layer_may_be_an_output_too(tmp_path):
    model = onnx.load(written(tmp_path, "LSTM"))
    model.graph.node[0].input[0] = "features"
    model.graph.node.insert(0, helper.make_node("Relu", ["x"], ["features"]))
    model.graph.output.append(helper.make_tensor_value_info("features", TensorProto.FLOAT, (5, BATCH, INPUTS)))
    onnx.save(model, tmp_path / "layer.onnx")
    agree(str(tmp_path / "layer.onnx"))


def test_without_onnx_runtime_it_is_the_same(tmp_path, monkeypatch):
    file = written(tmp_path, "GRU", direction="bidirectional")
    x = np.random.default_rng(1).standard_normal((5, BATCH, INPUTS)).astype("float32")
    expected = outputs_of(file, x)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    for g, e in zip(outputs_of(file, x), expected, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6)


def test_more_steps_are_not_more_tasks(tmp_path):
    target = resolve_target("auto")

    def tasks(steps):
        file = written(tmp_path, "LSTM", steps=steps)
        return extract_tasks(prepare(load_model(file).mod, target), target)

    short, long = tasks(6), tasks(12)
    assert len(short) == len(long)
    assert sum(t.weight for t in long) > 1.5 * sum(t.weight for t in short)


@pytest.mark.parametrize("kind", GATES)
def test_both_directions_take_their_steps_in_the_same_kernels(kind, tmp_path):
    target = resolve_target("llvm")

    def calls(direction):
        file = written(tmp_path, kind, steps=30, direction=direction)
        tasks = extract_tasks(prepare(load_model(file).mod, target), target)
        return sum(task.weight for task in tasks), max(len(task.args) for task in tasks)

    (both, most), (forward, _) = calls("bidirectional"), calls("forward")
    assert both < 1.2 * forward
    assert most < 20


@pytest.mark.parametrize(
    "attributes", [{"activations": ["Affine"], "activation_alpha": [2.0]}, {"activations": ["ScaledTanh"]}]
)
def test_activations_with_parameters_are_refused(attributes, tmp_path):
    with pytest.raises(UserError, match="activations that are not supported"):
        load_model(written(tmp_path, "RNN", **attributes))


def test_what_does_not_fit_each_other_is_a_sentence(tmp_path):
    model = onnx.load(written(tmp_path, "LSTM"))
    (node,) = model.graph.node
    (size,) = (attribute for attribute in node.attribute if attribute.name == "hidden_size")
    node.attribute.remove(size)
    onnx.save(model, tmp_path / "layer.onnx")
    with pytest.raises(UserError, match="LSTM has inputs or attributes that do not fit each other"):
        load_model(str(tmp_path / "layer.onnx"))


def test_layers_in_the_branches_of_an_if(tmp_path):
    rng = np.random.default_rng(0)
    shapes = {"w": (1, 4 * HIDDEN, INPUTS), "r": (1, 4 * HIDDEN, HIDDEN), "b": (1, 8 * HIDDEN)}
    weights = [numpy_helper.from_array(rng.standard_normal(shape).astype("f"), name) for name, shape in shapes.items()]
    last = (1, BATCH, HIDDEN)

    def branch(operator):
        nodes = [
            helper.make_node(operator, ["x"], [f"{operator}/y"]),
            helper.make_node("LSTM", [f"{operator}/y", *shapes], ["", f"{operator}/last"], hidden_size=HIDDEN),
        ]
        output = helper.make_tensor_value_info(f"{operator}/last", TensorProto.FLOAT, last)
        return helper.make_graph(nodes, operator, [], [output])

    nodes = [
        helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
        helper.make_node("Greater", ["sum", "zero"], ["positive"]),
        helper.make_node("If", ["positive"], ["y"], then_branch=branch("Tanh"), else_branch=branch("Neg")),
    ]
    zero = numpy_helper.from_array(np.array(0, "f"), "zero")
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, (5, BATCH, INPUTS))
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, last)
    graph = helper.make_graph(nodes, "g", [given], [made], [*weights, zero])
    file = str(tmp_path / "if.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), file)
    machine, runtime = machine_of(load_model(file).mod), onnxruntime.InferenceSession(file)
    for x in np.random.default_rng(1).standard_normal((4, 5, BATCH, INPUTS)).astype("f"):
        (expected,) = runtime.run(None, {"x": x})
        np.testing.assert_allclose(machine["main"](tvm.runtime.tensor(x)).numpy(), expected, rtol=1e-5, atol=1e-6)
