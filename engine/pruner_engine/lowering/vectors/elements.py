"""Numbers that fill vectors, read several at a time: instructions of Arm processors multiply by one lane of a register.

A product of matrices multiplies vectors of one operand by single numbers of the other. Those that lie side by side, as
of the steps of an unrolled sum, are one load here, of which each vector takes its lane: LLVM would load each by itself,
and all lanes of a register with it (`ld1r`), which takes a unit that multiplies.
"""

from __future__ import annotations

import tvm_ffi
from tvm import DataType, IRModule
from tvm.ir import Call, Expr, PrimType, TensorLoad
from tvm.sym import Analyzer
from tvm.tirx import (
    Add,
    Bind,
    Broadcast,
    BufferLoad,
    BufferStore,
    Evaluate,
    IntImm,
    PrimFunc,
    Ramp,
    Select,
    SeqStmt,
    Shuffle,
    Stmt,
    Var,
)
from tvm_ffi.structural import StructuralKey, WalkResult

from pruner_engine.lowering.loops.cases import is_case
from pruner_engine.lowering.nodes import each_function, nodes_in
from pruner_engine.lowering.vectors.indices import lanes_of
from pruner_engine.lowering.words.products import has_to_fill

_Base = tuple[Var, StructuralKey]

_BITS, _REGISTERS = 128, 32  # of a register, and how many there are
BESIDES = 2  # registers for the other operand
_STRAIGHT = (Bind, BufferStore, Evaluate)  # statements without others in them


def by_element(mod: IRModule) -> IRModule:
    """The lowered module, for an Arm processor, with one load for numbers that lie side by side.

    Numbers are taken together that the same straight piece of code reads in any case.
    """
    return each_function(mod, _by_element)


def _by_element(function: PrimFunc) -> PrimFunc:
    places = _Places(function)

    def together(sequence: SeqStmt) -> Stmt:
        block = _Block(places)
        for stmt in sequence.seq:
            block.read(stmt)
        if not block.gains():
            return sequence

        def changed(stmt: Stmt) -> Stmt:
            return tvm_ffi.structural_map(stmt, (Broadcast, block.lane)) if isinstance(stmt, _STRAIGHT) else stmt

        return SeqStmt([changed(stmt) for stmt in sequence.seq])

    return tvm_ffi.structural_map(function, (SeqStmt, together))


class _Places:
    """Reads off indices where they point, whatever names their parts have been given."""

    def __init__(self, function: PrimFunc) -> None:
        bindings = nodes_in(function.body, Bind)
        self._bound: dict[Var, Expr] = {one.var: one.value for one in bindings if _is_index(one.var)}
        self._known: dict[Var, Expr] = {}
        self._analyzer = Analyzer()

    def of(self, index: Expr) -> tuple[Expr, int]:
        """A place, and how far behind it the index is: the same place for all that lie known distances apart."""
        whole = self._analyzer.canonical_simplify(self._written_out(index))
        if isinstance(whole, IntImm):
            return IntImm(str(whole.ty), 0), int(whole)
        if isinstance(whole, Add) and isinstance(whole.b, IntImm):
            return whole.a, int(whole.b)
        return whole, 0

    def _written_out(self, index: Expr) -> Expr:
        return tvm_ffi.structural_map(index, (Var, self._value_of))

    def _value_of(self, variable: Var) -> Expr:
        if variable not in self._bound:
            return variable
        if variable not in self._known:
            self._known[variable] = self._written_out(self._bound[variable])
        return self._known[variable]


class _Block:
    """The numbers that fill vectors in a straight piece of code, and the results that it adds to."""

    def __init__(self, places: _Places) -> None:
        self._places = places
        self._found: dict[_Base, set[int]] = {}  # by buffer and place, how far behind it
        self._results: set[_Base] = set()

    def read(self, stmt: Stmt) -> None:
        """Take in what a statement reads in any case; one that has others in it is no part of the piece."""
        if not isinstance(stmt, _STRAIGHT):
            return
        if isinstance(stmt, BufferStore) and lanes_of(stmt.value) > 1:
            self._results |= {(stmt.buffer, StructuralKey(index)) for index in stmt.indices}
        leave = ((Select, Call), lambda value: WalkResult.SKIP if _is_apart(value) else None)
        tvm_ffi.structural_walk(stmt, ((Broadcast, self._take), leave), order="pre")

    def _take(self, filled: Broadcast) -> None:
        if (load := _number_of(filled)) is not None:
            base, behind = self._place_of(load)
            self._found.setdefault(base, set()).add(behind)

    def _place_of(self, load: TensorLoad) -> tuple[_Base, int]:
        first, behind = self._places.of(load.indices[0])
        return (load.source, StructuralKey(first)), behind

    def gains(self) -> bool:
        """Whether there are neighbours, and registers for all that is read at once beside the results: a register is
        needed from its first lane's use to its last one's.
        """
        held = {(base, self._register(base, behind)) for base, found in self._found.items() for behind in found}
        fits = len(held) + len(self._results) + BESIDES <= _REGISTERS
        return fits and any(width > 1 for _, (_, width) in held)

    def lane(self, filled: Broadcast) -> Expr:
        """A filled vector as a lane of what is read at once; itself where that is nothing else."""
        load = _number_of(filled)
        if load is None:
            return filled
        base, behind = self._place_of(load)
        if behind not in self._found.get(base, ()):
            return filled
        start, width = self._register(base, behind)
        if width == 1:
            return filled
        index = load.indices[0]
        vector = BufferLoad(load.source, [Ramp(index - IntImm(str(index.ty), behind - start), 1, width)])
        lanes = [IntImm("int32", behind - start)] * int(filled.lanes)
        # TVM wants no fewer elements than there are lanes
        return Shuffle([vector] * -(-len(lanes) // width), lanes)

    def _register(self, base: _Base, behind: int) -> tuple[int, int]:
        """Where a register begins that holds a number, and its lanes: of those that are read, as many as fit."""
        found, most = self._found[base], _BITS // DataType(base[0].dtype).bits
        begin = behind
        while begin - 1 in found:
            begin -= 1
        begin += (behind - begin) // most * most
        count = next(n for n in range(1, most + 1) if n == most or begin + n not in found)
        while begin + (width := 1 << (count.bit_length() - 1)) <= behind:
            begin, count = begin + width, count - width
        return begin, width


def _is_index(variable: Var) -> bool:
    return isinstance(variable.ty, PrimType) and str(variable.ty).startswith("int")


def _number_of(filled: Broadcast) -> TensorLoad | None:
    """The number of a buffer that fills a vector."""
    load = filled.value
    single = isinstance(load, TensorLoad) and len(load.indices) == 1 and lanes_of(load.indices[0]) == 1
    return load if single and DataType(load.source.dtype).lanes == 1 else None


def _is_apart(value: Select | Call) -> bool:
    """Whether what is read there need not be there, or LLVM does not know that a lane of it can be multiplied by."""
    return isinstance(value, Select) or is_case(value) or has_to_fill(value) > 1
