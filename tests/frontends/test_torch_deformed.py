"""Deformable convolutions as torchvision exports them, with an operator of its own, compute what ONNX says of them."""

import subprocess
import sys

import numpy as np
import onnx.reference
import pytest
import tvm
from onnx import helper

from machines import machine_of
from pruner_engine.export.build import compile_model
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
EXPORT = """
import sys, torch
T = torch.Tensor

@torch.library.custom_op("torchvision::deform_conv2d", mutates_args=())
def convolution(
    input: T, weight: T, offset: T, mask: T, bias: T, stride_h: int, stride_w: int, pad_h: int, pad_w: int,
    dilation_h: int, dilation_w: int, groups: int, offset_groups: int, use_mask: bool
) -> T:
    raise NotImplementedError

convolution.register_fake(lambda x, w, o, *others: x.new_empty(x.shape[0], w.shape[0], *o.shape[2:]))

class Net(torch.nn.Module):
    def forward(self, *given):
        return torch.ops.torchvision.deform_conv2d(*given, 2, 1, 1, 0, 1, 2, 2, 2, True)

shapes = (2, 4, 6, 7), (6, 2, 3, 3), (2, 36, 3, 3), (2, 18, 3, 3), (6,)
torch.export.save(torch.export.export(Net(), tuple(map(torch.zeros, shapes))), sys.argv[1])
"""


def test_deformable_convolutions(tmp_path):
    file, rng = tmp_path / "deformed.pt2", np.random.default_rng(0)
    subprocess.run([sys.executable, "-c", EXPORT, str(file)], check=True)
    model, target = load_model(str(file)), resolve_target("auto")
    inputs = [rng.standard_normal(spec.shape).astype("f") for spec in model.inputs]
    machine = machine_of(prepare(model.mod, target), target, compile_model)
    got = machine["main"](*map(tvm.runtime.tensor, inputs)).numpy()

    names = ["x", "w", "o", "m", "b"]
    form = {"strides": [2, 1], "pads": [1, 0, 1, 0], "dilations": [1, 2], "group": 2, "offset_group": 2}
    node = helper.make_node("DeformConv", ["x", "w", "o", "b", "m"], ["y"], **form)
    types = [helper.make_tensor_value_info(n, 1, x.shape) for n, x in zip(names, inputs, strict=True)]
    graph = helper.make_graph([node], "g", types, [helper.make_tensor_value_info("y", 1, got.shape)])
    oracle = onnx.reference.ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)]))
    expected = oracle.run(None, dict(zip(names, inputs, strict=True)))[0]
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
