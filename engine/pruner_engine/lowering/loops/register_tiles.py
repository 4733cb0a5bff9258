"""The results of a tile in registers, from where they begin at zero to where they are stored.

A kernel collects the results of its tile in a buffer and has a loop read them once they are complete. TVM takes such a
buffer from the heap where it has 1024 bytes or more: 16 vectors of AVX-512. Whoever writes to the heap may be watched,
so that LLVM has to store zeros there (by a call of memset) and the sums, and to load these again. On the stack, and
with every element named by a constant, there is no buffer at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import tvm_ffi
from tvm import DataType, IRModule
from tvm.ir import TensorLoad
from tvm.tirx import AllocBuffer, BufferStore, For, ForKind, IntImm, PrimFunc, Stmt, Var
from tvm.tirx.analysis import undefined_vars
from tvm.tirx.transform import UnrollLoop

from pruner_engine.lowering.nodes import nodes_in

_LARGEST = 4096  # bytes: more than all registers of any CPU, and little for the stack of a thread
_WRITTEN_OUT = 64  # iterations
_ON_STACK = {"disable_lower_builtin": IntImm("bool", 1)}  # TVM's name for an allocation that it leaves to LLVM


def in_registers(mod: IRModule) -> IRModule:
    """The lowered module, for a CPU, with its tiles on the stack and the loops that name their elements written out."""
    functions = {variable: _in_registers(function) for variable, function in mod.functions.items()}
    if all(changed.same_as(mod.functions[variable]) for variable, changed in functions.items()):
        return mod
    return UnrollLoop()(IRModule(functions, attrs=mod.attrs))


def _in_registers(function: PrimFunc) -> PrimFunc:
    allocated = (allocation.buffer for allocation in nodes_in(function.body, AllocBuffer))
    tiles = [buffer for buffer in allocated if 0 < _bytes(buffer) <= _LARGEST]
    if not tiles:
        return function

    def keep(allocation: AllocBuffer) -> AllocBuffer:
        if not any(allocation.buffer.same_as(tile) for tile in tiles):
            return allocation
        return AllocBuffer(allocation.buffer, {**allocation.annotations, **_ON_STACK})

    def write_out(loop: For) -> For:
        nest = list(_nest(loop))
        if not nest or math.prod(int(one.extent) for one in nest) > _WRITTEN_OUT or not _chooses(nest, tiles):
            return loop
        body = nest[-1].body
        for one in reversed(nest):
            body = For(one.loop_var, one.min, one.extent, ForKind.UNROLLED, body)
        return body

    made = tvm_ffi.structural_map(function, (For, write_out), order="pre")
    return tvm_ffi.structural_map(made, (AllocBuffer, keep))


def _bytes(buffer: Var) -> int:
    """Of a flat buffer of vectors; 0 for any other, which is no tile."""
    (extent,) = buffer.shape
    kind = DataType(buffer.dtype)
    if kind.lanes == 1 or buffer.scope() != "global" or not isinstance(extent, IntImm):
        return 0
    return int(extent) * kind.bits * kind.lanes // 8


def _nest(loop: For) -> Iterator[For]:
    """The serial loops that lie directly in each other, none where other loops are in the innermost."""
    loops: list[For] = []
    body: Stmt = loop
    while isinstance(body, For):
        if body.kind != ForKind.SERIAL or not isinstance(body.extent, IntImm):
            return
        loops.append(body)
        body = body.body
    if not nodes_in(body, For):
        yield from loops


def _chooses(nest: list[For], tiles: list[Var]) -> bool:
    """Whether an element of a tile is named by the loops' variables."""
    for access in nodes_in(nest[-1].body, TensorLoad, BufferStore):
        source = access.source if isinstance(access, TensorLoad) else access.buffer
        if any(source.same_as(tile) for tile in tiles):
            used = [v for index in access.indices for v in undefined_vars(index)]
            if any(v.same_as(loop.loop_var) for v in used for loop in nest):
                return True
    return False
