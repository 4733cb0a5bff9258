"""Timing on a GPU: by the device's own events, with nothing of the operands left in its second-level cache."""

from __future__ import annotations

import ctypes
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import tvm
from tvm.runtime import Tensor

_CUDART = "libcudart.so.13"  # which TVM's CUDA runtime has loaded
_FLUSH_BYTES = 128 << 20  # where the device does not tell the size of its cache
# Overwriting the cache takes a large GPU nearly 0.1 ms, reckoned from data sheets: ten times as long as a short kernel.
# A repeat that was filled with calls of one would last a tenth of a second, and tell no more than these do.
_MOST_CALLS = 100


class GpuClock:
    """Times kernels; has two buffers larger than the cache for as long as it lives, 240 MB with a cache of 60 MB.

    TVM's evaluator waits for the device before each call, so that what it measures begins with the microseconds that
    starting a kernel takes: half the time of a short one. Here the device is still overwriting its cache when event,
    kernel and event are handed over, and goes from one to the next by itself.

    Args:
        device: whose default stream kernels run in.
        flush_bytes: by default twice the cache.
    """

    def __init__(self, device: Any, flush_bytes: int = 0) -> None:
        self._device = device
        self._cuda = ctypes.CDLL(_CUDART)
        self._cuda.cudaGetErrorName.restype = ctypes.c_char_p
        size = flush_bytes or 2 * int(device.l2_cache_size_bytes or 0) or _FLUSH_BYTES
        self._from, self._to = (tvm.runtime.empty((size // 4,), "int32", device) for _ in range(2))
        self._events = [(self._event(), self._event()) for _ in range(_MOST_CALLS)]

    def calls_of(self, kernel: Callable[..., Any], args: Sequence[Tensor]) -> Callable[[int], float]:
        """What calls the kernel and returns the seconds that so many calls take together.

        A call that something else held up would show in a mean, so their median stands for all, and at most
        `_MOST_CALLS` of them are made, after one that is not timed.
        """

        def call(number: int) -> float:
            kernel(*args)
            return statistics.median(self._seconds(lambda: kernel(*args), min(number, _MOST_CALLS))) * number

        return call

    def _seconds(self, call: Callable[[], Any], calls: int) -> list[float]:
        for begin, end in self._events[:calls]:
            self._to.copyfrom(self._from)
            self._do("cudaEventRecord", begin, None)
            call()
            self._do("cudaEventRecord", end, None)
        self._device.sync()
        return [self._between(begin, end) for begin, end in self._events[:calls]]

    def _event(self) -> ctypes.c_void_p:
        event = ctypes.c_void_p()
        self._do("cudaEventCreate", ctypes.byref(event))
        return event

    def _between(self, begin: ctypes.c_void_p, end: ctypes.c_void_p) -> float:
        milliseconds = ctypes.c_float()
        self._do("cudaEventElapsedTime", ctypes.byref(milliseconds), begin, end)
        return milliseconds.value * 1e-3

    def _do(self, function: str, *args: Any) -> None:
        if error := getattr(self._cuda, function)(*args):
            raise RuntimeError(f"{function} failed: {self._cuda.cudaGetErrorName(error).decode()}")
