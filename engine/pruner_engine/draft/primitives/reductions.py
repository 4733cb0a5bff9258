"""Primitives for reductions."""

from __future__ import annotations

from dataclasses import replace as change
from typing import Any

from pruner_engine.draft.index import Atom, Index, Var, atoms_of, resolve
from pruner_engine.draft.index import replace as substitute
from pruner_engine.draft.nest import (
    Access,
    Block,
    Buffer,
    Iter,
    Loop,
    Store,
    attach,
    blocks_under,
    chain,
    loops_of,
)
from pruner_engine.draft.primitives.blocks import top_of
from pruner_engine.draft.primitives.moves import moved
from pruner_engine.draft.primitives.registry import primitive


@primitive("RFactor")
def r_factor(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    """The block becomes the one that adds up partial results; a new one before it makes them."""
    loop: Loop = inputs[0]
    block = next(b for b in blocks_under(loop))
    (factored,) = loop.atoms
    old_loops, axis = loops_of(block), int(attrs[0])
    partials: dict[Buffer, Buffer] = {}  # of every result that the block reduces to: one, or several at once
    for whole in (store.write.buffer for store in block.stores):
        partials[whole] = Buffer(f"{whole.name}_rf", list(whole.shape), whole.dtype_bytes)
        partials[whole].shape.insert(axis, loop.extent)
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

    def own(access: Access) -> Access:
        access = moved(access, renamed)
        return _of_partial(access, partials, axis, lane) if access.buffer in partials else access

    partial.stores = [change(s, write=own(s.write), reads=tuple(map(own, s.reads))) for s in block.stores]
    _write_back(root, block, partials, axis, loop, old_loops, partial)
    return [partial]


def _of_partial(access: Access, partials: dict[Buffer, Buffer], axis: int, lane: Atom) -> Access:
    """The access to a result's partial ones, `lane` telling which."""
    indices = list(access.indices)
    indices.insert(axis, Var(lane))
    return Access(partials[access.buffer], tuple(indices))


def _write_back(
    root: Block,
    block: Block,
    partials: dict[Buffer, Buffer],
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
    block.stores = [_added(store, partials, axis, reduced) for store in block.stores]
    block.parent = None
    back = chain([Loop([twins[a] for a in one.atoms]) for one in kept], block)
    attach(root, back, top_of(root, nest) + 1)


def _added(store: Store, partials: dict[Buffer, Buffer], axis: int, reduced: Atom) -> Store:
    """The store that adds a partial result, as it was told to add one value."""
    reads = tuple(a for r in store.reads if r.buffer in partials for a in (r, _of_partial(r, partials, axis, reduced)))
    return change(store, reads=reads, flops=min(store.flops, 1), special=0, divisions=0)
