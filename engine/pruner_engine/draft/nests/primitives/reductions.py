"""Primitives for reductions."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as change
from typing import Any

from pruner_engine.draft.nests.index import Atom, Index, Var, atoms_of, resolve
from pruner_engine.draft.nests.index import replace as substitute
from pruner_engine.draft.nests.nest import (
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
from pruner_engine.draft.nests.primitives.blocks import top_of
from pruner_engine.draft.nests.primitives.moves import moved
from pruner_engine.draft.nests.primitives.registry import primitive


@dataclass(frozen=True)
class _Partials:
    """Buffers of partial results: that of a result has one more axis, along the factored loop.

    Attributes:
        buffers: by result of the block; a block may reduce to several at once.
        axis: position of the further axis.
    """

    buffers: dict[Buffer, Buffer]
    axis: int

    @classmethod
    def of(cls, block: Block, loop: Loop, axis: int) -> _Partials:
        buffers: dict[Buffer, Buffer] = {}
        for whole in (store.write.buffer for store in block.stores):
            buffers[whole] = Buffer(f"{whole.name}_rf", list(whole.shape), whole.dtype)
            buffers[whole].shape.insert(axis, loop.extent)
        return cls(buffers, axis)

    def access(self, whole: Access, lane: Atom) -> Access:
        """The access to the partial results of what `whole` accesses; `lane` tells which of them."""
        indices = list(whole.indices)
        indices.insert(self.axis, Var(lane))
        return Access(self.buffers[whole.buffer], tuple(indices))


@primitive("RFactor")
def r_factor(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    """The block becomes the one that adds up partial results; a new one before it makes them."""
    loop: Loop = inputs[0]
    block = next(blocks_under(loop))
    partials = _Partials.of(block, loop, int(attrs[0]))
    maker = _maker(block, loop, partials)
    _add_up_behind(root, block, loop, maker, partials)
    return [maker]


def _maker(block: Block, loop: Loop, partials: _Partials) -> Block:
    """A block that computes as `block` does, with a result of its own for each iteration of the factored loop."""
    (factored,) = loop.atoms
    lane = Atom(f"v{factored.name}", factored.extent, Var(factored))
    maker = Block(f"{block.name}_rf", [Iter(lane, True)])
    by_loop: dict[Atom, Index] = {factored: Var(lane)}
    renamed: dict[Atom, Index] = {}
    for iterator in block.iters:
        binding = resolve(Var(iterator.atom))
        inside = list(dict.fromkeys(atoms_of(binding)))
        if iterator.spatial or factored not in inside:
            twin = Atom(iterator.atom.name, iterator.extent, binding)
            maker.iters.append(Iter(twin, iterator.spatial))
            renamed[iterator.atom] = Var(twin)
            continue
        # an iterator that the factored loop is a part of is replaced by one for each of its loops
        for atom in inside:
            if atom not in by_loop:
                twin = Atom(f"v{atom.name}", atom.extent, Var(atom))
                maker.iters.append(Iter(twin, False))
                by_loop[atom] = Var(twin)
        renamed[iterator.atom] = substitute(binding, by_loop)

    def own(access: Access) -> Access:
        access = moved(access, renamed)
        return partials.access(access, lane) if access.buffer in partials.buffers else access

    maker.stores = [s.mapped(own) for s in block.stores]
    return maker


def _add_up_behind(root: Block, block: Block, loop: Loop, maker: Block, partials: _Partials) -> None:
    """Put `maker` in the place of the block, which moves into a nest behind it and adds up what that makes."""
    spatial = {a for i in block.iters if i.spatial for a in atoms_of(resolve(Var(i.atom)))}
    nest = loops_of(block)
    kept = [one for one in nest if one is loop or any(a in spatial for a in one.atoms)]
    twins = {a: Atom(a.name, a.extent) for one in kept for a in one.atoms}
    assert block.parent is not None
    block.parent.children, maker.parent = [maker], block.parent
    summed = Atom(f"v{loop.name}", loop.extent, Var(twins[loop.atoms[0]]))
    results = [iterator for iterator in block.iters if iterator.spatial]
    over_twins: dict[Atom, Index] = {atom: Var(twin) for atom, twin in twins.items()}
    for iterator in results:
        iterator.atom.definition = substitute(resolve(Var(iterator.atom)), over_twins)
    block.iters = [Iter(summed, False), *results]
    block.stores = [_added(store, partials, summed) for store in block.stores]
    block.parent = None
    behind = chain([Loop([twins[a] for a in one.atoms]) for one in kept], block)
    attach(root, behind, top_of(root, nest[0]) + 1)


def _added(store: Store, partials: _Partials, summed: Atom) -> Store:
    """The store that adds a partial result, as it was told to add one value."""
    reads = tuple(a for r in store.reads if r.buffer in partials.buffers for a in (r, partials.access(r, summed)))
    return change(store, reads=reads, flops=min(store.flops, 1), special=0, divisions=0)
