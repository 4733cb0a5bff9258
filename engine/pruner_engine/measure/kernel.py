"""What has to be known about a task's kernel to run it and to judge its outputs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import tvm
from tvm.s_tir import SBlock, Schedule
from tvm.tirx import BufferStore, IterVar

from pruner_engine.measure.correctness import dtype_of
from pruner_engine.measure.indices import index_bounds

_CHILDREN = ("a", "b", "value", "condition", "true_value", "false_value")


@dataclass(frozen=True)
class KernelFacts:
    """Facts of an unscheduled kernel.

    Attributes:
        outputs: indices of the arguments that it writes.
        reduction: most terms that are folded into one element.
        inputs: the kinds of inputs (see correctness.py) on which every correct schedule gives the same outputs up to
            rounding. NaN is left out where a maximum or minimum is folded: which operand survives a comparison with
            NaN depends on the order. Large values are left out where a function such as exp follows: it turns the
            rounding error of a large sum into any error.
        bounds: argument index to the number that its elements, which are indices, have to be below.
        epsilon: distance from 1 to the next number in the coarsest float type that it writes, on the way too.
    """

    outputs: list[int]
    reduction: int
    inputs: list[str]
    bounds: dict[int, int]
    epsilon: float


def facts_of(mod: tvm.IRModule) -> KernelFacts:
    """Read the facts from a module with one unscheduled function "main"."""
    schedule = Schedule(mod)
    blocks = [schedule.get(block) for block in schedule.get_child_blocks(schedule.get_sblock("root"))]
    written = [region.source for block in blocks for region in block.writes]
    folding = [block for block in blocks if block.init is not None]
    inputs = ["random", "zeros"]
    if not any(isinstance(part, tvm.ir.Call) for block in blocks for part in _parts(block)):
        inputs.append("large")
    if all(isinstance(_value(block), tvm.tirx.Add) for block in folding):
        inputs.append("nan")
    floats = {str(source.dtype) for source in written if "float" in str(source.dtype)}
    return KernelFacts(
        outputs=[i for i, p in enumerate(mod["main"].params) if any(p.same_as(w) for w in written)],
        reduction=max([1, *(math.prod(_folded(block)) for block in folding)]),
        inputs=inputs,
        bounds=index_bounds(
            [block.body for block in blocks if isinstance(block.body, BufferStore)], mod["main"].params
        ),
        epsilon=max((float(ml_dtypes.finfo(dtype_of(name)).eps) for name in floats), default=0.0),
    )


def _folded(block: SBlock) -> Iterator[int]:
    return (int(v.dom.extent) for v in block.iter_vars if v.iter_type == IterVar.CommReduce)


def _value(block: SBlock) -> Any:
    return block.body.value if isinstance(block.body, BufferStore) else None


def _parts(block: SBlock) -> Iterator[Any]:
    waiting = [_value(block)]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += [getattr(part, name) for name in _CHILDREN if hasattr(part, name)]
