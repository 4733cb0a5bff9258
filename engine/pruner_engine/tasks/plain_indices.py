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
    plain = {name: _plain(f) for name, f in mod.functions.items() if isinstance(f, tirx.PrimFunc)}
    changed = {name: f for name, f in plain.items() if f is not None}
    if not changed:
        return mod
    mod = mod.clone()
    mod.update(tvm.IRModule(changed))
    return mod


def _plain(function: tirx.PrimFunc) -> tirx.PrimFunc | None:
    """The kernel with plain indices; None where they are so."""
    changed = False

    def visit(block: SBlock) -> SBlock:
        nonlocal changed
        plain = _plain_block(block) if _is_elementwise(block) else None
        changed |= plain is not None
        return plain or block

    body = tvm_ffi.structural_map(function.body, (SBlock, visit))
    return function.with_body(body) if changed else None


def _is_elementwise(block: SBlock) -> bool:
    kinds = [variable.iter_type for variable in block.iter_vars]
    return bool(kinds) and all(kind == tirx.IterVar.DataPar for kind in kinds)


def _plain_block(block: SBlock) -> SBlock | None:
    """The block with plain indices; None where they are so."""
    ranges, changed = Analyzer(), False
    for variable in block.iter_vars:
        ranges.bind(variable.var, variable.dom)

    def simplified(quotient: tirx.PrimExpr) -> tirx.PrimExpr:
        nonlocal changed
        plain = ranges.simplify(quotient)
        changed |= not tvm_ffi.structural_equal(plain, quotient)
        return plain

    plain = tvm_ffi.structural_map(block, (_QUOTIENTS, simplified))
    return tvm_ffi.structural_map(plain, (tuple(_FOLDED), _without_constants)) if changed else None


def _without_constants(value: tirx.PrimExpr) -> tirx.PrimExpr:
    """Without the zeros that quotients have left."""
    whole = str(value.ty.dtype).startswith("int")
    return _FOLDED[type(value)](value.a, value.b) if whole else value
