"""Give convolutions a whole number of vectors of output channels, so that no kernel has to work on partial vectors."""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

_TILE = 4  # vectors that a register tile can well divide
_LITTLE = 0.05  # share of the work
_LEAST_CHANNELS = 32  # with fewer, the vectors that are added cost more than partial ones


def widen_channels(mod: tvm.IRModule, lanes: int) -> tvm.IRModule:
    """Append filters of zeros to convolutions with constant weights, and cut the result; NCHW, in "main".

    Args:
        lanes: of a vector of the target.
    """
    widener = _Widener(mod, lanes)
    widener.builder_.update_func(mod.get_global_var("main"), widener.visit_expr(mod["main"]))
    return widener.builder_.get()


@mutator
class _Widener(PyExprMutator):
    def __init__(self, mod: tvm.IRModule, lanes: int) -> None:
        super().__init__(mod)
        self.lanes = lanes

    def _missing(self, filters: int) -> int:
        """Filters to append: up to a number of vectors that has many factors where that is little work."""
        many = -filters % (_TILE * self.lanes)
        return many if many <= filters * _LITTLE else -filters % self.lanes

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if not isinstance(visited.op, tvm.ir.Op) or visited.op.name != "relax.nn.conv2d":
            return visited
        weight, attrs = visited.args[1], visited.attrs
        if not isinstance(weight, GenericConst) or (attrs.data_layout, attrs.kernel_layout) != ("NCHW", "OIHW"):
            return visited
        filters = weight.value.numpy()
        if attrs.groups != 1 or len(filters) < _LEAST_CHANNELS or len(filters) % self.lanes == 0:
            return visited
        missing = self._missing(len(filters))
        wide = np.concatenate([filters, np.zeros((missing, *filters.shape[1:]), filters.dtype)])
        result = relax.Call(visited.op, [visited.args[0], relax.const(wide, str(filters.dtype))], visited.attrs)
        return relax.op.strided_slice(self.builder_.emit(result), [1], [0], [len(filters)])
