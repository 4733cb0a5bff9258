"""Concatenations of very many equal parts, such as the outputs of a sequence's steps, in groups of some parts each.

A concatenation is one expression that asks for each element which part it is of: with forty parts it takes seconds to
simplify, to featurise and to compile, longer than most products, and runs a hundred times as long as a copy. And TVM
computes the parts within it: all that comes before the last step is in that kernel, too.
"""

from __future__ import annotations

import tvm
from tvm import relax
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import bound, operator_of, rewritten
from pruner_engine.tasks.kernels.concatenations import MANY, are_equal

_MOST = 16  # parts of a group; none has fewer than `MANY`, so that its kernel computes none of them


def in_groups(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with concatenations of very many equal parts in "main" as ones of concatenations of some of them."""
    return rewritten(mod, _Grouping(mod))


@mutator
class _Grouping(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) != "relax.concat" or visited.attrs.axis is None:
            return visited
        parts = bound(self, visited.args[0])
        if not isinstance(parts, relax.Tuple) or len(parts.fields) <= _MOST or not are_equal(parts.fields):
            return visited
        fields, axis = list(parts.fields), int(visited.attrs.axis)
        while len(fields) > _MOST:
            ends = _ends(len(fields))
            groups = [fields[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
            fields = [self.builder_.emit(relax.op.concat(group, axis)) for group in groups]
        return relax.op.concat(fields, axis)


def _ends(parts: int) -> list[int]:
    """Where each group ends: all are of the same size, and thus one kernel, if they can be."""
    fewest, most = -(-parts // _MOST), parts // MANY
    groups = next((n for n in range(fewest, most + 1) if parts % n == 0), fewest)
    return [parts * (i + 1) // groups for i in range(groups)]
