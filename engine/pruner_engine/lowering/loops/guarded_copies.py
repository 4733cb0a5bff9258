"""Vectors that a GPU's threads copy under a condition, such as of an image with padding, copied as vectors.

TVM makes no vector of elements that are each read under a condition of their own, and takes a condition for that
wherever the vector's variable is in it: of eight channels of a pixel it asks for each whether the pixel is one of the
image, with all divisions of the index. Where vectors begin at multiples of their length, a quotient by a multiple of
the length is the same for all elements: without the variable in it, the condition is one of the whole vector.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tvm_ffi
from tvm import IRModule
from tvm.ir import Expr, Range, TensorLoad
from tvm.s_tir import SBlockRealize
from tvm.sym import Analyzer
from tvm.tirx import (
    Broadcast,
    BufferStore,
    FloatImm,
    FloorDiv,
    FloorMod,
    For,
    ForKind,
    IntImm,
    PrimFunc,
    Stmt,
    Var,
    reinterpret,
)

from pruner_engine.lowering.loops.cases import cases_of, is_case
from pruner_engine.lowering.nodes import depends_on, each_function, mapped, nodes_in

_BYTES = 4  # of a word


def in_guarded_copies(mod: IRModule) -> IRModule:
    """The module with such copies of kernels for GPUs; asked of one whose loops are not lowered yet."""
    return each_function(mod, _in_guarded_copies)


def with_words_of_bytes(mod: IRModule) -> IRModule:
    """A lowered module whose vectors of a number of one byte, as what padding is, are words: CUDA has no others."""

    def words(vector: Broadcast) -> Expr:
        kind, lanes = str(vector.value.ty.dtype), int(vector.lanes)
        if kind not in ("int8", "uint8") or lanes % _BYTES or lanes == _BYTES or not isinstance(vector.value, IntImm):
            return vector
        word = int.from_bytes([int(vector.value) % 256] * _BYTES, "little", signed=True)
        return reinterpret(f"{kind}x{lanes}", Broadcast(IntImm("int32", word), lanes // _BYTES))

    return mapped(mod, (Broadcast, words))


def _in_guarded_copies(function: PrimFunc) -> PrimFunc:
    if not any(loop.kind == ForKind.THREAD_BINDING for loop in nodes_in(function.body, For)):
        return function
    return tvm_ffi.structural_map(function, (For, _copied_at_once))


def _copied_at_once(loop: For) -> Stmt:
    realized = loop.body
    if (
        loop.kind != ForKind.VECTORIZED
        or not isinstance(loop.extent, IntImm)
        or not isinstance(realized, SBlockRealize)
    ):
        return loop
    block = realized.block
    if not isinstance(block.body, BufferStore) or not cases_of(block.body):
        return loop
    vector = _Vector(loop.loop_var, int(loop.extent))
    values = [vector.parted(value) for value in realized.iter_values]
    vector.name([variable.var for variable in block.iter_vars], values)
    store = vector.parted(block.body)
    if not vector.is_copied_by(store):
        return loop
    copied = SBlockRealize(values, realized.predicate, tvm_ffi.structural_map(block, (BufferStore, lambda _: store)))
    return For(loop.loop_var, loop.min, loop.extent, loop.kind, copied, None, loop.annotations)


class _Vector:
    """Elements that a loop goes over at once.

    Args:
        variable: of the loop.
        length: elements.
    """

    def __init__(self, variable: Var, length: int) -> None:
        self._variable, self._length = variable, length
        self._named: dict[Var, Expr] = {}
        self._analyzer = Analyzer()
        self._analyzer.bind(variable, Range(0, length))

    def name(self, variables: Sequence[Var], values: Sequence[Expr]) -> None:
        """Know what the variables of a block stand for."""
        self._named = dict(zip(variables, values, strict=True))

    def parted(self, value: Expr | Stmt) -> Expr | Stmt:
        """With quotients of where the vector begins, and remainders of that to which the place in it is added."""

        def quotient(node: FloorDiv) -> Expr:
            first = self._first(node)
            return node if first is None else FloorDiv(first, node.b)

        def remainder(node: FloorMod) -> Expr:
            first = self._first(node)
            return node if first is None else FloorMod(first, node.b) + self._variable

        return tvm_ffi.structural_map(value, [(FloorDiv, quotient), (FloorMod, remainder)])

    def is_copied_by(self, store: BufferStore) -> bool:
        """Whether the elements are neighbours at an aligned place, and read under one condition."""
        loads = list(_chosen(store.value))
        if not all(isinstance(load, TensorLoad | FloatImm | IntImm) for load in loads):
            return False
        places = [(load.source.shape, load.indices) for load in loads if isinstance(load, TensorLoad)]
        return (
            bool(places)
            and all(self._is_row(shape, indices) for shape, indices in [(store.buffer.shape, store.indices), *places])
            and all(self._is_alike(case.args[0]) for case in cases_of(store))
        )

    def _is_row(self, shape: Sequence[Expr], indices: Sequence[Expr]) -> bool:
        *outer, last = indices
        row = len(outer) == 0 or (isinstance(shape[-1], IntImm) and int(shape[-1]) % self._length == 0)
        return row and all(map(self._is_alike, outer)) and self._begin(last) is not None

    def _first(self, node: FloorDiv | FloorMod) -> Expr | None:
        """What is divided where the vector begins, if that tells the quotient of all elements."""
        whole = isinstance(node.b, IntImm) and int(node.b) % self._length == 0
        return self._begin(node.a) if whole else None

    def _begin(self, index: Expr) -> Expr | None:
        """A multiple of the length, to which the place in the vector is added; None where the index is none."""
        first = self._simple(index - self._variable)
        found = self._analyzer.modular_set(first)
        whole = found.coeff % self._length == 0 and found.base % self._length == 0
        return first if whole and not depends_on(first, self._variable) else None

    def _is_alike(self, value: Expr) -> bool:
        """Whether it is the same for all elements."""
        return not depends_on(self._simple(value), self._variable)

    def _simple(self, value: Expr) -> Expr:
        return self._analyzer.simplify(tvm_ffi.structural_map(value, (Var, lambda used: self._named.get(used, used))))


def _chosen(value: Expr) -> Iterator[Expr]:
    """What is stored in one case or another."""
    if is_case(value):
        for one in value.args[1:]:
            yield from _chosen(one)
    else:
        yield value
