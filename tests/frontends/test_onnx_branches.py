"""Branches of an If are corrected as the graph around them is: both are computed as ONNX Runtime does it."""

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
from pruner_engine.tasks.prepare import prepare

IMAGE = np.random.default_rng(0).standard_normal((1, 2, 5, 6)).astype("f")


def tensor(name, *shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def branch(nodes, weights=()):
    """A graph whose last node makes its result, "made"."""
    initializers = [numpy_helper.from_array(np.asarray(value), name) for name, value in dict(weights).items()]
    return helper.make_graph(nodes, "branch", [], [onnx.ValueInfoProto(name="made")], initializers)


def choice(then, other, name="y", condition="positive"):
    return helper.make_node("If", [condition], [name], then_branch=then, else_branch=other)


def saved(folder, *nodes, domains=("",)):
    """Of an image "x" and whether the sum of its pixels is "positive", to "y"."""
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
        helper.make_node("Greater", ["sum", "zero"], ["positive"]),
        *nodes,
    ]
    zero = numpy_helper.from_array(np.float32(0), "zero")
    graph = helper.make_graph(nodes, "g", [tensor("x", *IMAGE.shape)], [onnx.ValueInfoProto(name="y")], [zero])
    opsets = [helper.make_opsetid(domain, 1 if domain else 17) for domain in domains]
    model = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=opsets, ir_version=8))
    if not model.graph.output[0].type.tensor_type.elem_type:
        model.graph.output[0].CopyFrom(tensor("y", *IMAGE.shape))
    onnx.save(model, folder / "model.onnx")
    return str(folder / "model.onnx")


def agree(path):
    mod, target = load_model(path).mod, resolve_target("auto")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    machine = machine_of(prepare(mod, target), target)
    for image in (IMAGE, -IMAGE):
        found = machine["main"](tvm.runtime.tensor(image)).numpy()
        np.testing.assert_allclose(found, session.run(None, {"x": image})[0], rtol=1e-5, atol=1e-6)


def resize(mode):
    """Of what is made within the branch; names are the same in both, as they may be."""
    nodes = [
        helper.make_node("Neg", ["x"], ["inner"]),
        helper.make_node("Resize", ["inner", "", "scales"], ["made"], mode=mode),
    ]
    return branch(nodes, {"scales": np.array([1, 1, 1.5, 1.3] if mode == "nearest" else [1, 1, 1.45, 1.2], "f")})


def test_what_stands_in_a_branch_is_corrected(tmp_path):
    agree(saved(tmp_path, choice(resize("nearest"), resize("linear"))))


def test_what_stands_in_a_branch_of_a_branch_is_corrected(tmp_path):
    inner = branch([choice(resize("nearest"), resize("linear"), "made", "bright")])
    dark = branch([helper.make_node("Resize", ["x", "", "scales"], ["made"], mode="nearest")])
    nodes = [
        helper.make_node("Constant", [], ["scales"], value=numpy_helper.from_array(np.array([1, 1, 1.5, 1.3], "f"))),
        helper.make_node("Greater", ["sum", "zero"], ["bright"]),
    ]
    agree(saved(tmp_path, *nodes, choice(inner, dark)))


def test_an_operator_of_a_domain_that_is_not_known_is_refused_there(tmp_path):
    foreign = branch([helper.make_node("Relu", ["x"], ["made"], domain="my.ops")])
    plain = branch([helper.make_node("Relu", ["x"], ["made"])])
    with pytest.raises(UserError, match=r"Relu is an operator of my\.ops"):
        load_model(saved(tmp_path, choice(plain, foreign), domains=("", "my.ops")))


def test_outputs_that_only_a_branch_reads_are_used(tmp_path):
    norm = helper.make_node("LayerNormalization", ["x", "one"], ["normed", "mean"])
    weights = helper.make_node("Constant", [], ["one"], value=numpy_helper.from_array(np.ones(6, "f")))
    branches = [branch([helper.make_node("Add", ["x", name], ["made"])]) for name in ("mean", "normed")]
    with pytest.raises(UserError, match="further outputs"):
        load_model(saved(tmp_path, weights, norm, choice(*branches)))
