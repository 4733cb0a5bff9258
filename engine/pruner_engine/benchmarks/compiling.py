"""What share of the draft's choices TVM accepts and the compiler turns into kernels, for a device that is elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pruner_engine.benchmarks.draft_rate import spaces_of
from pruner_engine.draft import analyzer_for
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureOptions, MeasureResult, inputs_of
from pruner_engine.search.explorer import Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import resolve_target, target_json

#: one of each class of operators, small enough to be compiled quickly, the last ones for Tensor Cores
GPU_OPERATORS = [
    "matmul:512,512,512",
    "bmm:12,128,128,64",
    "conv1d:1,64,256,128,3,pad=1",
    "conv2d:1,64,56,56,64,3,layout=NHWC",
    "conv2d:1,64,56,56,64,3",
    "conv3d:1,16,8,28,28,32,3,pad=1",
    "depthwise:1,96,56,56,3,layout=NHWC",
    "softmax:256,1024",
    "layernorm:128,768",
    "maxpool:1,64,112,112,3,stride=2,pad=1",
    "gelu:128,3072",
    "matmul:512,512,512,float16",
    "bmm:12,128,128,64,float16",
    "conv2d:1,64,56,56,64,3,layout=NHWC,float16",
    "matmul:512,512,512,bfloat16",
    "conv2d:1,64,56,56,64,3,layout=NHWC,bfloat16",
    "matmul:512,512,512,int8",
]
_BUILD_TIMEOUT_S = 120.0  # the question is whether it compiles, also on a busy machine
_THREADS = 2  # that apply schedules
_TENSOR_CORE = ("wmma", "mma_")


def bench_compile(
    target: str,
    operators: Sequence[str],
    candidates: int,
    seed: int = 0,
    on_progress: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Draft for each operator, apply the whole draft set, and build some of it with our own builder; runs nothing.

    Args:
        target: as `resolve_target` takes it.
        operators: models or workloads; the heaviest kernel of each is drafted.
        candidates: how many of each operator are built, spread evenly over the sketches of the draft set.

    Returns:
        {"target", "operators": [{"workload", "sketches", "tensor_core", "drafted", "applied", "built", "compiled",
        "build_s", "failures": [text]}], "applied", "compiled"}: sketches of which so many use Tensor Cores, drafted
        candidates, those that TVM's postprocs accepted, those built, those that compiled, seconds a build; at the end
        both shares over all operators.
    """
    resolved = resolve_target(target)
    found = []
    with Measurer(resolved, MeasureOptions(check="none", build_timeout_s=_BUILD_TIMEOUT_S)) as measurer:
        for workload in operators:
            on_progress(workload)
            space = spaces_of(workload, resolved)[0]
            found.append({"workload": workload, **_compile(measurer, space, candidates, seed)})
    totals = {name: sum(row[name] for row in found) for name in ("drafted", "applied", "built", "compiled")}
    return {
        "target": target_json(resolved),
        "operators": found,
        "applied": totals["applied"] / max(totals["drafted"], 1),
        "compiled": totals["compiled"] / max(totals["built"], 1),
    }


def _compile(measurer: Measurer, space: DesignSpace, count: int, seed: int) -> dict[str, Any]:
    explorer = Explorer(space, analyzer_for(space, profile_for(space.target)), SearchSettings())
    drafted = explorer.draft(np.random.default_rng(seed)).candidates
    applied = space.materialise(drafted, _THREADS)
    results: list[MeasureResult] = []
    measurer.build(inputs_of(_spread(applied, count)), results.append)
    return {
        "sketches": len(space.sketches),
        "tensor_core": sum(uses_tensor_cores(sketch.trace_json()) for sketch in space.sketches),
        "drafted": len(drafted),
        "applied": len(applied),
        "built": len(results),
        "compiled": sum(result.ok for result in results),
        "build_s": sum(result.build_s for result in results) / max(len(results), 1),
        "failures": sorted({result.message[-300:] for result in results if not result.ok}),
    }


def uses_tensor_cores(trace: str) -> bool:
    """Whether a trace, as JSON, makes use of matrix instructions."""
    return any(name in trace for name in _TENSOR_CORE)


def _spread(candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """The best of each sketch in turn, so that every kind of kernel is among them."""
    queues: dict[int | None, list[Candidate]] = {}
    for candidate in candidates:
        queues.setdefault(candidate.sketch, []).append(candidate)
    picked: list[Candidate] = []
    for place in range(max(map(len, queues.values()), default=0)):
        picked += [queue[place] for queue in queues.values() if place < len(queue)]
    return picked[:count]
