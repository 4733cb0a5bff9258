"""Modules that are run on this machine to see what they compute."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import tvm
from tvm import relax
from tvm.target import Target

from arm_machine import run_on_arm
from pruner_engine.measure.building.linker import Linker
from pruner_engine.targets.target import is_of_this_architecture, target_json
from pruner_engine.tasks.task import TuningTask


def plain(target: Target | str) -> Target:
    """The target without LLVM's optimisations, which take three quarters of the time to compile and run a small model.

    They change how fast it is, but not what TVM's graph and kernels say. What was prepared for a processor of another
    architecture runs here as well, as long as nothing in it is scheduled: its products are plain arithmetic then.
    """
    target = Target(target)
    return unoptimised(target if is_of_this_architecture(target) else Target("llvm"))


def unoptimised(target: Target) -> Target:
    return Target({**json.loads(target_json(target)), "opt-level": 0})


def linked(code: tvm.runtime.Module, target: Target) -> tvm.runtime.Module:
    """Compiled code, from a library: TVM's compiler in memory optimises machine code whatever the target says.

    That takes three times as long as to write and link what is not optimised.
    """
    with tempfile.TemporaryDirectory() as folder:
        parts, library = Path(folder) / "code.o", Path(folder) / "code.so"
        code.write_to_file(str(parts))
        Linker(target)(str(library), [str(parts)])
        return tvm.runtime.load_module(str(library))


def machine_of(
    mod: tvm.IRModule,
    target: Target | str = "llvm",
    compiled: Callable[[tvm.IRModule, Target], relax.VMExecutable] = tvm.compile,
) -> relax.VirtualMachine:
    """A model, prepared or as it was imported, ready to be called."""
    program = compiled(mod, plain(target))
    parts = [linked(part, plain(target)) if part.kind == "llvm" else part for part in program.mod.imports]
    program.mod.clear_imports()
    for part in parts:
        program.mod.import_module(part)
    return relax.VirtualMachine(program, tvm.cpu())


def arrays_for(task: TuningTask, rng: np.random.Generator) -> list[np.ndarray]:
    """What a kernel may be given."""
    return [np.asarray(rng.standard_normal(spec.shape), spec.dtype) for spec in task.args]


def result_of(mod: tvm.IRModule, arrays: Sequence[np.ndarray], target: Target | str = "llvm") -> np.ndarray:
    """What a kernel writes into the last of its arrays, of which none is changed."""
    target = Target(target)
    if not is_of_this_architecture(target):
        return run_on_arm(mod, unoptimised(target), arrays)[-1]
    given = [*map(tvm.runtime.tensor, arrays)]
    linked(tvm.compile(mod, target=plain(target)).mod, plain(target))["main"](*given)
    return given[-1].numpy()
