"""Primitives that change the layout of buffers and blocks, and blockizing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as change
from typing import Any

from tvm import tirx

from pruner_engine.draft.formulas.columns import Value
from pruner_engine.draft.nests.index import (
    Atom,
    Const,
    Index,
    Remainder,
    Var,
    add,
    atoms_of,
    collapse,
    quotient,
    resolve,
    scale,
    span,
)
from pruner_engine.draft.nests.index import replace as substitute
from pruner_engine.draft.nests.nest import (
    Access,
    Block,
    Iter,
    Loop,
    UnreadableSketchError,
    attach,
    blocks_under,
    chain,
    detach,
    loops_of,
    wrap,
)
from pruner_engine.draft.nests.primitives.caches import reads_of, writes_of
from pruner_engine.draft.nests.primitives.registry import primitive


class MapValue:
    """An index map of TVM with the random variables in it replaced by their values.

    Attributes:
        initial: its variables, as atoms.
        final: per new dimension.
    """

    def __init__(self, index_map: Any, values: Mapping[Any, Value]) -> None:
        self.initial = [Atom(str(v.name), 0) for v in index_map.initial_indices]
        self._atoms = dict(zip(index_map.initial_indices, self.initial, strict=True))
        self._values = values
        self.final = [self._index(e) for e in index_map.final_indices]

    def _index(self, expression: Any) -> Index:
        if isinstance(expression, (int, tirx.IntImm)):
            return Const(int(expression))
        if isinstance(expression, tirx.Var) and expression in self._atoms:
            return Var(self._atoms[expression])
        if isinstance(expression, tirx.Add):
            return add(self._index(expression.a), self._index(expression.b))
        if isinstance(expression, tirx.Mul):
            return scale(self._index(expression.a), self._number(expression.b))
        if isinstance(expression, tirx.FloorDiv):
            return quotient(self._index(expression.a), self._number(expression.b))
        if isinstance(expression, tirx.FloorMod):
            return Remainder(self._index(expression.a), self._number(expression.b))
        raise UnreadableSketchError(f"index map with {expression}")

    def _number(self, expression: Any) -> Value:
        if isinstance(expression, (int, tirx.IntImm)):
            return int(expression)
        if expression in self._values:
            return self._values[expression]
        if isinstance(expression, tirx.Mul):
            return self._number(expression.a) * self._number(expression.b)
        raise UnreadableSketchError(f"index map with {expression}")

    def __call__(self, indices: Sequence[Index]) -> tuple[Index, ...]:
        atoms = dict(zip(self.initial, indices, strict=True))
        return tuple(collapse(substitute(f, atoms)) for f in self.final)

    def shape(self, extents: Sequence[Value]) -> list[Value]:
        for atom, extent in zip(self.initial, extents, strict=True):
            atom.extent = extent
        return [span(f) for f in self.final]


@primitive("TransformLayout")
def transform_layout(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    block, index_map, position, is_write = inputs[0], inputs[1], int(attrs[0]), bool(int(attrs[1]))
    leaves = list(blocks_under(block))
    buffer = (writes_of(leaves) if is_write else reads_of(leaves))[position]
    buffer.shape = index_map.shape(buffer.shape)

    def mapped(access: Access) -> Access:
        return change(access, indices=index_map(access.indices)) if access.buffer is buffer else access

    for leaf in blocks_under(root):
        leaf.stores = [s.mapped(mapped) for s in leaf.stores]


@primitive("TransformBlockLayout")
def transform_block_layout(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    """New iterators, each with a loop of its own; the old ones become digits of them, or 0 if that is all they are."""
    block, index_map = inputs[0], attrs[0]
    extents = index_map.shape([i.extent for i in block.iters])
    spatial = dict(zip(index_map.initial, (i.spatial for i in block.iters), strict=True))
    iters, loops, old = [], [], dict(zip(index_map.initial, block.iters, strict=True))
    renamed: dict[Atom, Index] = {}
    for i, (final, extent) in enumerate(zip(index_map.final, extents, strict=True)):
        loop_atom = Atom(f"ax{i}", extent)
        atom = Atom(f"v{i}", extent, Var(loop_atom))
        parts = list(dict.fromkeys(atoms_of(final)))
        iters.append(Iter(atom, all(spatial[p] for p in parts)))
        loops.append(Loop([loop_atom]))
        renamed |= {old[part].atom: Const(0) for part in parts}
        several = [part for part in parts if old[part].extent != 1] or parts
        below: Value = 1
        for part in reversed(several):  # row-major, as all of MetaSchedule's maps are
            digit = quotient(Var(atom), below)
            renamed[old[part].atom] = digit if part is several[0] else Remainder(digit, old[part].extent)
            below = below * old[part].extent

    def mapped(access: Access) -> Access:
        return change(access, indices=tuple(collapse(substitute(i, renamed)) for i in access.indices))

    block.iters = iters
    block.stores = [s.mapped(mapped) for s in block.stores]
    top = loops_of(block)[0]
    at = root.children.index(top)
    detach(block)
    attach(root, chain(loops, block), at)


@primitive("Blockize")
def blockize(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    """A block around a loop: its iterators count the tiles that the loops inside cover."""
    target: Loop = inputs[0]
    (inner,) = blocks_under(target)
    tile = {a for loop in loops_of(inner)[len(loops_of(target)) :] for a in loop.atoms}
    outer = Block(f"{inner.name}_o")
    for iterator in inner.iters:
        binding = resolve(Var(iterator.atom))
        size = span(binding, lambda atom: atom in tile)
        moving: dict[Atom, Index] = {a: Const(0) for a in tile}
        start = quotient(substitute(binding, moving), size)
        outer.iters.append(Iter(Atom(f"{iterator.atom.name}_o", iterator.extent / size, start), iterator.spatial))
    wrap(target, outer)
    return [outer]
