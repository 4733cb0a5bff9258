"""Vectors that fill whole registers but the last, and of one pixel each where padding is taken under a condition.

TVM makes no vector of elements of which some are padding: it computes all of them one by one. And LLVM keeps a vector
whose length is no power of two, and that is longer than a register, in a register for each element wherever the
vector lives on from one block of straight code to the next, such as a sum from one step of a loop to the next.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate

import tvm_ffi
from tvm import IRModule
from tvm.ir import Call, Expr, Range
from tvm.s_tir import SBlock, SBlockRealize
from tvm.sym import Analyzer
from tvm.tirx import BufferStore, FloorDiv, FloorMod, For, ForKind, IntImm, IterVar, PrimFunc, SeqStmt, Stmt, Var
from tvm.tirx.analysis import undefined_vars

from pruner_engine.lowering.loops.cases import is_case
from pruner_engine.lowering.nodes import depends_on, each_function, nodes_in, part_of_loop
from pruner_engine.lowering.words.products import cpu_has

_REGISTERS = (("avx512f", 512), ("avx", 256))  # bits of the longest ones, by what brings them; else:
_SHORTEST = 128
_LONGEST = 512  # bits: a part may fill several registers, if it has a power of two of elements


def in_even_vectors(mod: IRModule) -> IRModule:
    """The module with the vector loops of such kernels for CPUs in parts; all of a kernel's, as they share results."""
    return each_function(mod, _in_even_vectors)


def _in_even_vectors(function: PrimFunc) -> PrimFunc:
    loops = nodes_in(function.body, For)
    vectors = [loop for loop in loops if loop.kind == ForKind.VECTORIZED and isinstance(loop.extent, IntImm)]
    if any(loop.kind == ForKind.THREAD_BINDING for loop in loops):
        return function
    cases = [loop for loop in vectors if _conditions(loop)]
    # such as pixels channels first: LLVM makes more of the whole
    whole = [loop for loop in cases if _chooses_by_element(loop)]
    if any(_sums(loop) for loop in whole):
        return function
    register = 0 if len(cases) > len(whole) else _register_bits(function)
    if register and not (_sums(function.body) and any(_is_torn(loop, register) for loop in vectors)):
        return function
    kept = [loop.loop_var for loop in whole]

    def parted(loop: For) -> Stmt:
        return loop if any(loop.loop_var.same_as(one) for one in kept) else _parted(loop, register)

    return tvm_ffi.structural_map(function, (For, parted))


def _register_bits(function: PrimFunc) -> int:
    """Of the longest vector registers of the function's target."""
    target = function.attrs.get("target") if function.attrs else None
    return next((bits for name, bits in _REGISTERS if target is not None and cpu_has(target, name)), _SHORTEST)


def _sums(body: Stmt) -> bool:
    """Whether something is added up, and so lives on from step to step."""
    variables = (variable for block in nodes_in(body, SBlock) for variable in block.iter_vars)
    return any(variable.iter_type == IterVar.CommReduce for variable in variables)


def _is_torn(loop: For, register: int) -> bool:
    """Whether LLVM would keep the vector in a register for each element."""
    length = int(loop.extent)
    return length * _bits(loop) > register and bool(length & (length - 1))


def _bits(loop: For) -> int:
    """Of the widest elements that are written."""
    return max((int(store.value.ty.dtype.bits) for store in nodes_in(loop.body, BufferStore)), default=32)


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
        return depends_on(analyzer.simplify(there), element)

    bound = zip(block.block.iter_vars, block.iter_values, strict=True)
    moving = [loop.loop_var, *(variable.var for variable, value in bound if moves(value))]
    used = [variable for condition in _conditions(loop) for variable in undefined_vars(condition)]
    return any(variable.same_as(one) for variable in moving for one in used)


def _parted(loop: For, register: int) -> Stmt:
    """The loop in parts.

    Args:
        register: bits of one, which a row may fill or what is left of it, whatever its length; 0: none may.
    """
    if loop.kind != ForKind.VECTORIZED or not isinstance(loop.extent, IntImm) or nodes_in(loop.body, For):
        return loop
    extent, row, bits = int(loop.extent), _row(loop), _bits(loop)
    rest = row % (register // bits) if register else 0
    parts = [*_powers_of_two(row - rest, _LONGEST // bits), *[rest] * (rest > 0)]
    lengths = parts * (extent // row)
    begins = [0, *accumulate(lengths)][:-1]
    return SeqStmt([*map(partial(part_of_loop, loop), begins, lengths)]) if len(lengths) > 1 else loop


def _row(loop: For) -> int:
    """Elements of the innermost of the loops that were fused to this one."""
    places = nodes_in(loop.body, FloorDiv, FloorMod)
    rows = [int(at.b) for at in places if loop.loop_var.same_as(at.a) and isinstance(at.b, IntImm)]
    extent = int(loop.extent)
    return min((row for row in rows if row > 1 and extent % row == 0), default=extent)


def _powers_of_two(length: int, most: int) -> list[int]:
    """The longest first, none longer than `most`."""
    shorter = (most >> shift for shift in range(1, most.bit_length()))
    return [most] * (length // most) + [part for part in shorter if length % most & part]
