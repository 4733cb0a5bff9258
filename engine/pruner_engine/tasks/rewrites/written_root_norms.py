"""Norms by the root of the mean square that a graph writes out, as the operator that they are: one kernel each.

Language models write them out. In arithmetic they are a kernel of the squares, one of their means, and mostly one more
of the products.
"""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import mutator

from pruner_engine.tasks.graph import bound, operator_of, rewritten, shape_of
from pruner_engine.tasks.rewrites.written import NormRewriter, beside_number, is_same, mean_of, squared

_NORM = "relax.nn.rms_norm"


def with_root_norms(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with x / √(mean of x² + ε) over the last axis in "main" as norms, which take up a scale."""
    return relax.transform.DeadCodeElimination()(rewritten(mod, _Rewriter(mod)))


@mutator
class _Rewriter(NormRewriter):
    def normed(self, value: relax.Expr, below: relax.Expr | None, shape: list[int]) -> relax.Expr | None:
        if below is None or shape_of(value) != shape:
            return None
        for inner, epsilon in beside_number(self, below):
            mean = mean_of(self, inner)
            of = None if mean is None else squared(self, mean.x)
            if mean is not None and of is not None and mean.axes == [len(shape) - 1] and is_same(self, of, value):
                return relax.op.nn.rms_norm(value, relax.const(np.ones(shape[-1], "float32")), [-1], epsilon)
        return None

    def scaled(self, value: relax.Expr, factor: relax.Expr) -> relax.Expr | None:
        norm, scale = bound(self, value), bound(self, factor)
        if operator_of(norm) != _NORM or not isinstance(scale, GenericConst) or self.readers.get(value, 1) > 1:
            return None
        weight, shape = bound(self, norm.args[1]), shape_of(norm) or []
        axes = sorted(int(axis) % len(shape) for axis in norm.attrs.axes)
        numbers = scale.value.numpy()
        of_last = numbers.ndim <= len(shape) and numbers.size in (1, *numbers.shape[-1:]) and axes == [len(shape) - 1]
        if not of_last or not isinstance(weight, GenericConst) or numbers.size not in (1, shape[-1]):
            return None
        made = relax.const((weight.value.numpy() * numbers.reshape(-1)).astype("float32"))
        return relax.op.nn.rms_norm(norm.args[0], made, [-1], norm.attrs.epsilon)
