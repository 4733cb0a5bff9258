"""Norms of numbers that TVM has no kernels of norms for, such as bfloat16, written out in arithmetic."""

from __future__ import annotations

import tvm
from tvm import relax
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.rewriting import operator_of, rewritten, shape_of

_NORMS = {"relax.nn.layer_norm", "relax.nn.group_norm", "relax.nn.instance_norm"}
_OF_KERNELS = {"float32", "float16"}
_COMPUTED_AS = {"bfloat16": "float32", "float64": "float64"}


def norms_of_every_type(mod: tvm.IRModule) -> tvm.IRModule:
    """The module without norms in "main" that TVM would refuse for their type."""
    return rewritten(mod, _Rewriter(mod))


@mutator
class _Rewriter(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) not in _NORMS:
            return visited
        shape, dtype = shape_of(call), str(call.ty.dtype)
        if dtype in _OF_KERNELS or dtype not in _COMPUTED_AS or shape is None:
            return visited
        return self._written_out(visited, shape, dtype)

    def _written_out(self, call: relax.Call, shape: list[int], dtype: str) -> relax.Expr:
        wide, attrs, rank = _COMPUTED_AS[dtype], call.attrs, len(shape)
        x, *weights = (relax.op.astype(arg, wide) if wide != dtype else arg for arg in call.args)
        axes = sorted(int(axis) % rank for axis in attrs.axes)
        own, grouped = axes, list(shape)
        if call.op.name != "relax.nn.layer_norm":
            channel = int(attrs.channel_axis) % rank
            own = [channel]
            if call.op.name == "relax.nn.group_norm":
                groups = int(attrs.num_groups)
                grouped[channel : channel + 1] = [groups, shape[channel] // groups]
                axes = [channel + 1, *(axis + (axis > channel) for axis in axes)]
        x = self.builder_.emit(relax.op.reshape(x, grouped))
        apart = self.builder_.emit(relax.op.subtract(x, relax.op.mean(x, axes, keepdims=True)))
        spread = relax.op.mean(relax.op.multiply(apart, apart), axes, keepdims=True)
        share = relax.op.rsqrt(relax.op.add(spread, relax.const(float(attrs.epsilon), wide)))
        made = relax.op.reshape(relax.op.multiply(apart, share), shape)
        along = [extent if axis in own else 1 for axis, extent in enumerate(shape)]
        scale, shift = (relax.op.reshape(weight, along) for weight in weights)
        made = self.builder_.emit(relax.op.add(relax.op.multiply(made, scale), shift))
        return relax.op.astype(made, dtype) if wide != dtype else made
