"""Replays a trace: the loop nest after each of its instructions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import tvm
from tvm.s_tir import Schedule
from tvm.s_tir.schedule import Instruction, LoopRV, SBlockRV, Trace

from pruner_engine.inspect.code_lines import LinkedCode, linked_code
from pruner_engine.inspect.loop_tree import LoopTree, Node


@dataclass(frozen=True)
class Step:
    """One instruction.

    Attributes:
        index: of the instruction in the trace; -1 for the unscheduled kernel.
        kind: name of the instruction.
        text: its Python statement.
        decision: JSON value; None where nothing is sampled.
        postproc: it finishes the schedule and has no free choice.
        tree: index in `Replay.trees` of the loop nest afterwards; equal indices: it changed nothing.
        touched: ids in that tree of the loops and blocks that the instruction worked on or made.
    """

    index: int
    kind: str
    text: str
    decision: Any
    postproc: bool
    tree: int
    touched: list[int]


@dataclass
class Replay:
    """All steps, the first for the unscheduled kernel; the distinct loop nests; the code of the last one."""

    steps: list[Step] = field(default_factory=list)
    trees: list[list[Node]] = field(default_factory=list)
    code: LinkedCode | None = None

    def as_json(self) -> dict[str, Any]:
        """Every field, the steps and the code as objects."""
        return {
            "steps": [vars(step) for step in self.steps],
            "trees": self.trees,
            "code": None if self.code is None else self.code.as_json(),
        }


def replay(mod: tvm.IRModule, trace: Trace) -> Replay:
    """Apply a trace to an unscheduled kernel and keep the loop nest after every instruction."""
    schedule = Schedule(mod, error_render_level="none")
    recorder = _Recorder(schedule, list(trace.as_python()))

    def before(instruction: Instruction, inputs: Any, attrs: Any, decision: Any) -> Any:
        recorder.finish()
        recorder.start(instruction, list(inputs), decision)
        return decision

    # TVM asks for the decision of every instruction just before it applies it: the only place to watch from
    trace.apply_to_schedule(schedule, remove_postproc=False, decision_provider=before)
    recorder.finish()
    return recorder.result()


class _Recorder:
    def __init__(self, schedule: Schedule, statements: list[str]) -> None:
        self._schedule = schedule
        self._statements = statements
        self._mod = schedule.mod
        self._tree = LoopTree(self._mod)
        self._inputs: list[Any] = []
        self._postproc = False
        self._pending: tuple[str, Any] | None = None
        self._replay = Replay([Step(-1, "", "", None, False, 0, [])], [self._tree.roots])

    def start(self, instruction: Instruction, inputs: list[Any], decision: Any) -> None:
        kind = str(instruction.kind.name)
        self._postproc |= kind == "EnterPostproc"
        self._inputs = inputs
        self._pending = (kind, plain(decision))

    def finish(self) -> None:
        """The instruction that was started has been applied by now."""
        if self._pending is None:
            return
        kind, decision = self._pending
        self._pending = None
        steps, trees = self._replay.steps, self._replay.trees
        if not self._schedule.mod.same_as(self._mod):
            self._mod = self._schedule.mod
            self._tree = LoopTree(self._mod)
            if self._tree.roots != trees[-1]:
                trees.append(self._tree.roots)
        made = list(self._schedule.trace.insts[-1].outputs)
        touched = sorted({number for rv in self._inputs + made if (number := self._node_of(rv)) is not None})
        index = len(steps) - 1
        steps.append(Step(index, kind, self._statements[index], decision, self._postproc, len(trees) - 1, touched))

    def result(self) -> Replay:
        self._replay.code = linked_code(self._mod, self._tree)
        return self._replay

    def _node_of(self, rv: Any) -> int | None:
        """The node of a random variable; None for a number, and for a loop that the instruction consumed."""
        if not isinstance(rv, LoopRV | SBlockRV):
            return None
        try:
            return self._tree.id_of(self._schedule.get(rv))
        except (TypeError, RuntimeError, ValueError, IndexError):
            return None


def plain(value: Any) -> Any:
    """A decision as JSON values."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "value"):
        return value.value
    return [plain(item) for item in value]
