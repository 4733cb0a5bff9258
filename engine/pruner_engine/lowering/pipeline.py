"""TVM's lowering of kernels, with repairs, tiles in registers, whole loads, asynchronous copies, and byte products.

A kernel for Tensor Cores keeps operands and results in dynamic shared memory. TVM plans that memory twice:
StorageRewrite gives results the place of an operand whatever its type, and where the types differ (int8 and int32,
bfloat16 and float32) a later pass refuses the kernel. Here only the second plan is made for such kernels:
MergeSharedMemoryAllocations shares the same bytes and knows of types.
"""

from __future__ import annotations

from typing import Any

from tvm import IRModule
from tvm.ir.transform import PassContext, Sequential, module_pass
from tvm.s_tir import SBlockRealize
from tvm.s_tir.pipeline import default_s_tir_pipeline
from tvm.tirx import PrimFunc
from tvm.tirx.compilation_pipeline import register_tir_pipeline

from pruner_engine.lowering.async_copies import with_asynchronous_copies
from pruner_engine.lowering.loops.even_vectors import in_even_vectors
from pruner_engine.lowering.loops.guarded_copies import in_guarded_copies, with_words_of_bytes
from pruner_engine.lowering.loops.large_operands import by_rows
from pruner_engine.lowering.loops.long_kernels import in_few_loops, in_long_loops
from pruner_engine.lowering.loops.parted_loops import in_parted_loops
from pruner_engine.lowering.loops.register_tiles import in_registers
from pruner_engine.lowering.vectors.elements import by_element
from pruner_engine.lowering.vectors.gathers import in_whole_loads
from pruner_engine.lowering.vectors.neighbours import in_rows
from pruner_engine.lowering.vectors.whole_rows import holds_torn_rows, in_whole_rows
from pruner_engine.lowering.words.products import accumulated, cpu_has, holds_word_products
from pruner_engine.lowering.words.tile_products import in_tiles

_PLAN_ONCE = {"tirx.merge_static_smem": True}  # what it says of static memory does not matter: these kernels have none


def register_lowering() -> None:
    """Let TVM compile kernels this way by default; `import_tvm` calls it."""
    register_tir_pipeline("s_tir", _pipeline)


def _pipeline() -> tuple[Any, Any, Any]:
    stock, finalize_host, finalize_device = default_s_tir_pipeline()

    @module_pass(opt_level=0)  # type: ignore[untyped-decorator]
    def lower(mod: IRModule, context: PassContext) -> IRModule:
        mod = in_tiles(in_even_vectors(in_parted_loops(in_long_loops(in_few_loops(by_rows(in_guarded_copies(mod)))))))
        dynamic = {variable: function for variable, function in mod.functions.items() if _is_dynamic(function)}
        if not dynamic:
            # asked before: a kernel is small until its loops are unrolled
            lowered = accumulated(stock(mod)) if holds_word_products(mod) else stock(mod)
            if not _is_for_cpus(lowered):
                return lowered
            lowered = in_whole_loads(in_registers(lowered))
            if holds_torn_rows(mod):
                lowered = in_whole_rows(lowered)
            return by_element(lowered) if _is_for_arm(lowered) else lowered
        others = {variable: function for variable, function in mod.functions.items() if variable not in dynamic}
        with PassContext(opt_level=context.opt_level, config={**context.config, **_PLAN_ONCE}):
            lowered = stock(IRModule(dynamic, attrs=mod.attrs))
        if others:
            lowered.update(stock(IRModule(others, attrs=mod.attrs)))
        return lowered

    @module_pass(opt_level=0)  # type: ignore[untyped-decorator]
    def copy(mod: IRModule, _: PassContext) -> IRModule:
        return with_words_of_bytes(with_asynchronous_copies(in_rows(mod)))

    return lower, finalize_host, lambda: Sequential([copy, finalize_device()])


def _is_for_cpus(lowered: IRModule) -> bool:
    """Whether no kernel is another device's, in whose memory the buffers outside of it lie."""
    return all(function.attrs["target"].kind.name == "llvm" for function in lowered.functions.values())


def _is_for_arm(lowered: IRModule) -> bool:
    return all(cpu_has(function.attrs["target"], "neon") for function in lowered.functions.values())


def _is_dynamic(function: PrimFunc) -> bool:
    """Whether the schedule keeps buffers in dynamic shared memory; all of its buffers belong to the outermost block."""
    root = function.body
    return isinstance(root, SBlockRealize) and any(b.scope() == "shared.dyn" for b in root.block.alloc_buffers)
