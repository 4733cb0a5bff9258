"""Convolutions without the rows and columns of their windows that never meet the image, but its padding alone.

Such are those of 3 x 3 pixels that lie as far apart as the image is wide, or around an image of one pixel: what is
left of these are convolutions of 1 x 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import constant, operator_of, rewritten, shape_of
from pruner_engine.tasks.rewrites.convolutions import CONVOLUTIONS, convolution_like


def cut_windows(mod: tvm.IRModule) -> tvm.IRModule:
    """Cut the windows of convolutions with constant weights, in "main"."""
    return rewritten(mod, _Rewriter(mod))


@mutator
class _Rewriter(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        windows = _windows_of(visited, call)
        kept = {letter: window.met() for letter, window in windows.items()}
        if all(len(kept[letter]) == window.taps for letter, window in windows.items()):
            return visited
        attrs, weights = visited.attrs, visited.args[1].value.numpy()
        part = tuple(slice(kept[n].start, kept[n].stop) if n in kept else slice(None) for n in attrs.kernel_layout)
        sides = [window.padding_of(kept[letter]) for letter, window in windows.items()]
        return convolution_like(
            visited,
            visited.args[0],
            constant(weights[part]),
            strides=[window.stride for window in windows.values()],
            padding=[before for before, _ in sides] + [after for _, after in sides],
            dilation=[window.dilation if len(kept[letter]) > 1 else 1 for letter, window in windows.items()],
        )


@dataclass(frozen=True)
class _Window:
    """A convolution along one axis.

    Attributes:
        taps: the window's extent.
        extent: of the image.
        steps: extent of the result.
        padding: before and after the image.
    """

    taps: int
    extent: int
    steps: int
    stride: int
    dilation: int
    padding: tuple[int, int]

    def met(self) -> range:
        """The taps from the first to the last that meet the image; more where padding would become less than none."""
        before, after = self.padding
        found = [tap for tap in range(self.taps) if self._meets(tap)] or [0, self.taps - 1]
        return range(min(found[0], before // self.dilation), 1 + max(found[-1], self.taps - 1 - after // self.dilation))

    def padding_of(self, kept: range) -> tuple[int, int]:
        """The padding for these taps alone."""
        before, after = self.padding
        return before - kept.start * self.dilation, after - (self.taps - kept.stop) * self.dilation

    def _meets(self, tap: int) -> bool:
        first = tap * self.dilation - self.padding[0]
        return any(0 <= first + step * self.stride < self.extent for step in range(self.steps))


def _windows_of(call: relax.Call, typed: relax.Call) -> dict[str, _Window]:
    """By their letters in layouts the axes of a convolution whose weights are constants; none of anything else.

    Args:
        typed: the call as the graph had it, whose type is known.
    """
    if operator_of(call) not in CONVOLUTIONS or not isinstance(call.args[1], GenericConst):
        return {}
    attrs, image, result = call.attrs, shape_of(call.args[0]), shape_of(typed)
    letters = [letter for letter in attrs.data_layout if letter in "DHW"]
    axes = {len(letters) + 2}
    if image is None or result is None or {len(attrs.kernel_layout), len(attrs.out_layout)} != axes:
        return {}
    padding, weights = [int(n) for n in attrs.padding], shape_of(call.args[1]) or []
    return {
        letter: _Window(
            weights[attrs.kernel_layout.index(letter)],
            image[attrs.data_layout.index(letter)],
            result[attrs.out_layout.index(letter)],
            int(attrs.strides[axis]),
            int(attrs.dilation[axis]),
            (padding[axis], padding[axis + len(letters)]),
        )
        for axis, letter in enumerate(letters)
    }
