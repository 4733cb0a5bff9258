"""From a prepared module to its distinct kernels."""

from __future__ import annotations

import re
from collections.abc import Mapping

import tvm
from tvm.s_tir import SBlock, Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.target import Target
from tvm.tirx import IntImm, IterVar

from pruner_engine.lowering.words.products import holds_word_products
from pruner_engine.targets.target import device_kind
from pruner_engine.tasks.operations import operations_of
from pruner_engine.tasks.reuse import reuse_distances
from pruner_engine.tasks.task import TensorSpec, TuningTask, module_hash

# the first that matches a kernel's name decides; heavier operators first, since a fused kernel has several
_CLASSES = {
    "conv2d_transpose": "conv2d_transpose",
    "conv1d": "conv1d",
    "conv2d": "conv2d",
    "conv3d": "conv3d",
    "matmul|dense": "matmul",
    "softmax": "softmax",
    "(layer|rms|group|instance|batch)_norm": "normalization",
    "pool": "pool",
}
_LABEL_CHARS = 48
# in kernels with bytes: what stands for numbers that are rounded to them, and for bytes that become numbers again
_QUANTISED = {
    "quantize": r"(cast_)?(divide_)?multiply_(reshape_)?tir_round(_cast)?(_add)?_maximum_minimum_cast",
    "dequantize": r"(subtract_)?cast_(subtract_)?multiply",
}


def extract_tasks(prepared: tvm.IRModule, target: Target) -> list[TuningTask]:
    """The distinct kernels of a prepared module, most work first.

    Args:
        prepared: result of `prepare`.
        target: what to tune for.

    Returns:
        Structurally different kernels that have a design space, with names that are the same at every run. Left out are
        kernels that only rename a shape (they cost nothing once compiled), ones not made of schedulable blocks, and
        ones of shapes that are known only when they run.
    """
    extracted = ms.relax_integration.extract_tasks(prepared, target, {})
    found = [(str(t.task_name), t.dispatched[0], int(t.weight)) for t in extracted if _tunable(t.dispatched[0])]
    reuse = _reuse_by_hash(prepared) if device_kind(target) == "cpu" else {}
    tasks = [_task(symbol, mod, weight, reuse) for symbol, mod, weight in found]
    return sorted(tasks, key=lambda t: (-t.flops * t.weight, t.name))


def kernel_hashes(prepared: tvm.IRModule) -> dict[str, str]:
    """The hash that a task of it has, by name of each kernel of a prepared module."""
    normalise = tvm.get_global_func("tvm.s_tir.meta_schedule.normalize_mod")
    kernels = {v.name_hint: f for v, f in prepared.functions.items() if isinstance(f, tvm.tirx.PrimFunc)}
    return {name: module_hash(normalise(kernel)) for name, kernel in kernels.items()}


def _reuse_by_hash(prepared: tvm.IRModule) -> dict[str, tuple[int, ...]]:
    """The distances of `reuse_distances`, of kernels that are the same task their mean."""
    hashes, found = kernel_hashes(prepared), dict[str, list[tuple[int, ...]]]()
    for name, distances in reuse_distances(prepared).items():
        if name in hashes:
            found.setdefault(hashes[name], []).append(distances)
    return {digest: tuple(sum(each) // len(each) for each in zip(*of, strict=True)) for digest, of in found.items()}


def _task(symbol: str, mod: tvm.IRModule, weight: int, reuse: Mapping[str, tuple[int, ...]]) -> TuningTask:
    digest = module_hash(mod)
    # TVM numbers equal names in the order it meets them; the hash tells them apart whatever else the model holds
    label = re.sub(r"\d+(?=_|$)", "", symbol.removeprefix("fused_"))
    params = mod["main"].params
    args = tuple(TensorSpec(str(p.name), tuple(int(d) for d in p.ty.shape), str(p.ty.dtype)) for p in params)
    if any(spec.dtype in ("uint8", "int8") for spec in args) or holds_word_products(mod):
        for name, pattern in _QUANTISED.items():
            label = re.sub(pattern, name, label)
    label = label[:_LABEL_CHARS].rstrip("_")
    operator = _operator(label, mod, args)
    if operator.endswith("_conv2d"):
        label = label.replace("conv2d", operator, 1)
    return TuningTask(
        name=f"{label}_{digest[:6]}",
        op=operator,
        hash=digest,
        mod=mod,
        args=args,
        flops=operations_of(mod),
        weight=weight,
        reuse=reuse.get(digest, ()),
    )


def _operator(label: str, mod: tvm.IRModule, args: tuple[TensorSpec, ...]) -> str:
    blocks = _blocks(mod)
    found = next((operator for pattern, operator in _CLASSES.items() if re.search(pattern, label)), "")
    if found == "conv2d":
        return _conv2d([str(b.name_hint) for b in blocks], args)
    if found:
        return found
    if any(var.iter_type == IterVar.CommReduce for b in blocks for var in b.iter_vars):
        return "reduce"
    return "elementwise" if operations_of(mod) > 0 else "data movement"


def _conv2d(blocks: list[str], args: tuple[TensorSpec, ...]) -> str:
    """A depthwise kernel is a grouped one whose weights (OIHW or HWIO) have one input channel."""
    if "group_conv2d_nchw" not in blocks and "group_conv2d_nhwc" not in blocks:
        return "conv2d"
    axis = 1 if "group_conv2d_nchw" in blocks else 2
    return "depthwise_conv2d" if args[1].shape[axis] == 1 else "group_conv2d"


def _tunable(mod: tvm.IRModule) -> bool:
    try:
        blocks = _blocks(mod)
    except (ValueError, RuntimeError):
        return False
    extents = [d for p in mod["main"].params for d in getattr(p.ty, "shape", ())]
    fixed = all(isinstance(d, IntImm) and int(d) > 0 for d in extents)
    return (
        fixed and all(b.iter_vars for b in blocks) and not all(str(b.name_hint).startswith("T_reshape") for b in blocks)
    )


def _blocks(mod: tvm.IRModule) -> list[SBlock]:
    schedule = Schedule(mod, error_render_level="none")
    return [schedule.get(b) for b in schedule.get_child_blocks(schedule.get_sblock("root"))]
