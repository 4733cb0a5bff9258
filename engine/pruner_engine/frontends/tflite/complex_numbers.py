"""Complex numbers of TensorFlow Lite files, which spectra are of: their two parts lie along one more axis, the last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import tflite
from tvm import relax
from tvm.relax import op as R
from tvm.relax.frontend.tflite.tflite_frontend import OperatorConverter

from pruner_engine.frontends.tflite.options import constant_of, inputs_of, options_of
from pruner_engine.frontends.waves import LONGEST, waves

if TYPE_CHECKING:
    from pruner_engine.frontends.tflite.converter import Converter


def spectrum(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """RFFT2D of real numbers along two axes, as products with matrices; what is beyond the sizes is left out."""
    x, lengths = inputs_of(converter, op)
    rows, columns = (int(n) for n in constant_of(lengths))
    if not 0 < max(rows, columns) <= LONGEST:
        raise ValueError(f"a transform of {max(rows, columns)} numbers, more than {LONGEST}")
    *outer, high, wide = converter.extents(x)
    high, wide = min(high, rows), min(wide, columns)
    x = R.strided_slice(x, [len(outer), len(outer) + 1], [0, 0], [high, wide])
    half = columns // 2 + 1
    made = R.matmul(x, _matrix(waves(columns, half=True)[:wide]))
    if rows > 1:
        down = [*range(len(outer)), len(outer) + 1, len(outer), len(outer) + 2]  # frequencies of rows, then the rows
        made = R.permute_dims(R.reshape(made, [*outer, high, half, 2]), down)
        made = R.matmul(R.reshape(made, [*outer, half, high * 2]), _matrix(waves(rows, parts=2)[:high]))
        return R.permute_dims(R.reshape(made, [*outer, half, rows, 2]), down)
    return R.reshape(made, [*outer, rows, half, 2])


def cast(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Of complex numbers to real ones: the real part."""
    return (
        OperatorConverter.convert_real(converter, op) if _is_complex(converter, op) else _stock("cast", converter, op)
    )


def reshape(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """To a shape that says nothing of the parts of complex numbers."""
    if not _is_complex(converter, op):
        return _stock("reshape", converter, op)
    x, shape = inputs_of(converter, op)
    return R.reshape(x, [*(int(n) for n in constant_of(shape)), 2])


def squeeze(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Without axes that may be counted from the end, which the parts of complex numbers are behind."""
    (x,) = inputs_of(converter, op)
    rank = len(converter.extents(x)) - _is_complex(converter, op)
    named = options_of(op, tflite.SqueezeOptions).SqueezeDimsAsNumpy()
    axes = [int(axis) % rank for axis in named] if isinstance(named, np.ndarray) else []
    return R.squeeze(x, axes or [axis for axis, n in enumerate(converter.extents(x)[:rank]) if n == 1])


def refuse_complex(converter: Converter, op: tflite.Operator, name: str) -> None:
    """Raises a ValueError for complex numbers where an operator would take their parts for two numbers."""
    if _is_complex(converter, op) and name not in _KNOWN:
        raise ValueError(f"{name} of complex numbers")


def _is_complex(converter: Converter, op: tflite.Operator) -> bool:
    tensors = converter.get_input_tensors(op)
    return any(one.tensor_idx >= 0 and one.tensor.Type() == tflite.TensorType.COMPLEX64 for one in tensors)


def _stock(name: str, converter: Converter, op: tflite.Operator) -> relax.Expr:
    return getattr(OperatorConverter, f"convert_{name}")(converter, op)


def _matrix(of_waves: np.ndarray) -> relax.Expr:
    size, parts, frequencies, both = of_waves.shape
    return relax.const(of_waves.reshape(size * parts, frequencies * both).astype("float32"))


COMPLEX = {"RFFT2D": spectrum, "CAST": cast, "RESHAPE": reshape, "SQUEEZE": squeeze}
_KNOWN = {*COMPLEX, "REAL", "IMAG", "COMPLEX_ABS"}
