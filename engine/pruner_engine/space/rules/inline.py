"""TVM's inlining, but for what a consumer would compute again and again, and with concatenations."""

from __future__ import annotations

import contextlib

from tvm.ir.utils import derived_object
from tvm.s_tir import Schedule, ScheduleError
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.schedule_rule import PyScheduleRule
from tvm.s_tir.schedule import SBlockRV
from tvm.tirx import BufferStore

from pruner_engine.lowering.loops.cases import chosen_along, is_case
from pruner_engine.lowering.loops.long_kernels import calls_functions
from pruner_engine.lowering.nodes import loads_of
from pruner_engine.space.rules.nest import iterations_of, same_vars

_AGAIN = 8  # times as often as once an element: calls of a function are not worth that


@derived_object
class OnceInline(PyScheduleRule):
    """Leaves a stage alone whose functions (a sigmoid, say) a broadcast would compute for each of many elements.

    Args:
        stock: TVM's rule, which does the rest.
        cases: inline also what is chosen by cases, as a concatenation is, into what is done to each of its elements.
            TVM does not: its vectors might hold several cases.
    """

    def __init__(self, stock: ms.ScheduleRule, *, cases: bool) -> None:
        super().__init__()
        self.stock, self.cases = stock, cases

    def _initialize_with_tune_context(self, context: ms.TuneContext) -> None:
        self.stock._initialize_with_tune_context(context)

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        if _would_repeat_calls(sch, block):
            return [sch]
        if self.cases and _is_chosen_into_one_reader(sch, block):
            with contextlib.suppress(ScheduleError):  # it is a result of the kernel, too
                sch.compute_inline(block)
                return [sch]
        return list(self.stock.apply(sch, block))

    def clone(self) -> ms.ScheduleRule:
        return OnceInline(self.stock.clone(), cases=self.cases)


def _would_repeat_calls(sch: Schedule, block: SBlockRV) -> bool:
    """Whether a stage calls functions, which what reads it would call many times for each element."""
    stage = sch.get(block)
    if stage.init is not None or not isinstance(stage.body, BufferStore) or not calls_functions(stage.body):
        return False
    most = max((iterations_of(sch, consumer) for consumer in sch.get_consumers(block)), default=0)
    return most >= _AGAIN * iterations_of(sch, block)


def _is_chosen_into_one_reader(sch: Schedule, block: SBlockRV) -> bool:
    """Whether a stage chooses by cases along rows, and one other stage computes an element of each of its elements."""
    stage = sch.get(block)
    if not isinstance(stage.body, BufferStore) or not is_case(stage.body.value):
        return False
    if not chosen_along(stage.body, stage.iter_vars[-1].var):
        return False
    if len(consumers := sch.get_consumers(block)) != 1:
        return False
    after = sch.get(consumers[0])
    axes = [v.var for v in after.iter_vars]
    if after.init is not None or not isinstance(after.body, BufferStore) or not same_vars(after.body.indices, axes):
        return False
    read = [load for load in loads_of(after.body.value) if load.source.same_as(stage.body.buffer)]
    return len(read) == 1 and same_vars(read[0].indices, axes)
