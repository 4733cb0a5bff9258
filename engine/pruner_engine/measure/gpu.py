"""Timing on a GPU: by the device's own events, with nothing of the operands left in its second-level cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tvm.runtime import Tensor

_FLUSH_BYTES = 128 << 20  # where the device does not tell the size of its cache


def time_on_gpu(module: Any, args: Sequence[Tensor], device: Any) -> Callable[[int], float]:
    """What calls the module's kernel so many times and returns the seconds that they took together.

    TVM's evaluator puts an event before and after each call, and copies a buffer larger than the cache in between.
    """
    flush = 2 * int(device.l2_cache_size_bytes or 0) or _FLUSH_BYTES

    def call(number: int) -> float:
        evaluator = module.time_evaluator("main", device, number=1, repeat=number, cache_flush_bytes=flush)
        return float(sum(evaluator(*args).results))

    return call
