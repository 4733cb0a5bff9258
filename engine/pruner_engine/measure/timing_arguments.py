"""Arguments that the kernels of a task are timed with.

A kernel that is called again and again finds its weights in the caches. In a network those of all other kernels pass
through them between two calls, so that weights come from further away, and of kernels that are equally fast otherwise
one waits for them half as long again as another (docs/experiments.md). So calls take turns among copies of the weights
that are together as large as all that an inference reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import tvm_ffi
from tvm.runtime import Tensor

from pruner_engine.measure import wire

_LEAST_BYTES = 16 << 10  # of a weight that is worth copies: less comes while the call begins
_MOST_BYTES = 256 << 20  # of all copies of a kernel's weights: no caches hold so much
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
        weights: which of them are constants of the model.
        weights_bytes: of the weights that an inference reads; 0: the kernel's own stay in the caches.
        values: what an argument of some shape may hold.
        put: brings that to the device.
        arena: where the copies are.
    """

    def __init__(
        self,
        weights: Sequence[int],
        weights_bytes: int,
        values: Callable[[int, Sequence[int]], np.ndarray],
        put: Put,
        arena: Arena,
    ) -> None:
        self._weights, self._weights_bytes = weights, weights_bytes
        self._values, self._put, self._arena = values, put, arena
        self._kept: dict[int, _Memory] = {}  # by argument

    def of(self, kernel: wire.Kernel) -> list[list[Tensor]]:
        """The arguments of one call of a kernel, of the next one, and so on; then these again."""
        sizes = {i: kernel.args[i].bytes for i in self._weights if kernel.args[i].bytes >= _LEAST_BYTES}
        copies = min(self._weights_bytes, _MOST_BYTES) // max(sum(sizes.values()), 1) if sizes else 1
        copies = max(1, min(copies, _MOST_COPIES))
        columns = [self._tensors(i, arg, copies if i in sizes else 1) for i, arg in enumerate(kernel.args)]
        return [[column[copy % len(column)] for column in columns] for copy in range(copies)]

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
