"""Our own schedule rules, beside the ones that MetaSchedule ships.

A rule is MetaSchedule's `PyScheduleRule`; `OWN_RULES` names ours for CPUs, `GPU_RULES` ours for NVIDIA's GPUs; each can
be left out by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal

from tvm.s_tir import meta_schedule as ms
from tvm.target import Target

from pruner_engine.lowering.generations import FIRST_WITH_BFLOAT16, generation
from pruner_engine.lowering.tensor_intrinsics import load_every_intrinsic_of_gpus, load_tensor_intrinsics
from pruner_engine.plugins import refuse_uncallable
from pruner_engine.rule_names import BFLOAT16_RULE, EPILOGUE_RULE, SPLIT_RULE
from pruner_engine.space.rules.amx import MatrixTile
from pruner_engine.space.rules.columns import ColumnReductions
from pruner_engine.space.rules.epilogue import Epilogue
from pruner_engine.space.rules.inline import OnceInline
from pruner_engine.space.rules.machine import Machine
from pruner_engine.space.rules.moves import Moves
from pruner_engine.space.rules.pools import know_rules_of_pools
from pruner_engine.space.rules.register_tile import RegisterTile
from pruner_engine.space.rules.rows import RowReductions
from pruner_engine.space.rules.rule import Rule, failed_rules, guarded, schedule_rule
from pruner_engine.space.rules.split_sum import SplitSum
from pruner_engine.space.rules.tensor_core import BFloat16TensorCore
from pruner_engine.space.rules.vector_copy import VectorCopy
from pruner_engine.space.rules.winograd import Winograd

know_rules_of_pools()
_FOR_CPUS: dict[str, Callable[[Machine], Rule]] = {
    "rows": RowReductions,
    "columns": ColumnReductions,
    "amx": MatrixTile,
    "register-tile": RegisterTile,
    "winograd": Winograd,
    "vector-copy": VectorCopy,
    "moves": Moves,
}
OWN_RULES: dict[str, Callable[[Machine], ms.ScheduleRule]] = {
    name: schedule_rule(name, rule) for name, rule in _FOR_CPUS.items()
}
GPU_RULES: dict[str, Callable[[Machine], ms.ScheduleRule]] = {
    BFLOAT16_RULE: lambda machine: BFloat16TensorCore(),
    SPLIT_RULE: schedule_rule(SPLIT_RULE, SplitSum),
    EPILOGUE_RULE: schedule_rule(EPILOGUE_RULE, Epilogue),
}
OF_PLUGINS: set[str] = set()  # names of those that plugins have registered

__all__ = ["GPU_RULES", "OF_PLUGINS", "OWN_RULES", "Machine", "failed_rules", "register_rule", "rules_for"]


def register_rule(
    name: str, make: Callable[[Machine], ms.ScheduleRule], kind: Literal["llvm", "cuda"] = "llvm"
) -> None:
    """Add a schedule rule of one's own to the space of all targets of a kind; it is tried after ours.

    Args:
        name: by which it can be left out.
        make: takes what rules know of the machine, returns the rule.
        kind: of the targets.

    Raises:
        TypeError, ValueError: `make` does not take a machine, or there are no rules of that kind.
    """
    refuse_uncallable(make, None)
    if kind not in ("llvm", "cuda"):
        raise ValueError(f"{kind!r} is neither llvm nor cuda")
    if kind == "cuda":
        load_every_intrinsic_of_gpus()
    {"llvm": OWN_RULES, "cuda": GPU_RULES}[kind][name] = guarded(name, make)
    OF_PLUGINS.add(name)


def rules_for(target: Target, without: Collection[str] = (), *, cautious: bool = False) -> list[ms.ScheduleRule]:
    """The schedule rules of a target's design space, in the order of their application.

    Args:
        without: names of own rules to leave out.
        cautious: without those that stumble over some kernels: of a GPU's Tensor Cores (a convolution of a single
            pixel), and on a CPU without fusing what is computed of a tile, which may have another producer.
    """
    if target.kind.name == "cuda":
        return _gpu_rules(target, without, tensor_cores=not cautious)
    cases = "vector-copy" not in without  # which takes what they are inlined into
    stock = [_once(_plain_tiling(rule) if cautious else rule, cases) for rule in ms.ScheduleRule.create("llvm")]
    machine = Machine.of(target)
    own = [rule(machine) for name, rule in OWN_RULES.items() if name not in without]
    # after inlining, before anything that tiles: a block that an own rule takes is left alone by the others
    at = next(i for i, rule in enumerate(stock) if isinstance(rule, ms.schedule_rule.AddRFactor))
    return [*stock[:at], *own, *stock[at:]]


def _once(rule: ms.ScheduleRule, cases: bool) -> ms.ScheduleRule:
    return OnceInline(rule, cases=cases) if isinstance(rule, ms.schedule_rule.AutoInline) else rule


def _plain_tiling(rule: ms.ScheduleRule) -> ms.ScheduleRule:
    """TVM's tiling for CPUs as it ships it, without a write cache: what reads the tiles stays a loop of its own."""
    if not isinstance(rule, ms.schedule_rule.MultiLevelTiling):
        return rule
    return ms.schedule_rule.MultiLevelTiling("SSRSRS", max_innermost_factor=64)


def _gpu_rules(target: Target, without: Collection[str], *, tensor_cores: bool) -> list[ms.ScheduleRule]:
    load_tensor_intrinsics(target)  # which the rules name
    sm = generation(str(target.attrs["arch"]))
    kind: Literal["cuda-tensorcore", "cuda"] = "cuda-tensorcore" if sm >= 75 and tensor_cores else "cuda"
    stock = list(ms.ScheduleRule.create(kind))
    machine = Machine.of(target)
    unfit = () if sm >= FIRST_WITH_BFLOAT16 and tensor_cores else (BFLOAT16_RULE,)
    own = {name: rule(machine) for name, rule in GPU_RULES.items() if name not in (*without, *unfit)}
    # in place of TVM's, since it has to look again at what that has done
    if (inlining := own.pop(EPILOGUE_RULE, None)) is not None:
        stock = [inlining if isinstance(rule, ms.schedule_rule.AutoInline) else rule for rule in stock]
    return [stock[0], *own.values(), *stock[1:]]  # the first is the user's own
