"""What a kernel's statements share on a GPU: blocks and threads, shared memory, and whether TVM takes it at all.

Limits are those of TVM's VerifyGPUCode, and of what TVM's lowering makes of threads, fetches and pipelines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate
from operator import mul

from pruner_engine.draft.formulas.columns import (
    Value,
    all_of,
    any_of,
    ceil_div,
    divides,
    equal,
    floor_div,
    maximum,
    minimum,
    product,
    where,
)
from pruner_engine.draft.gpu.shared import shared_bytes
from pruner_engine.draft.gpu.straddling import can_be_synchronised, lie_together
from pruner_engine.draft.nests.footprint import Touch, touches
from pruner_engine.draft.nests.index import Atom
from pruner_engine.draft.nests.nest import HALVES, Block, Loop, Node, all_loops, blocks_under, data_parallel
from pruner_engine.targets.profile import GpuLimits

FETCH = "meta_schedule.cooperative_fetch"
_MAX_VECTOR_BYTES = 16
_INDEX_BYTES = 4
_ACROSS, _AROUND_OWN_SUM = 2, 3  # statements of a sum across threads; those beside its sum within a thread
_UNBOUND_THREADS = 256  # RewriteUnboundBlock draws 32 to 1024


class Launch:
    """One launch: the threads that its statements share, and whether the device can run it.

    Args:
        node: child of the root that becomes the kernel.
        processors: multiprocessors of the device.
        unroll: iterations up to which TVM unrolls loops.

    Attributes:
        bound: whether the schedule itself binds loops to threads; else TVM's postprocessing does.
        grid, threads, vthreads: blocks of the grid, threads of a block, virtual threads of a thread.
        shared_bytes: shared memory of a block.
        busy: share of the multiprocessors that have a block while others have one more to do.
        waves: of as many blocks as the device holds at a time.
        warps: on a busy multiprocessor.
        valid: 1 where the device can run it and TVM can lower it.
    """

    def __init__(self, node: Node, limits: GpuLimits, processors: int, unroll: Value) -> None:
        self.node = node
        leaves = list(blocks_under(node))
        paths = [all_loops(b) for b in leaves]
        self.bound = any(loop.thread for path in paths for loop in path)
        self.grid, self.threads, self.vthreads = (_widest(paths, kind) for kind in ("blockIdx", "threadIdx", "vthread"))
        if any("warp_execution" in b.annotations for b in _blocks(node)):
            self.threads = self.threads * limits.warp_size
        if not self.bound:
            spatial = maximum(1, product(i.extent for i in leaves[-1].iters if i.spatial))
            self.threads = minimum(_UNBOUND_THREADS, spatial)
            self.grid = ceil_div(spatial, self.threads)
        self.shared_bytes = shared_bytes(leaves)
        resident = minimum(
            floor_div(limits.max_threads_sm, self.threads),
            floor_div(limits.shared_memory_sm, maximum(self.shared_bytes + limits.shared_memory_reserved, 1)),
        )
        resident = maximum(minimum(resident, limits.max_blocks_sm), 1)
        self.busy = self.grid / (ceil_div(self.grid, processors) * processors)
        self.waves = ceil_div(self.grid, processors * resident)
        self.warps = minimum(resident, maximum(1, self.grid / processors)) * ceil_div(self.threads, limits.warp_size)
        self.valid = all_of(self._conditions(leaves, paths, limits, unroll))

    def _conditions(
        self, leaves: Sequence[Block], paths: Sequence[Sequence[Loop]], limits: GpuLimits, unroll: Value
    ) -> Iterator[Value]:
        """What the device and TVM's lowering ask for, each 1 where it holds."""
        yield self.threads <= limits.max_threads_block
        yield self.shared_bytes <= limits.shared_memory_block
        yield from (_in_range(block, self.threads) for block in _blocks(self.node))
        yield from _agree(paths)
        # TVM cannot lower a software pipeline over a loop that runs once
        pipelined = (loop for path in paths for loop in path if "software_pipeline_stage" in loop.annotations)
        yield from (loop.extent > 1 for loop in pipelined)
        yield from (_vector_fits(block, self.threads, unroll) for block in leaves)
        yield from (block.steady for block in leaves)
        yield from (_added_up_once(path, unroll) for path in paths)


def _widest(paths: Sequence[Sequence[Loop]], kind: str) -> Value:
    extent: Value = 1
    for path in paths:
        extent = maximum(extent, product(loop.extent for loop in path if loop.thread.startswith(kind)))
    return extent


def _blocks(node: Node) -> list[Block]:
    """All blocks under the node, those around others included."""
    own = [node] if isinstance(node, Block) else []
    return own + [b for child in node.children for b in _blocks(child)]


def _agree(paths: Sequence[Sequence[Loop]]) -> Iterator[Value]:
    """Whether all loops of a launch that are bound to the same threads are as long; TVM cannot lower others."""
    lengths: dict[str, Value] = {}
    for loop in (loop for path in paths for loop in path if loop.thread.startswith("threadIdx")):
        yield equal(loop.extent, lengths.setdefault(loop.thread, loop.extent))


def _in_range(block: Block, threads: Value) -> Value:
    low = block.annotations.get("meta_schedule.thread_extent_low_inclusive", 1)
    high = block.annotations.get("meta_schedule.thread_extent_high_inclusive", 1 << 30)
    return all_of([threads >= low, threads <= high])


def _added_up_once(loops: Sequence[Loop], unroll: Value) -> Value:
    """Whether a sum across threads stays one statement: TVM cannot lower the several that an unrolled loop makes of it.

    Args:
        loops: around the sum.
        unroll: statements up to which loops are unrolled.
    """
    if not any(loop.thread.startswith("threadIdx") and not data_parallel(loop) for loop in loops):
        return 1
    serial = [loop for loop in loops if not loop.thread]
    own = [loop.extent for loop in serial if not data_parallel(loop)]  # a thread first sums what falls to it
    statements = _AROUND_OWN_SUM + product(own) if own else _ACROSS
    results = list(accumulate((loop.extent for loop in reversed(serial) if data_parallel(loop)), mul))
    return 1 - any_of((several > 1) * (several * statements <= unroll) for several in results)


def _vector_fits(block: Block, threads: Value, unroll: Value) -> Value:
    """Whether a cooperative fetch stays within the widest load, and its vectors can be lowered."""
    width = block.annotations.get(FETCH)
    if width is None:
        return 1
    used = touches(block, {})
    copied = all_loops(block)[-1].atoms
    lengths = [atom.extent for atom in copied]
    widest = reduce(maximum, (_lane_bytes(t, copied, width) for t in used))
    widest = maximum(widest, max(store.converted for store in block.stores))
    # what is read under a condition is fetched element by element
    lowered = any(t.guarded for t in used) or can_be_synchronised(lengths, width, threads, unroll)
    # TVM has no name for an odd number of halves, which it may have to compute with
    pairs = any(t.buffer.dtype in HALVES for t in used) or any(store.halved for store in block.stores)
    named = any_of([width <= 1, divides(2, width)]) if pairs else 1
    return (width * widest <= _MAX_VECTOR_BYTES) * lowered * named


def _lane_bytes(touch: Touch, copied: Sequence[Atom], width: Value) -> Value:
    """Of a number in a vector, or of its index: a vector whose numbers lie apart is indexed by one of int32.

    Args:
        copied: dimensions of the tile.
    """
    size = touch.buffer.dtype_bytes
    if size >= _INDEX_BYTES or "shared" in touch.buffer.scope:  # where a tile lies as it is fetched
        return size
    if touch.guarded:  # fetched element by element, unless TVM finds that the condition always holds
        return where(lie_together(touch.position, copied[-1:], width), size, _INDEX_BYTES)
    whole = divides(width, product(atom.extent for atom in copied))  # else there are no vectors
    return where(whole * (1 - lie_together(touch.position, copied, width)), _INDEX_BYTES, size)
