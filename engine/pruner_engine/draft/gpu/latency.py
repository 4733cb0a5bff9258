"""The paper's analyzer for GPUs: symbols of each statement, penalties, a latency (Qiao et al., ASPLOS 2025, section 4).

Per statement: `t_compute = flops * p_d * p_r / (peak * p_b * p_w)` and `t_memory = dram_bytes / (bandwidth * p_m)`, of
which only what is read first is counted at the memory's bandwidth; beyond the paper the lines that warps move and the
trips that they wait for, see traffic.py. A candidate's latency is the sum over its statements.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

from pruner_engine.draft.formulas.columns import Value, add_up, all_of, ceil_div, maximum, minimum, product, where
from pruner_engine.draft.gpu.banks import turns
from pruner_engine.draft.gpu.launch import FETCH, Launch
from pruner_engine.draft.gpu.promoted import promote
from pruner_engine.draft.gpu.traffic import (
    bytes_as_lines,
    line_seconds,
    lines_of_fetch,
    lines_per_access,
    memory_seconds,
    trip_seconds,
)
from pruner_engine.draft.nests.footprint import Touch, homes, spans_by_depth, touches
from pruner_engine.draft.nests.index import atoms_of, count
from pruner_engine.draft.nests.nest import Block, Loop, all_loops, blocks_under, data_parallel
from pruner_engine.draft.parts import Parts, Statement
from pruner_engine.targets.profile import DeviceProfile, GpuLimits

_TENSOR_CORE = ("wmma", "mma", "m16n8k8")
#: factors by which idle parts of the device slow a statement down
PENALTIES = ("warp", "wave", "registers", "reuse", "memory")


def gpu_parts(root: Block, profile: DeviceProfile, without: Collection[str] = ()) -> Parts:
    """Symbols, penalties and times of a nest on the GPU of the profile.

    Args:
        without: penalties to leave out, of `PENALTIES`.
    """
    assert profile.gpu is not None
    if not profile.gpu.bfloat16:
        promote(root)
    unroll: Value = root.annotations.get("meta_schedule.unroll_explicit", 0)
    working = [child for child in root.children if any(blocks_under(child))]
    kernels = [Launch(child, profile.gpu, profile.cores, unroll) for child in working]
    where_from = homes(root)
    statements = [
        _statement(_Counts(block, touches(block, where_from), kernel, profile), without)
        for kernel in kernels
        for block in blocks_under(kernel.node)
    ]
    launches = {"launch": len(kernels) * profile.parallel_overhead_s}
    return Parts(statements, launches, all_of(k.valid for k in kernels))


@dataclass(frozen=True)
class _Work:
    """What one thread does in a statement.

    Attributes:
        serial: loops that it runs by itself, virtual threads among them; none where the threads share a loop out.
    """

    iterations: Value
    serial: Sequence[Loop]


@dataclass(frozen=True, eq=False)
class _Counts:
    """A statement of a kernel, and what is counted on it.

    Attributes:
        used: the buffers of its block.
    """

    block: Block
    used: Sequence[Touch]
    kernel: Launch
    profile: DeviceProfile

    @property
    def limits(self) -> GpuLimits:
        assert self.profile.gpu is not None
        return self.profile.gpu

    @cached_property
    def loops(self) -> list[Loop]:
        return all_loops(self.block)

    @cached_property
    def executions(self) -> Value:
        """Of the block, by all threads, less those that do nothing."""
        return self.block.useful * product(loop.extent for loop in self.loops)

    @cached_property
    def flops(self) -> Value:
        """Of one execution; an exponential or a division takes as long as four multiplications."""
        return add_up(s.flops + 4 * (s.special + s.divisions) for s in self.block.stores)

    @cached_property
    def work(self) -> _Work:
        return _work(self.block, self.loops, self.kernel, self.executions)

    @cached_property
    def flops_thread(self) -> Value:
        return self.work.iterations * self.flops

    @cached_property
    def registers_thread(self) -> Value:
        holding = _holding(self.work.serial, self.used)
        return add_up(_registers(t, holding, self.used) / _sharers(t, self.limits) for t in self.used)

    @cached_property
    def accesses_thread(self) -> Value:
        return add_up(_accesses(t, self.work) for t in self.used)

    @cached_property
    def outside(self) -> list[Touch]:
        """The buffers that are in the device's memory."""
        return [t for t in self.used if t.buffer.scope == "global"]

    @cached_property
    def moved(self) -> list[Value]:
        """Bytes that all blocks of the grid move of each buffer outside."""
        moved = [_dram_bytes(t, self.loops) for t in self.outside]
        if self.block.useful == 1 or not any("shared" in t.buffer.scope for t in self.used):
            return moved
        # what is cut off a padded result moves nothing, however the loops around it are parted
        whole = (self.executions * t.times * t.buffer.dtype_bytes for t in self.outside)
        return [minimum(m, most) for m, most in zip(moved, whole, strict=True)]

    @property
    def peak_flops(self) -> float:
        """Of the units that compute the statement."""
        tensor = self.limits.tensor_flops
        on_tensor_cores = any(t.buffer.scope.startswith(_TENSOR_CORE) for t in self.used)
        return tensor if tensor and on_tensor_cores else self.profile.peak_flops


def _statement(counts: _Counts, without: Collection[str]) -> Statement:
    shares: list[Value] = [
        1.0 if "memory" in without else _transaction_share(t, counts.loops, counts.limits) for t in counts.outside
    ]
    penalties = _penalties(counts, shares) | dict.fromkeys(without, 1.0)
    return Statement(counts.block, _symbols(counts), penalties, _times(counts, shares, penalties))


def _symbols(counts: _Counts) -> dict[str, Value]:
    kernel = counts.kernel
    return {
        "flops": counts.executions * counts.flops,
        "flops_thread": counts.flops_thread,
        "registers_thread": counts.registers_thread,
        "memory_operations_thread": counts.accesses_thread,
        "dram_bytes": add_up(counts.moved),
        "shared_bytes": kernel.shared_bytes,
        "blocks": kernel.grid,
        "threads": kernel.threads,
        "vthreads": kernel.vthreads,
    }


def _penalties(counts: _Counts, shares: Sequence[Value]) -> dict[str, Value]:
    """Factors by which idle parts of the device slow the statement down; see `PENALTIES`.

    Args:
        shares: of each memory transaction that is used, by buffer outside.
    """
    kernel, limits = counts.kernel, counts.limits
    return {
        "warp": kernel.threads / limits.warp_size / ceil_div(kernel.threads, limits.warp_size),
        "wave": _wave(kernel, limits, counts.profile.cores),
        "registers": maximum(1.0, counts.registers_thread / limits.max_registers_thread),
        "reuse": 1.0 + 1.0 / (1.0 + counts.flops_thread / maximum(1, counts.accesses_thread)),
        "memory": reduce(minimum, shares) if shares else 1.0,
    }


def _times(counts: _Counts, shares: Sequence[Value], penalties: dict[str, Value]) -> dict[str, Value]:
    kernel, profile = counts.kernel, counts.profile
    busy = penalties["wave"] * penalties["warp"]
    computed = counts.executions * counts.flops * penalties["reuse"] * penalties["registers"]
    memory = (
        memory_seconds(t, m, kernel.busy, profile) / share
        for t, m, share in zip(counts.outside, counts.moved, shares, strict=True)
    )
    return {
        "compute": computed / (counts.peak_flops * busy),
        "memory": add_up(memory),
        "lines": line_seconds(_lines(counts), kernel.busy, kernel.warps, profile),
        "trips": trip_seconds(_rounds(counts), kernel.waves),
    }


def _work(block: Block, loops: Sequence[Loop], kernel: Launch, total: Value) -> _Work:
    """A cooperative fetch is shared out, and so is what is not bound."""
    serial = [loop for loop in loops if not loop.thread or loop.thread.startswith("vthread")]
    if FETCH in block.annotations:  # by the threads of a block together, once for all its virtual threads
        rounds, copied = _fetched(loops)
        return _Work(rounds * ceil_div(copied, kernel.threads), ())
    if not kernel.bound:
        return _Work(maximum(1.0, total / (kernel.grid * kernel.threads)), serial)
    return _Work(product(loop.extent for loop in serial), serial)


def _holding(serial: Sequence[Loop], used: Sequence[Touch]) -> Sequence[Loop]:
    """The loops whose results a thread may have to hold together.

    Where all lies in memory it is done with one before it begins the next, but for those that a summing loop is around.
    """
    if any(t.buffer.scope != "global" for t in used):
        return serial
    around = next((i for i, loop in enumerate(serial) if not data_parallel(loop)), len(serial))
    return serial[around:]


def _registers(touch: Touch, holding: Sequence[Loop], used: Sequence[Touch]) -> Value:
    """Elements that a thread holds while the loops that move its output run."""
    moving = {a for loop in holding if any(t.written and t.indexed_by(loop) for t in used) for a in loop.atoms}
    # between the elements of two virtual threads lie those of other threads
    return product(count(index, moving.__contains__) for index in touch.indices)


def _sharers(touch: Touch, limits: GpuLimits) -> float:
    """Elements that a thread's register stands for: a warp shares out a fragment, a register holds two halves."""
    fragment = touch.buffer.scope.startswith(_TENSOR_CORE)
    return limits.warp_size * 4 / touch.buffer.dtype_bytes if fragment else 1.0


def _accesses(touch: Touch, work: _Work) -> Value:
    """Times that a thread goes to the buffer: once for each iteration that changes the element."""
    if not work.serial:
        return work.iterations
    indexing = {a for index in touch.indices for a in atoms_of(index)}
    return product(a.extent for loop in work.serial for a in loop.atoms if a in indexing)


def _dram_bytes(touch: Touch, loops: Sequence[Loop]) -> Value:
    """Bytes that all blocks of the grid move: what each touches at once, as often as a serial loop around renews it."""
    inside = [loop for loop in loops if not loop.thread.startswith("blockIdx")]
    renewed: Value = 1
    while inside and not inside[0].thread and inside[0].children and touch.indexed_by(inside[0]):
        renewed = renewed * inside[0].extent
        inside = inside[1:]
    together = product(spans_by_depth(touch, inside)[0])
    after = next((loop for loop in inside if not loop.thread), None)
    if after and data_parallel(after) and touch.indexed_by(after):
        # what lies between the elements that a thread handles one after the other is other blocks'
        others = [loop for loop in inside if loop is not after]
        together = minimum(together, after.extent * product(spans_by_depth(touch, others)[0]))
    grid = product(loop.extent for loop in loops if loop.thread.startswith("blockIdx"))
    return grid * renewed * together * touch.buffer.dtype_bytes


def _lines(counts: _Counts) -> Value:
    """Lines that all warps move between registers and caches or shared memory."""
    loops, kernel, limits = counts.loops, counts.kernel, counts.limits
    outside = [t for t in counts.used if t.buffer.scope == "global" or "shared" in t.buffer.scope]
    if any(t.buffer.scope.startswith(_TENSOR_CORE) for t in counts.used):
        return add_up(bytes_as_lines(counts.executions, t) for t in outside)
    warps = kernel.threads / limits.warp_size * kernel.grid
    width = counts.block.annotations.get(FETCH)
    if width is not None:
        at_once = limits.warp_size * width
        return warps * counts.work.iterations / width * lines_of_fetch(outside, loops[-1], at_once)
    threads = [loop for loop in loops if loop.thread.startswith("threadIdx")] if kernel.bound else loops[-1:]

    def turns_of(touch: Touch) -> Value:
        if "shared" in touch.buffer.scope:
            return turns(touch, threads, loops, limits.warp_size)
        return lines_per_access(touch, threads, limits.warp_size)

    return warps * add_up(_accesses(t, counts.work) * turns_of(t) for t in outside)


def _rounds(counts: _Counts) -> Value:
    """Times that a block of threads fetches from memory, one after the other."""
    reads = any(t.read and t.buffer.scope == "global" for t in counts.used)
    return _fetched(counts.loops)[0] if reads and FETCH in counts.block.annotations else 0


def _fetched(loops: Sequence[Loop]) -> tuple[Value, Value]:
    """Rounds of a cooperative fetch, and the elements that the threads of a block share out in each."""
    *around, copied = (loop.extent for loop in loops if not loop.thread)
    return product(around), copied


def _transaction_share(touch: Touch, loops: Sequence[Loop], limits: GpuLimits) -> Value:
    """Share of each DRAM transaction that the innermost contiguous run uses."""
    inside = [loop for loop in loops if not loop.thread.startswith("blockIdx")]
    spans = spans_by_depth(touch, inside)[0]
    if not spans:
        return 1.0
    run = spans[-1] * touch.buffer.dtype_bytes
    return run / (ceil_div(run, limits.transaction_bytes) * limits.transaction_bytes)


def _wave(kernel: Launch, limits: GpuLimits, processors: int) -> Value:
    """Share of the device that the last wave of blocks leaves busy on average, its schedulers without a warp idle."""
    few = kernel.grid < processors
    warps = minimum(ceil_div(kernel.threads, limits.warp_size), limits.schedulers)
    units = where(few, kernel.grid * warps, kernel.grid)
    slots = where(few, processors * limits.schedulers, processors)
    return units / (ceil_div(units, slots) * slots) * where(few, 1, minimum(1, kernel.warps / limits.schedulers))
