"""Sequences of ONNX files become the tensors that they hold, and what reads them computes the same."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from pruner_engine.errors import UserError
from pruner_engine.frontends.onnx.operators.corrections import corrected

X = np.random.default_rng(0).standard_normal((2, 7, 3)).astype("f")
NUMBERS = {"one": 1, "last": -1, "two": 2, "sizes": [2, 4, 1]}
node = helper.make_node


def model_of(nodes, outputs, opset=17):
    given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)]
    weights = [numpy_helper.from_array(np.array(number), name) for name, number in NUMBERS.items()]
    graph = helper.make_graph(nodes, "g", given, [onnx.ValueInfoProto(name=name) for name in outputs], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def outputs_of(model):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})


CASES = {
    "parts of a size": [
        node("SplitToSequence", ["x", "two"], ["s"], axis=1),
        node("SequenceAt", ["s", "last"], ["y"]),
        node("ConcatFromSequence", ["s"], ["z"], axis=1),
    ],
    "parts of their sizes": [
        node("SplitToSequence", ["x", "sizes"], ["s"], axis=1),
        node("SequenceAt", ["s", "one"], ["y"]),
        node("SequenceLength", ["s"], ["z"]),
    ],
    "rows": [
        node("SplitToSequence", ["x"], ["s"], axis=-2, keepdims=0),
        node("SequenceErase", ["s", "one"], ["t"]),
        node("ConcatFromSequence", ["t"], ["y"], axis=0, new_axis=1),
        node("ConcatFromSequence", ["t"], ["z"], axis=-1),
    ],
    "what is put together": [
        node("Neg", ["x"], ["n"]),
        node("SequenceEmpty", [], ["e"]),
        node("SequenceInsert", ["e", "x"], ["s"]),
        node("Identity", ["s"], ["i"]),
        node("SequenceInsert", ["i", "n", "last"], ["t"]),
        node("ConcatFromSequence", ["t"], ["y"], axis=0),
        node("SequenceConstruct", ["n", "x"], ["u"]),
        node("SequenceAt", ["u", "one"], ["z"]),
    ],
}


@pytest.mark.parametrize(("case", "opset"), [*((case, 18) for case in CASES), ("rows", 11), ("parts of a size", 11)])
def test_sequences_are_what_they_hold(case, opset):
    model = model_of(CASES[case], ["y", "z"], opset)
    written = corrected(model)
    assert not any("Sequence" in made.op_type for made in written.graph.node)
    for ours, theirs in zip(outputs_of(written), outputs_of(model), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_places_that_are_computed_are_refused():
    nodes = [
        node("SplitToSequence", ["x"], ["s"]),
        node("ArgMax", ["x"], ["most"], axis=0),
        node("ReduceMax", ["most"], ["place"], keepdims=0),
        node("SequenceAt", ["s", "place"], ["y"]),
    ]
    with pytest.raises(UserError, match="SequenceAt is at a place that is known only when it runs"):
        corrected(model_of(nodes, ["y"]))
