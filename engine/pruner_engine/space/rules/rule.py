"""What our schedule rules have in common."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable

from tvm.ir.utils import derived_object
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.schedule_rule import PyScheduleRule
from tvm.s_tir.schedule import SBlockRV

from pruner_engine.space.rules.machine import Machine

_LOG = logging.getLogger(__name__)


class Rule(ABC):
    """A schedule rule that keeps nothing between two blocks.

    Args:
        machine: what it schedules for: a vector unit, or a GPU.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    @abstractmethod
    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        """The schedules to go on with; `[sch]`, unchanged, where the rule does not apply."""


def schedule_rule(rule: Callable[[Machine], Rule]) -> Callable[[Machine], ms.ScheduleRule]:
    """Make MetaSchedule's schedule rule, as `OWN_RULES` holds them, of one of ours."""
    return lambda machine: _ScheduleRule(rule(machine))


@derived_object
class _ScheduleRule(PyScheduleRule):
    def __init__(self, rule: Rule) -> None:
        super().__init__()
        self.rule = rule

    def _initialize_with_tune_context(self, context: ms.TuneContext) -> None:
        pass

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        """What the rule makes; as if it did not apply where it fails, lest its error takes the whole space away."""
        try:
            return self.rule.apply(sch.copy(), block)
        except Exception as error:  # a kernel that the rule was not written for may raise anything
            _LOG.warning("the rule %s left out a block that it failed on: %s", type(self.rule).__name__, error)
            return [sch]

    def clone(self) -> ms.ScheduleRule:
        return _ScheduleRule(self.rule)
