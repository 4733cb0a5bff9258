"""Arguments that the kernels of a task are timed with.

A kernel that is called again and again finds in the caches what it has just read and written. In a network the rest of
an inference passes through them between two calls, so that weights, and the memory that an output is written to, come
from further away, and of kernels that are equally fast otherwise one waits for them half as long again as another
(docs/experiments.md). So calls take turns among copies of an argument, as many as put between two uses of one what an
inference does (tasks/reuse.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import tvm_ffi
from tvm.runtime import Tensor

from pruner_engine.measure.workers import wire

_LEAST_BYTES = 16 << 10  # of an argument that is worth copies: less comes while the call begins
_MOST_BYTES = 256 << 20  # of all copies of a kernel's arguments: no caches hold so much
_MOST_COPIES = 256
_ALIGNED = 64  # bytes; kernels load whole vectors

Put = Callable[[np.ndarray], Tensor]


class Arena:
    """Memory that a runner keeps for the copies of one task after the other.

    What the system gives anew it gives page by page, as soon as it is written to, which takes longer than the copying.
    """

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint8)
        self._used = 0

    def clear(self) -> None:
        """All of it is free: the task before has ended."""
        self._used = 0

    def take(self, rows: int, size: int) -> np.ndarray:
        """So many rows of at least `size` bytes, each of which begins at a multiple of `_ALIGNED`."""
        stride = -(-size // _ALIGNED) * _ALIGNED
        if self._used + rows * stride + _ALIGNED > self._memory.size:  # what was taken stays with its tensors
            self._memory, self._used = np.empty(max(self._memory.size, rows * stride + _ALIGNED), np.uint8), 0
        begin = self._used + -(self._memory.ctypes.data + self._used) % _ALIGNED
        self._used = begin + rows * stride
        return self._memory[begin : self._used].reshape(rows, stride)


class TimingArguments:
    """Arguments of the kernels of one task.

    Args:
        reuse: by argument, the bytes that pass between two uses of what it holds; empty where all stay in the caches.
        values: what an argument of some shape may hold.
        put: brings that to the device.
        arena: where the copies are.
    """

    def __init__(
        self,
        reuse: Sequence[int],
        values: Callable[[int, Sequence[int]], np.ndarray],
        put: Put,
        arena: Arena,
    ) -> None:
        self._reuse = reuse
        self._values, self._put, self._arena = values, put, arena
        self._kept: dict[int, _Memory] = {}  # by argument

    def of(self, kernel: wire.Kernel) -> list[list[Tensor]]:
        """The arguments of one call of a kernel, of the next one, and so on; then these again."""
        copies = self._copies([arg.bytes for arg in kernel.args])
        columns = [self._tensors(i, arg, copies.get(i, 1)) for i, arg in enumerate(kernel.args)]
        return [[column[call % len(column)] for column in columns] for call in range(max([1, *copies.values()]))]

    def _copies(self, sizes: Sequence[int]) -> dict[int, int]:
        """How many copies there are of each argument that has several: by as many calls it is not used.

        Each of these calls touches the next copy of all others that take turns, until that has come to their first one
        again, and whatever has no copies once.
        """
        far = [i for i, reuse in enumerate(self._reuse) if sizes[i] >= _LEAST_BYTES and reuse > sum(sizes)]
        turning = sum(sizes[i] for i in far)
        staying, copies = sum(sizes) - turning, dict[int, int]()
        for i in sorted(far, key=lambda i: self._reuse[i]):
            calls = -(-(min(self._reuse[i], _MOST_BYTES) - staying) // turning)
            copies[i] = min(max(1 + calls, *copies.values(), 1), _MOST_COPIES)
            turning, staying = turning - sizes[i], staying + copies[i] * sizes[i]
        return copies

    def _tensors(self, index: int, arg: wire.Tensor, copies: int) -> list[Tensor]:
        """A rewritten weight has its own shape in nearly every candidate, and any values do: its memory is shared."""
        known = self._kept.get(index)
        if known is None or known.bytes < arg.bytes or len(known.tensors) < copies:
            known = self._kept[index] = self._made(index, arg, copies)
        return [tensor._create_view(tuple(arg.shape), arg.dtype) for tensor in known.tensors[:copies]]

    def _made(self, index: int, arg: wire.Tensor, copies: int) -> _Memory:
        values = self._values(index, arg.shape)
        if copies == 1:
            return _Memory(arg.bytes, [self._put(values)])
        rows = self._arena.take(copies, arg.bytes)
        rows[:, : arg.bytes] = values.view(np.uint8).reshape(-1)
        return _Memory(arg.bytes, [tvm_ffi.from_dlpack(row) for row in rows])


@dataclass(frozen=True)
class _Memory:
    """Of an argument: a tensor for each copy, of so many bytes at least."""

    bytes: int
    tensors: list[Tensor]
