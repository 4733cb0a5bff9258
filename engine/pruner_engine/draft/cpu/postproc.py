"""MetaSchedule's postprocessing of a nest on a CPU: which loops run in parallel, in vectors and unrolled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pruner_engine.draft.formulas.columns import Value, ceil_div, equal, maximum, minimum, product, where
from pruner_engine.draft.nests.footprint import Touch, homes, touches
from pruner_engine.draft.nests.nest import Block, Buffer, Loop, all_loops, blocks_under, data_parallel

_HOISTED = 128  # statements that LLVM unrolls and so can move out of a loop that does not change them
_SHORT = 16  # iterations of a loop that LLVM unrolls unasked
_INTERLEAVED = 4  # elements apart up to which LLVM loads whole vectors
_MASKED = 16  # iterations below which it leaves none for a scalar loop, but masks lanes
_HAS_MASKS = 8  # lanes: instruction sets with shorter vectors mask none
_VECTOR_DEPTH = 3  # inner loops that are considered for fusing into a vector


@dataclass(frozen=True, eq=False)
class ScheduledBlock:
    """A block as postprocessing leaves it.

    Attributes:
        source: the block before.
        loops: the loops around it, outermost first; those that are fused into one parallel or vector loop stand singly.
        touches: its buffers.
        parallel: iterations that are spread over the cores; 1 where the nest runs on one core.
        vector: elements that the vectorised loop handles at a time; 1 where no loop is vectorised.
        shuffled: 1 where TVM makes the vector itself, of whole loads where its elements lie apart; else LLVM does.
        unroll: statements up to which TVM unrolls; 0 for a purely spatial block.
        tail: the loops inside the last reduction loop: one step of the reduction updates all results that they span.
        registers: by buffer that the function itself allocates: 1 where LLVM keeps it in registers, else 0.
    """

    source: Block
    loops: list[Loop]
    touches: list[Touch]
    parallel: Value
    vector: Value
    shuffled: Value
    unroll: Value
    tail: list[Loop]
    registers: dict[Buffer, Value]

    @property
    def around(self) -> list[Loop]:
        """The loops outside the tail."""
        return self.loops[: len(self.loops) - len(self.tail)]

    def moves_results(self, loop: Loop) -> bool:
        """Whether the loop's variable is in the indices of what is written."""
        return any(touch.written and touch.indexed_by(loop) for touch in self.touches)

    @property
    def straight(self) -> bool:
        """Whether the trace itself unrolls all of the tail."""
        return all(loop.kind in ("unrolled", "vectorized") for loop in self.tail)

    @property
    def accumulates(self) -> bool:
        """Whether a step adds to results that stay for the next one."""
        return bool(self.tail) and not self.source.spatial

    @property
    def iterations(self) -> Value:
        """Executions, less those that repeat what a loop does not change: LLVM moves them out of it."""
        total = self.source.useful
        inside: Value = 1
        for loop in reversed(self.loops):
            work = loop.extent
            if not any(touch.indexed_by(loop) for touch in self.touches):
                work = where(inside <= _HOISTED, 1, work)
            else:
                inside = inside * loop.extent
            total = total * work
        return total


def postprocessed(root: Block, lanes: int) -> list[ScheduledBlock]:
    """RewriteParallelVectorizeUnroll on every block of the root.

    A block's loops are fused from outside into a parallel loop until that has more iterations than asked for, and from
    inside into a vector as long as all accesses stay contiguous.
    """
    width = int(root.annotations.get("meta_schedule.vectorize", 1))
    jobs = int(root.annotations.get("meta_schedule.parallel", 1))
    unroll: Value = root.annotations.get("meta_schedule.unroll_explicit", 0)
    where_from = homes(root)
    registers = _registers(root, where_from, unroll)
    made = []
    for block in blocks_under(root):
        loops, used = all_loops(block), touches(block, where_from)
        parallel, vector = _spread(loops, used, jobs, width)
        own = _unconditional(loops, used, vector)
        if block.spatial:
            vector = _lanes_of_spatial(loops, used, vector, registers, unroll, lanes_of(block, lanes))
        else:
            straight = where(vector > 1, 1, _straight_lanes(loops, used, unroll, lanes_of(block, lanes)))
            vector = maximum(own, straight)
        last = max((i for i, loop in enumerate(loops) if not data_parallel(loop)), default=-1)
        tail = [] if last < 0 else loops[last + 1 :]
        unrolled = 0 if block.spatial else unroll
        made.append(ScheduledBlock(block, loops, used, parallel, vector, own > 1, unrolled, tail, registers))
    return made


def lanes_of(block: Block, lanes: int) -> int:
    """Results of a block that fill a vector register of so many float32 numbers; shorter ones are widened meanwhile."""
    size = min(store.write.buffer.dtype_bytes for store in block.stores)
    return max(1, lanes * 4 // max(4, size))


def _spread(loops: Sequence[Loop], used: Sequence[Touch], jobs: int, width: int) -> tuple[Value, Value]:
    """Iterations of a block that its loops spread over the cores, and those that they make a vector of."""
    if any(loop.kind != "serial" for loop in loops):
        # loops that the trace itself vectorises are fused with those around them, which makes as many vectors
        _, lanes_of = _vector(loops, used, width)
        parallel = _parallel(loops, jobs, lanes_of) if jobs > 1 else _product(loops, "parallel")
        return parallel, _product(loops, "vectorized")
    if _all_contiguous(loops, used):
        # everything is fused, split by the vector's width, and spread
        total = product(loop.extent for loop in loops)
        vector = minimum(total, width)
        return ceil_div(total, vector) if jobs > 1 else 1, vector
    vector, lanes_of = _vector(loops, used, width)
    return _parallel(loops, jobs, lanes_of), vector


def _lanes_of_spatial(
    loops: Sequence[Loop],
    used: Sequence[Touch],
    vector: Value,
    registers: Mapping[Buffer, Value],
    unroll: Value,
    lanes: int,
) -> Value:
    """Elements that LLVM lets a purely spatial block handle at a time, whose loops make `vector` of them a vector."""
    if loops and all(touch.stride(loops[-1]) in (0, 1) for touch in used):
        vector = maximum(vector, minimum(loops[-1].extent, lanes))
    for touch in used if loops else ():
        # a branch for every element, unless the loop's own bounds settle what is padding
        vector = where(touch.padded_by(loops[-1], settled=True), 1, vector)
    for touch in used:
        if touch.written and touch.buffer in registers:
            around = _straight_lanes(loops, [other for other in used if other is not touch], unroll, lanes)
            vector = where(registers[touch.buffer], around, vector)
    return vector


def _unconditional(loops: Sequence[Loop], used: Sequence[Touch], vector: Value) -> Value:
    """A vector that TVM made of the inner loops: where they take a read past an end under a condition, it undoes it."""
    inside: Value = 1
    for loop in reversed(loops[-_VECTOR_DEPTH:]):
        for touch in used:
            vector = where((inside < vector) * touch.padded_by(loop), 1, vector)
        inside = inside * loop.extent
    return vector


def _registers(root: Block, where_from: Mapping[Buffer, frozenset[Loop]], unroll: Value) -> dict[Buffer, Value]:
    """Per buffer of the function's own 1 where TVM unrolls all that happens to it while it holds the same elements.

    Then no index into it varies, and LLVM makes a value of every element.
    """
    found: dict[Buffer, Value] = {}
    for block in blocks_under(root):
        loops = all_loops(block)
        for buffer in {access.buffer for store in block.stores for access in store.accesses}:
            if where_from.get(buffer):
                inside = product(loop.extent for loop in loops if loop not in where_from[buffer])
                found[buffer] = found.get(buffer, 1) * (inside <= unroll)
    return found


def _product(loops: Sequence[Loop], kind: str) -> Value:
    return product(loop.extent for loop in loops if loop.kind == kind)


def _parallel(loops: Sequence[Loop], jobs: int, vectorised: Mapping[Loop, Value]) -> Value:
    """Iterations of the outer loops up to more than `jobs`, less those loops that make the vector."""
    iterations: Value = 1
    open_: Value = int(jobs > 1)
    for loop in loops:
        if not data_parallel(loop) or loop.annotations:
            break
        if loop in vectorised:
            open_ = where(vectorised[loop], 0, open_)
        iterations = where(open_, iterations * loop.extent, iterations)
        open_ = where(iterations > jobs, 0, open_)
        if len(loop.children) > 1:
            break
    return iterations


def _vector(loops: Sequence[Loop], used: Sequence[Touch], width: int) -> tuple[Value, dict[Loop, Value]]:
    """Iterations of the inner loops up to `width`, and per loop 1 where it is one of them."""
    vector: Value = 1
    taken: dict[Loop, Value] = {}
    open_: Value = int(width > 1)
    inner: list[Loop] = []
    for loop in reversed(loops[-_VECTOR_DEPTH:]):
        if not data_parallel(loop) or len(loop.children) > 1:
            break
        for touch in used:
            open_ = where(_fusible(touch, loop, inner), open_, 0)
        longer = vector * loop.extent
        open_ = where(longer > width, 0, open_)
        vector = where(open_, longer, vector)
        taken[loop] = open_
        inner.append(loop)
    return vector, taken


def _straight_lanes(loops: Sequence[Loop], used: Sequence[Touch], unroll: Value, lanes: int) -> Value:
    """Lanes that LLVM gives a loop around a reduction which is unrolled as a whole: its body is straight code.

    Elements a few apart are loaded with those between them, and sorted out; stored they are where all between them are.
    A short loop that cannot be a vector is unrolled too, and the next one outside tried. Reads under a condition that
    the loop decides leave branches in the body, one for each: it stays scalar.
    """
    written = any(touch.written for touch in used)
    inside: Value = 1
    vector: Value = 1
    open_: Value = 1
    filled: Value = 1  # elements of the result that lie together in one execution of the body
    for loop in reversed(loops):
        if not data_parallel(loop):
            inside = inside * loop.extent
            continue
        apart: Value = 1
        for touch in used:
            apart = maximum(apart, touch.stride(loop))
        in_place = product(equal(touch.stride(loop), filled) for touch in used if touch.written)
        straight = inside <= maximum(unroll, _SHORT)
        for touch in used if written else ():
            straight = straight * (1 - touch.padded_by(loop))
        here = open_ * (loop.extent > 1) * in_place * straight * (apart <= _INTERLEAVED)
        vector = where(here, _in_vectors(loop.extent, apart, lanes), vector)
        inside = inside * loop.extent
        filled = where(in_place, filled * loop.extent, filled)
        open_ = where(loop.extent > 1, where(here, 0, open_ * (inside <= maximum(unroll, _SHORT))), open_)
    return vector


def _in_vectors(extent: Value, apart: Value, lanes: int) -> Value:
    """Elements that a step of a loop handles, in the mean, which LLVM makes a vector of by itself.

    It takes the width that leads to the fewest steps, those included that are left over and done one by one: 31
    iterations are seven vectors of four and three single ones. A short loop's last vector is masked instead.

    Args:
        apart: elements from one to the next in what is loaded: so many vectors are loaded for one.
    """
    found: Value = 1
    for width in (lanes, max(lanes // 2, 1), max(lanes // 4, 1)):
        whole = ceil_div(extent - width + 1, width)
        found = maximum(found, extent / (whole * apart + extent - width * whole))
    masked = extent / ceil_div(extent, lanes) / apart
    return maximum(1, where(extent < _MASKED, masked, found)) if lanes >= _HAS_MASKS else found


def _fusible(touch: Touch, loop: Loop, inner: Sequence[Loop]) -> Value:
    """Whether an access stays contiguous (or does not move) when the loop is fused with those inside it."""
    stride = touch.stride(loop)
    expected: Value = 0
    for other in inner:
        expected = maximum(expected, touch.stride(other) * other.extent)
    if not inner:
        return 1
    if isinstance(expected, int) and expected == 0:
        expected = 1
    return maximum(equal(stride, 0), equal(stride, expected))


def _all_contiguous(loops: Sequence[Loop], used: Sequence[Touch]) -> bool:
    """Element-wise nests of one block, where that does not depend on decisions."""
    inner: list[Loop] = []
    for loop in reversed(loops):
        if not data_parallel(loop) or len(loop.children) > 1 or any(_fusible(t, loop, inner) != 1 for t in used):
            return False
        inner.append(loop)
    return bool(loops)
