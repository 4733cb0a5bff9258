"""Rules that TVM's pools name, and that TVM lacks: it says so of each kernel, and leaves that to all other rules."""

from __future__ import annotations

import tvm_ffi
from tvm.s_tir import Schedule
from tvm.s_tir.schedule import SBlockRV

_NAMED = "schedule_rule"
_POOLS = ("pool_max", "pool_avg", "adaptive_pool_max", "adaptive_pool_avg")


def know_rules_of_pools() -> None:
    """Have rules of these names, which do the same without a word: a kernel's sketches are what they were."""
    for kind in ("cpu", "cuda"):
        for pool in _POOLS:
            name = f"s_tir.meta_schedule.{kind}.meta_schedule.{pool}"
            tvm_ffi.register_global_func(name, _left_to_others, override=True)


def _left_to_others(sch: Schedule, block: SBlockRV) -> list[Schedule]:
    sch.unannotate(block, _NAMED)
    return [sch]
