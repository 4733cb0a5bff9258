"""Products of words by AMX: a tile of sixteen rows by sixteen columns, sixteen words deep, in one instruction.

What a marked nest computes are the same sums word by word (`WordProducts`), so that one which turns out to be none of
products of tiles stays correct.
"""

from __future__ import annotations

import tvm_ffi
from tvm import IRModule, s_tir, tirx
from tvm.ir.transform import Sequential
from tvm.tirx import For, ForKind, PrimFunc, SeqStmt, Stmt

from pruner_engine.lowering.nodes import each_function, nodes_in, with_llvm
from pruner_engine.lowering.words.tile_nests import TILE, TileNest, nest_of
from pruner_engine.lowering.words.tile_registers import RegisterLayout, on_registers

# from blocks to loops over flat buffers: stock passes, which leave what is so already as it is
_TO_LOOPS = Sequential(
    [
        s_tir.transform.CanonicalizeLoop(),
        s_tir.transform.LowerInitBlock(),
        s_tir.transform.PlanAndUpdateBufferAllocationLocation(),
        s_tir.transform.ConvertBlocksToOpaque(),
        s_tir.transform.CompactBufferAllocation(),
        s_tir.transform.LowerMatchBuffer(),
        s_tir.transform.StmtSimplify(),
        s_tir.transform.LowerOpaqueBlock(),
        tirx.transform.FlattenBuffer(),
        s_tir.transform.StmtSimplify(),
    ]
)


def in_tiles(mod: IRModule) -> IRModule:
    """The module with the marked nests of its functions as products of tiles."""
    marked = {variable: function for variable, function in mod.functions.items() if _is_marked(function)}
    if not marked:
        return mod
    lowered = _TO_LOOPS(IRModule(marked, attrs=mod.attrs))
    made = IRModule(mod.functions, attrs=mod.attrs)
    made.update(each_function(lowered, _in_tiles))
    return made


def _is_marked(function: PrimFunc) -> bool:
    return any(TILE in loop.annotations for loop in nodes_in(function.body, For))


def _in_tiles(function: PrimFunc) -> PrimFunc:
    """The function with its tiles; as it was where they need several layouts of the registers."""
    nests: list[TileNest] = []

    def spread(loop: For) -> Stmt:
        if loop.kind != ForKind.PARALLEL:
            return loop
        body, found = _replaced(loop.body)
        nests.extend(found)
        around = RegisterLayout.of(found[0]).around(body) if found else body
        return For(loop.loop_var, loop.min, loop.extent, loop.kind, around, annotations=loop.annotations)

    body = tvm_ffi.structural_map(function.body, (For, spread))  # each thread has registers of its own
    in_threads = len(nests)
    body, alone = _replaced(body)
    nests += alone
    if len({RegisterLayout.of(nest) for nest in nests}) != 1 or in_threads not in (0, len(nests)):
        return function
    layout = RegisterLayout.of(nests[0])
    body = layout.around(body) if alone else body
    return with_llvm(function.with_body(body), layout.code)


def _replaced(body: Stmt) -> tuple[Stmt, list[TileNest]]:
    """Statements with operations on registers in place of the nests, and these."""
    nests: list[TileNest] = []

    def replace(loop: For) -> Stmt:
        nest = nest_of(loop)
        if nest is None:
            return loop
        nests.append(nest)
        return on_registers(nest, from_zero=False)

    def replace_both(several: SeqStmt) -> Stmt:
        """Sums that are set to zero right before begin with registers of zeros."""
        made: list[Stmt] = []
        for statement in several.seq:
            nest = nest_of(statement) if isinstance(statement, For) else None
            if nest is not None and made and nest.begins_with(made[-1]):
                nests.append(nest)
                made[-1] = on_registers(nest, from_zero=True)
            else:
                made.append(statement)
        return several if len(made) == len(several.seq) else SeqStmt(made) if len(made) > 1 else made[0]

    return tvm_ffi.structural_map(body, [(SeqStmt, replace_both), (For, replace)], order="pre"), nests
