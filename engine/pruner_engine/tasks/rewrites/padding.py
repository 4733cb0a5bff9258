"""Zeros around the images that a convolution reads become padding of its own, which costs no copy."""

from __future__ import annotations

import tvm
from tvm import relax
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import bound, operator_of, rewritten
from pruner_engine.tasks.rewrites.convolutions import CONVOLUTIONS, convolution_like


def fold_padding(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with such zeros as padding of the convolutions of "main"."""
    return rewritten(mod, _Folder(mod))


@mutator
class _Folder(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) not in CONVOLUTIONS:
            return visited
        padded = bound(self, visited.args[0])
        if operator_of(padded) != "relax.nn.pad" or padded.attrs.pad_mode != "constant" or padded.attrs.pad_value != 0:
            return visited
        layout, widths = visited.attrs.data_layout, [int(width) for width in padded.attrs.pad_width]
        around = dict(zip(layout, zip(widths[::2], widths[1::2], strict=True), strict=True))
        letters = [letter for letter in layout if letter in "DHW"]
        if min(widths) < 0 or any(max(ends) for letter, ends in around.items() if letter not in letters):
            return visited
        added = [around[letter][end] for end in (0, 1) for letter in letters]
        own = [int(n) for n in visited.attrs.padding]
        padding = [a + b for a, b in zip(added, own, strict=True)]
        return convolution_like(visited, padded.args[0], visited.args[1], padding=padding)
