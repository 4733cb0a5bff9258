"""Operators on halves in ONNX files, computed in float32.

Sums of powers and exponentials leave a half's range on their way. Others TVM's importer takes for float32, or TVM has
no kernels of halves for them.

Plain sums and means of halves are summed in float32 whatever model they are of, see tasks/rewrites/halves.py.
"""

from __future__ import annotations

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, Writer

_NAMES = ("float16", "bfloat16")


def _in_float32(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    dtype = values.dtype(node.input[0])
    if dtype.name not in _NAMES:
        return False
    wide = [_widened(nodes, name, values) for name in node.input]
    made = nodes(node.op_type, *wide, **attributes_of(node))
    nodes.named(nodes.cast(made, dtype), node.output[0])
    return True


def _widened(nodes: Nodes, name: str, values: Values) -> str:
    """An input in float32, if it is of halves and not left out."""
    half = name and values.dtype(name).name in _NAMES
    return nodes.cast(name, np.float32) if half else name


HALVES: dict[str, Writer] = dict.fromkeys(
    (
        *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"),
        *("GlobalLpPool", "LpNormalization", "LpPool", "MeanVarianceNormalization"),
        *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cosh", "Sinh", "Tan"),
        *("DeformConv", "Elu", "GridSample", "LRN", "Selu", "ThresholdedRelu"),
    ),
    _in_float32,
)
