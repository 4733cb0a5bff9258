"""Primitives that reshape loops."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from pruner_engine.draft.formulas.columns import Value, ceil_div, equal, product
from pruner_engine.draft.nests.index import Atom, Remainder, Var, add, atoms_of, quotient, quotients_in, scale
from pruner_engine.draft.nests.nest import Block, Loop, Node, all_loops, blocks_under, bound, wrap
from pruner_engine.draft.nests.primitives.registry import primitive
from pruner_engine.draft.nests.regions import readers


@primitive("Split")
def split(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Loop]:
    loop: Loop = inputs[0]
    known = product(f for f in inputs[1:] if f is not None)
    factors = [ceil_div(loop.extent, known) if f is None else f for f in inputs[1:]]
    atoms = [Atom(f"{loop.name}_{i}", f) for i, f in enumerate(factors)]
    position = add(*(scale(Var(a), product(factors[i + 1 :])) for i, a in enumerate(atoms)))
    for i, old in enumerate(loop.atoms):
        below = product(a.extent for a in loop.atoms[i + 1 :])
        digit = quotient(position, below)
        old.definition = digit if i == 0 else Remainder(digit, old.extent)
    loops = [Loop([a]) for a in atoms]
    if None in inputs[1:] and not _divides(known, loop.extent):
        for block in blocks_under(loop):
            block.useful = block.useful * (loop.extent / (factors[0] * known))
    _swap([loop], loops)
    return loops


@primitive("Fuse")
def fuse(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Loop]:
    fused = Loop([a for loop in inputs for a in loop.atoms])
    _swap(inputs, [fused])
    for block in blocks_under(fused):
        if block.padded and any(readers(root, store.write.buffer) for store in block.stores):
            block.steady = block.steady * _covering(block, fused)
    return [fused]


def _covering(block: Block, fused: Loop) -> Value:
    """Whether TVM can tell that a padded result is written as a whole, which is asked for by whoever reads it.

    It cannot where a quotient is of neighbours in the fused loop and of nothing else: the bound then is the loop's own.
    """
    found: Value = 1
    for index in (index for store in block.stores for index in bound(store.write)):
        for divided in quotients_in(index):
            digits = dict.fromkeys(atoms_of(divided))
            places = [at for at, atom in enumerate(fused.atoms) if atom in digits]
            if places:
                inside = product(fused.atoms[at].extent for at in places)
                neighbours = product(atom.extent for atom in fused.atoms[places[0] : places[-1] + 1])
                whole = product(atom.extent for atom in digits)
                found = found * (1 - equal(inside, whole) * equal(inside, neighbours))
    return found


@primitive("Reorder")
def reorder(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    depth = {loop: len(all_loops(loop)) for loop in inputs}
    bottom = max(inputs, key=depth.__getitem__)
    top = min(inputs, key=depth.__getitem__)
    path = [*all_loops(bottom)[depth[top] :], bottom]
    order = iter(inputs)
    _swap(path, [next(order) if loop in depth else loop for loop in path])


def _swap(old: list[Loop], new: list[Loop]) -> None:
    """Put a chain of loops where another chain is."""
    parent, body = old[0].parent, old[-1].children
    assert parent is not None
    at = parent.children.index(old[0])
    for outer, inner in pairwise(new):
        outer.children, inner.parent = [inner], outer
    new[-1].children = body
    for child in body:
        child.parent = new[-1]
    parent.children[at], new[0].parent = new[0], parent


@primitive("AddUnitLoop")
def add_unit_loop(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Loop]:
    node: Node = inputs[0]
    loop = Loop([Atom("u", 1)])
    wrap(node, loop)
    return [loop]


@primitive("Bind")
def bind(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    inputs[0].thread = str(attrs[0])


@primitive("Annotate")
def annotate(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    inputs[0].annotations[str(attrs[0])] = inputs[1]


@primitive("Unannotate")
def unannotate(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    inputs[0].annotations.pop(str(attrs[0]), None)


@primitive("Parallel")
def parallel(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    inputs[0].kind = "parallel"


@primitive("Vectorize")
def vectorize(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    inputs[0].kind = "vectorized"


@primitive("Unroll")
def unroll(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    inputs[0].kind = "unrolled"


def _divides(factor: Value, extent: Value) -> bool:
    return isinstance(factor, int) and isinstance(extent, int) and extent % factor == 0
