"""Transposed convolutions as convolutions that compute a block of results at each position.

With stride s and kernel k, the results s·q + φ, for φ < s, come from ceil(k / s) neighbours of position q, each through
the taps φ, φ + s, φ + 2s … of the kernel. So one convolution of stride 1 with s² times as many filters computes them
all, and its channels are then spread over rows and columns: no zeros are inserted between the pixels, of which the
textbook's form multiplies all but every s²-th.
"""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import constant, operator_of, rewritten, shape_of


def spread_transposed(mod: tvm.IRModule) -> tvm.IRModule:
    """Rewrite transposed convolutions of images, channels last, in "main".

    Those with groups, dilation, an open shape or weights that are no constants compute channels first, as TVM has them.
    """
    return rewritten(mod, _Rewriter(mod))


@mutator
class _Rewriter(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        shape = shape_of(call)
        if operator_of(visited) != "relax.nn.conv2d_transpose":
            return visited
        attrs = visited.attrs
        layouts = (attrs.data_layout, attrs.kernel_layout, attrs.out_layout)
        if layouts != ("NHWC", "IOHW", "NHWC"):
            return visited
        if shape is not None and _is_plain(visited):
            return self._spread(visited, shape)
        return self._channels_first(visited)

    def _spread(self, call: relax.Call, shape: list[int]) -> relax.Expr:
        """The convolution, its channels spread, and what padding takes away cut; `shape` is the result's."""
        data, weight = call.args
        batch, *extents, _ = (int(n) for n in data.ty.shape)
        filters, *results = shape[3], *shape[1:3]
        strides, kernel = [int(n) for n in call.attrs.strides], [int(n) for n in list(weight.ty.shape)[2:]]
        cut = [int(n) for n in call.attrs.padding[:2]]
        taps = [-(-k // s) for k, s in zip(kernel, strides, strict=True)]
        first = [c // s for c, s in zip(cut, strides, strict=True)]  # positions before it have no result
        ends = [-(-(c + n) // s) for c, n, s in zip(cut, results, strides, strict=True)]
        before = [t - 1 - f for t, f in zip(taps, first, strict=True)]
        after = [e - n for e, n in zip(ends, extents, strict=True)]
        conv = relax.op.nn.conv2d(
            data,
            constant(_filters(weight.value.numpy(), strides, taps)),
            padding=[*before, *after],
            data_layout="NHWC",
            kernel_layout="HWIO",
            out_dtype=call.attrs.out_dtype,
        )
        rows, columns = (e - f for e, f in zip(ends, first, strict=True))
        blocks = relax.op.reshape(self.builder_.emit(conv), (batch, rows, columns, *strides, filters))
        spread = relax.op.permute_dims(self.builder_.emit(blocks), (0, 1, 3, 2, 4, 5))
        whole = (batch, rows * strides[0], columns * strides[1], filters)
        image = relax.op.reshape(self.builder_.emit(spread), whole)
        if whole[1:3] == tuple(results):
            return image
        begin = [c - f * s for c, f, s in zip(cut, first, strides, strict=True)]
        end = [b + n for b, n in zip(begin, results, strict=True)]
        return relax.op.strided_slice(self.builder_.emit(image), [1, 2], begin, end)

    def _channels_first(self, call: relax.Call) -> relax.Expr:
        data, weight = call.args
        names = ("strides", "padding", "output_padding", "dilation", "groups", "out_dtype")
        options = {name: getattr(call.attrs, name) for name in names}
        moved = self.builder_.emit(relax.op.permute_dims(data, (0, 3, 1, 2)))
        made = self.builder_.emit(relax.op.nn.conv2d_transpose(moved, weight, **options))
        return relax.op.permute_dims(made, (0, 2, 3, 1))


def _is_plain(call: relax.Call) -> bool:
    """Whether it has constant weights, neither groups nor dilation, and less padding than a window is wide."""
    attrs, weight = call.attrs, call.args[1]
    if not isinstance(weight, GenericConst) or int(attrs.groups) != 1 or any(int(n) != 1 for n in attrs.dilation):
        return False
    kernel = [int(n) for n in list(weight.ty.shape)[2:]]
    return all(int(pad) < kernel[side % 2] for side, pad in enumerate(attrs.padding))


def _filters(weight: np.ndarray, strides: list[int], taps: list[int]) -> np.ndarray:
    """Filters of the convolution, [row, column, in, (row, column of the block, out)], of weights [in, out, k, k]."""
    inputs, filters, *kernel = weight.shape
    missing = [(0, t * s - k) for t, s, k in zip(taps, strides, kernel, strict=True)]
    padded = np.pad(weight, [(0, 0), (0, 0), *missing])
    # the last neighbour in a convolution's window is the position itself, hence backwards
    blocks = padded.reshape(inputs, filters, taps[0], strides[0], taps[1], strides[1])[:, :, ::-1, :, ::-1]
    ordered = blocks.transpose(2, 4, 0, 3, 5, 1)
    return np.ascontiguousarray(ordered.reshape(*taps, inputs, strides[0] * strides[1] * filters))
