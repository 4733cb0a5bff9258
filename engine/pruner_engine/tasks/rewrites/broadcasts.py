"""Broadcasts that arithmetic does by itself: what a graph spreads over a shape is spread where it meets that shape.

PyTorch's exporter expands a norm or a factor before it divides or multiplies by it. TVM's conversion of layouts does
not know such a broadcast, and leaves it between transpositions; one of a constant would be folded to a large one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tvm
from tvm import relax
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import (
    EACH,
    RESHAPES,
    bound,
    operator_of,
    order_of,
    parts_of_reshape,
    reshaped,
    rewritten,
    shape_of,
)

_EACH = EACH | {f"relax.{name}" for name in ("astype", "ceil", "floor", "floor_divide", "floor_mod")}
_FILLED = {"relax.zeros": 0, "relax.zeros_like": 0, "relax.ones": 1, "relax.ones_like": 1}


def without_broadcasts(mod: tvm.IRModule) -> tvm.IRModule:
    """The module whose broadcasts in "main" stand behind what is computed element by element, or have vanished there.

    Tensors filled with one number are broadcasts of it.
    """
    return relax.transform.DeadCodeElimination()(rewritten(mod, _Sinker(mod)))


@mutator
class _Sinker(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name, shape = operator_of(visited), shape_of(call)
        if shape is None:
            return visited
        if name in _EACH:
            return self._each(visited, shape)
        source = self._source(visited.args[0]) if name == "relax.permute_dims" or name in RESHAPES else None
        if source is None:
            return visited
        if name == "relax.permute_dims":
            order, full = order_of(visited), self._with_axes(source, len(shape))
            return self._spread(relax.op.permute_dims(full, order), shape)
        reshaped = self._reshaped(source, shape_of(visited.args[0]) or [], shape)
        return visited if reshaped is None else reshaped

    def _source(self, operand: relax.Expr) -> relax.Expr | None:
        """What a broadcast spreads; None where the operand is none, or of an open shape."""
        found = bound(self, operand)
        name = operator_of(found)
        if name in _FILLED and isinstance(found.ty, relax.TensorType):
            return relax.const(_FILLED[name], str(found.ty.dtype))
        if name not in ("relax.broadcast_to", "relax.full", "relax.full_like") or shape_of(found) is None:
            return None
        source = found.args[0] if name == "relax.broadcast_to" else found.args[1]
        alike = str(getattr(source.ty, "dtype", "")) == str(found.ty.dtype)
        return source if alike and shape_of(source) is not None else None

    def _each(self, call: relax.Call, shape: list[int]) -> relax.Expr:
        sources = [self._source(operand) for operand in call.args]
        if all(source is None for source in sources):
            return call
        operands = [one if source is None else source for one, source in zip(call.args, sources, strict=True)]
        shapes = [shape_of(one) for one in operands if isinstance(one.ty, relax.TensorType)]
        if any(one is None for one in shapes):
            return call
        narrow = list(np.broadcast_shapes(*map(tuple, shapes)))  # type: ignore[arg-type]
        made = relax.Call(call.op, operands, call.attrs)
        return made if narrow == shape else self._spread(made, shape)

    def _spread(self, made: relax.Expr, shape: Sequence[int]) -> relax.Expr:
        return relax.op.broadcast_to(self.builder_.emit(made), shape)

    def _with_axes(self, source: relax.Expr, rank: int) -> relax.Expr:
        shape = shape_of(source) or []
        if len(shape) == rank:
            return source
        return self.builder_.emit(reshaped(source, [1] * (rank - len(shape)) + shape))

    def _reshaped(self, source: relax.Expr, before: list[int], shape: list[int]) -> relax.Expr | None:
        """The source in other axes, spread again; spread first along axes that become one with some of its own."""
        own = [1] * (len(before) - len(shape_of(source) or [])) + (shape_of(source) or [])
        parts = parts_of_reshape(before, shape)
        if parts is None:
            return None
        full, narrow = list(own), list(shape)
        for axes, made in parts:
            if all(own[axis] == 1 for axis in axes):
                narrow[made] = [1] * len(shape[made])
            else:
                full[axes.start : axes.stop] = before[axes.start : axes.stop]
        if full == before:
            return None
        wide = source if full == own else self._spread(source, full)
        inner = reshaped(self.builder_.emit(wide) if isinstance(wide, relax.Call) else wide, narrow)
        return inner if narrow == shape else self._spread(inner, shape)
