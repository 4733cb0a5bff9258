"""TVM's inlining, but for what a consumer would compute again and again."""

from __future__ import annotations

from tvm.ir.utils import derived_object
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.schedule_rule import PyScheduleRule
from tvm.s_tir.schedule import SBlockRV
from tvm.tirx import BufferStore

from pruner_engine.long_kernels import calls_functions
from pruner_engine.space.rules.nest import iterations_of

_AGAIN = 8  # times


@derived_object
class OnceInline(PyScheduleRule):
    """Leaves a stage alone whose functions (a sigmoid, say) a broadcast would compute for each of many elements.

    Args:
        stock: TVM's rule, which does the rest.
    """

    def __init__(self, stock: ms.ScheduleRule) -> None:
        super().__init__()
        self.stock = stock

    def _initialize_with_tune_context(self, context: ms.TuneContext) -> None:
        self.stock._initialize_with_tune_context(context)

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        return [sch] if _again(sch, block) else list(self.stock.apply(sch, block))

    def clone(self) -> ms.ScheduleRule:
        return OnceInline(self.stock.clone())


def _again(sch: Schedule, block: SBlockRV) -> bool:
    stage = sch.get(block)
    if stage.init is not None or not isinstance(stage.body, BufferStore) or not calls_functions(stage.body):
        return False
    most = max((iterations_of(sch, consumer) for consumer in sch.get_consumers(block)), default=0)
    return most >= _AGAIN * iterations_of(sch, block)
