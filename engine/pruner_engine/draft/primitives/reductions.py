"""Primitives for reductions."""

from __future__ import annotations

from dataclasses import replace as change
from typing import Any

from pruner_engine.draft.index import Atom, Index, Var, atoms_of, resolve
from pruner_engine.draft.index import replace as substitute
from pruner_engine.draft.nest import Access, Block, Buffer, Iter, Loop, Store, attach, blocks_under, chain, loops_of
from pruner_engine.draft.primitives.blocks import top_of
from pruner_engine.draft.primitives.moves import moved
from pruner_engine.draft.primitives.registry import primitive


@primitive("RFactor")
def r_factor(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    """The block becomes the one that adds up partial results; a new one before it makes them."""
    loop: Loop = inputs[0]
    block = next(b for b in blocks_under(loop))
    (store,) = block.stores
    (factored,) = loop.atoms
    old_loops, whole = loops_of(block), store.write.buffer
    partial_buffer = Buffer(f"{whole.name}_rf", list(whole.shape), whole.dtype_bytes)
    axis = int(attrs[0])
    partial_buffer.shape.insert(axis, loop.extent)
    lane = Atom(f"v{factored.name}", factored.extent, Var(factored))
    partial = Block(f"{block.name}_rf", [Iter(lane, True)])
    iterators: dict[Atom, Index] = {factored: Var(lane)}
    renamed: dict[Atom, Index] = {}
    for iterator in block.iters:
        binding = resolve(Var(iterator.atom))
        inside = list(dict.fromkeys(atoms_of(binding)))
        if iterator.spatial or factored not in inside:
            twin = Atom(iterator.atom.name, iterator.extent, binding)
            partial.iters.append(Iter(twin, iterator.spatial))
            renamed[iterator.atom] = Var(twin)
            continue
        for atom in inside:
            if atom not in iterators:
                twin = Atom(f"v{atom.name}", atom.extent, Var(atom))
                partial.iters.append(Iter(twin, False))
                iterators[atom] = Var(twin)
        renamed[iterator.atom] = substitute(binding, iterators)
    indices = [substitute(i, renamed) for i in store.write.indices]
    indices.insert(axis, Var(lane))
    own = Access(partial_buffer, tuple(indices))
    read = tuple(own if r.buffer is whole else moved(r, renamed) for r in store.reads)
    partial.stores = [change(store, write=own, reads=read)]
    _write_back(root, block, store, partial_buffer, axis, loop, old_loops, partial)
    return [partial]


def _write_back(
    root: Block,
    block: Block,
    store: Store,
    partial_buffer: Buffer,
    axis: int,
    loop: Loop,
    old_loops: list[Loop],
    partial: Block,
) -> None:
    spatial = {a for i in block.iters if i.spatial for a in atoms_of(resolve(Var(i.atom)))}
    nest = old_loops[0]
    block_parent = block.parent
    assert block_parent is not None
    block_parent.children = [partial]
    partial.parent = block_parent
    kept = [one for one in old_loops if one is loop or any(a in spatial for a in one.atoms)]
    twins = {a: Atom(a.name, a.extent) for one in kept for a in one.atoms}
    copies: dict[Atom, Index] = {a: Var(twin) for a, twin in twins.items()}
    reduced = Atom(f"v{loop.name}", loop.extent, Var(twins[loop.atoms[0]]))
    iters = [Iter(reduced, False)]
    for iterator in block.iters:
        if iterator.spatial:
            iterator.atom.definition = substitute(resolve(Var(iterator.atom)), copies)
            iters.append(iterator)
    block.iters = iters
    indices = list(store.write.indices)
    indices.insert(axis, Var(reduced))
    block.stores = [
        change(store, reads=(store.write, Access(partial_buffer, tuple(indices))), flops=1, special=0, divisions=0)
    ]
    block.parent = None
    back = chain([Loop([twins[a] for a in one.atoms]) for one in kept], block)
    attach(root, back, top_of(root, nest) + 1)
