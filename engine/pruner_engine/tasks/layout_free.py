"""Constants whose layout may follow the loops that read them: not what a kernel reads in another shape, or in part.

TVM marks every constant of a kernel so. Of one that is reshaped first, as its own group norm does scales, its rewriting
of layouts then refuses nearly every schedule. One of which the kernel reads a part, as results are cut that were
appended for whole vectors, it writes anew around the length of that part: the rest lands on its beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tvm
import tvm_ffi
from tvm import tirx
from tvm.ir.expr import TensorLoad

from pruner_engine.lowering.nodes import loads_of, nodes_in
from pruner_engine.tasks.task import LAYOUT_FREE, weights_of


def unmark_unfit(mod: tvm.IRModule) -> tvm.IRModule:
    """The module without the marks of constants that a kernel copies into a tensor of other axes, or reads in part."""
    return _unmark(mod, _unfit)


def unmark_vectors(mod: tvm.IRModule) -> tvm.IRModule:
    """The module without the marks of constants of one axis, such as biases: they have one layout only.

    To write them anew takes TVM as long as to do so with the weights, for every candidate.
    """
    return _unmark(mod, lambda function: {param for param in function.params if _is_vector(param)})


def _unmark(mod: tvm.IRModule, unfit_of: Callable[[tirx.PrimFunc], set[Any]]) -> tvm.IRModule:
    changed = {}
    for name, function in mod.functions_items():
        marked = weights_of(function) if isinstance(function, tirx.PrimFunc) else []
        if not marked:
            continue
        unfit = unfit_of(function)
        kept = [i for i in marked if function.params[i] not in unfit]
        if kept != marked:
            changed[name] = function.with_attr(LAYOUT_FREE, kept) if kept else function.without_attr(LAYOUT_FREE)
    if not changed:
        return mod
    return tvm.IRModule({name: changed.get(name, function) for name, function in mod.functions_items()}, mod.attrs)


def _is_vector(param: Any) -> bool:
    """Whether at most one axis of a tensor is longer than 1."""
    shape = getattr(param, "shape", ())
    return sum(not (isinstance(extent, tirx.IntImm) and int(extent) == 1) for extent in shape) < 2


def _unfit(function: tirx.PrimFunc) -> set[Any]:
    """What is copied into a tensor of other axes, or longer than a result: factors of a sum apart, which is whole."""
    reshaped: set[Any] = set()
    beside: set[Any] = set()  # read by what is no sum, and not changed as a whole
    written: set[Any] = set()
    for store in nodes_in(function.body, tirx.BufferStore):
        read = {load.source for load in loads_of(store.value)}
        written.add(store.buffer)
        if isinstance(store.value, TensorLoad) and len(store.value.source.shape) != len(store.buffer.shape):
            reshaped.add(store.value.source)
        if store.buffer not in read:
            beside.update(one for one in read if not tvm_ffi.structural_equal(one.shape, store.buffer.shape))
    shapes = [param.shape for param in function.params if param in written]
    return reshaped | {one for one in beside if any(_longer(one.shape, shape) for shape in shapes)}


def _longer(shape: Sequence[tirx.PrimExpr], than: Sequence[tirx.PrimExpr]) -> bool:
    pairs = zip(reversed(shape), reversed(than), strict=False)
    return any(isinstance(a, tirx.IntImm) and isinstance(b, tirx.IntImm) and int(a) > int(b) for a, b in pairs)
