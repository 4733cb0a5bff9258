"""The CPU analyzer: a latency from vector lanes, accumulators, loads, cache traffic, balance and loop overhead.

The paper has none for CPUs; this one follows the same pattern: symbols of each statement, penalties for parts of the
machine that lie idle, and a sum of times over the statements. All cycles are of one core, at two fused multiply-adds
and two loads a cycle, on which the wide cores of the last decade agree; a core that does one of each has cycles of
twice the length.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from pruner_engine.draft.cpu.core import Core
from pruner_engine.draft.cpu.operands import filled_registers, memory_operations, put_together
from pruner_engine.draft.cpu.postproc import ScheduledBlock, lanes_of, postprocessed
from pruner_engine.draft.cpu.tiles import Tiles
from pruner_engine.draft.cpu.traffic import cache_traffic
from pruner_engine.draft.formulas.columns import (
    Value,
    add_up,
    ceil_div,
    maximum,
    minimum,
    product,
    square_root,
    where,
)
from pruner_engine.draft.nests.nest import Block, Node, data_parallel
from pruner_engine.draft.parts import Parts, Statement
from pruner_engine.targets.profile import DeviceProfile

_FULL_UNROLL = 64  # vector operations up to which LLVM unrolls by itself


def cpu_parts(root: Block, profile: DeviceProfile, without: Collection[str] = ()) -> Parts:
    """Symbols, penalties and times of a nest on the CPU of the profile.

    Args:
        without: effects to leave out, of `ABLATIONS`.
    """
    core = Core.of(profile)
    for effect in without:
        core = core.without(effect)
    blocks = postprocessed(root, core.lanes)
    launches = {"overhead": _launches(blocks) * profile.parallel_overhead_s}
    steady = product(block.source.steady for block in blocks)
    return Parts([_statement(block, core) for block in blocks], launches, steady)


def _statement(block: ScheduledBlock, core: Core) -> Statement:
    core = replace(core, lanes=lanes_of(block.source, core.lanes))
    step = _Step.of(block, core)
    share = _balance(block.parallel, core.cores)  # seconds on all cores per second of work
    traffic = cache_traffic(block, core)
    cycles, overhead = _cycles(block, step, core)
    busy = step.count * cycles * core.cycle
    waits = {name: traffic[name] * seconds for name, _, seconds in core.levels}
    # prefetching hides the shorter of computing and moving, not all of it
    memory = add_up(waits.values())
    stalled = square_root(busy * busy + memory * memory) - busy
    times: dict[str, Value] = {
        "compute": busy * share,
        "overhead": step.count * overhead * core.cycle * share,
        **{name: stalled * wait / maximum(memory, 1e-30) * share for name, wait in waits.items()},
    }
    symbols: dict[str, Value] = {
        "flops": block.iterations * sum(s.flops + s.special + s.divisions for s in block.source.stores),
        "parallel": block.parallel,
        "vector": block.vector,
        "accumulators": step.accumulators,
        "loads_per_step": step.loads,
        "unroll": block.unroll,
        "steps": step.count,
        **{f"{name}_bytes": traffic[name] for name, _, _ in core.levels},
    }
    in_registers = block.accumulates and Tiles.of(block) is None
    penalties: dict[str, Value] = {
        "lanes": block.vector / (step.registers * core.lanes),
        "parallel": 1.0 / (share * core.cores),
        "registers": maximum(1.0, (step.accumulators + 2) / core.registers) if in_registers else 1.0,
    }
    return Statement(block.source, symbols, penalties, times)


@dataclass(frozen=True)
class _Step:
    """The unit in which a core's work is counted: one vector, or one update of all accumulators of a reduction.

    Attributes:
        count: steps that the statement takes.
        vectors: vectors that one step computes.
        registers: vector registers that one of these vectors takes.
        unrolled: 1 where the vectors of a step are straight-line code, 0 where a loop goes over them.
        loads, stores: load and store instructions of one step, without those that fill and empty accumulators.
        streams: loads of whole vectors that have to stay in a register because they are used more than once.
        windows: loads of whole vectors that the next steps of a sliding window use again.
    """

    count: Value
    vectors: Value
    registers: Value
    unrolled: Value
    loads: Value
    streams: Value
    windows: Value
    stores: Value

    @classmethod
    def of(cls, block: ScheduledBlock, core: Core) -> _Step:
        registers = ceil_div(block.vector, core.lanes)
        # a vector along a loop outside has the whole tail in every lane
        vectors = maximum(1, product(loop.extent for loop in block.tail) / block.vector) if block.tail else 1
        unrolled = 1 if block.straight else maximum(vectors * registers <= _FULL_UNROLL, vectors <= block.unroll)
        moved = memory_operations(block, registers, vectors * registers)
        return cls(block.iterations / block.vector / vectors, vectors, registers, unrolled, *moved)

    @property
    def accumulators(self) -> Value:
        """Vector registers that the results of a step take."""
        return self.vectors * self.registers


def _cycles(block: ScheduledBlock, step: _Step, core: Core) -> tuple[Value, Value]:
    """Cycles of one step: those in which it computes, and those that its loops add."""
    if (tiles := Tiles.of(block)) is not None:
        return tiles.cycles(block, _reduction_run(block), _incomplete(block), core)
    flops, special, divisions = (
        sum(getattr(store, kind) for store in block.source.stores) for kind in ("flops", "special", "divisions")
    )
    loads, stores = _moved(block, step, core)
    runs = _reduction_run(block)
    inserted, shuffled = put_together(block, core)
    # a shuffle takes a unit that multiplies, or the way of its result
    arithmetic = max(1, flops // 2) * step.accumulators * core.arithmetic + shuffled * core.insert
    arithmetic = arithmetic + filled_registers(block, step.accumulators, core) * core.arithmetic
    cycles = maximum(maximum(arithmetic, loads * core.load), stores * core.store)
    cycles = maximum(cycles, inserted * core.insert)
    overhead: Value = core.spatial_loop
    if block.accumulates:
        # a run that completes no result fetches its accumulators and puts them back, while nothing is computed
        cycles = cycles + _incomplete(block) * step.accumulators / runs * (core.load + core.store)
        spilled = maximum(step.accumulators + step.streams + _besides(block) - core.registers, 0) * step.unrolled
        cycles = cycles + where(spilled > 0, core.spill + spilled * core.spill_each, 0)
        # chains of additions that follow each other overlap as far as the reorder buffer reaches
        chain = runs * (arithmetic * 2.0 + loads + stores)
        latency = core.latency * where(step.unrolled, 1.0, 1.25) / maximum(1.0, core.reorder / chain)
        looped = where(step.unrolled, 1.0, 1.0 + step.vectors)
        overhead = core.loop * looped / maximum(1, minimum(block.unroll, 64) / step.vectors)
        # LLVM unrolls a short sum by itself
        overhead = where(step.unrolled * (runs * step.accumulators <= _FULL_UNROLL), 0, overhead)
        overhead = maximum(overhead, latency - cycles)
    cycles = cycles + (special * core.special + divisions * core.division) * block.vector * step.vectors
    return cycles, overhead


def _moved(block: ScheduledBlock, step: _Step, core: Core) -> tuple[Value, Value]:
    """Loads and stores of one step, with those of values that have no register of their own."""
    if not block.accumulates:
        return step.loads, step.stores
    # what a window uses again LLVM keeps, on the stack if need be
    kept = step.accumulators + step.streams + step.windows + _besides(block)
    pushed = minimum(step.windows, maximum(kept - core.registers, 0)) * step.unrolled
    # loops keep accumulators out of registers
    besides = pushed + where(step.unrolled, 0, step.accumulators)
    return step.loads + besides, step.stores + besides


def _besides(block: ScheduledBlock) -> int:
    """Registers that a step needs for what it neither accumulates nor keeps."""
    return 1 + max(store.between for store in block.source.stores)


def _launches(every: Sequence[ScheduledBlock]) -> Value:
    """How many nests start threads: those that are spread over the cores."""
    spread: dict[Node, Value] = {}
    for block in every:
        nest = block.loops[0] if block.loops else block.source
        spread[nest] = maximum(spread.get(nest, 0), block.parallel > 1)
    return add_up(spread.values())


def _balance(parallel: Value, cores: int) -> Value:
    """Share of the iterations that the busiest core gets: each core takes a contiguous run of them."""
    return ceil_div(parallel, cores) / parallel


def _reduction_run(block: ScheduledBlock) -> Value:
    """Steps that the accumulators stay in registers for: the reduction loops right around the tail.

    A loop that moves the result starts sums anew, even where these take the same memory in every iteration.
    """
    run: Value = 1
    for loop in reversed(block.around):
        if block.moves_results(loop):
            break
        run = run * loop.extent
    return run


def _incomplete(block: ScheduledBlock) -> Value:
    """1 where a loop that moves the results lies between loops of their sums: no run of steps completes one."""
    moving: Value = 1
    found: Value = 0
    for loop in reversed(block.around):
        if block.moves_results(loop):
            moving = moving * loop.extent
        elif not data_parallel(loop):
            found = maximum(found, moving > 1)
    return found
