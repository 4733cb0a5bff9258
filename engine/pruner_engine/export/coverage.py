"""Coverage: which functions of a model run a tuned schedule, and their share of the time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import tvm
import tvm_ffi

from pruner_engine.export.build import is_applied
from pruner_engine.tasks.task import TuningTask

_PACKED = "_prepacked"  # what TVM appends to a kernel whose weights it has packed


@dataclass(frozen=True)
class FunctionCoverage:
    """One function that an inference calls.

    Attributes:
        state: applied (a tuned schedule), fallback (it is a task, but has no record that beats the untuned kernel), not
            tunable (no task, such as a function of the runtime).
        seconds: measured in the exported library, all its calls of one inference.
        share: part of the time in all functions, 0 to 1.
    """

    name: str
    task: str
    state: str
    calls: int
    seconds: float
    share: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def coverage(
    applied: tvm.IRModule, names: Mapping[str, str], kernels: Mapping[str, Mapping[str, Any]]
) -> list[FunctionCoverage]:
    """The functions of an inference, slowest first.

    Args:
        applied: `prepared` after `apply_database`.
        names: task of each function, from `task_names`.
        kernels: seconds and calls by kernel name, as the library's profile gives them.
    """
    scheduled = {variable.name_hint for variable, function in applied.functions.items() if is_applied(function)}
    total = sum(kernel["seconds"] for kernel in kernels.values()) or 1.0
    rows = []
    for kernel, measured in kernels.items():
        name = kernel.removesuffix(_PACKED)
        state = "applied" if name in scheduled else "fallback" if name in names else "not tunable"
        seconds = float(measured["seconds"])
        rows.append(
            FunctionCoverage(name, names.get(name, ""), state, int(measured["calls"]), seconds, seconds / total)
        )
    return sorted(rows, key=lambda row: -row.seconds)


def summarise(rows: Sequence[FunctionCoverage]) -> dict[str, Any]:
    """Count and share of the time by state."""
    return {
        state: {
            "functions": sum(row.state == state for row in rows),
            "share": sum(row.share for row in rows if row.state == state),
        }
        for state in ("applied", "fallback", "not tunable")
    }


def task_names(prepared: tvm.IRModule, tasks: Sequence[TuningTask]) -> dict[str, str]:
    """Name of the task of each function that is one."""
    normalise = tvm.get_global_func("tvm.s_tir.meta_schedule.normalize_mod")
    by_hash = {tvm_ffi.structural_hash(task.mod): task.name for task in tasks}
    names = {}
    for variable, function in prepared.functions.items():
        if isinstance(function, tvm.tirx.PrimFunc):
            task = by_hash.get(tvm_ffi.structural_hash(normalise(function)))
            if task is not None:
                names[variable.name_hint] = task
    return names
