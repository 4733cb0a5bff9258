"""Concatenations of many equal parts, in a kernel that computes none of them."""

from __future__ import annotations

from collections.abc import Sequence

import tvm
from tvm import relax, topi

from pruner_engine.tasks.graph import OUTER, shape_of
from pruner_engine.tasks.kernels.norms import Legalize

MANY = 8  # equal parts


def concatenations() -> dict[str, Legalize]:
    """What `LegalizeOps` shall take instead of TVM's concatenation."""
    return {"relax.concat": _concat}


def are_equal(parts: Sequence[relax.Expr]) -> bool:
    """Whether all parts are known to have one shape."""
    shapes = [shape_of(part) for part in parts]
    return shapes[0] is not None and all(shape == shapes[0] for shape in shapes)


def _concat(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    parts = call.args[0]
    while isinstance(parts, relax.Var) and (found := builder.lookup_binding(parts)) is not None:
        parts = found
    if not isinstance(parts, relax.Tuple) or len(parts.fields) < MANY or not are_equal(parts.fields):
        stock: Legalize = tvm.ir.Op.get("relax.concat").get_attr("FLegalize")
        return stock(builder, call)
    return builder.call_te(topi.concatenate, list(parts.fields), call.attrs.axis, primfunc_attrs=OUTER)
