"""Schedules by TVM's default rules, for kernels that have none."""

from __future__ import annotations

from tvm import IRModule
from tvm.s_tir import dlight
from tvm.target import Target
from tvm.tirx import PrimFunc

_NO_TENSOR_CORES = "dlight.do_not_tensorize"


def unscheduled(mod: IRModule, target: Target) -> IRModule:
    """A kernel without a schedule as it can be compiled: a GPU's loops need threads, which TVM's default rules give.

    An export compiles with these rules what is not tuned, so that a gain over them is one that users see. TVM's plainer
    pass, DefaultGPUSchedule, fails on kernels of more than one statement.
    """
    if target.kind.name == "llvm":
        return mod
    rules = (dlight.gpu.Matmul, dlight.gpu.GEMV, dlight.gpu.Reduction, dlight.gpu.GeneralReduction, dlight.gpu.Fallback)
    with target:
        return dlight.ApplyDefaultSchedule(*(rule() for rule in rules))(without_broken_schedules(mod))


def without_broken_schedules(mod: IRModule) -> IRModule:
    """A module whose products of bytes TVM's default rules leave to plain threads.

    What these rules make of them for Tensor Cores does not compile: its software pipeline lacks fragments' shapes.
    """
    marked = IRModule(mod.functions, attrs=mod.attrs)
    for variable, function in mod.functions.items():
        if isinstance(function, PrimFunc) and any(str(p.dtype) == "int8" for p in function.params):
            marked[variable] = function.with_attr(_NO_TENSOR_CORES, True)
    return marked
