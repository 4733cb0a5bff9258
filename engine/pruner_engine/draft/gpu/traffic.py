"""What moving data costs a GPU beyond the paper's count of DRAM bytes: second-level cache, lines, trips to memory.

Between registers and its first-level cache or shared memory a multiprocessor moves one line of 128 bytes in a cycle: a
warp whose threads reach for many lines, or a warp that computes little of what it loads, waits for that first.
"""

from __future__ import annotations

from collections.abc import Sequence

from pruner_engine.draft.formulas.columns import Value, add_up, ceil_div, maximum, minimum, product
from pruner_engine.draft.nests.footprint import Touch, lines
from pruner_engine.draft.nests.index import Atom, Index, Var, count, replace, span
from pruner_engine.draft.nests.nest import Loop
from pruner_engine.targets.profile import DeviceProfile

LINE = 128  # bytes
LEAST = 0.25  # lines of an access: threads that read the same element read four of them at a time
_ADDRESS = 4.0  # lines' time that a fetch takes for its addresses: 16 instructions, of which four are begun at a time
_WARPS = 2  # of a scheduler that keep lines moving
_TRIP_S = 1.5e-7  # from the second-level cache to shared memory and past a barrier, some 260 cycles


def memory_seconds(touch: Touch, moved: Value, busy: Value, profile: DeviceProfile) -> Value:
    """Seconds that all blocks' bytes of a buffer take: what is read again comes from the second-level cache.

    Args:
        moved: bytes that all blocks of the grid ask for.
        busy: share of the multiprocessors that ask.
    """
    once = minimum(moved, touch.buffer.bytes)
    return once / profile.dram_bandwidth + moved / (profile.caches[-1].bandwidth * busy)


def indices_of_lanes(touch: Touch, loops: Sequence[Loop], elements: Value) -> tuple[list[Index], set[Atom]]:
    """The indices while the loops' innermost iterations go to so many elements, and the variables that vary there."""
    lanes: dict[Atom, Atom] = {}
    left = elements
    for atom in reversed([atom for loop in loops for atom in loop.atoms]):
        lanes[atom] = Atom(atom.name, minimum(atom.extent, left))
        left = ceil_div(left, lanes[atom].extent)
    of_lanes: dict[Atom, Index] = {atom: Var(lane) for atom, lane in lanes.items()}
    return [replace(index, of_lanes) for index in touch.indices], set(lanes.values())


def lines_per_access(touch: Touch, loops: Sequence[Loop], elements: Value) -> Value:
    """Lines that a warp reaches at once while the innermost of the loops' iterations go to so many elements."""
    indices, moving = indices_of_lanes(touch, loops, elements)
    if "shared" in touch.buffer.scope:
        apart = product(count(index, moving.__contains__) for index in indices)
        return maximum(LEAST, apart * touch.buffer.dtype_bytes / LINE)
    reached = (span(index, moving.__contains__) for index in indices)
    return lines(touch, [minimum(one, whole) for one, whole in zip(reached, touch.buffer.shape, strict=True)], LINE)


def line_seconds(moved: Value, busy: Value, warps: Value, profile: DeviceProfile) -> Value:
    """Seconds that so many lines take all multiprocessors that are busy.

    Args:
        warps: on each; too few of them wait for their own lines in between.
    """
    assert profile.gpu is not None
    cycles = profile.peak_flops / profile.cores / (2 * profile.gpu.lanes)  # a second
    hidden = minimum(1.0, warps / (_WARPS * profile.gpu.schedulers))
    return moved / (cycles * profile.cores * busy * hidden)


def lines_of_fetch(touched: Sequence[Touch], copied: Loop, elements: Value) -> Value:
    """Lines that a warp moves while it copies so many elements, from memory and to where the block keeps them.

    Each way is an access of its own, however little it moves, and so are the instructions that find the place.
    """
    return _ADDRESS + add_up(maximum(1, lines_per_access(touch, [copied], elements)) for touch in touched)


def bytes_as_lines(elements: Value, touch: Touch) -> Value:
    """Lines that so many elements fill, as a warp moves a whole fragment of a Tensor Core."""
    return elements * touch.buffer.dtype_bytes / LINE


def trip_seconds(rounds: Value, waves: Value) -> Value:
    """Seconds of fetching round after round: each waits for the one before, and so does each wave of blocks.

    Args:
        rounds: of one block of threads.
        waves: of as many blocks as the device holds at a time.
    """
    return rounds * waves * _TRIP_S
