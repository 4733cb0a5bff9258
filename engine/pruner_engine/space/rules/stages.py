"""The stages of a kernel: which ones a rule has scheduled already, and which are inlined before."""

from __future__ import annotations

import contextlib

from tvm.s_tir import Schedule, ScheduleError
from tvm.s_tir.schedule import SBlockRV

from pruner_engine.space.rules.nest import iterations_of

_TAKEN = "schedule_rule"  # an annotation of MetaSchedule's: "None" keeps all rules that follow off the block


def stages_of(sch: Schedule) -> list[SBlockRV]:
    """All blocks of the function, in order."""
    return list(sch.get_child_blocks(sch.get_sblock("root")))


def take(sch: Schedule, *stages: SBlockRV) -> None:
    """Mark stages as scheduled, so that later rules leave them alone."""
    for stage in stages:
        sch.annotate(stage, _TAKEN, "None")


def is_taken(sch: Schedule, stage: SBlockRV) -> bool:
    """Whether a rule has scheduled the stage."""
    return _TAKEN in sch.get(stage).annotations


def close_root(sch: Schedule) -> None:
    """Mark the function as scheduled once all of its stages are, so that later rules leave it alone."""
    root = sch.get_sblock("root")
    if not untaken(sch):
        take(sch, root)


def untaken(sch: Schedule) -> list[str]:
    """Names of the stages that no rule has scheduled."""
    return [str(sch.get(stage).name_hint) for stage in stages_of(sch) if not is_taken(sch, stage)]


def inline_stages(sch: Schedule, results: int) -> None:
    """Inline the stages that are not computed again and again by it.

    Those are of one number for each result of a reduction, or read by one other stage.

    Args:
        results: of the reduction.
    """
    for stage in stages_of(sch):
        readers = len(sch.get_consumers(stage))
        if sch.get(stage).init is None and readers and (readers == 1 or iterations_of(sch, stage) <= results):
            with contextlib.suppress(ScheduleError):  # it is read in a way that cannot be inlined
                sch.compute_inline(stage)
