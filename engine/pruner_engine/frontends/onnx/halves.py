"""Sums of powers and exponentials of halves in ONNX files, computed in float32: on their way they leave a half's range.

Plain sums and means of halves are summed in float32 whatever model they are of, see tasks/halves.py.
"""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper

from pruner_engine.frontends.onnx.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.values import Values, Writer

_NAMES = ("float16", "bfloat16")


def _in_float32(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    dtype = values.dtype(node.input[0])
    if dtype.name not in _NAMES:
        return False
    x = nodes("Cast", node.input[0], to=TensorProto.FLOAT)
    made = nodes(node.op_type, x, *node.input[1:], **attributes_of(node))
    nodes.named(nodes("Cast", made, to=helper.np_dtype_to_tensor_dtype(dtype)), node.output[0])
    return True


HALVES: dict[str, Writer] = dict.fromkeys(
    (
        *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"),
        *("GlobalLpPool", "LpNormalization", "LpPool", "MeanVarianceNormalization"),
    ),
    _in_float32,
)
