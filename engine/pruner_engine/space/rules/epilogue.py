"""Schedule rule for GPUs: what reads a result of a product more than once is computed where that is written."""

from __future__ import annotations

from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.schedule import SBlockRV
from tvm.tirx import BufferStore

from pruner_engine.space.rules.machine import Machine
from pruner_engine.space.rules.rule import Rule


class Epilogue(Rule):
    """Takes the place of TVM's inlining for GPUs, and inlines backwards what that left as a kernel of its own.

    TVM visits every stage once, the last one first. The last stage of a GELU reads the product and a stage before it:
    of two producers TVM inlines it into none. Once all between is inlined into it, it has only one.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        rules = ms.ScheduleRule.create("cuda")
        self.stock = next(rule for rule in rules if isinstance(rule, ms.schedule_rule.AutoInline))
        self.backwards = ms.schedule_rule.AutoInline(
            into_producer=True,
            into_consumer=False,
            inline_const_tensor=False,
            disallow_if_then_else=False,
            require_injective=False,
            require_ordered=False,
        )

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        readers = sch.get_consumers(block) if isinstance(sch.get(block).body, BufferStore) else []
        (inlined,) = self.stock.apply(sch, block)
        if len(readers) == 1 and _follows_a_tile(inlined, readers[0]):
            return list(self.backwards.apply(inlined, readers[0]))
        return [inlined]


def _follows_a_tile(sch: Schedule, block: SBlockRV) -> bool:
    """Whether all that a stage reads of other stages is written by threads already."""
    loops = [loop for producer in sch.get_producers(block) for loop in sch.get_loops(producer)[:1]]
    return bool(loops) and all(sch.get(loop).thread_binding is not None for loop in loops)
