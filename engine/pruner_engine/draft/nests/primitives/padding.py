"""The primitive that pads a product's loops to whole tiles of a Tensor Core."""

from __future__ import annotations

from dataclasses import replace as change
from typing import Any

from pruner_engine.draft.formulas.columns import Value, product
from pruner_engine.draft.nests.index import Var
from pruner_engine.draft.nests.nest import (
    Access,
    Block,
    Buffer,
    Iter,
    Store,
    UnreadableSketchError,
    loops_of,
    redirect,
    redirect_reads,
)
from pruner_engine.draft.nests.primitives.caches import copy_block, reads_of, writes_of
from pruner_engine.draft.nests.primitives.registry import primitive
from pruner_engine.draft.nests.regions import writers


@primitive("PadEinsum")
def pad_einsum(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    """Iterators become whole multiples: copies before the block add zeros, one behind it leaves them out."""
    block: Block = inputs[0]
    extents = dict(zip([i.atom for i in block.iters], map(_padded, block.iters, attrs[0]), strict=True))

    def padded_like(access: Access) -> Buffer:
        if not all(isinstance(index, Var) for index in access.indices):
            raise UnreadableSketchError(f"a padded block reads {access.buffer.name} at more than its iterators")
        old = access.buffer
        shape: list[Value] = [extents[index.atom] for index in access.indices if isinstance(index, Var)]
        return Buffer(f"{old.name}_pad", shape, old.dtype, old.scope)

    for source in reads_of([block]):
        target = padded_like(next(r for s in block.stores for r in s.reads if r.buffer is source))
        if target.shape != source.shape:
            _fill(root, block, source, target)
    for result in writes_of([block]):
        target = padded_like(next(s.write for s in block.stores if s.write.buffer is result))
        if target.shape != result.shape:
            target.used = product(result.shape) / product(target.shape)
            block.stores = [redirect(s, result, target) for s in block.stores]
            copy_block(root, target, result, target.name, block, after=True)
    for loop, iterator in zip(loops_of(block), block.iters, strict=True):
        loop.atoms[0].extent = iterator.atom.extent = extents[iterator.atom]


def _padded(iterator: Iter, multiple: Any) -> int:
    extent = iterator.extent
    if not isinstance(extent, int):
        raise UnreadableSketchError("a loop is padded whose length is a decision")
    return -(-extent // int(multiple)) * int(multiple)


def _fill(root: Block, block: Block, source: Buffer, target: Buffer) -> None:
    """The block reads `target`, to which a block before it copies `source`, with zeros around it."""
    made = next(iter(writers(root, source)), None)
    # behind what makes the source, so that a block's producers stand in the order in which it reads them
    near, after = (block, False) if made is None else (made, True)
    copy = copy_block(root, source, target, target.name, near, after=after)
    (plain,) = copy.stores
    copy.stores = [Store(plain.write, tuple(change(r, guarded=True) for r in plain.reads))]
    block.stores = [redirect_reads(s, source, target) for s in block.stores]
