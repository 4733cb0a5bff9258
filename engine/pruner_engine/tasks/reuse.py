"""Reuse distances: how much else an inference touches before it comes back to a kernel's argument.

What a cache still holds of an argument depends on that. TVM's own plan of the memory tells which tensors follow each
other in one place, so that an output may be written where nothing has been since the inference before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import tvm
from tvm import relax
from tvm.relax import transform

from pruner_engine.tasks.graph import operator_of, size_of

_PAGE = 64 << 10  # bytes; memory is followed in such pieces
_MOST_PAGES = 1 << 12  # larger models are followed in larger pieces
_PLAN = [  # as TVM compiles a model, until its memory is planned
    transform.RewriteDataflowReshape(),
    transform.ToNonDataflow(),
    transform.RemovePurityChecking(),
    transform.CallTIRRewrite(),
    transform.StaticPlanBlockMemory(),
]
# what they give is in the memory of their first argument
_WITHIN = ("relax.memory.alloc_tensor", "relax.memory.view", "relax.reshape")


def reuse_distances(prepared: tvm.IRModule) -> dict[str, tuple[int, ...]]:
    """Bytes that an inference touches between two uses of what an argument holds, by kernel and argument.

    Of several calls of a kernel, and of the parts of an argument, the mean. What a kernel reads and its predecessor has
    written has the distance 0; a weight has that of all that an inference touches.

    Args:
        prepared: result of `prepare`.

    Returns:
        Nothing of kernels that the main function does not call, or whose shapes are known only when they run.
    """
    with tvm.transform.PassContext(opt_level=3):
        planned = tvm.transform.Sequential(_PLAN)(prepared)
    calls = list(_calls(planned["main"])) if "main" in planned else []
    pages = _Pages(calls)
    for call in calls:
        pages.touch(call)
    found: dict[str, list[list[float]]] = {}
    for call in calls:  # an inference behind another
        found.setdefault(call.kernel, []).append(pages.touch(call))
    return {name: tuple(np.mean(distances, axis=0).astype(int).tolist()) for name, distances in found.items()}


@dataclass(frozen=True)
class _Part:
    """A tensor's place: what memory it is in, and its bytes there, from the beginning on."""

    memory: Any
    bytes: int


@dataclass(frozen=True)
class _Call:
    kernel: str
    args: list[_Part]


def _calls(main: relax.Function) -> Iterator[_Call]:
    """The calls of kernels of known shapes, in their order."""
    memories: dict[Any, Any] = {}  # by variable
    for block in main.body.blocks if isinstance(main.body, relax.SeqExpr) else ():
        for binding in block.bindings:
            value = binding.value if isinstance(binding, relax.VarBinding) else None
            if isinstance(value, relax.Var):
                memories[binding.var] = memories.get(value, value)
            elif isinstance(value, relax.Call) and isinstance(value.op, tvm.ir.GlobalVar):
                parts = [_Part(memories.get(arg, arg), size_of(arg.ty)) for arg in value.args]
                if all(part.bytes for part in parts):
                    yield _Call(value.op.name_hint, parts)
            elif isinstance(value, relax.Call) and operator_of(value) in _WITHIN:
                memories[binding.var] = memories.get(value.args[0], value.args[0])


class _Pages:
    """The memory of a model in pieces, with the call that has touched each last."""

    def __init__(self, calls: list[_Call]) -> None:
        sizes: dict[Any, int] = {}
        for call in calls:
            for part in call.args:
                sizes[part.memory] = max(sizes.get(part.memory, 0), part.bytes)
        self._page = max(_PAGE, sum(sizes.values()) // _MOST_PAGES)
        self._first: dict[Any, int] = {}
        lasts: list[int] = []  # bytes of each
        for memory, size in sizes.items():
            self._first[memory] = len(lasts)
            whole, rest = divmod(size, self._page)
            lasts += [self._page] * whole + ([rest] if rest else [])
        self._bytes = np.array(lasts, dtype=np.int64)
        self._touched = np.full(len(lasts), -1, dtype=np.int64)
        self._time = 0

    def touch(self, call: _Call) -> list[float]:
        """Bytes that were touched since each argument was."""
        places = [slice(first := self._first[part.memory], first - -part.bytes // self._page) for part in call.args]
        distances = [self._since(place) for place in places]
        for place in places:
            self._touched[place] = self._time
        self._time += 1
        return distances

    def _since(self, place: slice) -> float:
        times, where = np.unique(self._touched[place], return_inverse=True)
        since = np.array([self._bytes[self._touched > time].sum() for time in times])
        return float(np.average(since[where], weights=self._bytes[place]))
