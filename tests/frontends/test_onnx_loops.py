"""Loops of a known number of steps are written out, and compute what ONNX Runtime computes; others are refused."""

import numpy as np
import onnx
import onnxruntime
import pytest
import tvm
from onnx import TensorProto, helper, numpy_helper

from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model

X = np.random.default_rng(0).standard_normal((2, 5, 3)).astype("f")
node = helper.make_node


def value(name, *shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def number(name, what, dtype):
    return numpy_helper.from_array(np.array(what, dtype), name)


def saved(folder, nodes, outputs, weights=(), opset=17):
    graph = helper.make_graph(nodes, "g", [value("x", *X.shape)], outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    path = folder / "model.onnx"
    onnx.save(model, path)
    return str(path)


def agree(path, x=X):
    expected = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    machine = machine_of(load_model(path).mod)
    found = machine["main"](tvm.runtime.tensor(x))
    found = [found] if hasattr(found, "numpy") else list(found)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.numpy(), other, rtol=1e-5, atol=1e-6)


def body(nodes, outputs, weights=(), inner_state=("h",), condition="goes_on"):
    """Of a Loop: its number of the step is "i"."""
    given = [value("i", dtype=TensorProto.INT64), value("goes_on", dtype=TensorProto.BOOL)]
    given += [value(name, *X.shape) for name in inner_state]
    end = [node("Identity", [condition], ["still"])]
    made = [value("still", dtype=TensorProto.BOOL), *(value(name, *X.shape) for name in outputs)]
    return helper.make_graph([*nodes, *end], "body", given, made, weights)


STEP = [
    node("Cast", ["i"], ["number"], to=TensorProto.FLOAT),
    node("Mul", ["h", "half"], ["less"]),
    node("Add", ["less", "number"], ["next"]),
    node("Mul", ["next", "x"], ["seen"]),  # of the graph around it
]
HALF = number("half", 0.5, "f")
COUNT, YES = number("count", 4, "i8"), number("yes", True, "?")


@pytest.mark.parametrize("opset", [11, 17, 21])
def test_a_loop_with_a_state_and_what_its_steps_make(opset, tmp_path):
    loop = node("Loop", ["count", "yes", "x"], ["last", "all"], body=body(STEP, ["next", "seen"], [HALF]))
    agree(saved(tmp_path, [loop], [value("last", *X.shape), value("all", 4, *X.shape)], [COUNT, YES], opset))


def test_a_loop_without_a_condition(tmp_path):
    loop = node("Loop", ["count", "", "x"], ["last"], body=body(STEP[:3], ["next"], [HALF]))
    agree(saved(tmp_path, [loop], [value("last", *X.shape)], [COUNT]))


@pytest.mark.parametrize("bound", ["", "count"])
def test_a_loop_that_ends_by_what_follows_from_constants(bound, tmp_path):
    """As PyTorch's exporter writes a sum of embeddings, a step for each bag."""
    counted = [node("Add", ["i", "one"], ["then"]), node("Less", ["then", "end"], ["more"])]
    graph = body([*STEP, *counted], ["next", "seen"], [HALF], condition="more")
    loop = node("Loop", [bound, "yes", "x"], ["last", "all"], body=graph)
    weights = [COUNT, YES, number("one", 1, "i8"), number("end", 3, "i8")]
    agree(saved(tmp_path, [loop], [value("last", *X.shape), value("all", 3, *X.shape)], weights))


def test_a_loop_in_a_loop(tmp_path):
    inner = node("Loop", ["twice", "", "h"], ["made"], body=body(STEP[:3], ["next"], [HALF]))
    outer = node("Loop", ["count", "", "x"], ["last"], body=body([inner], ["made"]))
    agree(saved(tmp_path, [outer], [value("last", *X.shape)], [COUNT, number("twice", 2, "i8")]))


def test_a_loop_whose_steps_follow_from_the_outcome_of_another(tmp_path):
    """As the layers of a recurrent network of Keras, each as long as what the one before has made."""
    first = node("Loop", ["count", "yes", "x"], ["last", "all"], body=body(STEP, ["next", "seen"], [HALF]))
    length = [
        node("Shape", ["all"], ["shape"]),
        node("Gather", ["shape", "none"], ["long"]),
        node("Less", ["none", "long"], ["any"]),
    ]
    then = node("Loop", ["long", "any", "last"], ["end"], body=body(STEP[:3], ["next"], [HALF]))
    path = saved(tmp_path, [first, *length, then], [value("end", *X.shape)], [COUNT, YES, number("none", 0, "i8")])
    agree(path)


def test_a_choice_in_a_loop(tmp_path):
    def branch(operator):
        made = node(operator, ["h"], ["made"])
        return helper.make_graph([made], "branch", [], [value("made", *X.shape)])

    nodes = [
        node("ReduceSum", ["h"], ["sum"], keepdims=0),
        node("Greater", ["sum", "half"], ["large"]),
        node("If", ["large"], ["chosen"], then_branch=branch("Neg"), else_branch=branch("Exp")),
    ]
    loop = node("Loop", ["count", "yes", "x"], ["last"], body=body(nodes, ["chosen"], [HALF]))
    path = saved(tmp_path, [loop], [value("last", *X.shape)], [number("count", 3, "i8"), YES])
    agree(path)
    agree(path, -X)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_scan(backwards, tmp_path):
    graph = helper.make_graph(
        [node("Add", ["h", "row"], ["next"]), node("Tanh", ["next"], ["seen"])],
        "body",
        [value("h", 2, 3), value("row", 2, 3)],
        [value("next", 2, 3), value("seen", 2, 3)],
    )
    form = {"scan_input_axes": [1], "scan_output_axes": [-1], "num_scan_inputs": 1}
    if backwards:
        form |= {"scan_input_directions": [1], "scan_output_directions": [1]}
    nodes = [node("ReduceSum", ["x", "axis"], ["first"], keepdims=0)]
    nodes += [node("Scan", ["first", "x"], ["last", "all"], body=graph, **form)]
    outputs = [value("last", 2, 3), value("all", 2, 3, 5)]
    agree(saved(tmp_path, nodes, outputs, [number("axis", [1], "i8")]))


def test_loops_that_end_by_what_they_compute_are_refused(tmp_path):
    nodes = [*STEP, node("ReduceSum", ["next"], ["sum"], keepdims=0), node("Less", ["sum", "half"], ["small"])]
    loop = node("Loop", ["count", "yes", "x"], ["last"], body=body(nodes, ["next"], [HALF], condition="small"))
    with pytest.raises(UserError, match="Loop runs as often as its inputs say"):
        load_model(saved(tmp_path, [loop], [value("last", *X.shape)], [COUNT, YES]))


def test_loops_of_too_many_steps_are_refused(tmp_path):
    loop = node("Loop", ["count", "yes", "x"], ["last"], body=body(STEP, ["next"], [HALF]))
    path = saved(tmp_path, [loop], [value("last", *X.shape)], [number("count", 1 << 40, "i8"), YES])
    with pytest.raises(UserError, match="too many to be written out"):
        load_model(path)


def test_loops_in_loops_that_become_too_many_are_refused(tmp_path):
    inner = node("Loop", ["count", "", "h"], ["made"], body=body(STEP[:3], ["next"], [HALF]))
    outer = node("Loop", ["count", "", "x"], ["last"], body=body([inner], ["made"]))
    path = saved(tmp_path, [outer], [value("last", *X.shape)], [number("count", 1000, "i8")])
    with pytest.raises(UserError, match="too many to be written out"):
        load_model(path)


def test_a_scan_whose_attributes_do_not_fit_is_refused(tmp_path):
    graph = helper.make_graph([node("Tanh", ["row"], ["seen"])], "body", [value("row", 5, 3)], [value("seen", 5, 3)])
    scan = node("Scan", ["x"], ["all"], body=graph, num_scan_inputs=1, scan_input_axes=[0, 1])
    with pytest.raises(UserError):
        load_model(saved(tmp_path, [scan], [value("all", 2, 5, 3)]))
