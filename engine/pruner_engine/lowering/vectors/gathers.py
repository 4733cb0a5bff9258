"""Vectors whose elements lie a few apart in memory, read as whole vectors that are shuffled.

TVM reads such elements one after the other and puts each into its lane: those of a convolution with stride 2, channels
first, or of several groups of a grouped one, channels last. Two loads and a shuffle take their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import tvm_ffi
from tvm import DataType, IRModule
from tvm.ir import Expr, TensorLoad
from tvm.sym import Analyzer
from tvm.tirx import (
    Add,
    Bind,
    Broadcast,
    BufferLoad,
    FloorDiv,
    FloorMod,
    IntImm,
    Mul,
    PrimFunc,
    Ramp,
    Shuffle,
    Sub,
    Var,
)

from pruner_engine.lowering.nodes import each_function, nodes_in
from pruner_engine.lowering.vectors.indices import is_row, lanes_of

APART = 4  # how far apart neighbours may lie, in the mean
_REGISTER = 64  # bytes: of the widest vectors that there are


def in_whole_loads(mod: IRModule) -> IRModule:
    """The lowered module, for a CPU, with a shuffle of whole vectors for each vector whose elements lie close together.

    No element is read beyond the first and the last of the vector.
    """
    return each_function(mod, _in_whole_loads)


def _in_whole_loads(function: PrimFunc) -> PrimFunc:
    places = _Places({one.var: one.value for one in nodes_in(function.body, Bind) if lanes_of(one.value) > 1})

    def whole(load: TensorLoad) -> Expr:
        index = load.indices[0]
        if lanes_of(index) == 1 or is_row(index) or DataType(load.source.dtype).lanes > 1:
            return load
        place = places.of(index)
        shuffled = _shuffled(load.source, place) if place is not None else None
        return load if shuffled is None else shuffled

    return tvm_ffi.structural_map(function, (TensorLoad, whole))


@dataclass(frozen=True)
class _Place:
    """Where the elements of a vector lie.

    Attributes:
        first: index of the first.
        apart: by lane, how far behind the first.
    """

    first: Expr
    apart: Sequence[int]


class _Places:
    """Reads places off vectors of indices.

    Args:
        bound: what variables stand for.
    """

    def __init__(self, bound: Mapping[Var, Expr]) -> None:
        self._bound = bound
        self._known: dict[Var, _Place | None] = {}
        self._analyzer = Analyzer()

    def of(self, index: Expr) -> _Place | None:
        """None where how far apart the elements lie differs from one time to another."""
        lanes = lanes_of(index)
        if lanes == 1:
            return _Place(index, (0,))
        if isinstance(index, Broadcast):
            return _Place(index.value, (0,) * lanes)
        if isinstance(index, Ramp) and isinstance(index.stride, IntImm):
            return _Place(index.base, [int(index.stride) * lane for lane in range(lanes)])
        if isinstance(index, Var) and index in self._bound:
            if index not in self._known:
                self._known[index] = self.of(self._bound[index])
            return self._known[index]
        return self._combined(index) if isinstance(index, Add | Sub | Mul | FloorDiv | FloorMod) else None

    def _combined(self, index: Add | Sub | Mul | FloorDiv | FloorMod) -> _Place | None:
        left, right = self.of(index.a), self.of(index.b)
        if left is None or right is None:
            return None
        if isinstance(index, Add):
            return _Place(left.first + right.first, [a + b for a, b in zip(left.apart, right.apart, strict=True)])
        operation = type(index)
        lanes = zip(left.apart, right.apart, strict=True)
        each = [operation(left.first + a, right.first + b) for a, b in lanes]
        apart = [self._analyzer.simplify(one - each[0]) for one in each]
        if not all(isinstance(one, IntImm) for one in apart):
            return None
        return _Place(each[0], [int(one) for one in apart])


def _shuffled(source: Var, place: _Place) -> Expr | None:
    """The elements out of whole vectors; None where they are one or neighbours, or too far apart."""
    lanes, least = len(place.apart), min(place.apart)
    span = max(place.apart) - least + 1
    if span == 1 or span > APART * lanes or list(place.apart) == list(range(lanes)):
        return None
    most = _REGISTER * 8 // DataType(source.dtype).bits
    width = 1 << (min(span, 2 * lanes - 1, most).bit_length() - 1)
    starts = [min(start, span - width) for start in range(0, span, width)]
    vectors = [BufferLoad(source, [Ramp(place.first + (least + start), 1, width)]) for start in starts]
    vectors += vectors[:1] * (-(-lanes // width) - len(vectors))  # TVM wants no fewer elements than there are lanes
    reached = [apart - least for apart in place.apart]
    lane_of = [one // width * width + one - starts[one // width] for one in reached]
    return Shuffle(vectors, [IntImm("int32", lane) for lane in lane_of])
