"""Convolutions and poolings of signals as those of images one row high, which have layouts and kernels of their own.

[batch, channel, position] becomes [batch, channel, 1, position] and back; between two such operators both vanish, with
element-wise ones between them after `simplify` moved the reshapes behind these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import constant, operator_of, reshaped, rewritten, shape_of

_AXES = 3  # batch, channel, position


def signals_as_images(mod: tvm.IRModule) -> tvm.IRModule:
    """Rewrite convolutions with constant weights, poolings and batch norms of three dimensions; NCW, in "main"."""
    return relax.transform.CanonicalizeBindings()(rewritten(mod, _Rewriter(mod)))


@mutator
class _Rewriter(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name = operator_of(visited)
        shape = shape_of(visited.args[0]) if visited.args else None
        if shape is None or len(shape) != _AXES:
            return visited
        if name in _LIFTED and _LIFTED[name].fits(visited):
            image = self.builder_.emit(
                _LIFTED[name].lift(visited.attrs, self._image(visited.args[0]), *visited.args[1:])
            )
            return reshaped(image, [int(n) for n in call.ty.shape])
        if name == "relax.nn.batch_norm" and int(visited.attrs.axis) == 1:
            norm = relax.Call(visited.op, [self._image(visited.args[0]), *visited.args[1:]], visited.attrs)
            parts = self.builder_.emit(norm)
            signal = self.builder_.emit(relax.TupleGetItem(parts, 0))
            back = self.builder_.emit(reshaped(signal, shape))
            return relax.Tuple([back, *(self.builder_.emit(relax.TupleGetItem(parts, i)) for i in (1, 2))])
        if name == "relax.nn.group_norm" and int(visited.attrs.channel_axis) == 1:
            return self._normed(visited, shape)
        return visited

    def _normed(self, call: relax.Call, shape: list[int]) -> relax.Expr:
        """A norm over groups of a signal that was made from an image, whatever its height, as the image's."""
        made, attrs = self._made_by(call.args[0]), call.attrs
        if not isinstance(made, relax.Call) or operator_of(made) != "relax.reshape" or len(attrs.axes) != 1:
            return call
        before = shape_of(made.args[0])
        if before is None or len(before) != _AXES + 1 or before[:2] != shape[:2]:
            return call
        norm = relax.op.nn.group_norm(made.args[0], *call.args[1:], attrs.num_groups, 1, [2, 3], attrs.epsilon)
        return reshaped(self.builder_.emit(norm), shape)

    def _image(self, signal: relax.Expr) -> relax.Expr:
        """The signal one row high: what it was made from, where that is such an image."""
        batch, channels, width = (int(n) for n in signal.ty.shape)
        shape, made = [batch, channels, 1, width], self._made_by(signal)
        if isinstance(made, relax.Call) and operator_of(made) == "relax.reshape" and shape_of(made.args[0]) == shape:
            return made.args[0]
        return self.builder_.emit(reshaped(signal, shape))

    def _made_by(self, value: relax.Expr) -> relax.Expr | None:
        """The call behind a variable, through items of tuples."""
        while isinstance(value, relax.Var):
            value = self.lookup_binding(value)
            if isinstance(value, relax.TupleGetItem):
                whole = self.lookup_binding(value.tuple_value)
                value = whole.fields[value.index] if isinstance(whole, relax.Tuple) else None
        return value


def _row(weight: GenericConst) -> relax.Expr:
    """Weights of a signal's filters as those of images."""
    values = weight.value.numpy()
    return constant(values.reshape(*values.shape[:2], 1, values.shape[2]))


def _along(numbers: Any, other: int) -> list[int]:
    """What holds along the signal, with what holds along the row's height before it."""
    return [other, *(int(n) for n in numbers)]


def _sides(padding: Sequence[Any]) -> list[int]:
    left, right = [*padding, *padding][:2]
    return [0, int(left), 0, int(right)]


def _shared(attrs: Any) -> dict[str, Any]:
    return {
        "strides": _along(attrs.strides, 1),
        "padding": _sides(attrs.padding),
        "dilation": _along(attrs.dilation, 1),
    }


def _convolution(attrs: Any, x: relax.Expr, weight: GenericConst) -> relax.Expr:
    options = {"groups": attrs.groups, "out_dtype": attrs.out_dtype}
    return relax.op.nn.conv2d(x, _row(weight), **_shared(attrs), **options)


def _transposed(attrs: Any, x: relax.Expr, weight: GenericConst) -> relax.Expr:
    options = {"groups": attrs.groups, "out_dtype": attrs.out_dtype}
    beyond = _along(attrs.output_padding, 0)
    return relax.op.nn.conv2d_transpose(x, _row(weight), **_shared(attrs), output_padding=beyond, **options)


def _pooling(op: Callable[..., relax.Expr]) -> Callable[..., relax.Expr]:
    def pool(attrs: Any, x: relax.Expr) -> relax.Expr:
        edges = {"ceil_mode": attrs.ceil_mode, "count_include_pad": attrs.count_include_pad}
        return op(x, pool_size=_along(attrs.pool_size, 1), **_shared(attrs), **edges)

    return pool


def _convolves(kernel: str) -> Callable[[relax.Call], bool]:
    def holds(call: relax.Call) -> bool:
        layouts = (call.attrs.data_layout, call.attrs.kernel_layout, call.attrs.out_layout)
        return isinstance(call.args[1], GenericConst) and layouts == ("NCW", kernel, "NCW")

    return holds


def _pools(call: relax.Call) -> bool:
    return (call.attrs.layout, call.attrs.out_layout) == ("NCW", "NCW")


class _Lifted(NamedTuple):
    """How an operator on signals becomes one on images: for which calls, and from attributes and operands."""

    fits: Callable[[relax.Call], bool]
    lift: Callable[..., relax.Expr]


_LIFTED = {
    "relax.nn.conv1d": _Lifted(_convolves("OIW"), _convolution),
    "relax.nn.conv1d_transpose": _Lifted(_convolves("IOW"), _transposed),
    "relax.nn.max_pool1d": _Lifted(_pools, _pooling(relax.op.nn.max_pool2d)),
    "relax.nn.avg_pool1d": _Lifted(_pools, _pooling(relax.op.nn.avg_pool2d)),
}
