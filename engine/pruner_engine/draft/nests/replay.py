"""Replays a sketch's trace, TVM's schedule primitives, on a loop nest whose extents are formulas over the decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tvm
from tvm import tirx
from tvm.tirx import IndexMap

from pruner_engine.draft.formulas.columns import Value, column, lookup, maximum, where
from pruner_engine.draft.nests.nest import Block, Loop, UnreadableSketchError, data_parallel, loops_of
from pruner_engine.draft.nests.primitives import AT_ROOT, INLINE, PRIMITIVES
from pruner_engine.draft.nests.primitives.blocks import get_consumers
from pruner_engine.draft.nests.primitives.layouts import MapValue
from pruner_engine.draft.nests.reading import FunctionReader
from pruner_engine.space.decision import CategoricalDecision, LocationDecision
from pruner_engine.space.sketch import Sketch


class Replay:
    """One sketch with its compute locations chosen; all other decisions are columns.

    Attributes:
        root: the scheduled nest, before postprocessing.
        effective: per location decision where TVM puts the block: a loop of extent 1, and a spatial loop inside a
            reduction loop, are replaced by the nearest valid location before. Where it differs from the location
            asked for, the nest is of no account.

    Raises:
        UnreadableSketchError: at construction, for an instruction or an index that has no closed form here.
    """

    def __init__(self, mod: tvm.IRModule, sketch: Sketch, locations: Mapping[int, int]) -> None:
        """
        Args:
            locations: loop index per decision (its position among the sketch's) of kind LocationDecision.
        """
        self.root = FunctionReader(mod["main"]).root
        self.effective: dict[int, Value] = {}
        self._values: dict[Any, Any] = {}
        chosen = {d.instruction: i for i, d in enumerate(sketch.decisions)}
        for position, instruction in enumerate(sketch.trace.insts):
            if position in chosen:
                index = chosen[position]
                results: Sequence[Any] | None = self._sample(sketch, index, locations.get(index, -1), instruction)
            else:
                results = self._apply(instruction)
            self._values.update(zip(instruction.outputs, results or (), strict=False))

    def _apply(self, instruction: Any) -> Sequence[Any] | None:
        name = instruction.kind.name
        if name not in PRIMITIVES:
            raise UnreadableSketchError(f"instruction {name}")
        inputs, attrs = ([self._value(v) for v in part] for part in (instruction.inputs, instruction.attrs))
        try:
            return PRIMITIVES[name](self.root, inputs, attrs)
        except (LookupError, ValueError, StopIteration) as error:  # a rule of others may use it as none before did
            raise UnreadableSketchError(f"{name} of {inputs}") from error

    def _value(self, value: Any) -> Any:
        if value is None or isinstance(value, (str, int, float)):
            return value
        if isinstance(value, tirx.IntImm):
            return int(value)
        if isinstance(value, IndexMap):
            return MapValue(value, self._values)
        if isinstance(value, (list, tuple, tvm.ir.Array)):
            return [self._value(v) for v in value]
        if value in self._values:
            return self._values[value]
        raise UnreadableSketchError(f"value {value}")

    # ------------------------------------------------------------ sampling

    def _sample(self, sketch: Sketch, index: int, location: int, instruction: Any) -> list[Any]:
        decision, first = sketch.decisions[index], sketch.columns[index].start
        if isinstance(decision, LocationDecision):
            return [self._location(index, self._values[instruction.inputs[0]], location)]
        if isinstance(decision, CategoricalDecision):
            return [lookup(decision.candidates, column(first))]
        if decision.size == 1:
            return [int(v) for v in decision.values()[0]]
        return [column(first + i) for i in range(decision.width)]

    def _location(self, index: int, block: Block, location: int) -> Any:
        """The loop at `location`, noting in `effective` where TVM really puts the block."""
        paths = [loops_of(c) for c in get_consumers(self.root, [block], []) or ()]
        common = [a for a, *rest in zip(*paths, strict=False) if all(a is b for b in rest)]
        self.effective[index] = _nearest_valid(common, location)
        if location < 0 or not common:
            return INLINE if location == -2 else AT_ROOT
        return common[min(location, len(common) - 1)]


def _nearest_valid(loops: Sequence[Loop], location: int) -> Value:
    """What SampleComputeLocation makes of a location: the last valid one up to it, else the root."""
    if location < 0:
        return location
    parallel = [data_parallel(loop) for loop in loops]
    last_parallel = max((i for i, p in enumerate(parallel) if p), default=-1)
    found: Value = -1
    searching: Value = 1  # 0 behind the loop that ends the search
    reduced: Value = 0  # 1 behind the first reduction loop that is not of extent 1
    for i, loop in enumerate(loops[: location + 1]):
        proper = loop.extent > 1
        if parallel[i]:
            searching = where(proper, where(reduced, 0, searching), searching)
        else:
            reduced = maximum(reduced, proper)
            if i > last_parallel:
                searching = where(proper, 0, searching)
        found = where(proper, where(searching, i, found), found)
    return found
