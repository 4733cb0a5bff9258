"""Inputs of an ONNX model that are given their value for good, such as by which rate it chooses one of its networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from pruner_engine.errors import UserError
from pruner_engine.protocol import ModelInput

_APART = 4  # version of ONNX's format; before it constants are inputs, too
_MOST = 65536  # elements
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


def fix_inputs(model: onnx.ModelProto, declared: Sequence[ModelInput], fixed: Sequence[str]) -> None:
    """Make inputs constants.

    Args:
        model: is changed.
        declared: its inputs.
        fixed: of each "name=value" or "name=1,2,3"; one value fills the whole input. Of an open shape the last open
            dimension is as long as the values ask for, and others are 1.

    Raises:
        UserError: there is no such input, or the values are none of it.
    """
    inputs = {item.name: item for item in declared}
    held = {weight.name: weight for weight in model.graph.initializer}
    given = set[str]()
    for text in fixed:
        name, _, values = text.partition("=")
        if not values.strip():
            raise UserError(f'"{text}" gives no input a value.', "Write --fix NAME=VALUE, such as --fix sr=16000.")
        if name in given:
            raise UserError(f"Input {name} is given a value twice.", "Give it one.")
        given.add(name)
        if name in held and _holds(held[name], values):
            continue  # as the copy of the model in a project does
        if name not in inputs:
            raise UserError(f"The model has no input {name}.", f"Its inputs are: {', '.join(inputs)}.")
        model.graph.initializer.append(numpy_helper.from_array(_array(inputs[name], values), name))
    if given.issuperset(inputs):
        raise UserError("All inputs are given a value: the model computes one and the same.", "Leave one open.")
    if model.ir_version < _APART:
        return
    kept = [value for value in model.graph.input if value.name not in given]
    del model.graph.input[:]
    model.graph.input.extend(kept)


def _holds(weight: onnx.TensorProto, text: str) -> bool:
    """Whether a constant is what an input of that text would be."""
    dtype = str(helper.tensor_dtype_to_np_dtype(weight.data_type))
    wanted = _array(ModelInput(name=weight.name, shape=list(weight.dims), dtype=dtype), text)
    return np.array_equal(numpy_helper.to_array(weight), wanted)


def _array(item: ModelInput, text: str) -> np.ndarray[Any, Any]:
    """An input of these values."""
    dtype = np.dtype(item.dtype)
    try:
        given = np.array([_number(part.strip().lower(), dtype) for part in text.split(",")], dtype)
    except (ValueError, OverflowError) as error:
        kind = "true or false" if dtype.kind == "b" else item.dtype
        raise UserError(f"Input {item.name} takes {kind}, not {text}.", "") from error
    shape = _shape(item, given.size)
    if np.prod(shape, dtype=np.float64) > _MOST:
        raise UserError(f"Input {item.name} has more than {_MOST} elements.", "Give it where the model is exported.")
    if given.size not in (1, np.prod(shape, dtype=np.int64)):
        raise UserError(
            f"Input {item.name} of shape ({', '.join(map(str, item.shape))}) cannot be given {given.size} values.",
            "Give it one, which fills it, or as many as it has elements.",
        )
    return np.full(shape, given[0]) if given.size == 1 else given.reshape(shape)


def _number(text: str, dtype: np.dtype[Any]) -> bool | int | float:
    """Raises ValueError where it is none of that type."""
    if dtype.kind == "b":
        if text not in _TRUTHS:
            raise ValueError(text)
        return _TRUTHS[text]
    return int(text) if dtype.kind in "iu" else float(text)


def _shape(item: ModelInput, values: int) -> list[int]:
    shape = [1 if isinstance(dim, str) else dim for dim in item.shape]
    open_ones = [axis for axis, dim in enumerate(item.shape) if isinstance(dim, str)]
    if open_ones:
        shape[open_ones[-1]] = max(1, values // int(np.prod(shape)))
    return shape
