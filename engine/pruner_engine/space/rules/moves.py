"""Schedule rule: kernels that bring elements into another order (transposes, heads, windows)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise, product
from operator import add, floordiv, mod, mul, sub
from typing import TypeAlias

from tvm.ir import Expr
from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm.tirx import Add, BufferStore, FloorDiv, FloorMod, IntImm, IterVar, Mul, Sub, Var

from pruner_engine.lowering.loops.cases import chosen_along, run_along
from pruner_engine.lowering.nodes import loads_of, nodes_in
from pruner_engine.space.rules.nest import loops_of
from pruner_engine.space.rules.rule import Rule
from pruner_engine.space.rules.stages import close_root, take, untaken
from pruner_engine.targets.target import threads_of

_SHARES = 8  # iterations of the parallel loop for each thread, so that none waits long for another
_SMALL = 1 << 16  # bytes that are moved sooner than threads are woken
_STOCK_VECTOR = 64  # elements that TVM's postprocessing takes at a time, across the ends of rows
_RUN = 64  # most elements of a tile along the operand's rows
_SCATTERED = 32  # of them where each is written alone: 64 x 14 took four seconds to compile, 32 x 14 a quarter of one
_ROWS = 16  # and along the result's
_LOOKED_AT = 64  # values of a digit that its step is read from
_ARITHMETIC = {Add: add, Sub: sub, Mul: mul, FloorDiv: floordiv, FloorMod: mod}


@dataclass(frozen=True)
class _Access:
    """What is written or read, and the shape of its buffer."""

    indices: list[Expr]
    shape: list[int]

    def step(self, variable: Var, extent: int, weight: int) -> int | None:
        """Elements from each of a digit's values to the next, `weight` of the variable apart; None if not even."""
        total, stride = 0, 1
        for index, size in zip(reversed(self.indices), reversed(self.shape), strict=True):
            step = _step(index, variable, extent, weight)
            if step is None:
                return None
            total += step * stride
            stride *= size
        return total


@dataclass(frozen=True)
class _Digit:
    """A part of an axis along which every access moves by a constant.

    Attributes:
        extent: its values.
        steps: in elements, of the result and every operand; None where they are not even.
        cases: which operand an element comes from changes along it.
    """

    extent: int
    steps: tuple[int | None, ...]
    cases: bool = False

    def goes_on(self, inner: _Digit) -> bool:
        """Whether both are one walk, in every access."""
        return not self.cases and all(
            step is not None and of_inner is not None and step == of_inner * inner.extent
            for step, of_inner in zip(self.steps, inner.steps, strict=True)
        )


_Loops: TypeAlias = list[tuple[_Digit, LoopRV]]
_Form: TypeAlias = Callable[[Schedule, _Loops], list[LoopRV]]  # schedules what is inside, returns what threads share


class Moves(Rule):
    """Rule for transposes, reshapes and slices, and element-wise kernels whose operands lack axes of the result.

    Indices that mix axes (`i // 49`, `i % 49`) are taken apart into a loop for each digit, along which all that is left
    are constant steps. Where an operand lies in another order than the result, both are walked in tiles, whose vectors
    are either read or written at once.
    """

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        moved = sch.get(block)
        if not loops_of(sch, block) or moved.init is not None or sch.get_consumers(block):
            return [sch]
        if not isinstance(moved.body, BufferStore) or any(v.iter_type != IterVar.DataPar for v in moved.iter_vars):
            return [sch]
        *others, last = ((v.var, int(v.dom.extent)) for v in moved.iter_vars)
        run = run_along(moved.body, *last)
        # TVM's rules would move other stages into these loops, and fuse them once more
        if untaken(sch) != [moved.name_hint] or run < min(last[1], self.machine.least_lanes):
            return [sch]
        accesses = list(_accesses(moved.body))
        axes = [*(_digits(accesses, *axis) for axis in others), _digits(accesses, *last, run)]
        digits = [digit for axis in axes for digit in axis]
        if _plain(digits, axes) or run % math.prod(digit.extent for digit in axes[-1] if not digit.cases):
            return [sch]
        bits = moved.body.buffer.dtype.bits
        forms = self._forms(digits, self.machine.vector_bits // bits)
        if any(chosen_along(moved.body, axis) for axis, _ in others):
            forms = [form for form in forms if form is not _scattered]  # whose vectors might hold several cases
        small = math.prod(digit.extent for digit in digits) * bits // 8 <= _SMALL
        made = []
        for form, parallel in product(forms, (True, False) if small else (True,)):
            copy = sch.copy()
            shared = form(copy, _split(copy, block, axes))
            if parallel:
                copy.parallel(copy.fuse(*shared))
            take(copy, block)
            close_root(copy)
            made.append(copy)
        return made

    def _forms(self, digits: list[_Digit], lanes: int) -> list[_Form]:
        if _turned([digit for digit in digits if not digit.cases]) is None:
            return [partial(self._by_rows, lanes=lanes)]
        return [_gathered, _scattered] if digits[-1].extent >= self.machine.least_lanes else [_interleaved]

    def _by_rows(self, sch: Schedule, loops: _Loops, lanes: int) -> list[LoopRV]:
        *outer, (last, row) = loops
        while outer and last.extent % lanes and outer[-1][0].goes_on(last):
            before, loop = outer.pop()
            last, row = replace(last, extent=before.extent * last.extent), sch.fuse(loop, row)
        width = math.gcd(last.extent, lanes)
        if width >= self.machine.least_lanes and all(step in (0, 1) for step in last.steps):
            row, lane = sch.split(row, factors=[None, width])
            sch.vectorize(lane)
        enough = _SHARES * threads_of(self.machine.target)
        outer = [(digit, loop) for digit, loop in outer if not digit.cases]
        sizes = list(accumulate((digit.extent for digit, _ in outer), mul))
        count = next((n for n, size in enumerate(sizes, 1) if size >= enough), len(outer))
        return [loop for _, loop in outer[:count]] or [row]


def _gathered(sch: Schedule, loops: _Loops) -> list[LoopRV]:
    """Tiles whose rows are written at once."""
    outer, _, row = _tiled(sch, loops, _RUN)
    sch.vectorize(row)
    return outer


def _scattered(sch: Schedule, loops: _Loops) -> list[LoopRV]:
    """Tiles whose columns are read at once."""
    outer, column, row = _tiled(sch, loops, _SCATTERED)
    sch.reorder(row, column)
    sch.unroll(row)
    sch.vectorize(column)
    return outer


def _tiled(sch: Schedule, loops: _Loops, run: int) -> tuple[list[LoopRV], LoopRV, LoopRV]:
    """Loops around tiles; in a tile, along the operand's rows (`run` elements at most) and along the result's.

    One along which cases change is inside of those that threads share, so that it can be parted.
    """
    cases = [loop for digit, loop in loops if digit.cases]
    outer, turned, (_, last) = _apart([(digit, loop) for digit, loop in loops if not digit.cases])
    columns, column = sch.split(turned, factors=sch.sample_perfect_tile(turned, n=2, max_innermost_factor=run))
    rows, row = sch.split(last, factors=sch.sample_perfect_tile(last, n=2, max_innermost_factor=_ROWS))
    sch.reorder(*outer, columns, *cases, rows, column, row)
    return [*outer, columns, *([] if cases else [rows])], column, row


def _interleaved(sch: Schedule, loops: _Loops) -> list[LoopRV]:
    """Results of a few elements a row, which LLVM puts together from vectors of the operand's rows."""
    outer, turned, (_, last) = _apart(loops)
    columns, column = sch.split(turned, factors=sch.sample_perfect_tile(turned, n=2, max_innermost_factor=-1))
    sch.reorder(*outer, columns, column, last)
    return [*outer, columns]


def _apart(loops: _Loops) -> tuple[list[LoopRV], LoopRV, tuple[_Digit, LoopRV]]:
    """The loop along which an operand has its rows, the result's last digit, and all other loops."""
    at = _turned([digit for digit, _ in loops])
    assert at is not None
    return [loop for i, (_, loop) in enumerate(loops[:-1]) if i != at], loops[at][1], loops[-1]


def _turned(digits: list[_Digit]) -> int | None:
    """Which digit an operand has its rows along, where they are not the result's."""
    across = next((i for i, step in enumerate(digits[-1].steps) if step not in (0, 1)), None)
    if across is None:
        return None
    return next((i for i, digit in enumerate(digits[:-1]) if digit.steps[across] == 1 and digit.extent > 1), None)


def _plain(digits: list[_Digit], axes: list[list[_Digit]]) -> bool:
    """Whether TVM's postprocessing, which makes one loop of all axes, walks every operand as it lies."""
    longer = [digit for digit in digits if digit.extent > 1]
    if all(outer.goes_on(inner) for outer, inner in pairwise(longer)):
        return True
    last = digits[-1]
    whole = last.extent % _STOCK_VECTOR == 0 and all(step in (0, 1) for step in last.steps)
    return whole and all(len(axis) == 1 for axis in axes)


def _split(sch: Schedule, block: SBlockRV, axes: list[list[_Digit]]) -> _Loops:
    """A loop for each digit."""
    made: _Loops = []
    for loop, axis in zip(sch.get_loops(block), axes, strict=True):
        parts = sch.split(loop, factors=[digit.extent for digit in axis]) if len(axis) > 1 else [loop]
        made += zip(axis, parts, strict=True)
    return made


def _digits(accesses: list[_Access], variable: Var, extent: int, run: int | None = None) -> list[_Digit]:
    """The digits of an axis, outermost first: it is cut where quotients and remainders change.

    Args:
        run: elements of one case, as `run_along` finds them; all where it is not given.
    """
    found = set[int]() if run is None else {run}
    indices = (index for access in accesses for index in access.indices)
    for node in (node for index in indices for node in nodes_in(index, FloorDiv, FloorMod)):
        step = _step(node.a, variable, extent, 1)
        if step and isinstance(node.b, IntImm) and int(node.b) % step == 0:
            found.add(int(node.b) // step)
    cuts = [1]
    for cut in sorted(found):
        if 1 < cut < extent and extent % cut == 0 and cut % cuts[-1] == 0:
            cuts.append(cut)
    made: list[_Digit] = []
    for weight, above in reversed(list(pairwise([*cuts, extent]))):
        steps = tuple(access.step(variable, above // weight, weight) for access in accesses)
        digit = _Digit(above // weight, steps, cases=run is not None and above > run)
        if made and made[-1].goes_on(digit):
            digit = replace(digit, extent=made.pop().extent * digit.extent)
        made.append(digit)
    return made


def _accesses(store: BufferStore) -> Iterator[_Access]:
    """The store, and every load of what it stores."""
    yield _Access(list(store.indices), [int(n) for n in store.buffer.shape])
    for load in loads_of(store.value):
        yield _Access(list(load.indices), [int(n) for n in load.source.shape])


def _step(index: Expr, variable: Var, extent: int, weight: int) -> int | None:
    """By how much an index grows from each of a digit's values to the next, all else being 0; None if not evenly."""
    try:
        values = [_value(index, variable, weight * digit) for digit in range(min(extent, _LOOKED_AT))]
    except ValueError:
        return None
    steps = {after - before for before, after in pairwise(values)} or {0}
    return steps.pop() if len(steps) == 1 else None


def _value(index: Expr, variable: Var, value: int) -> int:
    if isinstance(index, IntImm):
        return int(index)
    if isinstance(index, Var):
        return value if index.same_as(variable) else 0
    operation = next((of for kind, of in _ARITHMETIC.items() if isinstance(index, kind)), None)
    if operation is None:
        raise ValueError("not of sums, products and quotients")
    return operation(_value(index.a, variable, value), _value(index.b, variable, value))
