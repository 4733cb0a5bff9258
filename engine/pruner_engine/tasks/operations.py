"""How many operations a kernel needs."""

from __future__ import annotations

import tvm
from tvm import tirx
from tvm.ir import Call, Expr
from tvm.s_tir.analysis import estimate_tir_flops

from pruner_engine.lowering.loops.cases import is_case
from pruner_engine.lowering.nodes import mapped
from pruner_engine.lowering.words.products import multiplied


def operations_of(mod: tvm.IRModule) -> float:
    """Operations of one call of an unscheduled kernel, as TVM estimates them.

    Of a choice its dearer side counts, where TVM adds up both: a Winograd transform, written by cases of its matrix's
    rows, would have three to five times its operations. A sum of products of four bytes counts as a multiplication.
    """

    def one_side(call: Call) -> Expr:
        return tirx.Select(*call.args) if is_case(call) else call

    return float(estimate_tir_flops(mapped(multiplied(mod), (Call, one_side))))
