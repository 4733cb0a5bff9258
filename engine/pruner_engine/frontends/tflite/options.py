"""What a file says of an operator: its attributes and its operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flatbuffers
import numpy as np
import tflite

if TYPE_CHECKING:
    from pruner_engine.frontends.tflite.converter import Converter


def options_of(op: tflite.Operator, kind: Any) -> Any:
    """The attributes; all defaults where the file says nothing.

    Args:
        kind: the class of `tflite` that reads them.
    """
    options, table = kind(), op.BuiltinOptions()
    if table is None:
        return kind.GetRootAs(_EMPTY)
    options.Init(table.Bytes, table.Pos)
    return options


def inputs_of(converter: Converter, op: tflite.Operator) -> list[Any]:
    """The operands, less those that are left out."""
    return [converter.get_tensor_expr(tensor) for tensor in converter.get_input_tensors(op) if tensor.tensor_idx >= 0]


def constant_of(value: Any) -> np.ndarray:
    """Numbers that say how an operator is to work.

    Raises:
        ValueError: they are known only when the model runs.
    """
    if not hasattr(value, "value"):
        raise ValueError("how an operator is to work is computed by the model")
    numbers: np.ndarray = value.value.numpy()
    return numbers


def _table_without_fields() -> bytes:
    builder = flatbuffers.Builder(0)
    builder.StartObject(0)
    builder.Finish(builder.EndObject())
    return bytes(builder.Output())


_EMPTY = _table_without_fields()
