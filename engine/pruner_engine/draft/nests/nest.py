"""A scheduled function as the draft sees it: loops with symbolic extents over blocks with symbolic accesses."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import tvm

from pruner_engine.draft.formulas.columns import Value, product
from pruner_engine.draft.nests.index import Atom, Index, Var, atoms_of, resolve

HALVES = ("float16", "bfloat16")


class UnreadableSketchError(Exception):
    """A sketch holds something that cannot be put into closed form."""


@dataclass(eq=False)
class Buffer:
    """A tensor; `scope` is global, shared, local, or a Tensor Core fragment's.

    Attributes:
        argument: a parameter of the function; any other buffer takes only as much memory as is alive at a time.
        layout_free: a constant whose layout follows the loops that read it.
        align: (factor, offset): rows are padded to a length of that offset modulo the factor, against bank conflicts.
        used: share of its elements that anybody reads: below 1 of a result that was padded.
    """

    name: str
    shape: list[Value]
    dtype: str
    scope: str = "global"
    argument: bool = False
    layout_free: bool = False
    align: tuple[int, int] = (1, 0)
    used: Value = 1

    @property
    def dtype_bytes(self) -> int:
        return bytes_of(self.dtype)

    @property
    def bytes(self) -> Value:
        return product(self.shape) * self.dtype_bytes


@dataclass(frozen=True, eq=False)
class Access:
    """One read or write, with an index per dimension over the block's iterators."""

    buffer: Buffer
    indices: tuple[Index, ...]
    guarded: bool = False  # only under a condition, such as padding


@dataclass(frozen=True, eq=False)
class Store:
    """One statement of a block.

    Attributes:
        flops: additions, multiplications, comparisons of one execution.
        divisions: divisions and square roots of one execution.
        special: exponentials and their like of one execution.
        reduction: accumulates into what it writes.
        between: results of an instruction that another one adds, each in a register.
        converted: bytes of the widest type that a value is converted to on the way.
        halved: how often a value is converted to a type of `HALVES` on the way.
        filled: 1 where the unit that multiplies has to fill a register with a number first, unless that is one of
            several that are read at once (`lowering/vectors/elements.py`); 2 where it has to in any case; else 0.
    """

    write: Access
    reads: tuple[Access, ...]
    flops: int = 0
    special: int = 0
    reduction: bool = False
    divisions: int = 0
    between: int = 0
    converted: int = 0
    halved: int = 0
    filled: int = 0

    @property
    def accesses(self) -> tuple[Access, ...]:
        """The write and the reads."""
        return self.write, *self.reads

    def mapped(self, of: Callable[[Access], Access]) -> Store:
        """The statement with another access in place of each."""
        return replace(self, write=of(self.write), reads=tuple(map(of, self.reads)))


@dataclass(eq=False)
class Iter:
    """A block iterator: spatial or reduction, bound to loops."""

    atom: Atom
    spatial: bool

    @property
    def extent(self) -> Value:
        return self.atom.extent


@dataclass(eq=False)
class Loop:
    """A loop; several atoms where loops were fused, outermost first.

    Attributes:
        thread: what it is bound to, such as blockIdx.x, or "".
        kind: serial, parallel, vectorized or unrolled, where the trace itself says so.
    """

    atoms: list[Atom]
    thread: str = ""
    kind: str = "serial"
    children: list[Node] = field(default_factory=list)
    parent: Node | None = None
    annotations: dict[str, Any] = field(default_factory=dict)

    @property
    def extent(self) -> Value:
        return product(a.extent for a in self.atoms)

    @property
    def name(self) -> str:
        return "_".join(a.name for a in self.atoms)


@dataclass(eq=False)
class Block:
    """A block: statements over iterators that are bound to the loops around it.

    Attributes:
        children: of the root and of a block that blockizing put around another; a leaf has none.
        useful: share of its executions that do work: below 1 where a split of a loop around it was rounded up.
        steady: whether TVM can tell that its loops are equally long in all iterations of the loops around them, and
            that it writes all that is read of its result; TVM refuses others.
        padded: whether it leaves out what its source was padded by.
    """

    name: str
    iters: list[Iter] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    useful: Value = 1
    steady: Value = 1
    padded: bool = False
    children: list[Node] = field(default_factory=list)
    parent: Node | None = None
    annotations: dict[str, Any] = field(default_factory=dict)

    @property
    def spatial(self) -> bool:
        return all(i.spatial for i in self.iters)


Node: TypeAlias = Loop | Block


@functools.cache
def bytes_of(dtype: str) -> int:
    """Of an element; of one that is smaller than a byte, a byte."""
    return max(1, tvm.DataType(dtype).bits // 8)


def loops_of(block: Node) -> list[Loop]:
    """The loops around it up to the enclosing block, outermost first."""
    found: list[Loop] = []
    node = block.parent
    while isinstance(node, Loop):
        found.append(node)
        node = node.parent
    return found[::-1]


def all_loops(block: Node) -> list[Loop]:
    """The loops around it up to the root, through enclosing blocks."""
    found: list[Loop] = []
    node = block.parent
    while node is not None:
        if isinstance(node, Loop):
            found.append(node)
        node = node.parent
    return found[::-1]


def blocks_under(node: Node) -> Iterator[Block]:
    """Blocks with statements that run at all, in order; the node itself included."""
    if isinstance(node, Block) and node.stores and not any(_runs_never(loop) for loop in all_loops(node)):
        yield node
    for child in node.children:
        yield from blocks_under(child)


def _runs_never(loop: Loop) -> bool:
    """Whether it goes over no elements, as of an empty part of a concatenation."""
    return any(isinstance(atom.extent, int) and atom.extent == 0 for atom in loop.atoms)


def data_parallel(loop: Loop) -> bool:
    """Whether no block below reduces over it."""
    return not any(
        not i.spatial and any(a in loop.atoms for a in atoms_of(resolve(Var(i.atom))))
        for block in blocks_under(loop)
        for i in block.iters
    )


def only_store(block: Block) -> Store:
    """The statement of a block that has no other.

    Raises:
        UnreadableSketchError: it has several, as a reduction to two results.
    """
    if len(block.stores) != 1:
        raise UnreadableSketchError(f"{len(block.stores)} stores in a block that is inlined")
    return block.stores[0]


def heaviness(block: Block) -> tuple[int, int]:
    """Orders blocks by how much they are likely to compute, whatever the decisions."""
    return int(not block.spatial), sum(s.flops + s.special + s.divisions for s in block.stores)


def attach(parent: Node, child: Node, at: int | None = None) -> None:
    """Put a subtree under a node, before the child at a position or (None) behind all."""
    parent.children.insert(len(parent.children) if at is None else at, child)
    child.parent = parent


def wrap(node: Node, around: Node) -> None:
    """Put a node in the place of another, around it."""
    parent = node.parent
    assert parent is not None
    parent.children[parent.children.index(node)], around.parent = around, parent
    around.children, node.parent = [node], around


def detach(node: Node) -> None:
    """Take a subtree out, and the loops that it leaves empty."""
    parent = node.parent
    assert parent is not None
    parent.children.remove(node)
    node.parent = None
    if isinstance(parent, Loop) and not parent.children:
        detach(parent)


def chain(loops: list[Loop], body: Node) -> Node:
    """Nest the loops around the body; returns the outermost."""
    for loop in reversed(loops):
        loop.children = []
        attach(loop, body)
        body = loop
    return body


def bound(access: Access) -> tuple[Index, ...]:
    """The access's indices over the loops' variables."""
    return tuple(resolve(i) for i in access.indices)


def redirect_reads(store: Store, old: Buffer, new: Buffer) -> Store:
    """The store reading another buffer in place of `old`."""
    return replace(redirect(store, old, new), write=store.write)


def redirect(store: Store, old: Buffer, new: Buffer) -> Store:
    """The store reading and writing another buffer in place of `old`."""
    return store.mapped(lambda access: replace(access, buffer=new) if access.buffer is old else access)


def fresh_block(name: str, iters: list[tuple[str, Value, bool]]) -> tuple[Block, list[Loop]]:
    """A block whose iterators are bound to loops of their own, one each."""
    block, loops = Block(name), []
    for label, extent, spatial in iters:
        loop_atom = Atom(label, extent)
        block.iters.append(Iter(Atom(f"v_{label}", extent, Var(loop_atom)), spatial))
        loops.append(Loop([loop_atom]))
    return block, loops
