"""Timing on a GPU: by the device's own events, with nothing of the operands left in its second-level cache."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from tvm.runtime import Tensor

_FLUSH_BYTES = 128 << 20  # where the device does not tell the size of its cache
# Overwriting the cache takes a large GPU nearly 0.1 ms, reckoned from data sheets: ten times as long as a short kernel.
# A repeat that was filled with calls of one would last a tenth of a second, and tell no more than these do.
_MOST_CALLS = 100


def time_on_gpu(module: Any, args: Sequence[Tensor], device: Any) -> Callable[[int], float]:
    """What calls the module's kernel and returns the seconds that so many calls take together.

    TVM's evaluator puts an event before and after each call, and copies a buffer larger than the cache in between. A
    call that something else held up would show in a mean, so their median stands for all, and at most `_MOST_CALLS` of
    them are made. Each use of the evaluator also calls once to warm up, and has two such buffers for as long as it
    lasts: 240 MB with a cache of 60 MB.
    """
    flush = 2 * int(device.l2_cache_size_bytes or 0) or _FLUSH_BYTES

    def call(number: int) -> float:
        timed = min(number, _MOST_CALLS)
        evaluator = module.time_evaluator("main", device, number=1, repeat=timed, cache_flush_bytes=flush)
        return statistics.median(map(float, evaluator(*args).results)) * number

    return call
