"""Postprocessor: what starts the accumulators of a whole outer tile stays a loop."""

from __future__ import annotations

from tvm.ir.utils import derived_object
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.postproc import PyPostproc
from tvm.s_tir.schedule import LoopRV
from tvm.tirx import For, ForKind, IterVar


@derived_object
class RolledInit(PyPostproc):
    """Fuse the loops that clear the accumulators, all but the vectors of a row.

    RewriteReductionBlock gives the clearing of a tile the loops of its computation, unrolled ones included. LLVM makes
    memset calls of them, takes those for cheap, unrolls the loops around them too and turns every call into stores:
    thousands of lines that its code generator needs seconds for. A loop of many iterations it leaves alone.
    """

    def _initialize_with_tune_context(self, context: ms.TuneContext) -> None:
        pass

    def apply(self, sch: Schedule) -> bool:
        for block_rv in sch.get_child_blocks(sch.get_sblock("root")):
            block = sch.get(block_rv)
            starts = block.name_hint.endswith("_init") and not block.reads
            if starts and all(v.iter_type == IterVar.DataPar for v in block.iter_vars):
                rolled = _rolled(sch, sch.get_loops(block_rv))
                if len(rolled) > 1:
                    sch.fuse(*rolled)
        return True

    def clone(self) -> RolledInit:
        return RolledInit()


def _rolled(sch: Schedule, loops: list[LoopRV]) -> list[LoopRV]:
    """The loops to fuse: serial and unrolled ones around this block alone, but the last; none if all are unrolled."""
    nodes = [sch.get(loop) for loop in loops]
    first = len(loops)
    while first and nodes[first - 1].kind != ForKind.PARALLEL and (first == len(loops) or _holds_one(nodes[first - 1])):
        first -= 1
    last = next((i for i in range(first, len(loops)) if nodes[i].kind == ForKind.VECTORIZED), len(loops)) - 1
    kinds = {node.kind for node in nodes[first:last]}
    return loops[first:last] if {ForKind.SERIAL, ForKind.UNROLLED} <= kinds else []


def _holds_one(loop: For) -> bool:
    return isinstance(loop.body, For)
