"""How the operands of a CPU's kernel come into vector registers: whole, shuffled, or number by number."""

from __future__ import annotations

from typing import cast

from pruner_engine.draft.cpu.core import Core
from pruner_engine.draft.cpu.postproc import ScheduledBlock
from pruner_engine.draft.formulas.columns import Value, ceil_div, equal, product, where
from pruner_engine.draft.nests.footprint import Touch
from pruner_engine.draft.nests.index import atoms_of, span
from pruner_engine.draft.nests.nest import data_parallel
from pruner_engine.lowering.vectors.elements import BESIDES
from pruner_engine.lowering.vectors.gathers import APART

_WORDS_OF_REGISTER = 4  # of an Arm processor


def memory_operations(block: ScheduledBlock, operations: Value, accumulators: Value) -> tuple[Value, ...]:
    """`loads`, `streams`, `windows` and `stores` of a `latency._Step`.

    Args:
        operations: vector registers of one vector.
        accumulators: vector registers of all results of the step.
    """
    inner = block.tail or []
    loads: Value = 0
    streams: Value = 0
    windows: Value = 0
    stores: Value = 0
    for touch in block.touches:
        own = touch.read and touch.written
        in_memory = where(block.registers.get(touch.buffer, 0), 0, 1)
        whole = _whole_loads(touch, block)
        if not inner:
            single = block.vector if block.loops and touch.moves_with(block.loops[-1]) else 1
            loads = loads + (
                where(whole > 0, operations * whole, single) * touch.times * in_memory if touch.read and not own else 0
            )
            stores = stores + (operations * in_memory if touch.written and block.source.spatial else 0)
            continue
        if own:
            continue
        reused = product(loop.extent for loop in inner if touch.moves_with(loop))
        wide = whole > 0
        if touch.read:
            vectors = reused / block.vector * operations
            loads = loads + where(wide, vectors * whole, reused) * touch.times * in_memory
            # one that is used once is an operand of its instruction and needs no register
            streams = streams + where(wide * (vectors < accumulators), vectors, 0)
            if _slides(touch, block):
                windows = windows + where(wide, vectors, 0)
        else:
            stores = stores + reused / block.vector * operations
    return loads, streams, windows, stores


def _slides(touch: Touch, block: ScheduledBlock) -> bool:
    """Whether a loop of the sum moves what is read along a dimension that a loop of the results moves it along, too."""
    results = {atom for loop in block.tail for atom in loop.atoms}
    sums = {atom for loop in block.loops if not data_parallel(loop) for atom in loop.atoms}
    return any(
        not results.isdisjoint(found) and not sums.isdisjoint(found) for found in map(set, map(atoms_of, touch.indices))
    )


def put_together(block: ScheduledBlock, core: Core) -> tuple[Value, Value]:
    """Elements of one step that are read one by one and put into a vector, lane by lane; shuffles of whole loads."""
    inserted, shuffled = cast("Value", 0), cast("Value", 0)
    if not block.loops:
        return inserted, shuffled
    last = block.loops[-1]
    for touch in block.touches:
        if touch.read and not touch.written and touch.moves_with(last) and data_parallel(last):
            lanes = (
                product(loop.extent for loop in block.tail if touch.moves_with(loop)) if block.tail else block.vector
            )
            whole = _whole_loads(touch, block)
            registers = lanes / block.vector * ceil_div(block.vector, core.lanes)
            inserted = inserted + where(whole > 0, 0, lanes * touch.times)
            shuffled = shuffled + where(_neighbours(touch, block), 0, registers * whole * touch.times)
    return where(block.vector > 1, inserted, 0), shuffled


def filled_registers(block: ScheduledBlock, accumulators: Value, core: Core) -> Value:
    """Registers that the unit which multiplies fills with single numbers in a step, where its instructions ask for it.

    Those of the steps of an unrolled loop are lanes of one load, if there are registers to keep that (`elements`).
    """
    kind = max(store.filled for store in block.source.stores)
    inner = block.around[-1] if block.around else None
    filled: Value = 0
    for touch in block.touches if kind and block.accumulates else ():
        if not touch.read or touch.written:
            continue
        numbers = product(loop.extent for loop in block.tail if touch.moves_with(loop))
        single = where(_whole_loads(touch, block) > 0, 0, numbers * touch.times)
        if kind == 1 and inner is not None and inner.kind == "unrolled" and not data_parallel(inner):
            together = equal(touch.stride(inner), 1) * (inner.extent > 1)
            held = accumulators + numbers * ceil_div(inner.extent, _WORDS_OF_REGISTER) + BESIDES
            single = where(together * (held <= core.registers), 0, single)
        filled = filled + single
    return filled


def _whole_loads(touch: Touch, block: ScheduledBlock) -> Value:
    """Loads that bring a register of the vector, more than one where its elements lie apart and whole loads are
    shuffled (`lowering/vectors/gathers.py`); 0 where elements are read one by one, or one for all lanes.
    """
    if not block.loops:
        return 0
    neighbours, last = _neighbours(touch, block), block.loops[-1]
    if not touch.indexed_by(last):
        return neighbours
    apart = ceil_div(span(touch.position, lambda atom: atom in last.atoms), last.extent)
    return where(neighbours, 1, where(block.shuffled * (apart <= APART), apart, 0))


def _neighbours(touch: Touch, block: ScheduledBlock) -> Value:
    """Whether the vector runs along the buffer's memory."""
    last = block.loops[-1]
    return int(touch.moves_with(last)) if touch.buffer.layout_free else equal(touch.stride(last), 1)
