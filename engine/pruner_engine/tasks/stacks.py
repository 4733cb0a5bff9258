"""Concatenations of very many equal parts, such as the outputs of a sequence's steps, in groups of some parts each.

A concatenation is one expression that asks for each element which part it is of: with forty parts it takes seconds to
simplify, to featurise and to compile, longer than most products, and runs a hundred times as long as a copy. And TVM
computes the parts within it: all that comes before the last step is in that kernel, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import tvm
from tvm import relax, topi
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.norms import Legalize
from pruner_engine.tasks.rewriting import OUTER, bound, operator_of, rewritten, shape_of

_MOST = 16  # parts of a group
_MANY = 8  # equal parts of a kernel that computes none of them; no group has fewer


def in_groups(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with concatenations of very many equal parts in "main" as ones of concatenations of some of them."""
    return rewritten(mod, _Grouping(mod))


def stacks() -> dict[str, Legalize]:
    """What `LegalizeOps` shall take instead of TVM's concatenation."""
    return {"relax.concat": _concat}


@mutator
class _Grouping(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) != "relax.concat" or visited.attrs.axis is None:
            return visited
        parts = bound(self, visited.args[0])
        if not isinstance(parts, relax.Tuple) or len(parts.fields) <= _MOST or not _equal(parts.fields):
            return visited
        fields, axis = list(parts.fields), int(visited.attrs.axis)
        while len(fields) > _MOST:
            ends = _ends(len(fields))
            groups = [fields[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
            fields = [self.builder_.emit(relax.op.concat(group, axis)) for group in groups]
        return relax.op.concat(fields, axis)


def _ends(parts: int) -> list[int]:
    """Where each group ends: all are of the same size, and thus one kernel, if they can be."""
    fewest, most = -(-parts // _MOST), parts // _MANY
    groups = next((n for n in range(fewest, most + 1) if parts % n == 0), fewest)
    return [parts * (i + 1) // groups for i in range(groups)]


def _equal(parts: Sequence[relax.Expr]) -> bool:
    shapes = [shape_of(part) for part in parts]
    return shapes[0] is not None and all(shape == shapes[0] for shape in shapes)


def _concat(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    parts = call.args[0]
    while isinstance(parts, relax.Var) and (found := builder.lookup_binding(parts)) is not None:
        parts = found
    if not isinstance(parts, relax.Tuple) or len(parts.fields) < _MANY or not _equal(parts.fields):
        stock: Legalize = tvm.ir.Op.get("relax.concat").get_attr("FLegalize")
        return stock(builder, call)
    return builder.call_te(topi.concatenate, list(parts.fields), call.attrs.axis, primfunc_attrs={"op_pattern": OUTER})
