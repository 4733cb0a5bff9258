"""A schedule as text: trace, loop nest, TVMScript, its replay step by step, LLVM IR, assembly, CUDA, PTX."""

from __future__ import annotations

import json
from collections.abc import Sequence

import tvm
from tvm.s_tir import Schedule
from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock

from pruner_engine.errors import UserError
from pruner_engine.inspect import FORMS
from pruner_engine.inspect.assembly import readable
from pruner_engine.inspect.code import Code
from pruner_engine.inspect.code_lines import linked_code
from pruner_engine.inspect.cuda_lines import nodes_of_cuda
from pruner_engine.inspect.debug_lines import assembly_with_lines, located, nodes_of_ir
from pruner_engine.inspect.diff import outline
from pruner_engine.inspect.loop_tree import LoopTree
from pruner_engine.inspect.ptx import ptx_of
from pruner_engine.inspect.replay import replay
from pruner_engine.lowering.default_schedules import unscheduled
from pruner_engine.space.schedule import schedule_of
from pruner_engine.tasks.task import TuningTask

_DEVICE_FORMS = ("cuda", "ptx")


def code_of(
    task: TuningTask, target: tvm.target.Target, forms: Sequence[str], trace_json: str | None, candidate: str = "0"
) -> dict[str, Code]:
    """The asked forms of one candidate.

    Args:
        forms: of `FORMS`. `replay` is JSON text of a `Replay`. On a CUDA target `llvm` and `asm` show the host side,
            which launches the kernels.
        trace_json: JSON text of the candidate's trace; None for the kernel as it is without tuning.
        candidate: hash of the candidate.

    Returns:
        Code by form; what is program text is linked to the loop tree of the scheduled kernel.

    Raises:
        UserError: an unknown form, CUDA asked of a CPU target, a foreign trace, or a schedule that does not compile.
    """
    unknown = [form for form in forms if form not in FORMS]
    if unknown:
        raise UserError(f"There is no form {unknown[0]!r}.", f"Use one of {', '.join(FORMS)}.")
    if set(forms) & set(_DEVICE_FORMS) and target.kind.name != "cuda":
        raise UserError(f"CUDA and PTX exist for CUDA targets only; this one is {target.kind.name}.", "Ask for asm.")
    if not forms:  # a schedule that cannot be applied can still be asked about
        return {}
    schedule = None if trace_json is None else schedule_of(task, target, trace_json, candidate)
    mod = task.mod if schedule is None else schedule.mod
    tree = LoopTree(mod)
    code: dict[str, Code] = {}
    if "trace" in forms:
        code["trace"] = Code("# not scheduled" if schedule is None else trace_text(schedule))
    if "nest" in forms:
        code["nest"] = Code("\n".join(outline(tree.roots)))
    if "tvmscript" in forms:
        code["tvmscript"] = linked_code(mod, tree)
    if "replay" in forms:
        trace = Schedule(mod).trace if schedule is None else schedule.trace
        code["replay"] = Code(json.dumps(replay(task.mod, trace).as_json()))
    if set(forms) - code.keys():
        kernel = located(mod, tree)
        kernel = unscheduled(kernel, target) if schedule is None else kernel
        code.update(_compiled(kernel, target, tree, forms))
    return {form: code[form] for form in forms}


def _compiled(mod: tvm.IRModule, target: tvm.target.Target, tree: LoopTree, forms: Sequence[str]) -> dict[str, Code]:
    built = build_kernel(mod, target)
    code = {}
    if "llvm" in forms:
        ir = built.inspect_source("ll")
        code["llvm"] = Code(ir, nodes_of_ir(ir))
    if "asm" in forms:
        code["asm"] = readable(assembly_with_lines(built))
    if set(forms) & set(_DEVICE_FORMS):
        source = "\n".join(imported.inspect_source("cuda") for imported in built.imports)
        code["cuda"] = Code(source, nodes_of_cuda(source, tree.roots))
    if "ptx" in forms:
        ptx, lines = ptx_of(code["cuda"].text, str(target.attrs["arch"]))
        code["ptx"] = Code(ptx, [None if line is None else code["cuda"].nodes[line] for line in lines])
    return code


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
