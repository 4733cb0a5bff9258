"""Banks of shared memory: words of one bank that a warp asks for at once come one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from pruner_engine.draft.formulas.columns import Value, equal, floor_div, maximum, minimum, product, where
from pruner_engine.draft.gpu.traffic import LEAST, LINE, indices_of_lanes
from pruner_engine.draft.nests.footprint import Touch
from pruner_engine.draft.nests.index import Atom, count, span
from pruner_engine.draft.nests.nest import Loop

_BANKS = 32
_WORD = 4  # bytes


def turns(touch: Touch, threads: Sequence[Loop], around: Sequence[Loop], warp: int) -> Value:
    """Turns that one access of a warp to a buffer in shared memory takes.

    Args:
        threads: loops that are bound to the threads of a block.
        around: all loops around the access; they tell how long the rows of the buffer are that a block keeps.
        warp: threads that go at once.
    """
    indices, moving = indices_of_lanes(touch, threads, warp)
    apart = [count(index, moving.__contains__) for index in indices]
    longest: Value = 1
    stride: Value = touch.buffer.dtype_bytes / _WORD
    for index, lanes_apart, row in reversed(list(zip(indices, apart, _kept(touch, around), strict=True))):
        step = (span(index, moving.__contains__) - 1) / maximum(1, lanes_apart - 1)
        longest = longest * maximum(1, lanes_apart * _shared_divisor(stride * step) / _BANKS)
        stride = stride * row
    return maximum(maximum(LEAST, product(apart) * touch.buffer.dtype_bytes / LINE), longest * (product(apart) > 1))


def _kept(touch: Touch, around: Sequence[Loop]) -> list[Value]:
    """Elements of each dimension that a block of threads keeps at once."""
    inside = (loop for loop in around if not loop.thread.startswith("blockIdx"))
    varied: set[Atom] = {atom for loop in inside if loop.thread or loop not in touch.home for atom in loop.atoms}
    spans = (span(index, varied.__contains__) for index in touch.indices)
    return [minimum(one, whole) for one, whole in zip(spans, touch.buffer.shape, strict=True)]


def _shared_divisor(words: Value) -> Value:
    """The largest power of two, up to the number of banks, that divides a step: so far apart its banks lie."""
    found: Value = 1
    power = 2
    while power <= _BANKS:
        found = where(equal(words - power * floor_div(words, power), 0), power, found)
        power *= 2
    return found
