"""Schedules for a GPU on a CPU.

A schedule is a program of blocks that may run with its threads one after another: what a thread fetches together with
others it then fetches alone, which only takes longer. So without its bindings, and with shared memory and registers as
plain buffers, it runs on the CPU. Synchronisation is put in later, by TVM, and is not part of this.
"""

from __future__ import annotations

import tvm_ffi
from tvm.tirx import For, ForKind, decl_buffer
from tvm.tirx.buffer import BufferType

from schedules import tvm


def one_after_another(mod: tvm.IRModule) -> tvm.IRModule:
    """A scheduled module with loops in the place of threads, and without the overlap of a software pipeline."""
    changes = [(For, _alone), (BufferType, _in_plain_memory)]
    return tvm.IRModule({name: tvm_ffi.structural_map(function, changes) for name, function in mod.functions.items()})


def _alone(loop: For) -> For:
    notes = {name: note for name, note in loop.annotations.items() if not name.startswith("software_pipeline_")}
    if loop.thread_binding is None and len(notes) == len(loop.annotations):
        return loop
    kind = ForKind.SERIAL if loop.thread_binding is not None else loop.kind
    return For(loop.loop_var, loop.min, loop.extent, kind, loop.body, None, notes, loop.step, loop.span)


def _in_plain_memory(kind: BufferType) -> BufferType:
    if not kind.storage_scope.startswith(("shared", "local", "wmma")):
        return kind
    # none of them lies within another one's memory
    return decl_buffer(kind.shape, kind.dtype, data_alignment=kind.data_alignment, layout=kind.layout).ty
