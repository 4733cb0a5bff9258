"""The stages of a kernel that reduces something and works on it again."""

from __future__ import annotations

import contextlib

from tvm.s_tir import Schedule, ScheduleError

from pruner_engine.space.rules.nest import iterations_of


def inline_stages(sch: Schedule, results: int) -> None:
    """Inline the stages that are not computed again and again by it.

    Those are of one number for each result of a reduction, or read by one other stage.

    Args:
        results: of the reduction.
    """
    for stage in sch.get_child_blocks(sch.get_sblock("root")):
        readers = len(sch.get_consumers(stage))
        if sch.get(stage).init is None and readers and (readers == 1 or iterations_of(sch, stage) <= results):
            with contextlib.suppress(ScheduleError):  # it is read in a way that cannot be inlined
                sch.compute_inline(stage)
