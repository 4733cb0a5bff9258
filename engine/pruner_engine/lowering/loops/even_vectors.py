"""Vectors of kernels that take padding under a condition: of one pixel each, and of a power of two of elements.

TVM makes no vector of elements of which some are padding: it computes all of them one by one. And where a branch lies
between two uses of a vector whose length is no power of two, LLVM keeps its elements in as many registers.
"""

from __future__ import annotations

from itertools import accumulate

import tvm_ffi
from tvm import IRModule
from tvm.ir import Call, Expr, Range
from tvm.s_tir import SBlockRealize
from tvm.sym import Analyzer
from tvm.tirx import FloorDiv, FloorMod, For, ForKind, IntImm, PrimFunc, SeqStmt, Stmt, Var
from tvm.tirx.analysis import undefined_vars

from pruner_engine.lowering.loops.cases import is_case
from pruner_engine.lowering.nodes import each_function, nodes_in

_SHORT = 4  # elements: the shortest vector register


def in_even_vectors(mod: IRModule) -> IRModule:
    """The module with the vector loops of such kernels for CPUs in parts; all of a kernel's, as they share results."""
    return each_function(mod, _in_even_vectors)


def _in_even_vectors(function: PrimFunc) -> PrimFunc:
    loops = nodes_in(function.body, For)
    vectors = [loop for loop in loops if loop.kind == ForKind.VECTORIZED]
    if any(loop.kind == ForKind.THREAD_BINDING for loop in loops):
        return function
    cases = [loop for loop in vectors if _conditions(loop)]
    # of a row some of whose elements are padding, such as pixels channels first, LLVM makes more of the whole
    fit = cases and not any(map(_chooses_by_element, cases))
    return tvm_ffi.structural_map(function, (For, _parted)) if fit else function


def _conditions(loop: For) -> list[Expr]:
    return [call.args[0] for call in nodes_in(loop.body, Call) if is_case(call)]


def _chooses_by_element(loop: For) -> bool:
    """Whether which case an element is of depends on its place in the row."""
    block = loop.body
    if not isinstance(block, SBlockRealize):
        return True
    element, analyzer = Var("element", loop.loop_var.ty), Analyzer()
    analyzer.bind(element, Range(0, _row(loop)))

    def moves(value: Expr) -> bool:
        there = tvm_ffi.structural_map(value, (Var, lambda used: element if used.same_as(loop.loop_var) else used))
        return any(element.same_as(used) for used in undefined_vars(analyzer.simplify(there)))

    bound = zip(block.block.iter_vars, block.iter_values, strict=True)
    moving = [loop.loop_var, *(variable.var for variable, value in bound if moves(value))]
    used = [variable for condition in _conditions(loop) for variable in undefined_vars(condition)]
    return any(variable.same_as(one) for variable in moving for one in used)


def _parted(loop: For) -> Stmt:
    if loop.kind != ForKind.VECTORIZED or not isinstance(loop.extent, IntImm) or nodes_in(loop.body, For):
        return loop
    extent, row = int(loop.extent), _row(loop)
    lengths = _powers_of_two(row) * (extent // row)
    begins = [0, *accumulate(lengths)][:-1]
    return SeqStmt([*map(lambda *of: _part(loop, *of), begins, lengths)]) if len(lengths) > 1 else loop


def _row(loop: For) -> int:
    """Elements of the innermost of the loops that were fused to this one."""
    places = nodes_in(loop.body, FloorDiv, FloorMod)
    rows = [int(at.b) for at in places if loop.loop_var.same_as(at.a) and isinstance(at.b, IntImm)]
    extent = int(loop.extent)
    return min((row for row in rows if row > 1 and extent % row == 0), default=extent)


def _powers_of_two(length: int) -> list[int]:
    """Equal ones, so that what is kept of all is a buffer of such vectors; the largest first where these are short."""
    equal = length & -length
    if equal >= _SHORT:
        return [equal] * (length // equal)
    return [1 << bit for bit in reversed(range(length.bit_length())) if length >> bit & 1]


def _part(loop: For, begin: int, length: int) -> Stmt:
    """So many of the elements, from `begin` on."""
    variable = Var(loop.loop_var.name, loop.loop_var.ty)

    def moved(used: Var) -> Expr:
        return variable + begin if used.same_as(loop.loop_var) else used

    kind = loop.kind if length > 1 else ForKind.SERIAL
    body = tvm_ffi.structural_map(loop.body, (Var, moved))
    return For(variable, loop.min, IntImm(loop.extent.ty, length), kind, body, None, loop.annotations)
