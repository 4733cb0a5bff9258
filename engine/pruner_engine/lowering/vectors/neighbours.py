"""Vectors of neighbours that TVM does not see to be such, for a GPU.

Where the threads of a block fetch a tile in one go, and a vector lies within a row of it but across rows of its inner
dimensions, TVM takes the outer digit of its index out and leaves the inner ones: `x % 144 // 9 * 9 + x % 9`. Each
element then has an index of its own and is fetched alone, and CUDA has no vector of more than four indices. What such
an index is for every thread tells that it is `x % 144`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import reduce

import numpy as np
import tvm_ffi
from tvm import IRModule
from tvm.ir import Expr, TensorLoad
from tvm.sym import Analyzer
from tvm.tirx import (
    Add,
    AttrStmt,
    Bind,
    Broadcast,
    BufferLoad,
    BufferStore,
    Evaluate,
    For,
    IntImm,
    PrimFunc,
    Ramp,
    Stmt,
    Var,
)
from tvm.tirx.analysis import undefined_vars

from pruner_engine.lowering.index_values import value_of
from pruner_engine.lowering.nodes import each_function, nodes_in
from pruner_engine.lowering.vectors.indices import is_row, lanes_of

_THREADS = "thread_extent"
_MOST_VALUES = 1 << 16  # of all variables of an index together
_NOTHING = Evaluate(IntImm("int32", 0))


def in_rows(mod: IRModule) -> IRModule:
    """A GPU's lowered kernels, each vector of neighbours with an index that says so."""
    return each_function(mod, _in_rows)


def _in_rows(function: PrimFunc) -> PrimFunc:
    if function.attrs["target"].kind.name != "cuda":
        return function
    indices = _Indices(function)

    def load(node: TensorLoad) -> Expr:
        found = indices.row(node.indices[0])
        return node if found is None else BufferLoad(node.source, [found])

    def store(node: BufferStore) -> BufferStore:
        found = indices.row(node.indices[0])
        return node if found is None else BufferStore(node.buffer, node.value, [found])

    changed = tvm_ffi.structural_map(tvm_ffi.structural_map(function, (TensorLoad, load)), (BufferStore, store))
    return _without_idle_names(changed) if indices.found else function


def _without_idle_names(function: PrimFunc) -> PrimFunc:
    """Without the vectors that nothing reads any more: CUDA may have no type for them."""
    while True:
        read = {*nodes_in(tvm_ffi.structural_map(function.body, (Bind, lambda bind: Evaluate(bind.value))), Var)}
        vectors = {bind.var for bind in nodes_in(function.body, Bind) if lanes_of(bind.value) > 1}
        if vectors <= read:
            return function
        kept = read | {bind.var for bind in nodes_in(function.body, Bind)} - vectors

        def named(bind: Bind) -> Stmt:
            return bind if bind.var in kept else _NOTHING  # noqa: B023

        function = tvm_ffi.structural_map(function, (Bind, named))


class _Indices:
    """The indices of a kernel's vectors.

    Attributes:
        found: whether any has got a plainer form.
    """

    def __init__(self, function: PrimFunc) -> None:
        self._bound: dict[Var, Expr] = {one.var: one.value for one in nodes_in(function.body, Bind)}
        self._extents: dict[Var, int] = {
            one.node.var: int(one.value)
            for one in nodes_in(function.body, AttrStmt)
            if one.attr_key == _THREADS and isinstance(one.value, IntImm)
        }
        for loop in nodes_in(function.body, For):
            if isinstance(loop.extent, IntImm) and isinstance(loop.min, IntImm) and not int(loop.min):
                self._extents[loop.loop_var] = int(loop.extent)
        self._analyzer = Analyzer()
        self.found = False

    def row(self, index: Expr) -> Ramp | None:
        """The index of neighbours in its plain form; None where it is plain already, or they are none."""
        if lanes_of(index) == 1 or is_row(index):
            return None
        terms = list(_terms(self._whole(index)))
        alike = [term.value for term in terms if isinstance(term, Broadcast)]
        apart = [term for term in terms if not isinstance(term, Broadcast)]
        same = self._same_row(reduce(Add, apart)) if apart else None
        if same is None:
            return None
        self.found = True
        return Ramp(self._analyzer.simplify(reduce(Add, alike, same.base)), 1, lanes_of(index))

    def _same_row(self, index: Expr) -> Ramp | None:
        """A row in the index that has the same numbers as all of it."""
        values = self._values(index)
        if values is None:
            return None
        numbers = value_of(index, values)
        rows = (one for one in nodes_in(index, Ramp) if is_row(one))
        return next((one for one in rows if (value_of(one, values) == numbers).all()), None)

    def _whole(self, index: Expr) -> Expr:
        """With what stands behind names."""

        def meant(used: Var) -> Expr:
            return self._whole(self._bound[used]) if used in self._bound else used

        return tvm_ffi.structural_map(index, (Var, meant))

    def _values(self, index: Expr) -> Mapping[Var, np.ndarray] | None:
        """All that its variables can be together; None where that is unknown, or too much."""
        variables = list(undefined_vars(index))
        if any(variable not in self._extents for variable in variables):
            return None
        extents = [self._extents[variable] for variable in variables]
        if math.prod(extents) > _MOST_VALUES:
            return None
        return dict(zip(variables, (one.ravel() for one in np.indices(extents)), strict=True))


def _terms(index: Expr) -> Iterator[Expr]:
    if isinstance(index, Add):
        yield from _terms(index.a)
        yield from _terms(index.b)
    else:
        yield index
