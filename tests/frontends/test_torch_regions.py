"""Regions of images as torchvision exports them, with an operator of its own, are what ONNX Runtime takes for them."""

import subprocess
import sys

import numpy as np
import onnxruntime
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

@torch.library.custom_op("torchvision::roi_align", mutates_args=())
def align(
    input: T, rois: T, spatial_scale: float, pooled_height: int, pooled_width: int, sampling_ratio: int, aligned: bool
) -> T:
    raise NotImplementedError

align.register_fake(lambda x, r, _, tall, wide, *others: x.new_empty(r.shape[0], x.shape[1], tall, wide))
samples, aligned = int(sys.argv[2]), sys.argv[3] == "aligned"

class Net(torch.nn.Module):
    def forward(self, x, regions):
        return torch.ops.torchvision.roi_align(x.relu(), regions, 0.5, 3, 2, samples, aligned) + 1

torch.export.save(torch.export.export(Net(), (torch.zeros(2, 4, 8, 9), torch.zeros(5, 5))), sys.argv[1])
"""
# the first number is the image; beyond its edges, turned round, small and large
REGIONS = np.array(
    [[0, 1, 1, 6, 5], [1, 0, 0, 17, 15], [0, 5, 3.3, 5.2, 13.9], [1, -3, -2, 19, 21], [1, 9, 8, 3, 2]], "f"
)


@pytest.mark.parametrize(("samples", "aligned"), [(2, True), (2, False), (-1, True), (-1, False)])
def test_regions(tmp_path, samples, aligned):
    file, image = tmp_path / "regions.pt2", np.random.default_rng(0).standard_normal((2, 4, 8, 9)).astype("f")
    subprocess.run([sys.executable, "-c", EXPORT, str(file), str(samples), "aligned" if aligned else ""], check=True)
    target = resolve_target("auto")
    machine = machine_of(prepare(load_model(str(file)).mod, target), target, compile_model)
    got = machine["main"](tvm.runtime.tensor(image), tvm.runtime.tensor(REGIONS)).numpy()

    mode = "half_pixel" if aligned else "output_half_pixel"
    sizes = {"output_height": 3, "output_width": 2, "spatial_scale": 0.5, "sampling_ratio": max(samples, 0)}
    node = helper.make_node("RoiAlign", ["x", "r", "b"], ["y"], coordinate_transformation_mode=mode, **sizes)
    shapes = {"x": (1, image.shape), "r": (1, (5, 4)), "b": (7, (5,))}
    types = [helper.make_tensor_value_info(name, *of) for name, of in shapes.items()]
    graph = helper.make_graph([node], "g", types, [helper.make_tensor_value_info("y", 1, got.shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    given = {"x": np.maximum(image, 0), "r": REGIONS[:, 1:], "b": REGIONS[:, 0].astype("i8")}
    np.testing.assert_allclose(got, session.run(None, given)[0] + 1, rtol=1e-5, atol=1e-5)
