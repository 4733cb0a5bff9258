"""Primitives that put a copy of a buffer between a block and the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace as change
from typing import Any

from pruner_engine.draft.nests.index import Atom, Const, Index, Var, atoms_of
from pruner_engine.draft.nests.index import replace as substitute
from pruner_engine.draft.nests.nest import (
    Access,
    Block,
    Buffer,
    Store,
    attach,
    blocks_under,
    chain,
    fresh_block,
    redirect,
    redirect_reads,
)
from pruner_engine.draft.nests.primitives.blocks import top_of
from pruner_engine.draft.nests.primitives.registry import primitive
from pruner_engine.draft.nests.regions import reads_of_buffer


@primitive("CacheWrite")
def cache_write(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    leaves = list(blocks_under(inputs[0]))
    buffer = writes_of(leaves)[int(attrs[0])]
    cache = _through_cache(leaves, buffer, str(attrs[1]), redirect)
    return [copy_block(root, cache, buffer, cache.name, inputs[0], after=True)]


@primitive("CacheRead")
def cache_read(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    leaves = list(blocks_under(inputs[0]))
    buffer = reads_of(leaves)[int(attrs[0])]
    cache = _through_cache(leaves, buffer, str(attrs[1]), redirect_reads)
    return [copy_block(root, buffer, cache, cache.name, inputs[0], after=False)]


def _through_cache(
    leaves: Sequence[Block], buffer: Buffer, scope: str, redirected: Callable[[Store, Buffer, Buffer], Store]
) -> Buffer:
    """A new buffer, which the leaves access in place of another one."""
    cache = Buffer(f"{buffer.name}_{scope}", list(buffer.shape), buffer.dtype, scope)
    for leaf in leaves:
        leaf.stores = [redirected(store, buffer, cache) for store in leaf.stores]
    return cache


def writes_of(leaves: Sequence[Block]) -> list[Buffer]:
    """Buffers in the order of TVM's `block.writes`."""
    return list(dict.fromkeys(s.write.buffer for b in leaves for s in b.stores))


def reads_of(leaves: Sequence[Block]) -> list[Buffer]:
    """Buffers in the order of TVM's `block.reads`."""
    order = dict.fromkeys(r.buffer for b in leaves for s in b.stores for r in s.reads)
    return [buffer for buffer in order if reads_of_buffer(leaves, buffer)]


def copy_block(root: Block, source: Buffer, target: Buffer, name: str, near: Block, *, after: bool) -> Block:
    """A block that copies a whole buffer, beside the nest that holds `near`."""
    block, loops = fresh_block(name, [(f"ax{i}", e, True) for i, e in enumerate(target.shape)])
    indices = tuple(Var(i.atom) for i in block.iters)
    block.stores = [Store(Access(target, indices), (Access(source, indices),))]
    nest = chain(loops, block)
    attach(root, nest, top_of(root, near) + int(after))
    return block


@primitive("SetScope")
def set_scope(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    inputs[0].stores[int(attrs[0])].write.buffer.scope = str(attrs[1])


@primitive("StorageAlign")
def storage_align(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    """MetaSchedule aligns rows, the last dimension but one."""
    inputs[0].stores[int(attrs[0])].write.buffer.align = (int(attrs[2]), int(attrs[3]))


@primitive("ReIndex")
def reindex(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    """A copy of the buffer in the shape of the block's iterators that index it."""
    block, position, is_write = inputs[0], int(attrs[0]), bool(int(attrs[1]))
    if is_write:
        buffer = writes_of([block])[position]
        access = next(s.write for s in block.stores if s.write.buffer is buffer)
    else:
        buffer = reads_of([block])[position]
        access = next(r for s in block.stores for r in s.reads if r.buffer is buffer)
    indices = [_without_units(index) for index in access.indices]
    used = {a for index in indices for a in atoms_of(index)}
    iters = [i for i in block.iters if i.atom in used]
    cache = Buffer(f"{buffer.name}_reindex", [i.extent for i in iters], buffer.dtype, buffer.scope)
    copy, loops = fresh_block(cache.name, [(i.atom.name, i.extent, True) for i in iters])
    twins: dict[Atom, Index] = {i.atom: Var(c.atom) for i, c in zip(iters, copy.iters, strict=True)}
    outside = Access(buffer, tuple(substitute(index, twins) for index in indices))
    inside = Access(cache, tuple(Var(c.atom) for c in copy.iters))
    copy.stores = [Store(outside if is_write else inside, (inside if is_write else outside,))]
    mine = Access(cache, tuple(Var(i.atom) for i in iters))
    block.stores = [_exchange(s, buffer, mine, is_write) for s in block.stores]
    attach(root, chain(loops, copy), top_of(root, block) + int(is_write))
    return [copy]


def _without_units(index: Index) -> Index:
    """The index without iterators of a single value, which TVM simplifies away unless it has no others."""
    rest = substitute(index, {atom: Const(0) for atom in atoms_of(index) if atom.extent == 1})
    return rest if next(atoms_of(rest), None) is not None else index


def _exchange(store: Store, buffer: Buffer, access: Access, is_write: bool) -> Store:
    """The store with its accesses to a buffer replaced; a write's own reads with it."""
    own = is_write and store.write.buffer is buffer
    return change(
        store,
        write=access if own else store.write,
        reads=tuple(access if r.buffer is buffer and (own or not is_write) else r for r in store.reads),
    )
