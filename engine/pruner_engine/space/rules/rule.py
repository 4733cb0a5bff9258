"""What our schedule rules have in common."""

from __future__ import annotations

import contextlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from tvm.ir.utils import derived_object
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.schedule_rule import PyScheduleRule
from tvm.s_tir.schedule import SBlockRV

from pruner_engine.errors import PhaseSilentError, UserError
from pruner_engine.faults import in_one_line
from pruner_engine.plugins import hint_to_mend
from pruner_engine.space.rules.machine import Machine

_LOG = logging.getLogger(__name__)
_hung: set[str] = set()  # names of rules
_failed: ContextVar[dict[str, str] | None] = ContextVar("_failed", default=None)


@contextlib.contextmanager
def failed_rules() -> Iterator[dict[str, str]]:
    """What is wrong with rules that fail on a block meanwhile, by their names; it is logged where nobody asks."""
    found: dict[str, str] = {}
    token = _failed.set(found)
    try:
        yield found
    finally:
        _failed.reset(token)


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


def schedule_rule(name: str, rule: Callable[[Machine], Rule]) -> Callable[[Machine], ms.ScheduleRule]:
    """Make MetaSchedule's schedule rule, as `OWN_RULES` holds them, of one of ours."""
    return lambda machine: _Guarded(name, rule(machine))


def guarded(name: str, make: Callable[[Machine], ms.ScheduleRule]) -> Callable[[Machine], ms.ScheduleRule]:
    """Make a rule of a plugin one that fails as ours do.

    Raises:
        UserError: of what is returned, where the plugin makes no rule.
    """

    def made(machine: Machine) -> ms.ScheduleRule:
        rule = make(machine)
        if not isinstance(rule, ms.ScheduleRule):
            found = type(rule).__name__
            raise UserError(f'What is registered as the schedule rule "{name}" makes a {found}.', hint_to_mend())
        return _Guarded(name, rule)

    return made


@derived_object
class _Guarded(PyScheduleRule):
    """A rule that leaves out a block which it fails on, as if it did not apply: the other rules schedule that."""

    def __init__(self, name: str, rule: Rule | ms.ScheduleRule) -> None:
        super().__init__()
        self.name, self.rule = name, rule

    def _initialize_with_tune_context(self, context: ms.TuneContext) -> None:
        if isinstance(self.rule, ms.ScheduleRule):
            self.rule._initialize_with_tune_context(context)

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        if self.name in _hung:
            return [sch]
        try:
            if found := list(self.rule.apply(sch.copy(), block)):
                return found
            _tell(self.name, "it gives no schedule")
        except Exception as error:  # of a kernel that the rule was not written for, or somebody else's code
            # TVM hands on what an exception says, not which one it was
            if hangs := PhaseSilentError().message in str(error):
                _hung.add(self.name)
            _tell(self.name, "it hangs, and is asked no more" if hangs else in_one_line(error))
        return [sch]

    def clone(self) -> ms.ScheduleRule:
        rule = self.rule.clone() if isinstance(self.rule, ms.ScheduleRule) else self.rule
        return _Guarded(self.name, rule)


def _tell(name: str, why: str) -> None:
    if (failed := _failed.get()) is None:
        _LOG.warning('the rule "%s" left out a block that it failed on: %s', name, why)
    else:
        failed.setdefault(name, why)
