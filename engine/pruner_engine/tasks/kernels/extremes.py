"""The larger and the lesser of two tensors, with NaN where either is none; of a constant and a tensor by TVM's kernel.

TVM's compares them and takes the second where that fails, which loses a first that is NaN.
"""

from __future__ import annotations

from collections.abc import Callable

import tvm
from tvm import relax, te, tirx
from tvm.ir.expr import GenericConst

from pruner_engine.tasks.graph import shape_of
from pruner_engine.tasks.kernels.norms import Legalize

_Operator = Callable[[tirx.Expr, tirx.Expr], tirx.Expr]


def extremes() -> dict[str, Legalize]:
    """What `LegalizeOps` shall take instead of TVM's kernels, by operator."""
    return {"relax.maximum": _legalization("maximum", tirx.max), "relax.minimum": _legalization("minimum", tirx.min)}


def _legalization(name: str, operator: _Operator) -> Legalize:
    stock: Legalize = tvm.ir.Op.get(f"relax.{name}").get_attr("FLegalize")

    def legalize(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
        shape, dtype = shape_of(call), str(call.ty.dtype)
        if shape is None or "float" not in dtype or any(isinstance(x, GenericConst) for x in call.args):
            return stock(builder, call)

        def extreme(x: te.Tensor, y: te.Tensor) -> te.Tensor:
            def of_two(*place: tirx.Var) -> tirx.Expr:
                one, other = _broadcast(x, place), _broadcast(y, place)
                wide = one.astype("float32") if dtype == "bfloat16" else one
                # the second is once in it: in a row of extremes it is all that was before
                return tirx.Select(tirx.isnan(wide), one, operator(one, other))

            return te.compute(shape, of_two, name=f"T_{name}")

        return builder.call_te(extreme, *call.args, primfunc_name_hint=name)

    return legalize


def _broadcast(x: te.Tensor, place: tuple[tirx.Var, ...]) -> tirx.Expr:
    """The number of a tensor that meets those at a place of the result."""
    inner = place[len(place) - len(x.shape) :]
    return x(*(0 if int(extent) == 1 else index for extent, index in zip(x.shape, inner, strict=True)))
