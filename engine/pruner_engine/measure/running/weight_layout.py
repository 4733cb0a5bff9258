"""Weights in the layout that a candidate wants them in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tvm
from tvm.s_tir import SBlock, SBlockRealize
from tvm.tirx import IndexMap

_PREPROC = "meta_schedule.layout_rewrite_preproc"
_BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "FloorDiv": np.floor_divide,
    "FloorMod": np.remainder,
    "Max": np.maximum,
    "Min": np.minimum,
}


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
    variables = dict(zip((v.name for v in index_map.initial_indices), grid, strict=True))
    out = np.zeros(shape, array.dtype)
    out[tuple(np.broadcast_to(_evaluate(e, variables), array.shape) for e in index_map.final_indices)] = array
    return out


def _evaluate(expr: object, variables: dict[str, np.ndarray]) -> np.ndarray:
    if isinstance(expr, tvm.tirx.Var):
        return variables[expr.name]
    if isinstance(expr, tvm.tirx.IntImm):
        return np.asarray(expr.value)
    kind = type(expr).__name__
    if kind == "Cast":
        return _evaluate(expr.value, variables)  # type: ignore[attr-defined]
    if kind not in _BINARY:
        raise NotImplementedError(f"index map with {kind}")
    return _BINARY[kind](_evaluate(expr.a, variables), _evaluate(expr.b, variables))  # type: ignore[attr-defined]
