"""Compile a prepared model with the best schedules of a database."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import tvm
from tvm import relax
from tvm.relax import transform
from tvm.relax.backend.cpu_generic import pipeline as of_cpus
from tvm.relax.backend.cuda import pipeline as of_gpus
from tvm.s_tir import SBlock, SBlockRealize
from tvm.s_tir.meta_schedule import Database

from pruner_engine.errors import UserError
from pruner_engine.export.between import hand_over_memory_between_launches
from pruner_engine.export.views import results_as_views
from pruner_engine.export.weights import without_weights
from pruner_engine.lowering.default_schedules import without_broken_schedules
from pruner_engine.targets.cuda_compiler import use_cuda_compiler

# what TVM puts before what a compiler for CUDA says, and behind its whole source
_COMPILER = re.compile(r"(?:Compilation error|NVRTC compilation failed):\n")
_ROOT = "root"  # name of the block around all others of a kernel


def apply_database(
    prepared: tvm.IRModule, target: tvm.target.Target, database: Database, leave: Collection[str] = ()
) -> tvm.IRModule:
    """Replace each kernel that has a record by its best schedule.

    Args:
        prepared: legalised and fused module.
        leave: names of functions that stay as they are, as do those without a record.
    """
    with target, database, tvm.transform.PassContext(opt_level=3):
        applied = transform.MetaScheduleApplyDatabase()(prepared)
    for variable, function in prepared.functions.items():
        if variable.name_hint in leave:
            applied.update_func(applied.get_global_var(variable.name_hint), function)
    return applied


def compile_model(mod: tvm.IRModule, target: tvm.target.Target) -> relax.VMExecutable:
    """Compile a model, scheduled or not, with constant weights packed as its schedules want them.

    Raises:
        UserError: TVM could not compile it, or there is no compiler for the GPU.
    """
    with _compiling(target):
        return _compiled(_packed(mod), target)


def compile_without_weights(
    mod: tvm.IRModule, target: tvm.target.Target
) -> tuple[relax.VMExecutable, list[np.ndarray]]:
    """The same, less its weights: the library takes them behind the model's inputs.

    Returns:
        The library, and the weights in their order.

    Raises:
        UserError: as `compile_model`.
    """
    with _compiling(target):
        bare, weights = without_weights(_packed(mod))
        return _compiled(bare, target), weights


def _compiled(mod: tvm.IRModule, target: tvm.target.Target) -> relax.VMExecutable:
    """Compiled by TVM's own passes, some of ours among them."""
    gpu = target.kind.name == "cuda"
    own = of_gpus if gpu else of_cpus
    passes = [
        *own.library_dispatch_passes(target),
        *own.legalize_passes(target),
        results_as_views,
        *([hand_over_memory_between_launches] if gpu else []),
        *own.dataflow_lower_passes(target),
        *own.finalize_passes(target),
    ]
    return tvm.compile(mod, target, relax_pipeline=tvm.transform.Sequential(passes))


@contextmanager
def _compiling(target: tvm.target.Target) -> Iterator[None]:
    """A context in which TVM compiles for a target; its errors become sentences for the user."""
    gpu = target.kind.name == "cuda"
    if gpu:
        use_cuda_compiler()
    # what a GPU does in an inference is recorded once, as a graph: handing over a short kernel takes longer than it
    config = {"relax.backend.use_cuda_graph": gpu}
    try:
        with target, tvm.transform.PassContext(opt_level=3, config=config):
            yield
    except (RuntimeError, ValueError, TypeError) as error:
        raise UserError(f"TVM could not compile the model: {_first_words(error)}") from error


def _first_words(error: Exception) -> str:
    """The first line of an error, or of what a compiler for CUDA says."""
    told = _COMPILER.split(str(error))[-1].strip().splitlines()
    return told[0] if told else ""


def _packed(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with constant weights as its schedules want them."""
    rooted = _rooted(without_broken_schedules(mod))
    folded = transform.FoldConstant()(transform.SplitLayoutRewritePreproc()(rooted))
    # packed weights come in tuples, which an inference would make and take apart
    return transform.DeadCodeElimination()(transform.CanonicalizeBindings()(folded))


def _rooted(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with a root around kernels of one block (scatter and others): packing looks for blocks within."""
    made = tvm.IRModule(mod.functions, attrs=mod.attrs)
    for variable, function in mod.functions.items():
        body = function.body
        if isinstance(body, SBlockRealize) and body.block.name_hint != _ROOT:
            root = SBlock([], [], [], _ROOT, body)
            made.update_func(variable, function.with_body(SBlockRealize([], True, root)))
    return made


def is_applied(function: Any) -> bool:
    """Whether `apply_database` has scheduled this function."""
    return bool(function.attrs and function.attrs.get("tirx.is_scheduled", False))
