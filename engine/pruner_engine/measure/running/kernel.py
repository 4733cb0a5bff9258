"""Facts about a task's kernel that are needed to run it and to check its outputs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import tvm
from tvm.s_tir import SBlock, Schedule
from tvm.tirx import BufferStore, IterVar, RShift

from pruner_engine.lowering.loops.cases import is_case
from pruner_engine.lowering.nodes import loads_of, nodes_in
from pruner_engine.lowering.words.products import holds_word_products, numbers_of
from pruner_engine.measure.running.correctness import ANY_BITS, dtype_of, epsilon_of
from pruner_engine.measure.running.indices import index_bounds
from pruner_engine.measure.workers.wire import KernelFacts


def facts_of(mod: tvm.IRModule) -> KernelFacts:
    """Read the facts from a module with one unscheduled function "main"."""
    schedule = Schedule(mod)
    blocks = [schedule.get(block) for block in schedule.get_child_blocks(schedule.get_sblock("root"))]
    written = [region.source for block in blocks for region in block.writes]
    folding = [block for block in blocks if block.init is not None]
    calls = [call for block in blocks for call in nodes_in(block.body, tvm.ir.Call)]
    cases = [call for call in calls if is_case(call)]
    rounds = any(_to_bytes(cast) for block in blocks for cast in nodes_in(block.body, tvm.tirx.Cast))
    inputs = ["random"]
    if not rounds and all(isinstance(_value(block), tvm.tirx.Add) for block in folding):
        inputs.append("nan")
    if len(cases) == len(calls):  # others, such as exp, make infinities of them
        inputs.append("large")
    inputs.append("zeros")
    floats = {str(source.dtype) for source in written if "float" in str(source.dtype)}
    return KernelFacts(
        outputs=[i for i, p in enumerate(mod["main"].params) if any(p.same_as(w) for w in written)],
        reduction=max([1, *(math.prod(_folded(block)) for block in folding)]),
        inputs=inputs,
        bounds=index_bounds(
            [block.body for block in blocks if isinstance(block.body, BufferStore)], mod["main"].params
        ),
        words=_words(mod) if holds_word_products(mod) else _shifted(blocks, mod["main"].params),
        epsilon=max((epsilon_of(dtype_of(name)) for name in floats), default=0.0),
        rounds=rounds,
        finite=[i for i, p in enumerate(mod["main"].params) if cases and not any(map(p.same_as, _chosen(cases)))],
    )


def _chosen(cases: Sequence[tvm.ir.Call]) -> list[Any]:
    """What the values are read from that cases choose from."""
    return [load.source for case in cases for load in loads_of(case)]


def _to_bytes(cast: tvm.tirx.Cast) -> bool:
    return str(cast.ty) in ("int8", "uint8") and "float" in str(cast.value.ty)


def _words(mod: tvm.IRModule) -> dict[int, str]:
    """Which arguments of a kernel on words hold them, and the type of a number: its other integers have one axis, or a
    single row.

    A tensor of one word a pixel is taken for such a row: its first bytes alone are other than 0.
    """
    numbers = numbers_of(mod)
    tensors = [(i, p) for i, p in enumerate(mod["main"].params) if str(p.ty.dtype) == "int32" and len(p.ty.shape) > 1]
    return {i: numbers(p) for i, p in tensors if int(p.ty.shape[-1]) > 1}


def _shifted(blocks: Sequence[SBlock], params: Sequence[Any]) -> dict[int, str]:
    """Arguments of integers of which a kernel takes single bits: any may be set."""
    shifts = [shift for block in blocks for shift in nodes_in(block.body, RShift)]
    read = [load.source for shift in shifts for load in loads_of(shift)]
    return {i: ANY_BITS for i, p in enumerate(params) if str(p.ty.dtype) == "int32" and any(map(p.same_as, read))}


def _folded(block: SBlock) -> Iterator[int]:
    return (int(v.dom.extent) for v in block.iter_vars if v.iter_type == IterVar.CommReduce)


def _value(block: SBlock) -> Any:
    return block.body.value if isinstance(block.body, BufferStore) else None
