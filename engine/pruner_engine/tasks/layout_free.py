"""Constants whose layout may follow the loops that read them: not what a kernel reads in another shape, or in part.

TVM marks every constant of a kernel so. Of one that is reshaped first, as its own group norm does scales, its rewriting
of layouts then refuses nearly every schedule. One of which the kernel reads a part, as results are cut that were
appended for whole vectors, it writes anew around the length of that part: the rest lands on its beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tvm
import tvm_ffi
from tvm import tirx
from tvm.ir.expr import TensorLoad

from pruner_engine.tasks.task import LAYOUT_FREE


def unmark_unfit(mod: tvm.IRModule) -> tvm.IRModule:
    """The module without the marks of constants that a kernel copies into a tensor of other axes, or reads in part."""
    changed = {}
    for name, function in mod.functions_items():
        marked = [int(i) for i in (function.attrs or {}).get(LAYOUT_FREE, ())]
        if not marked or not isinstance(function, tirx.PrimFunc):
            continue
        unfit = _unfit(function)
        kept = [i for i in marked if function.params[i] not in unfit]
        if kept != marked:
            changed[name] = function.with_attr(LAYOUT_FREE, kept) if kept else function.without_attr(LAYOUT_FREE)
    if not changed:
        return mod
    return tvm.IRModule({name: changed.get(name, function) for name, function in mod.functions_items()}, mod.attrs)


def _unfit(function: tirx.PrimFunc) -> set[Any]:
    """What is copied into a tensor of other axes, or longer than a result: factors of a sum apart, which is whole."""
    reshaped: set[Any] = set()
    beside: set[Any] = set()  # read by what is no sum, and not changed as a whole
    written: set[Any] = set()

    def visit(store: tirx.BufferStore) -> None:
        read: set[Any] = set()
        tvm_ffi.structural_walk(store.value, (TensorLoad, lambda load: read.add(load.source)))
        written.add(store.buffer)
        if isinstance(store.value, TensorLoad) and len(store.value.source.shape) != len(store.buffer.shape):
            reshaped.add(store.value.source)
        if store.buffer not in read:
            beside.update(one for one in read if not tvm_ffi.structural_equal(one.shape, store.buffer.shape))

    tvm_ffi.structural_walk(function.body, (tirx.BufferStore, visit))
    shapes = [param.shape for param in function.params if param in written]
    return reshaped | {one for one in beside if any(_longer(one.shape, shape) for shape in shapes)}


def _longer(shape: Sequence[tirx.PrimExpr], than: Sequence[tirx.PrimExpr]) -> bool:
    pairs = zip(reversed(shape), reversed(than), strict=False)
    return any(isinstance(a, tirx.IntImm) and isinstance(b, tirx.IntImm) and int(a) > int(b) for a, b in pairs)
