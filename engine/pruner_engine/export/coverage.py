"""Coverage: which functions of a model run a tuned schedule, and their share of the time, measured or estimated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import tvm
from tvm import relax

from pruner_engine.export.build import is_applied
from pruner_engine.tasks.extract import kernel_hashes
from pruner_engine.tasks.graph import nodes_of
from pruner_engine.tasks.task import TuningTask

_STATES = ("applied", "drafted", "fallback", "not tunable")
_PACKED = "_prepacked"  # what TVM appends to a kernel whose weights it has packed


@dataclass(frozen=True)
class FunctionCoverage:
    """One function that an inference calls.

    Attributes:
        state: applied (a tuned schedule), drafted (one that nobody has measured, see untried.py), fallback (it is a
            task, but has no record that beats the untuned kernel), not tunable (no task, such as a function of the
            runtime).
        seconds: of all its calls in one inference, measured in the exported library, or estimated; None if not known.
        share: part of the time in all functions of which it is known, 0 to 1; None for another.
    """

    name: str
    task: str
    state: str
    calls: int
    seconds: float | None
    share: float | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def coverage(
    applied: tvm.IRModule,
    names: Mapping[str, str],
    kernels: Mapping[str, Mapping[str, Any]],
    drafted: Collection[str] = (),
) -> list[FunctionCoverage]:
    """The functions of an inference, slowest first.

    Args:
        applied: `prepared` after `apply_database`.
        names: task of each function, from `task_names`.
        kernels: seconds and calls by kernel name, as the library's profile or `estimated` gives them.
        drafted: tasks whose schedules nobody has measured.
    """
    scheduled = {variable.name_hint for variable, function in applied.functions.items() if is_applied(function)}
    total = sum(kernel["seconds"] or 0.0 for kernel in kernels.values()) or 1.0
    rows = []
    for kernel, measured in kernels.items():
        name = kernel.removesuffix(_PACKED)
        state = "fallback" if name in names else "not tunable"
        if name in scheduled:
            state = "drafted" if names.get(name) in drafted else "applied"
        seconds = None if measured["seconds"] is None else float(measured["seconds"])
        share = None if seconds is None else seconds / total
        rows.append(FunctionCoverage(name, names.get(name, ""), state, int(measured["calls"]), seconds, share))
    return sorted(rows, key=lambda row: -(row.seconds or 0.0))


def estimated(
    applied: tvm.IRModule, names: Mapping[str, str], call_s: Mapping[str, float]
) -> dict[str, dict[str, Any]]:
    """Seconds and calls by kernel name of a library that cannot be profiled, as the model itself has the calls.

    Args:
        applied, names: as `coverage` takes them.
        call_s: seconds that tuning measured of one call, by task.
    """
    functions = (function for function in applied.functions.values() if isinstance(function, relax.Function))
    nodes = (node for function in functions for node in nodes_of(function) if isinstance(node, relax.Call))
    called = (part for node in nodes for part in (node.op, *node.args[:1]))  # call_tir and its like: the function first
    kernels = (part for part in called if isinstance(part, tvm.ir.GlobalVar))
    calls = Counter(part.name_hint for part in kernels if isinstance(applied[part], tvm.tirx.PrimFunc))
    known = {name: call_s.get(names.get(name, "")) for name in calls}
    return {
        name: {"calls": n, "seconds": None if (seconds := known[name]) is None else n * seconds}
        for name, n in calls.items()
    }


def summarise(rows: Sequence[FunctionCoverage]) -> dict[str, Any]:
    """Count and share of the time by state; None where that is known of none of several functions.

    Few exports have any that are drafted: that state is there only where one is.
    """
    by_state = {state: [row for row in rows if row.state == state] for state in _STATES}
    return {state: _summed(found) for state, found in by_state.items() if found or state != "drafted"}


def _summed(rows: Sequence[FunctionCoverage]) -> dict[str, Any]:
    shares = [row.share for row in rows if row.share is not None]
    return {"functions": len(rows), "share": sum(shares) if shares or not rows else None}


def task_names(prepared: tvm.IRModule, tasks: Sequence[TuningTask]) -> dict[str, str]:
    """Name of the task of each function that is one."""
    by_hash = {task.hash: task.name for task in tasks}
    return {kernel: by_hash[key] for kernel, key in kernel_hashes(prepared).items() if key in by_hash}
