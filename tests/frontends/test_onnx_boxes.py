"""Boxes that NonMaxSuppression selects, whose number is known only when it runs, are those of ONNX Runtime."""

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

BOXES, CLASSES = 8, 2
BOUNDS = [np.array([3]), np.array([0.3], "f"), np.array([0.2], "f")]


def saved(folder, bounds, ends_in_boxes=False):
    """A model that sums up the selected boxes and counts them, or ends in them."""
    nodes = [
        helper.make_node("NonMaxSuppression", ["boxes", "scores", *(f"w{i}" for i in range(len(bounds)))], ["found"]),
        helper.make_node("Shape", ["found"], ["shape"]),
        helper.make_node("Gather", ["shape", "first"], ["count"]),
        helper.make_node("Gather", ["found", "last"], ["which"], axis=1),
        helper.make_node("Gather", ["boxes", "which"], ["chosen"], axis=1),
        helper.make_node("ReduceSum", ["chosen", "axes"], ["sum"], keepdims=0),
    ]
    weights = {f"w{i}": bound for i, bound in enumerate(bounds)}
    weights |= {"first": np.array([0]), "last": np.array(2), "axes": np.array([1])}
    inputs = [("boxes", (1, BOXES, 4)), ("scores", (1, CLASSES, BOXES))]
    outputs = [("found", TensorProto.INT64, ("many", 3))]
    if not ends_in_boxes:
        outputs = [("count", TensorProto.INT64, (1,)), ("sum", TensorProto.FLOAT, (1, 4))]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs],
        [helper.make_tensor_value_info(*output) for output in outputs],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, folder / "model.onnx")
    return str(folder / "model.onnx")


@pytest.mark.parametrize("given", [1, 2, 3])
def test_the_same_boxes_are_selected(tmp_path, given):
    """By thresholds that are given, and by the defaults of those that are not."""
    path, target = saved(tmp_path, BOUNDS[:given]), resolve_target("auto")
    machine = machine_of(prepare(load_model(path).mod, target), target)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for seed in range(4):
        rng = np.random.default_rng(seed)
        corner = rng.random((1, BOXES, 2), "f")
        boxes = np.concatenate([corner, corner + rng.random((1, BOXES, 2), "f")], -1)
        scores = rng.standard_normal((1, CLASSES, BOXES)).astype("f")
        found = machine["main"](tvm.runtime.tensor(boxes), tvm.runtime.tensor(scores))
        for ours, theirs in zip(found, session.run(None, {"boxes": boxes, "scores": scores}), strict=True):
            np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-5)


def test_a_model_that_ends_in_them_is_refused(tmp_path):
    with pytest.raises(UserError, match="no fixed tensor shape"):
        load_model(saved(tmp_path, BOUNDS, ends_in_boxes=True))
