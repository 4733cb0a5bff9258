"""The schedule as a sequence of primitives: what TLP (Zhai et al., ASPLOS 2023) reads, no lowering needed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from tvm.ir.prim.expr import FloatImm, IntImm
from tvm.s_tir import Trace

_KINDS = (
    "SamplePerfectTile",
    "SamplePartitionedTile",
    "SampleCategorical",
    "SampleComputeLocation",
    "Split",
    "Fuse",
    "Merge",
    "LoopPartition",
    "Reorder",
    "ReorderBlockIterVar",
    "AddUnitLoop",
    "Parallel",
    "Vectorize",
    "Unroll",
    "Bind",
    "CacheRead",
    "CacheWrite",
    "ReIndex",
    "ReindexCacheRead",
    "ReindexCacheWrite",
    "ComputeAt",
    "ReverseComputeAt",
    "ComputeInline",
    "ReverseComputeInline",
    "DecomposeReduction",
    "RFactor",
    "StorageAlign",
    "SetScope",
    "Blockize",
    "Tensorize",
    "TransformLayout",
    "Annotate",
)
_INDEX = {kind: i for i, kind in enumerate(_KINDS)}
_PARAMETERS = 8
WIDTH = len(_KINDS) + _PARAMETERS
LENGTH = 48


def primitive_features(trace: Trace) -> np.ndarray:
    """The primitives that change or sample something, in order.

    Args:
        trace: of an applied schedule, with its decisions.

    Returns:
        float32[n ≤ 48, 40]: kind one-hot (32), then up to 8 parameters: numbers as sign(x)·log2(|x| + 1), names as a
        fixed fraction. The first 48 where there are more.
    """
    rows = []
    for instruction in trace.insts:
        index = _INDEX.get(instruction.kind.name)
        if index is None:
            continue
        row = np.zeros(WIDTH, np.float32)
        row[index] = 1.0
        values = list(_parameters(instruction, trace.decisions.get(instruction)))[:_PARAMETERS]
        row[len(_KINDS) : len(_KINDS) + len(values)] = values
        rows.append(row)
        if len(rows) == LENGTH:
            break
    return np.stack(rows) if rows else np.zeros((0, WIDTH), np.float32)


def _parameters(instruction: Any, decision: Any) -> Iterator[float]:
    if decision is None:
        yield _slog(len(instruction.inputs))
        for value in (*instruction.inputs, *instruction.attrs):
            yield from _value(value)
    elif isinstance(decision, int | IntImm):
        yield _slog(int(decision))
        if instruction.kind.name == "SampleCategorical":
            yield from _value(instruction.attrs[0][int(decision)])
    else:
        for factor in decision:
            yield from _value(factor)


def _value(value: Any) -> Iterator[float]:
    if isinstance(value, bool | int | float):
        yield _slog(float(value))
    elif isinstance(value, IntImm | FloatImm):
        yield _slog(float(value.value))
    elif isinstance(value, str):
        yield zlib.crc32(value.encode()) % 1024 / 1024


def _slog(value: float) -> float:
    return float(np.copysign(np.log2(abs(value) + 1.0), value))
