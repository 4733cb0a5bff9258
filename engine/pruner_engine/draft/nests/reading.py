"""Reads a TIR function, scheduled or not, into a loop nest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import tvm
from tvm import tirx
from tvm.ir.expr import Call, TensorLoad
from tvm.s_tir import SBlockRealize

from pruner_engine.draft.nests.index import (
    Atom,
    Const,
    Index,
    Opaque,
    Quotient,
    Remainder,
    Var,
    add,
    resolve,
    scale,
    span,
)
from pruner_engine.draft.nests.nest import (
    HALVES,
    Access,
    Block,
    Buffer,
    Iter,
    Loop,
    Store,
    UnreadableSketchError,
    attach,
    bytes_of,
)
from pruner_engine.lowering.words.products import ALL, has_to_fill, is_added_apart
from pruner_engine.tasks.task import weights_of

_KINDS = {1: "parallel", 2: "vectorized", 3: "unrolled"}  # tirx.ForKind
_CHOICE = "choice"  # whose operands are read under a condition; it costs nothing itself
_CALLS = {
    "if_then_else": _CHOICE,
    "likely": "",
    "reinterpret": "",
    "sqrt": "divisions",
    "rsqrt": "divisions",
    # one instruction of a vector
    **dict.fromkeys(("round", "nearbyint", "floor", "ceil", "trunc", "shift_right", "bitwise_and"), "flops"),
    # with the sum that it goes into as much work as a multiplication with it
    **{products.name: "flops" for products in ALL},
}
_ARITHMETIC = (tirx.Add, tirx.Sub, tirx.Mul, tirx.Max, tirx.Min)


class FunctionReader:
    """Reads one function; `root` is its root block."""

    def __init__(self, function: tirx.PrimFunc) -> None:
        self._atoms: dict[Any, Atom] = {}
        self._bound: dict[Any, Any] = {}  # what a body gives a name to, as reductions to two results do
        self._buffers: dict[Any, Buffer] = {}
        free = weights_of(function)
        for position, parameter in enumerate(function.params):
            buffer = self._buffer(parameter)
            buffer.argument, buffer.layout_free = True, position in free
        self.root = Block("root")
        self.root.annotations.update(_annotations(function.body.block.annotations))
        self._statement(function.body.block.body, self.root)

    def _buffer(self, buffer: Any) -> Buffer:
        if buffer not in self._buffers:
            shape = [_integer(s) for s in buffer.shape]
            self._buffers[buffer] = Buffer(str(buffer.name), list(shape), str(buffer.dtype), str(buffer.scope()))
        return self._buffers[buffer]

    # ------------------------------------------------------------ statements

    def _statement(self, statement: Any, parent: Loop | Block) -> None:
        if isinstance(statement, tirx.SeqStmt):
            for one in statement.seq:
                self._statement(one, parent)
        elif isinstance(statement, tirx.For):
            atom = Atom(str(statement.loop_var.name), _integer(statement.extent))
            self._atoms[statement.loop_var] = atom
            bound = statement.thread_binding
            thread = str(bound.thread_tag) if bound is not None else ""
            kind = _KINDS.get(int(statement.kind), "serial")
            loop = Loop([atom], thread, kind, annotations=_annotations(statement.annotations))
            attach(parent, loop)
            self._statement(statement.body, loop)
        elif isinstance(statement, SBlockRealize):
            attach(parent, self._block(statement))
        else:
            raise UnreadableSketchError(f"statement {type(statement).__name__}")

    def _block(self, realize: Any) -> Block:
        source = realize.block
        block = Block(str(source.name_hint), annotations=_annotations(source.annotations))
        for variable, value in zip(source.iter_vars, realize.iter_values, strict=True):
            atom = Atom(str(variable.var.name), _integer(variable.dom.extent), self._index(value))
            self._atoms[variable.var] = atom
            block.iters.append(Iter(atom, variable.iter_type == tirx.IterVar.DataPar))
        block.useful = self._useful(realize.predicate)
        bodies = source.body.seq if isinstance(source.body, tirx.SeqStmt) else [source.body]
        for body in bodies:
            if isinstance(body, tirx.Bind):
                self._bound[body.var] = body.value
            elif isinstance(body, tirx.BufferStore):
                block.stores.append(self._store(body, source.init is not None))
            else:
                self._statement(body, block)
        for written, _, factor, offset in block.annotations.get("buffer_dim_align", ()):
            self._buffer(source.writes[written].source).align = (factor, offset)
        return block

    def _useful(self, predicate: Any) -> float:
        """Share of the executions for which the bounds in a predicate hold."""
        lowest: dict[Index, int] = {}
        end: dict[Index, int] = {}
        for condition in _conditions(predicate):
            if isinstance(condition, tirx.LT) and isinstance(condition.b, tirx.IntImm):
                end[self._index(condition.a)] = int(condition.b)
            elif isinstance(condition, tirx.LE) and isinstance(condition.a, tirx.IntImm):
                lowest[self._index(condition.b)] = int(condition.a)
        share = 1.0
        for index in {**lowest, **end}:
            reach: Any = span(resolve(index))
            share *= min(1.0, (end.get(index, reach) - lowest.get(index, 0)) / reach)
        return share

    def _store(self, statement: Any, reduction: bool) -> Store:
        counts = {"flops": 0, "special": 0, "divisions": 0, "between": 0}
        counts |= {"converted": 0, "halved": 0, "filled": 0}
        reads: list[Access] = []
        self._value(statement.value, reads, counts, guarded=False)
        write = Access(self._buffer(statement.buffer), self._indices(statement.indices))
        return Store(write, tuple(reads), reduction=reduction, **counts)

    # ------------------------------------------------------------ values

    def _value(self, value: Any, reads: list[Access], counts: dict[str, int], guarded: bool) -> None:
        """Collect what the value reads, and count the operations on what was read (index arithmetic is free)."""
        if isinstance(value, tirx.Var) and value in self._bound:
            self._value(self._bound[value], reads, counts, guarded)
            return
        if isinstance(value, TensorLoad):
            reads.append(Access(self._buffer(value.source), self._indices(value.indices), guarded))
            return
        if isinstance(value, tirx.Cast):
            dtype = str(value.ty.dtype)
            counts["converted"] = max(counts["converted"], bytes_of(dtype))
            counts["halved"] += dtype in HALVES
        kind, operands = _operation(value)
        before = len(reads)
        for operand in operands:
            self._value(operand, reads, counts, guarded or kind == _CHOICE)
        if kind in counts and len(reads) > before:
            counts[kind] += 1
            counts["between"] += is_added_apart(value)
            counts["filled"] = max(counts["filled"], has_to_fill(value))

    def _indices(self, indices: Any) -> tuple[Index, ...]:
        return tuple(self._index(i) for i in indices)

    def _index(self, value: Any) -> Index:  # noqa: PLR0911 (one case a kind)
        if isinstance(value, (int, tirx.IntImm)):
            return Const(int(value))
        if isinstance(value, tirx.Var):
            return Var(self._atoms[value])
        if isinstance(value, tirx.Cast):
            return self._index(value.value)
        if isinstance(value, (tirx.Add, tirx.Sub)):
            right = self._index(value.b)
            return add(self._index(value.a), right if isinstance(value, tirx.Add) else scale(right, -1))
        if isinstance(value, tirx.Mul):
            return self._product(value)
        if isinstance(value, (tirx.FloorDiv, tirx.FloorMod)) and isinstance(value.b, tirx.IntImm):
            kind = Quotient if isinstance(value, tirx.FloorDiv) else Remainder
            return kind(self._index(value.a), int(value.b))
        return self._opaque(value)

    def _product(self, value: Any) -> Index:
        for one, other in ((value.a, value.b), (value.b, value.a)):
            if isinstance(other, tirx.IntImm):
                return scale(self._index(one), int(other))
        return self._opaque(value)

    def _opaque(self, value: Any) -> Index:
        """All variables that the value depends on; its reach is bounded by the product of their extents."""
        parts = [Var(self._atoms[v]) for v in dict.fromkeys(_variables(value)) if v in self._atoms]
        reach = 1
        for part in parts:
            reach *= int(part.atom.extent)  # type: ignore[arg-type]
        return Opaque(tuple(parts), reach)


def _conditions(predicate: Any) -> Iterator[Any]:
    """What a conjunction asks for."""
    if isinstance(predicate, tirx.And):
        yield from _conditions(predicate.a)
        yield from _conditions(predicate.b)
    else:
        yield predicate


def _operation(value: Any) -> tuple[str, Sequence[Any]]:
    """What an expression counts as ("" for nothing), and its operands."""
    if isinstance(value, Call):
        name = str(getattr(value.op, "name", "")).rpartition(".")[2]
        kind = _CALLS.get(name, "special")
        return kind, value.args
    if isinstance(value, tirx.Select):
        return _CHOICE, [value.condition, value.true_value, value.false_value]
    if isinstance(value, tirx.Div):
        return "divisions", [value.a, value.b]
    if isinstance(value, _ARITHMETIC):
        return "flops", [value.a, value.b]
    if isinstance(value, tirx.Cast):
        return "", [value.value]
    return "", [getattr(value, name) for name in ("a", "b") if hasattr(value, name)]


def _variables(value: Any) -> list[Any]:
    if isinstance(value, tirx.Var):
        return [value]
    return [
        v
        for part in (value.indices if isinstance(value, TensorLoad) else _operation(value)[1])
        for v in _variables(part)
    ]


def _integer(value: Any) -> int:
    if isinstance(value, (int, tirx.IntImm)):
        return int(value)
    raise UnreadableSketchError(f"extent {value} is not a number")


def _annotations(annotations: Any) -> dict[str, Any]:
    return {str(key): _plain(value) for key, value in annotations.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, (int, tirx.IntImm)):
        return int(value)
    return [_plain(v) for v in value] if isinstance(value, tvm.ir.Array) else str(value)
