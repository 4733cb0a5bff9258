"""Kernels whose indices are as plain as their extents allow.

Reshapes leave quotients in the indices of a fused kernel, `((i // 4 + j) // 14 + k) % 30` for `k`, where no value is as
large as the divisor. A schedule that moves a block to where it is read asks which part is read there, and the whole of
an axis is what TVM finds behind a remainder: of 14 elements each would compute all thirty.
"""

from __future__ import annotations

import operator

import tvm
import tvm_ffi
from tvm import tirx
from tvm.s_tir import SBlock
from tvm.sym import Analyzer

_QUOTIENTS = (tirx.FloorDiv, tirx.FloorMod)
_FOLDED = {tirx.Add: operator.add, tirx.Sub: operator.sub, tirx.Mul: operator.mul}


def plain_indices(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with the quotients in the indices of its kernels simplified; nothing else in them changes.

    Sums stay as they are: of a norm with a single group each would read the whole group whatever its channel, which
    TVM's rules take for a product.
    """
    kernels = {name: f for name, f in mod.functions.items() if isinstance(f, tirx.PrimFunc)}
    plain = {name: f.with_body(tvm_ffi.structural_map(f.body, (SBlock, _plain))) for name, f in kernels.items()}
    changed = {name: f for name, f in plain.items() if not tvm_ffi.structural_equal(f, kernels[name])}
    if not changed:
        return mod
    mod = mod.clone()
    mod.update(tvm.IRModule(changed))
    return mod


def _plain(block: SBlock) -> SBlock:
    if not _is_elementwise(block):
        return block
    ranges = Analyzer()
    for variable in block.iter_vars:
        ranges.bind(variable.var, variable.dom)
    plain = tvm_ffi.structural_map(block, (_QUOTIENTS, ranges.simplify))
    if tvm_ffi.structural_equal(plain, block):
        return block
    return tvm_ffi.structural_map(plain, (tuple(_FOLDED), _without_constants))


def _is_elementwise(block: SBlock) -> bool:
    kinds = [variable.iter_type for variable in block.iter_vars]
    return bool(kinds) and all(kind == tirx.IterVar.DataPar for kind in kinds)


def _without_constants(value: tirx.PrimExpr) -> tirx.PrimExpr:
    """Without the zeros that quotients have left."""
    whole = str(value.ty.dtype).startswith("int")
    return _FOLDED[type(value)](value.a, value.b) if whole else value
