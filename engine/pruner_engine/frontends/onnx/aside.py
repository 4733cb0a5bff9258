"""Large weights that are kept aside while an ONNX model is rewritten and imported.

Rewriting copies a model and encodes it again and again, and its encoding ends at 2 GiB. A weight that nothing but a
product or a selection reads, as a whole, is an input meanwhile, and becomes a constant of the Relax module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
import tvm
from onnx import TensorProto, helper, numpy_helper
from tvm import relax

from pruner_engine.errors import UserError
from pruner_engine.frontends.onnx.external import EXPORT_AGAIN, Part, is_elsewhere
from pruner_engine.frontends.onnx.graph.nodes import graphs_within

_LEAST_BYTES = 1 << 20  # of a weight
_READERS = {"Gather": (0,), "Gemm": (0, 1), "MatMul": (0, 1)}  # the places of their inputs
_KINDS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE)


@dataclass(frozen=True)
class Weight:
    """A weight that is kept aside.

    Attributes:
        declared: the input in its place.
        read: gives its values.
        part: where they are, if that is another file.
    """

    declared: onnx.ValueInfoProto
    read: Callable[[], np.ndarray]
    part: Part | None = None


def set_aside(
    model: onnx.ModelProto, name: str, elsewhere: Callable[[onnx.TensorProto], Part] | None = None
) -> list[Weight]:
    """Take large weights out of a model.

    Args:
        name: of the model.
        elsewhere: says where the bytes of a weight are that is in another file: only such weights are taken then, and
            read when they are asked for. None: the model holds all of them.
    """
    taken, kept = [], []
    names = _read_as_a_whole(model.graph)
    for tensor in model.graph.initializer:
        wanted = is_elsewhere(tensor) if elsewhere else True
        if tensor.name not in names or _bytes(tensor) < _LEAST_BYTES or not wanted:
            kept.append(tensor)
            continue
        part = elsewhere(tensor) if elsewhere else None
        read = _held(tensor) if part is None else _values(tensor, part, name)
        declared = helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        taken.append(Weight(declared, read, part))
    if taken:
        small = onnx.GraphProto()
        small.initializer.extend(kept)
        model.graph.ClearField("initializer")
        model.graph.initializer.extend(small.initializer)
    return taken


def with_weights(mod: tvm.IRModule, weights: Sequence[Weight]) -> tvm.IRModule:
    """The module with constants in place of the last inputs of "main"."""
    if not weights:
        return mod
    variables = mod["main"].params[-len(weights) :]
    bound = {var: tvm.runtime.tensor(weight.read()) for var, weight in zip(variables, weights, strict=True)}
    return relax.transform.BindParams("main", bound)(mod)


def _read_as_a_whole(graph: onnx.GraphProto) -> set[str]:
    """Names of the weights that only `_READERS` read, in the graph itself."""
    names = {tensor.name for tensor in graph.initializer if tensor.data_type in _KINDS}
    names -= {value.name for value in graph.input}
    for one in graphs_within(graph):
        names -= {value.name for value in one.output}
        for node in one.node:
            places = _READERS.get(node.op_type, ()) if one is graph else ()
            names -= {name for place, name in enumerate(node.input) if place not in places}
    return names


def _bytes(tensor: onnx.TensorProto) -> int:
    return int(math.prod(tensor.dims) * helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize)


def _held(tensor: onnx.TensorProto) -> Callable[[], np.ndarray]:
    values = numpy_helper.to_array(tensor)
    return lambda: values


def _values(tensor: onnx.TensorProto, part: Part, model: str) -> Callable[[], np.ndarray]:
    """What reads a tensor of a model from another file.

    Raises:
        UserError: it holds another number of bytes than the tensor has.
    """
    name, dims, dtype = tensor.name, tuple(tensor.dims), helper.tensor_dtype_to_np_dtype(tensor.data_type)
    if part.length != _bytes(tensor):
        raise UserError(
            f'"{name}" has {_bytes(tensor)} bytes, and {part.path.name} holds {part.length} of it.', EXPORT_AGAIN
        )

    def read() -> np.ndarray:
        content = part.content(model)
        if len(content) != part.length:
            raise UserError(f"{part.path.name}, which holds weights of {model}, is cut off.", EXPORT_AGAIN)
        return np.frombuffer(content, dtype).reshape(dims)

    return read
