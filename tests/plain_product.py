"""A model that is slow without tuning: the plain loops of its matrix product are far behind any library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

SIZE = 320


def save_product(folder: Path) -> Path:
    """Write it as product.onnx."""
    given, made = (onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, (SIZE, SIZE)) for n in "xy")
    weights = onnx.numpy_helper.from_array(np.full((SIZE, SIZE), 0.01, np.float32), "w")
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = onnx.helper.make_graph([node], "g", [given], [made], [weights])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, folder / "product.onnx")
    return folder / "product.onnx"
