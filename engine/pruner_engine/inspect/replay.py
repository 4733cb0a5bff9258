"""What a trace does to the loop nest, instruction by instruction."""

from __future__ import annotations

from typing import Any

import tvm
from tvm.s_tir import Schedule
from tvm.s_tir.schedule import Instruction, LoopRV, SBlockRV

from pruner_engine.inspect.loop_tree import LoopTree
from pruner_engine.inspect.schedule import schedule_of
from pruner_engine.tasks.task import TuningTask


def replay(task: TuningTask, target: tvm.target.Target, trace_json: str) -> list[dict[str, Any]]:
    """The loop nest before the first and after every instruction.

    Returns:
        One dict a step, the first for the unscheduled kernel: `index` (of the instruction, -1 for the first), `kind`,
        `text` (the Python statement), `decision` (None where nothing is sampled), `postproc` (it finishes the
        schedule), `changed` (the nest differs from the step before), `tree` (roots of a `LoopTree`), and `touched` (ids
        in `tree` of the loops and blocks that the instruction worked on or made). A tree that did not change is the
        same object.
    """
    final = schedule_of(task, target, trace_json).trace
    schedule = Schedule(task.mod, error_render_level="none")
    recorder = _Recorder(schedule, list(final.as_python()))

    def before(instruction: Instruction, inputs: Any, attrs: Any, decision: Any) -> Any:
        recorder.finish()
        recorder.start(instruction, list(inputs), decision)
        return decision

    # TVM asks for the decision of every instruction just before it applies it: the only place to watch from
    final.apply_to_schedule(schedule, remove_postproc=False, decision_provider=before)
    recorder.finish()
    return recorder.steps


class _Recorder:
    def __init__(self, schedule: Schedule, statements: list[str]) -> None:
        self._schedule = schedule
        self._statements = statements
        self._mod = schedule.mod
        self._tree = LoopTree(self._mod)
        self._inputs: list[Any] = []
        self._postproc = False
        self.steps: list[dict[str, Any]] = [
            {
                "index": -1,
                "kind": "",
                "text": "",
                "decision": None,
                "postproc": False,
                "changed": False,
                "tree": self._tree.roots,
                "touched": [],
            }
        ]
        self._pending: dict[str, Any] | None = None

    def start(self, instruction: Instruction, inputs: list[Any], decision: Any) -> None:
        index = len(self.steps) - 1
        kind = str(instruction.kind.name)
        self._postproc |= kind == "EnterPostproc"
        self._inputs = inputs
        self._pending = {
            "index": index,
            "kind": kind,
            "text": self._statements[index],
            "decision": plain(decision),
            "postproc": self._postproc,
        }

    def finish(self) -> None:
        if self._pending is None:
            return
        mod = self._schedule.mod
        changed = not mod.same_as(self._mod)
        if changed:
            self._mod, self._tree = mod, LoopTree(mod)
        made = list(self._schedule.trace.insts[-1].outputs)
        touched = sorted({number for rv in self._inputs + made if (number := self._node_of(rv)) is not None})
        self.steps.append({**self._pending, "changed": changed, "tree": self._tree.roots, "touched": touched})
        self._pending = None

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
