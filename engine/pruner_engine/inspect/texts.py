"""A schedule as text: trace, loop nest, TVMScript, its replay step by step, LLVM IR, assembly, CUDA, PTX."""

from __future__ import annotations

import json
from collections.abc import Sequence

import tvm
from tvm.s_tir import Schedule
from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock

from pruner_engine.errors import UserError
from pruner_engine.inspect.assembly import readable
from pruner_engine.inspect.diff import outline
from pruner_engine.inspect.loop_tree import LoopTree
from pruner_engine.inspect.ptx import ptx_of
from pruner_engine.inspect.replay import replay
from pruner_engine.inspect.schedule import schedule_of
from pruner_engine.lowering import unscheduled
from pruner_engine.tasks.task import TuningTask

FORMS = ("trace", "nest", "tvmscript", "replay", "llvm", "asm", "cuda", "ptx")
_HOST_FORMATS = {"llvm": "ll", "asm": "asm"}
_DEVICE_FORMS = ("cuda", "ptx")


def texts_of(
    task: TuningTask, target: tvm.target.Target, trace_json: str | None, forms: Sequence[str]
) -> dict[str, str]:
    """The asked forms of one candidate.

    Args:
        trace_json: JSON text of the candidate's trace; None for the kernel as it is without tuning.
        forms: of `FORMS`. `replay` is JSON text of a `Replay`. On a CUDA target `llvm` and `asm` show the host side,
            which launches the kernels.

    Raises:
        UserError: an unknown form, CUDA asked of a CPU target, a foreign trace, or a schedule that does not compile.
    """
    unknown = [form for form in forms if form not in FORMS]
    if unknown:
        raise UserError(f"There is no form {unknown[0]!r}.", f"Use one of {', '.join(FORMS)}.")
    if set(forms) & set(_DEVICE_FORMS) and target.kind.name != "cuda":
        raise UserError(f"CUDA and PTX exist for CUDA targets only; this one is {target.kind.name}.", "Ask for asm.")
    schedule = None if trace_json is None else schedule_of(task, target, trace_json)
    mod = task.mod if schedule is None else schedule.mod
    texts = {}
    if "trace" in forms:
        texts["trace"] = "# not scheduled" if schedule is None else trace_text(schedule)
    if "nest" in forms:
        texts["nest"] = "\n".join(outline(LoopTree(mod).roots))
    if "tvmscript" in forms:
        texts["tvmscript"] = mod.script()
    if "replay" in forms:
        trace = Schedule(mod).trace if schedule is None else schedule.trace
        texts["replay"] = json.dumps(replay(task.mod, trace).as_json())
    if set(forms) - texts.keys():
        built = build_kernel(unscheduled(mod, target) if schedule is None else mod, target)
        texts.update((form, built.inspect_source(_HOST_FORMATS[form])) for form in forms if form in _HOST_FORMATS)
        if "asm" in texts:
            texts["asm"] = readable(texts["asm"])
        if set(forms) & set(_DEVICE_FORMS):
            texts["cuda"] = "\n".join(imported.inspect_source("cuda") for imported in built.imports)
        if "ptx" in forms:
            texts["ptx"] = ptx_of(texts["cuda"], str(target.attrs["arch"]))
    return {form: texts[form] for form in forms}


def trace_text(schedule: Schedule) -> str:
    """The trace as Python statements, one instruction a line, decisions included."""
    return "\n".join(schedule.trace.as_python())


def build_kernel(mod: tvm.IRModule, target: tvm.target.Target) -> tvm.runtime.Module:
    """Compile a kernel as a measurement does: weights count as prepacked already.

    Raises:
        UserError: the schedule does not compile.
    """
    try:
        with target:  # says the architecture where CUDA is compiled on the way
            return tvm.tirx.build(RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(mod), target)
    except (RuntimeError, ValueError, TypeError) as error:
        first = str(error).strip().splitlines()[-1:]
        raise UserError(f"This schedule does not compile: {' '.join(first)}") from error
