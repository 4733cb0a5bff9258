"""Constants whose layout may follow the loops that read them: not those that a kernel reads in another shape.

TVM marks every constant of a kernel so. Of one that is reshaped first, as its own group norm does scales, its rewriting
of layouts then refuses nearly every schedule.
"""

from __future__ import annotations

import tvm
import tvm_ffi
from tvm import tirx
from tvm.ir.expr import TensorLoad

_MARK = "layout_free_buffers"


def unmark_reshaped(mod: tvm.IRModule) -> tvm.IRModule:
    """The module without the marks of constants that a kernel copies into a tensor of other axes."""
    changed = {}
    for name, function in mod.functions_items():
        marked = [int(i) for i in (function.attrs or {}).get(_MARK, ())]
        if not marked or not isinstance(function, tirx.PrimFunc):
            continue
        reshaped = _reshaped(function)
        kept = [i for i in marked if function.params[i] not in reshaped]
        if kept != marked:
            changed[name] = function.with_attr(_MARK, kept) if kept else function.without_attr(_MARK)
    if not changed:
        return mod
    return tvm.IRModule({name: changed.get(name, function) for name, function in mod.functions_items()}, mod.attrs)


def _reshaped(function: tirx.PrimFunc) -> set[object]:
    found: set[object] = set()

    def visit(store: tirx.BufferStore) -> None:
        if isinstance(store.value, TensorLoad) and len(store.value.source.shape) != len(store.buffer.shape):
            found.add(store.value.source)

    tvm_ffi.structural_walk(function.body, (tirx.BufferStore, visit))
    return found
