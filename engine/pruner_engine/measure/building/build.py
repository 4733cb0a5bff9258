"""From a scheduled module to a shared library; runs in a forked builder.

A fork is cheap, and what follows is not: every page that the compiler writes is copied first, and what it keeps for the
next kernel is made anew. So a builder serves a few candidates.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import tvm
from tvm.s_tir.meta_schedule.arg_info import ArgInfo
from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock
from tvm.support.tar import tar
from tvm.target import Target
from tvm_ffi.serialization import from_json_graph_str

from pruner_engine.lowering.default_schedules import unscheduled
from pruner_engine.measure.building.conversions import without_conversions
from pruner_engine.measure.building.linker import Linker
from pruner_engine.measure.running.weight_layout import rewrites_of
from pruner_engine.measure.workers import process, wire

# the runner passes what the kernel wants; checking it is 350 lines of LLVM IR for each argument, half of a small build
_CONFIG = {"tirx.disable_assert": True}
_SERVES = 16  # candidates of a forked builder


def serve(inbox: int, outbox: int, limit_s: float) -> None:
    """Answer `Build` messages until the pipe ends, or this process is to be replaced: it is old, or short of memory.

    Args:
        limit_s: seconds that a build may compute.
    """
    lifespan = process.Lifespan(os.getpid(), _SERVES)
    while isinstance(job := wire.receive(inbox), wire.Build):
        process.limit_cpu(limit_s)
        answer = build(job)
        spent = lifespan.is_over() or answer.error == "memory"
        wire.send(outbox, msgspec.structs.replace(answer, spent=spent))
        if spent:
            return


def build(job: wire.Build) -> wire.Built:
    """Compile as TVM's own builder does: layout rewrites are left to the caller of the kernel."""
    started = time.perf_counter()
    kernel, error, message = None, "", ""
    try:
        kernel = _compile(job)
    except Exception as failure:  # whatever a schedule makes the compiler raise is the trial's result
        error, message = process.error_of(failure)
    return wire.Built(id=job.id, seconds=time.perf_counter() - started, kernel=kernel, error=error, message=message)


def _compile(job: wire.Build) -> wire.Kernel:
    mod = from_json_graph_str(job.mod)  # TVM's `load_json` first looks for what older versions wrote, for longer
    target = Target(job.target)
    if job.untuned:
        mod = unscheduled(mod, target)
    layouts = {} if job.untuned else {index: str(tvm.ir.save_json(m)) for index, m in rewrites_of(mod).items()}
    mod = RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(mod)
    args = [wire.Tensor([int(n) for n in info.shape], str(info.dtype)) for info in ArgInfo.from_entry_func(mod, False)]
    if target.kind.name == "llvm":
        mod = without_conversions(mod, job.mod)
    # a CUDA kernel is compiled on the way, for the architecture of the target in scope
    with target, tvm.transform.PassContext(opt_level=3, config=_CONFIG):
        built = tvm.tirx.build(mod, target=target)
    if job.library.endswith(".tar"):
        built.export_library(job.library, fcompile=tar)
    elif built.imports:
        built.export_library(job.library, fcompile=Linker(target))
    else:
        object_file = job.library + ".o"
        try:
            built.write_to_file(object_file)
            Linker(target)(job.library, [object_file])
        finally:
            Path(object_file).unlink(missing_ok=True)
    return wire.Kernel(job.library, args, layouts)
