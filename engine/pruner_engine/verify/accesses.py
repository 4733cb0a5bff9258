"""Reads scheduled TIR into loop nests with the reach of every buffer access along every loop.

The reach (span) of an index along a loop is how far it moves while only that loop runs. Schedules make indices sums of
terms of one loop each (a fused loop's quotients and remainders included), so that spans add up: the footprint of an
access under a set of loops is the product over dimensions of 1 plus the sum of the spans.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import tvm
from tvm import tirx
from tvm.ir.expr import Call, Var
from tvm.ir.prim import expr as prim
from tvm.s_tir import SBlockRealize

from pruner_engine.lowering.index_values import value_of

_ZERO = np.zeros((), np.int64)  # of a gather's index, which the data decides: no reach that could be known
_ARITHMETIC = (prim.Add, prim.Sub, prim.Mul, prim.Div, prim.Min, prim.Max)


@dataclass(frozen=True, eq=False)
class Access:
    """A buffer that a block reads or writes.

    Attributes:
        name, scope, itemsize, shape: of the buffer.
        read, write: what the block does with it.
        spans: per loop and dimension how far the index moves, int64[loops, dimensions].
        window: elements that one instance of the block touches per dimension, int64[dimensions].
        stride: elements between two consecutive iterations of the innermost loop that runs more than once.
    """

    name: str
    scope: str
    itemsize: int
    shape: tuple[int, ...]
    read: bool
    write: bool
    spans: np.ndarray
    window: np.ndarray
    stride: int

    @property
    def size(self) -> int:
        """Bytes of the whole buffer."""
        return math.prod(self.shape) * self.itemsize

    @cached_property
    def moves(self) -> list[bool]:
        """Per loop whether the access moves with it."""
        return [bool(span.any()) for span in self.spans]

    @cached_property
    def reaches(self) -> list[list[int]]:
        """Per depth and dimension how many elements all loops from there inwards reach."""
        still = np.zeros((1, len(self.shape)), np.int64)
        inwards = np.concatenate([self.spans[::-1].cumsum(axis=0)[::-1], still])
        found: list[list[int]] = (inwards + self.window).tolist()
        return found

    @cached_property
    def _footprints(self) -> list[int]:
        return [math.prod(reach) for reach in self.reaches]

    def footprint(self, depth: int) -> int:
        """Distinct elements touched by all loops from `depth` inwards."""
        return self._footprints[depth]


@dataclass(frozen=True, eq=False)
class Statement:
    """An innermost block under its loops, outermost first; thread tags are "" for ordinary loops."""

    extents: tuple[int, ...]
    tags: tuple[str, ...]
    flops: float
    accesses: tuple[Access, ...]


@dataclass(frozen=True, eq=False)
class _Leaf:
    loops: tuple[tirx.For, ...]
    realizes: tuple[SBlockRealize, ...]


@dataclass
class _Use:
    """What a block does with a buffer; of several regions the first stands for all."""

    region: Sequence[tvm.ir.Range]
    read: bool = False
    write: bool = False


@dataclass(frozen=True)
class _Nest:
    """Values of loop and block variables at the points, the points of each loop, the innermost loop that moves."""

    env: dict[Var, np.ndarray]
    slices: list[slice]
    innermost: int | None


def read_statements(mod: tvm.IRModule) -> list[Statement]:
    """The innermost blocks of "main" that move data, in program order."""
    leaves = _leaves(mod["main"].body, (), ())
    statements = (_statement(leaf) for leaf in leaves)
    return [statement for statement in statements if any(access.read for access in statement.accesses)]


def _leaves(stmt: tvm.ir.Stmt, loops: tuple, realizes: tuple) -> Iterator[_Leaf]:
    if isinstance(stmt, tirx.For):
        yield from _leaves(stmt.body, (*loops, stmt), realizes)
    elif isinstance(stmt, tirx.SeqStmt):
        for part in stmt.seq:
            yield from _leaves(part, loops, realizes)
    elif isinstance(stmt, SBlockRealize):
        below = list(_leaves(stmt.block.body, loops, (*realizes, stmt)))
        if below:
            yield from below
        elif len(realizes) > 0 or stmt.block.writes:
            yield _Leaf(loops, (*realizes, stmt))


def _points(extents: list[int]) -> tuple[np.ndarray, list[slice]]:
    """Values of all loop variables, int64[loops, points]; loop l alone moves within its slice of the points."""
    ranges = []
    for extent in extents:
        if extent <= 192:
            ranges.append(np.arange(extent))
        else:  # both ends closely, where remainders turn over, and the middle loosely
            middle = np.linspace(64, extent - 65, 64).astype(np.int64)
            ranges.append(np.concatenate([np.arange(64), middle, np.arange(extent - 64, extent)]))
    total = sum(len(values) for values in ranges)
    points = np.zeros((len(extents), max(total, 1)), np.int64)
    slices, start = [], 0
    for loop, values in enumerate(ranges):
        slices.append(slice(start, start + len(values)))
        points[loop, start : start + len(values)] = values
        start += len(values)
    return points, slices


def _statement(leaf: _Leaf) -> Statement:
    tags = tuple(loop.thread_binding.thread_tag if loop.thread_binding is not None else "" for loop in leaf.loops)
    # a cooperative fetch binds again the threads that it stands under: they run once
    bound_again = [tag != "" and tag in tags[i + 1 :] for i, tag in enumerate(tags)]
    extents = [1 if again else int(loop.extent) for loop, again in zip(leaf.loops, bound_again, strict=True)]
    points, slices = _points(extents)
    env = {loop.loop_var: points[i] for i, loop in enumerate(leaf.loops)}
    for realize in leaf.realizes:
        for var, value in zip(realize.block.iter_vars, realize.iter_values, strict=True):
            env[var.var] = value_of(value, env, _ZERO)
    block = leaf.realizes[-1].block
    uses: dict[Var, _Use] = {}
    for region in block.reads:
        uses.setdefault(region.source, _Use(region.region)).read = True
    for region in block.writes:
        uses.setdefault(region.source, _Use(region.region)).write = True
    innermost = next((i for i in reversed(range(len(extents))) if extents[i] > 1), None)
    nest = _Nest(env, slices, innermost)
    accesses = tuple(_access(buffer, use, nest) for buffer, use in uses.items())
    intrinsic = isinstance(block.body, tirx.Evaluate) and len(accesses) == 3
    operations = _intrinsic_operations(accesses) if intrinsic else _operations(block.body)
    flops = operations * math.prod(map(float, extents))
    return Statement(tuple(extents), tags, flops, accesses)


def _access(buffer: Var, use: _Use, nest: _Nest) -> Access:
    shape = [int(extent) for extent in buffer.shape]
    pitches = np.cumprod([1, *shape[:0:-1]])[::-1]  # row-major
    spans = np.zeros((len(nest.slices), len(shape)), np.int64)
    starts = [part.start for part in nest.slices]
    stride = 0
    for dim, bounds in enumerate(use.region):
        index = value_of(bounds.min, nest.env, _ZERO)
        if np.ndim(index) == 0:
            continue
        spans[:, dim] = np.maximum.reduceat(index, starts) - np.minimum.reduceat(index, starts)
        if nest.innermost is not None:
            start = nest.slices[nest.innermost].start
            stride += int(index[start + 1] - index[start]) * int(pitches[dim])
    window = np.array([int(np.max(value_of(bounds.extent, nest.env, _ZERO))) for bounds in use.region], np.int64)
    itemsize = max(tvm.DataType(buffer.dtype).bits // 8, 1)
    return Access(buffer.name, buffer.scope(), itemsize, tuple(shape), use.read, use.write, spans, window, abs(stride))


def _operations(body: tvm.ir.Stmt) -> int:
    """Arithmetic operations and calls on the stored values of one instance of a block; indices do not count."""
    if isinstance(body, tirx.BufferStore):
        return _value_operations(body.value)
    if isinstance(body, tirx.SeqStmt):
        return sum(_operations(part) for part in body.seq)
    if isinstance(body, tirx.For):
        return int(body.extent) * _operations(body.body)
    if isinstance(body, tirx.IfThenElse):
        return _operations(body.then_case)
    return 0


def _value_operations(value: tvm.ir.PrimExpr) -> int:
    if isinstance(value, _ARITHMETIC):
        return 1 + _value_operations(value.a) + _value_operations(value.b)
    if isinstance(value, Call):
        return 1 + sum(_value_operations(arg) for arg in value.args)
    if isinstance(value, prim.Cast):
        return _value_operations(value.value)
    if isinstance(value, prim.Select):
        return 1 + _value_operations(value.true_value) + _value_operations(value.false_value)
    return 0


def _intrinsic_operations(accesses: tuple[Access, ...]) -> float:
    """Of a tensorised matrix product: the operands' tiles m·k, k·n and m·n multiply to (m·n·k)²."""
    return 2.0 * math.sqrt(math.prod(math.prod(access.window.tolist()) for access in accesses))
