"""Find the free decisions of a trace, with their domains and names, by applying it once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import tvm
from tvm.s_tir import Schedule
from tvm.s_tir.schedule import Trace

from pruner_engine.space.decision import CategoricalDecision, Decision, LocationDecision, TileDecision

_DEEPEST = 64  # no nest has more loops; TVM takes the nearest valid location before the one asked for


def read_decisions(mod: tvm.IRModule, trace: Trace) -> list[Decision]:
    """The decisions of a trace of `mod`, in order."""
    schedule = Schedule(mod, seed=1, error_render_level="none")
    found: list[Decision] = []
    position = {instruction: index for index, instruction in enumerate(trace.insts)}
    uses = _uses(trace)

    def note(instruction: Any, inputs: Any, attrs: Any, decision: Any) -> Any:
        reader = _READERS.get(instruction.kind.name)
        if reader is None:
            return decision
        read, decision = reader(position[instruction], schedule, inputs, attrs)
        found.append(replace(read, name=uses.get(read.instruction, read.name)))
        return decision

    trace.apply_to_schedule(schedule, remove_postproc=True, decision_provider=note)
    return found


def _uses(trace: Trace) -> dict[int, str]:
    """Names for categorical choices: the annotation that takes the value, or "threads" where a loop is split by it."""
    made: dict[Any, int] = {}
    names: dict[int, str] = {}
    for index, instruction in enumerate(trace.insts):
        if instruction.kind.name == "SampleCategorical":
            made[instruction.outputs[0]] = index
        for value in instruction.inputs:
            if isinstance(value, tvm.tirx.Var) and value in made:
                annotation = str(instruction.attrs[0]) if instruction.kind.name == "Annotate" else "threads"
                names.setdefault(made[value], annotation.removeprefix("meta_schedule."))
    return names


def _loop_name(schedule: Schedule, loop: Any) -> tuple[str, int]:
    node = schedule.get(loop)
    return str(node.loop_var.name), int(node.extent)


def _perfect_tile(at: int, schedule: Schedule, inputs: Any, attrs: Any) -> tuple[Decision, Any]:
    name, extent = _loop_name(schedule, inputs[0])
    read = TileDecision(at, name, extent=extent, n=int(attrs[0]), max_innermost=int(attrs[1]))
    return read, _balanced(read)


def _partitioned_tile(at: int, schedule: Schedule, inputs: Any, attrs: Any) -> tuple[Decision, Any]:
    name, extent = _loop_name(schedule, inputs[0])
    read = TileDecision(at, name, extent=extent, n=int(attrs[0]), partition=(int(attrs[1]), int(attrs[2])))
    return read, _balanced(read)


def _balanced(tile: TileDecision) -> list[int]:
    """The factors with the fewest ones: compute locations at unit loops would not show."""
    values = tile.values()
    best = (values == 1).sum(axis=1).argmin()
    return tile.to_json(values[best])


def _categorical(at: int, schedule: Schedule, inputs: Any, attrs: Any) -> tuple[Decision, Any]:
    candidates = tuple(int(c) for c in attrs[0])
    probabilities = tuple(float(p) for p in attrs[1])
    return CategoricalDecision(at, "choice", candidates, probabilities), 0


def _location(at: int, schedule: Schedule, inputs: Any, attrs: Any) -> tuple[Decision, Any]:
    block = schedule.get(inputs[0])
    found = set()
    asked = _DEEPEST
    while asked >= -2:
        copy = schedule.copy()
        copy.sample_compute_location(inputs[0], decision=asked)
        *_, (_, taken) = copy.trace.as_json()[1]
        found.add(int(taken))
        if taken > asked:
            break
        asked = int(taken) - 1
    read = LocationDecision(at, str(block.name_hint), indices=tuple(sorted(found)))
    return read, read.indices[-1] if -1 not in found else -1


_READERS: dict[str, Callable[[int, Schedule, Any, Any], tuple[Decision, Any]]] = {
    "SamplePerfectTile": _perfect_tile,
    "SamplePartitionedTile": _partitioned_tile,
    "SampleCategorical": _categorical,
    "SampleComputeLocation": _location,
}
