"""Converters that take the place of TVM's where those make kernels of their own.

TVM's importer writes Clip, Pad, Tile and sums from the end as kernels, and Max and Min as reductions of what it stacks.
What a graph says as operators can change its layout and join its neighbours: behind a kernel each convolution stays
channels first.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.frontend.onnx import onnx_frontend as stock

from pruner_engine.tasks.graph import shape_of

_LOWEST, _HIGHEST = -math.inf, math.inf


@contextlib.contextmanager
def own_converters() -> Iterator[None]:
    """What TVM imports meanwhile is converted by ours where there is one."""
    ask = stock._get_convert_map
    clips = {"Clip": _Clip, "Max": _Max, "Min": _Min}
    others = {"CumSum": _CumSum, "EyeLike": _EyeLike, "ScatterElements": _ScatterElements}
    converters = ask() | clips | others | {"Pad": _Pad, "Tile": _Tile, "Unsqueeze": _Unsqueeze}
    stock._get_convert_map = lambda: converters
    try:
        yield
    finally:
        stock._get_convert_map = ask


def known_operators() -> set[str]:
    """Names of the operators that are converted, and of those that TVM's importer knows beside."""
    return {*stock._get_convert_map(), "Constant", "If"}


class _Clip(stock.Clip):
    @classmethod
    def _impl_v1(cls, bb: relax.BlockBuilder, inputs: Any, attr: dict[str, Any], params: Any) -> relax.Expr:
        dtype = str(inputs[0].ty.dtype)
        low, high = attr.get("min", _LOWEST), attr.get("max", _HIGHEST)
        return cls._impl_v13(bb, [inputs[0], relax.const(low, dtype), relax.const(high, dtype)], attr, params)

    @classmethod
    def _impl_v13(cls, bb: relax.BlockBuilder, inputs: Any, attr: dict[str, Any], params: Any) -> relax.Expr:
        """A bound that is not a number bounds nothing; what is bounded stays none: kernels take the second of two."""
        clipped, low, high = inputs[0], inputs[1], inputs[2]
        for operator, bound, lower in ((relax.op.maximum, low, True), (relax.op.minimum, high, False)):
            if bound is None or (isinstance(bound, GenericConst) and np.isnan(bound.value.numpy())):
                continue
            known = isinstance(bound, GenericConst)
            told = bound if known else cls._sanitize_nan_clip_bound(bb, bound, for_min=lower)
            clipped = bb.normalize(operator(told, clipped))
        return clipped


class _CumSum(stock.CumSum):
    @classmethod
    def _impl_v14(cls, bb: relax.BlockBuilder, inputs: Any, attr: dict[str, Any], params: Any) -> relax.Expr:
        """From the end by operators that turn an axis round: neighbours must not join a kernel that does."""
        forwards = {**attr, "reverse": 0}
        if not attr.get("reverse"):
            return super()._impl_v14(bb, inputs, forwards, params)
        axis = stock.get_constant(inputs[1], params)
        if not isinstance(axis, GenericConst):
            raise ValueError("it sums along an axis that is known only when it runs")
        along = int(axis.value.numpy().item())
        turned = bb.emit(relax.op.flip(inputs[0], along))
        return relax.op.flip(super()._impl_v14(bb, [turned, inputs[1]], forwards, params), along)


class _EyeLike(stock.EyeLike):
    @classmethod
    def _impl_v9(cls, bb: relax.BlockBuilder, inputs: Any, attr: dict[str, Any], params: Any) -> relax.Expr:
        """Of another type than the input, too."""
        ones = bb.normalize(relax.op.eye_like(inputs[0], attr.get("k", 0)))
        return relax.op.astype(ones, stock.get_type(attr["dtype"])) if "dtype" in attr else ones


class _ScatterElements(stock.ScatterElements):
    """Extremes before they were defined, too: PyTorch's exporter writes such, and ONNX Runtime takes them."""

    _impl_v16 = stock.ScatterElements._impl_v18


class _Pairwise:
    """Of tensors one of which is known only when the model runs."""

    operator: Callable[[relax.Expr, relax.Expr], relax.Expr]

    @classmethod
    def _impl_v1(cls, bb: relax.BlockBuilder, inputs: Any, attr: dict[str, Any], params: Any) -> relax.Expr:
        tensors = all(isinstance(value.ty, relax.TensorType) for value in inputs)
        if not tensors or all(isinstance(value, GenericConst) for value in inputs):
            return super()._impl_v1(bb, inputs, attr, params)  # type: ignore[misc]
        known_last = sorted(inputs, key=lambda value: isinstance(value, GenericConst))
        # of a constant and NaN kernels take the second
        return functools.reduce(lambda so_far, other: bb.normalize(cls.operator(other, so_far)), known_last)


class _Max(_Pairwise, stock.Max):
    operator = staticmethod(relax.op.maximum)


class _Min(_Pairwise, stock.Min):
    operator = staticmethod(relax.op.minimum)


class _Tile(stock.Tile):
    @classmethod
    def _impl_v13(cls, bb: relax.BlockBuilder, inputs: Any, attr: dict[str, Any], params: Any) -> relax.Expr:
        """Axes of one element alone are spread, as exporters write heads that share keys and values."""
        x, times = inputs[0], stock.get_constant(inputs[1], params)
        shape = shape_of(x)
        repeats = times.value.numpy().tolist() if isinstance(times, GenericConst) else []
        spreads = [r == 1 or (n == 1 and r > 1) for n, r in zip(shape or [], repeats, strict=False)]
        if shape is None or len(repeats) != len(shape) or not all(spreads):
            return super()._impl_v13(bb, inputs, attr, params)
        return relax.op.broadcast_to(x, [n * r for n, r in zip(shape, repeats, strict=True)])


class _Unsqueeze(stock.Unsqueeze):
    @classmethod
    def _impl_v13(cls, bb: relax.BlockBuilder, inputs: Any, attr: dict[str, Any], params: Any) -> relax.Expr:
        """One axis may be said as a number, as PyTorch's exporter does and ONNX Runtime takes it."""
        x, axes = inputs
        if isinstance(axes, GenericConst) and axes.value.numpy().ndim == 0:
            axes = relax.const(axes.value.numpy().reshape(1), "int64")
        return super()._impl_v13(bb, [x, axes], attr, params)


class _Pad(stock.Pad):
    @classmethod
    def _impl_v2(cls, bb: relax.BlockBuilder, inputs: Any, attr: dict[str, Any], params: Any) -> relax.Expr:
        pads, value = attr.get("pads", []), float(attr.get("value", 0.0))
        padded = cls._padded(inputs[0], pads[: len(pads) // 2], pads[len(pads) // 2 :], value, attr)
        return super()._impl_v2(bb, inputs, attr, params) if padded is None else padded

    @classmethod
    def _parse_pads_and_axes(cls, inputs: Any, params: Any) -> tuple[list[int], list[int], float]:
        """Quantisers write the number that is put there as a byte, too."""
        told = [*inputs, *[None] * (4 - len(inputs))]
        told[2] = _dequantised(told[2])
        before, after, value = super()._parse_pads_and_axes(told, params)
        return before, after, value

    @classmethod
    def _lower_pad(cls, bb: relax.BlockBuilder, inputs: Any, attr: dict[str, Any], params: Any, modes: Any) -> Any:
        before, after, value = cls._parse_pads_and_axes(inputs, params)
        padded = cls._padded(inputs[0], before, after, value, attr)
        return super()._lower_pad(bb, inputs, attr, params, modes) if padded is None else padded

    @staticmethod
    def _padded(
        x: relax.Expr, before: Sequence[int], after: Sequence[int], value: float, attr: dict[str, Any]
    ) -> relax.Expr | None:
        """None for pads that cut, or that hold something else than a number."""
        constant = attr.get("mode", b"constant") == b"constant" and "float" in str(x.ty.dtype)
        if not constant or min(*before, *after) < 0:
            return None
        widths = [width for ends in zip(before, after, strict=True) for width in ends]
        return relax.op.nn.pad(x, widths, "constant", value)


def _dequantised(value: relax.Expr | None) -> relax.Expr | None:
    """A number that follows from constant bytes as a constant; others as they are."""
    args = value.args if isinstance(value, relax.Call) and value.op.name == "relax.dequantize" else []
    if not args or not all(isinstance(arg, GenericConst) for arg in args):
        return value
    byte, scale, zero = (arg.value.numpy().astype("float32") for arg in args)
    return relax.const((byte - zero) * scale, "float32")
