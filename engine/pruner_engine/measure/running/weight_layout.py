"""Weights in the layout that a candidate wants them in."""

from __future__ import annotations

import numpy as np
import tvm
from tvm.s_tir import SBlock, SBlockRealize
from tvm.tirx import IndexMap

from pruner_engine.lowering.index_values import value_of

_PREPROC = "meta_schedule.layout_rewrite_preproc"


def rewrites_of(mod: tvm.IRModule) -> dict[int, IndexMap]:
    """Argument index to index map (original to rewritten) for every layout-rewrite block of a scheduled module."""
    func = mod["main"]
    found = {}
    for block in _top_blocks(func.body.block.body):
        if block.annotations.get(_PREPROC):
            load = block.body.value
            index = next(i for i, p in enumerate(func.params) if p.same_as(load.source))
            found[index] = IndexMap(list(load.indices), list(block.body.indices), None)
    return found


def _top_blocks(stmt: object) -> list[SBlock]:
    if isinstance(stmt, SBlockRealize):
        return [stmt.block]
    if isinstance(stmt, tvm.tirx.SeqStmt):
        return [block for part in stmt.seq for block in _top_blocks(part)]
    return _top_blocks(stmt.body) if isinstance(stmt, tvm.tirx.For) else []


def rewrite(array: np.ndarray, index_map: IndexMap, shape: tuple[int, ...]) -> np.ndarray:
    """`array` moved by `index_map` into a new array of `shape`; places that nothing maps to are zero."""
    grid = np.indices(array.shape, sparse=True)
    variables = dict(zip(index_map.initial_indices, grid, strict=True))
    out = np.zeros(shape, array.dtype)
    out[tuple(np.broadcast_to(value_of(e, variables), array.shape) for e in index_map.final_indices)] = array
    return out
