"""A tuning task: one distinct kernel of a model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import tvm
import tvm_ffi

LAYOUT_FREE = "layout_free_buffers"  # attribute of a function, by which TVM marks such arguments


@dataclass(frozen=True)
class TensorSpec:
    """A named tensor with a concrete shape."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def bytes(self) -> int:
        return math.prod(self.shape) * tvm.DataType(self.dtype).itemsize

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "shape": list(self.shape), "dtype": self.dtype}


def module_hash(mod: tvm.IRModule) -> str:
    """The structural hash that tasks are keyed by: 16 hexadecimal digits, equal for structurally equal modules."""
    return f"{tvm_ffi.structural_hash(mod) & (1 << 64) - 1:016x}"


def weights_of(kernel: tvm.tirx.PrimFunc) -> list[int]:
    """Which arguments of a kernel are constants of the model, whose layout a schedule may choose."""
    return [int(i) for i in kernel.attrs.get(LAYOUT_FREE, ())] if kernel.attrs else []


@dataclass(frozen=True, eq=False)
class TuningTask:
    """One distinct kernel.

    Attributes:
        name: stable over runs, unique within a model.
        op: operator class, such as conv2d, depthwise_conv2d, matmul, softmax, reduce, elementwise.
        hash: structural hash of `mod`, hexadecimal.
        mod: module with one TIR function "main", unscheduled.
        args: the kernel's arguments, outputs last.
        flops: floating-point operations of one call; a sum of products of four bytes counts as a multiplication.
        weight: calls per inference.
        reuse: of each argument, the bytes that an inference touches between two uses of it, see reuse.py; empty where
            that is not known.
    """

    name: str
    op: str
    hash: str
    mod: tvm.IRModule
    args: tuple[TensorSpec, ...]
    flops: float
    weight: int
    reuse: tuple[int, ...] = ()

    @property
    def bytes(self) -> int:
        """Of all arguments, each counted once."""
        return sum(spec.bytes for spec in self.args)
