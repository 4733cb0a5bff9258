"""Grouped convolutions in whole vectors, and shuffles of channels that cost nothing.

A grouped convolution is computed as [batch, row, column, group, filter], each group's filters filled up with zeros to
whole vectors and cut again; where those of several groups make a vector, it stays as it is. A shuffle of channels moves
behind depthwise convolutions and biases, whose constants are put in its order, into the grouped convolution that reads
it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import tvm
from tvm import relax, te, tirx
from tvm.ir import Expr
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.lowering.vectors.gathers import APART
from pruner_engine.tasks.graph import bound, constant, is_constant_nhwc, operator_of, order_of, rewritten, shape_of

_IMAGE = 4  # axes
_SHUFFLE = [  # how NCHW operators shuffle channels, once they are surrounded by changes of layout
    "relax.permute_dims",
    "relax.reshape",
    "relax.permute_dims",
    "relax.reshape",
    "relax.permute_dims",
]


def widen_groups(mod: tvm.IRModule, lanes: int) -> tvm.IRModule:
    """Rewrite grouped convolutions with constant weights, and shuffles of channels; NHWC, in "main".

    Args:
        lanes: of a vector of the target.
    """
    return relax.transform.DeadCodeElimination()(rewritten(mod, _Rewriter(mod, lanes)))


@mutator
class _Rewriter(PyExprMutator):
    def __init__(self, mod: tvm.IRModule, lanes: int) -> None:
        super().__init__(mod)
        self.lanes = lanes

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name = operator_of(visited)
        if shape_of(call) is None:
            return visited
        if name == "relax.permute_dims":
            return self._canonical(visited)
        if name == "relax.add":
            return self._biased(visited)
        if name == "relax.nn.conv2d" and is_constant_nhwc(visited):
            groups, channels = int(visited.attrs.groups), int(visited.args[0].ty.shape[3])
            if 1 < groups < channels:
                return self._grouped(visited, call.ty)
            if groups == channels == int(call.ty.shape[3]):
                return self._depthwise(visited)
        return visited

    # ------------------------------------------------------------ shuffles

    def _chain(self, value: relax.Expr, names: Sequence[str]) -> list[relax.Call]:
        """The calls that lead to a value, itself the last; empty where they are others, or of open shapes."""
        calls: list[relax.Call] = []
        for name in reversed(names):
            value = bound(self, value)
            if operator_of(value) != name or shape_of(value.args[0]) is None:
                return []
            calls.insert(0, value)
            value = value.args[0]
        return calls

    def _canonical(self, last: relax.Call) -> relax.Expr:
        """A shuffle of NCHW operators as one of the last axis."""
        calls = self._chain(last, _SHUFFLE)
        if not calls:
            return last
        source = calls[0].args[0]
        image_shape = shape_of(source) or []
        groups = int(calls[1].ty.shape[1])
        if len(image_shape) != _IMAGE or 0 in image_shape or image_shape[-1] % groups:
            return last
        # what the operators do to an image whose every value is the number of its place: they may turn pixels, too
        image = np.arange(math.prod(image_shape)).reshape(image_shape)
        wanted = _shuffled(image, groups)
        for call in calls:
            if call.op.name == "relax.reshape":
                image = image.reshape([int(n) for n in call.ty.shape])
            else:
                image = image.transpose(order_of(call))
        return self._shuffle(source, groups) if np.array_equal(image, wanted) else last

    def _shuffle(self, value: relax.Expr, groups: int) -> relax.Expr:
        *pixels, channels = (int(n) for n in value.ty.shape)
        apart = self.builder_.emit(relax.op.reshape(value, (*pixels, groups, channels // groups)))
        crossed = self.builder_.emit(relax.op.permute_dims(apart, [0, 1, 2, 4, 3]))
        return relax.op.reshape(crossed, (*pixels, channels))

    def _source(self, value: relax.Expr) -> tuple[relax.Expr, int] | None:
        """What was shuffled into this value, and in how many groups."""
        calls = self._chain(value, _SHUFFLE[1:4])
        if not calls or list(calls[1].attrs.axes or []) != [0, 1, 2, 4, 3]:
            return None
        source = shape_of(calls[0].args[0]) or []
        pixels = (shape_of(calls[0]) or [])[:3]
        if len(source) != _IMAGE or shape_of(calls[2]) != source or pixels != source[:3]:
            return None  # crosses other axes than the groups of an image's channels
        return calls[0].args[0], int(calls[0].ty.shape[3])

    def _depthwise(self, call: relax.Call) -> relax.Expr:
        found = self._source(call.args[0])
        if found is None:
            return call
        source, groups = found
        weight = constant(_unshuffled(call.args[1].value.numpy(), groups))
        made = self.builder_.emit(relax.Call(call.op, [source, weight], call.attrs))
        return self._shuffle(made, groups)

    def _biased(self, call: relax.Call) -> relax.Expr:
        found = self._source(call.args[0])
        if found is None or not isinstance(call.args[1], GenericConst) or len(call.args[1].ty.shape) > _IMAGE:
            return call
        source, groups = found
        bias = call.args[1].value.numpy()
        same = bias.shape[-1:] in ((), (1,))  # for all channels
        moved = constant(bias if same else _unshuffled(bias, groups))
        return self._shuffle(self.builder_.emit(relax.op.add(source, moved)), groups)

    # ------------------------------------------------------------ convolutions

    def _grouped(self, call: relax.Call, result: relax.TensorType) -> relax.Expr:
        attrs, groups = call.attrs, int(call.attrs.groups)
        filters = call.args[1].value.numpy()
        *window, depth, count = filters.shape
        each = count // groups
        found = self._source(call.args[0])
        if found is None and self._together(each, depth, count):
            return call
        source, shuffled = found or (call.args[0], 1)
        apart = filters.reshape(*window, depth, groups, each).swapaxes(2, 3)
        wide = np.pad(apart, [(0, 0)] * 4 + [(0, -each % self.lanes)])
        kernel = partial(
            convolve_groups,
            strides=[int(n) for n in attrs.strides],
            padding=[int(n) for n in attrs.padding],
            dilation=[int(n) for n in attrs.dilation],
            shuffled=shuffled,
            dtype=str(result.dtype),
        )
        made = self.builder_.emit_te(kernel, source, constant(np.ascontiguousarray(wide)), primfunc_name_hint="conv2d")
        if each % self.lanes:
            made = self.builder_.emit(relax.op.strided_slice(made, [4], [0], [each]))
        return relax.op.reshape(made, [int(n) for n in result.shape])

    def _together(self, each: int, depth: int, count: int) -> bool:
        """Whether the filters of several groups make vectors, for which pixels are read in whole ones."""
        lanes = math.gcd(count, self.lanes)
        return each < lanes and lanes % each == 0 and depth <= APART * each


def convolve_groups(
    x: te.Tensor,
    filters: te.Tensor,
    strides: list[int],
    padding: list[int],
    dilation: list[int],
    shuffled: int,
    dtype: str = "float32",
) -> te.Tensor:
    """A grouped convolution [batch, row, column, group, filter] of an image in NHWC.

    Args:
        filters: [window row, window column, group, channel of the group, filter].
        padding: rows and columns above, left, below, right.
        shuffled: groups in which the image's channels are to be shuffled before.
        dtype: of the result, in which it is multiplied and summed: operands may be of a smaller type.
    """
    batch, height, width, channels = (int(n) for n in x.shape)
    down, across, groups, depth, count = (int(n) for n in filters.shape)
    top, left, bottom, right = padding
    padded = tvm.topi.nn.pad(x, (0, top, left, 0), (0, bottom, right, 0), name="pad_temp") if any(padding) else x
    rows = (height + top + bottom - dilation[0] * (down - 1) - 1) // strides[0] + 1
    columns = (width + left + right - dilation[1] * (across - 1) - 1) // strides[1] + 1
    r, s = te.reduce_axis((0, down), name="ry"), te.reduce_axis((0, across), name="rx")
    k = te.reduce_axis((0, depth), name="rc")

    def product(n: tirx.Var, h: tirx.Var, w: tirx.Var, g: tirx.Var, o: tirx.Var) -> Expr:
        channel = g * depth + k
        if shuffled > 1:
            channel = tirx.floormod(channel, shuffled) * (channels // shuffled) + tirx.floordiv(channel, shuffled)
        pixel = padded(n, h * strides[0] + r * dilation[0], w * strides[1] + s * dilation[1], channel)
        return te.sum(pixel.astype(dtype) * filters(r, s, g, k, o).astype(dtype), axis=[r, s, k])

    return te.compute((batch, rows, columns, groups, count), product, name="group_conv2d_nhwc")


def _shuffled(data: np.ndarray, groups: int) -> np.ndarray:
    """The last axis shuffled: of each group the first, then of each the second, and so on."""
    *outer, channels = data.shape
    return data.reshape(*outer, groups, channels // groups).swapaxes(-1, -2).reshape(data.shape)


def _unshuffled(data: np.ndarray, groups: int) -> np.ndarray:
    return np.ascontiguousarray(_shuffled(data, data.shape[-1] // groups))
