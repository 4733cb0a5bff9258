"""Replays a sketch's trace on a loop nest with symbolic extents: TVM's schedule primitives, decisions left free."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as change
from typing import Any

import tvm
from tvm import tirx
from tvm.s_tir.schedule import SBlockRV

from pruner_engine.draft.columns import Value, ceil_div, column, lookup, maximum, product, where
from pruner_engine.draft.index import Atom, Const, Index, Quotient, Remainder, Var, add, atoms_of, resolve, scale, span
from pruner_engine.draft.index import replace as substitute
from pruner_engine.draft.nest import (
    Access,
    Block,
    Buffer,
    Iter,
    Loop,
    Node,
    Store,
    UnreadableSketchError,
    all_loops,
    attach,
    blocks_under,
    bound,
    chain,
    data_parallel,
    detach,
    fresh_block,
    loops_of,
    redirect,
)
from pruner_engine.draft.reading import FunctionReader
from pruner_engine.draft.regions import Range, accesses, invert, outer_atoms, readers, region, solve, writers
from pruner_engine.space.decision import LocationDecision
from pruner_engine.space.sketch import Sketch

_ROOT, _INLINE = "root", "inline"


class Replay:
    """One sketch with its compute locations chosen; all other decisions are columns.

    Attributes:
        root: the scheduled nest, before postprocessing.
        effective: per location decision where TVM puts the block: a loop of extent 1, and a spatial loop inside a
            reduction loop, are replaced by the nearest valid location before. Where it differs from the location
            asked for, the nest is of no account.

    Raises:
        UnreadableSketchError: at construction, for an instruction or an index that has no closed form here.
    """

    def __init__(self, mod: tvm.IRModule, sketch: Sketch, locations: Mapping[int, int]) -> None:
        """
        Args:
            locations: loop index per decision (its position among the sketch's) of kind LocationDecision.
        """
        self.root = FunctionReader(mod["main"]).root
        self.effective: dict[int, Value] = {}
        self._values: dict[Any, Any] = {}
        chosen = {d.instruction: i for i, d in enumerate(sketch.decisions)}
        for position, instruction in enumerate(sketch.trace.insts):
            name = instruction.kind.name
            if position in chosen:
                index = chosen[position]
                results = self._sample(sketch, index, locations.get(index, -1), instruction)
            else:
                handler = getattr(self, f"_do_{_snake(name)}", None)
                if handler is None:
                    raise UnreadableSketchError(f"instruction {name}")
                results = handler([self._value(v) for v in instruction.inputs], list(instruction.attrs))
            for variable, result in zip(instruction.outputs, results or (), strict=False):
                self._values[variable] = result

    def _value(self, value: Any) -> Any:
        if value is None or isinstance(value, (str, int, float)):
            return value
        if isinstance(value, tirx.IntImm):
            return int(value)
        if isinstance(value, (list, tuple, tvm.ir.Array)):
            return [self._value(v) for v in value]
        if value in self._values:
            return self._values[value]
        raise UnreadableSketchError(f"value {value}")

    # ------------------------------------------------------------ sampling

    def _sample(self, sketch: Sketch, index: int, location: int, instruction: Any) -> list[Any]:
        decision, first = sketch.decisions[index], sketch.columns[index].start
        if isinstance(decision, LocationDecision):
            return [self._location(index, self._values[instruction.inputs[0]], location)]
        if decision.kind == "categorical":
            return [lookup(decision.candidates, column(first))]  # type: ignore[attr-defined]
        if decision.size == 1:
            return [int(v) for v in decision.values()[0]]
        return [column(first + i) for i in range(decision.width)]

    def _location(self, index: int, block: Block, location: int) -> Any:
        """The loop at `location`, noting in `effective` where TVM really puts the block."""
        consumers = self._do_get_consumers([block], [])
        paths = [loops_of(c) for c in consumers]
        common = [a for a, *rest in zip(*paths, strict=False) if all(a is b for b in rest)]
        self.effective[index] = _nearest_valid(common, location)
        if location < 0 or not common:
            return _INLINE if location == -2 else _ROOT
        return common[min(location, len(common) - 1)]

    # ------------------------------------------------------------ looking around

    def _do_get_s_block(self, inputs: list[Any], attrs: list[Any]) -> list[Block]:
        name = str(attrs[0])
        if name == "root":
            return [self.root]
        return [next(b for b in blocks_under(self.root) if b.name == name)]

    def _do_get_loops(self, inputs: list[Any], attrs: list[Any]) -> list[Loop]:
        return loops_of(inputs[0])

    def _do_get_consumers(self, inputs: list[Any], attrs: list[Any]) -> list[Block]:
        written = {s.write.buffer: None for b in blocks_under(inputs[0]) for s in b.stores}
        return self._outermost([r for buffer in written for r in readers(self.root, buffer)], inputs[0])

    def _do_get_producers(self, inputs: list[Any], attrs: list[Any]) -> list[Block]:
        mine = list(blocks_under(inputs[0]))
        read = {r.buffer: None for b in mine for s in b.stores for r in s.reads if accesses(mine, r.buffer, reads=True)}
        return self._outermost([w for buffer in read for w in writers(self.root, buffer)], inputs[0])

    def _outermost(self, blocks: Sequence[Block], but: Block) -> list[Block]:
        """The blocks, or those that blockizing put around them, in the order of the nest."""
        found: dict[Block, None] = {}
        order = {b: i for i, b in enumerate(blocks_under(self.root))}
        for block in sorted(dict.fromkeys(blocks), key=order.__getitem__):
            node: Node = block
            while node.parent is not None and node.parent is not self.root:
                node = node.parent
                if isinstance(node, Block):
                    block = node
            if block is not but:
                found[block] = None
        return list(found)

    # ------------------------------------------------------------ loops

    def _do_split(self, inputs: list[Any], attrs: list[Any]) -> list[Loop]:
        loop: Loop = inputs[0]
        known = product(f for f in inputs[1:] if f is not None)
        factors = [ceil_div(loop.extent, known) if f is None else f for f in inputs[1:]]
        atoms = [Atom(f"{loop.name}_{i}", f) for i, f in enumerate(factors)]
        position = add(*(scale(Var(a), product(factors[i + 1 :])) for i, a in enumerate(atoms)))
        for i, old in enumerate(loop.atoms):
            below = product(a.extent for a in loop.atoms[i + 1 :])
            digit: Index = position if isinstance(below, int) and below == 1 else Quotient(position, below)
            old.definition = digit if i == 0 else Remainder(digit, old.extent)
        loops = [Loop([a]) for a in atoms]
        if None in inputs[1:] and not _divides(known, loop.extent):
            loops[0].useful = loop.extent / (factors[0] * known)
        self._swap([loop], loops)
        return loops

    def _do_fuse(self, inputs: list[Any], attrs: list[Any]) -> list[Loop]:
        fused = Loop([a for loop in inputs for a in loop.atoms], useful=product(loop.useful for loop in inputs))
        self._swap(inputs, [fused])
        return [fused]

    def _do_reorder(self, inputs: list[Any], attrs: list[Any]) -> None:
        depth = {loop: len(all_loops(loop)) for loop in inputs}
        bottom = max(inputs, key=depth.__getitem__)
        top = min(inputs, key=depth.__getitem__)
        path = all_loops(bottom)[depth[top] :] + [bottom]
        order = iter(inputs)
        self._swap(path, [next(order) if loop in depth else loop for loop in path])

    def _swap(self, old: list[Loop], new: list[Loop]) -> None:
        """Put a chain of loops where another chain is."""
        parent, body = old[0].parent, old[-1].children
        assert parent is not None
        at = parent.children.index(old[0])
        for outer, inner in zip(new, new[1:], strict=False):
            outer.children, inner.parent = [inner], outer
        new[-1].children = body
        for child in body:
            child.parent = new[-1]
        parent.children[at], new[0].parent = new[0], parent

    def _do_add_unit_loop(self, inputs: list[Any], attrs: list[Any]) -> list[Loop]:
        node: Node = inputs[0]
        parent = node.parent
        assert parent is not None
        at = parent.children.index(node)
        loop = Loop([Atom("u", 1)])
        parent.children[at], loop.parent = loop, parent
        loop.children, node.parent = [node], loop
        return [loop]

    def _do_bind(self, inputs: list[Any], attrs: list[Any]) -> None:
        inputs[0].thread = str(attrs[0])

    def _do_annotate(self, inputs: list[Any], attrs: list[Any]) -> None:
        inputs[0].annotations[str(attrs[0])] = inputs[1]

    def _do_unannotate(self, inputs: list[Any], attrs: list[Any]) -> None:
        inputs[0].annotations.pop(str(attrs[0]), None)

    # ------------------------------------------------------------ caches

    def _do_cache_write(self, inputs: list[Any], attrs: list[Any]) -> list[Block]:
        block, scope = inputs[0], str(attrs[1])
        leaves = list(blocks_under(block))
        buffer = list(dict.fromkeys(s.write.buffer for b in leaves for s in b.stores))[int(attrs[0])]
        cache = Buffer(f"{buffer.name}_{scope}", list(buffer.shape), buffer.dtype_bytes, scope)
        for leaf in leaves:
            leaf.stores = [redirect(s, buffer, cache, read=True, write=True) for s in leaf.stores]
        return [self._copy(cache, buffer, cache.name, block, after=True)]

    def _do_cache_read(self, inputs: list[Any], attrs: list[Any]) -> list[Block]:
        block, scope = inputs[0], str(attrs[1])
        leaves = list(blocks_under(block))
        buffer = self._reads(leaves)[int(attrs[0])]
        cache = Buffer(f"{buffer.name}_{scope}", list(buffer.shape), buffer.dtype_bytes, scope)
        for leaf in leaves:
            leaf.stores = [redirect(s, buffer, cache, read=True, write=False) for s in leaf.stores]
        return [self._copy(buffer, cache, cache.name, block, after=False)]

    def _reads(self, leaves: Sequence[Block]) -> list[Buffer]:
        """Buffers in the order of TVM's `block.reads`."""
        order = dict.fromkeys(r.buffer for b in leaves for s in b.stores for r in s.reads)
        return [buffer for buffer in order if accesses(leaves, buffer, reads=True)]

    def _copy(self, source: Buffer, target: Buffer, name: str, near: Block, *, after: bool) -> Block:
        """A block that copies a whole buffer, beside the nest that holds `near`."""
        block, loops = fresh_block(name, [(f"ax{i}", e, True) for i, e in enumerate(target.shape)])
        indices = tuple(Var(i.atom) for i in block.iters)
        block.stores = [Store(Access(target, indices), (Access(source, indices),), 0, 0, False)]
        nest = chain(loops, block)
        attach(self.root, nest, self._top(near) + int(after))
        return block

    def _top(self, node: Node) -> int:
        while node.parent is not self.root:
            assert node.parent is not None
            node = node.parent
        return self.root.children.index(node)

    def _do_set_scope(self, inputs: list[Any], attrs: list[Any]) -> None:
        inputs[0].stores[int(attrs[0])].write.buffer.scope = str(attrs[1])

    def _do_storage_align(self, inputs: list[Any], attrs: list[Any]) -> None:
        """Pads rows against bank conflicts; nothing that is counted changes."""

    # ------------------------------------------------------------ moving blocks

    def _do_compute_at(self, inputs: list[Any], attrs: list[Any]) -> None:
        block, loop = inputs[0], inputs[1]
        if loop is _ROOT:
            return
        if loop is _INLINE:
            self._do_compute_inline([block], [])
            return
        consumed: dict[Atom, Range] = {}
        under = list(blocks_under(loop))
        for store in block.stores:
            touching = accesses(under, store.write.buffer, reads=True)
            if touching:
                fixed = outer_atoms(loop, store.write.buffer.scope)
                consumed.update(solve(store.write.indices, region(touching, fixed)))
        users = {b for s in block.stores for b in readers(loop, s.write.buffer)}
        first = min(i for i, child in enumerate(loop.children) if users & set(blocks_under(child)))
        self._move(block, loop, first, consumed)

    def _do_reverse_compute_at(self, inputs: list[Any], attrs: list[Any]) -> None:
        block, loop = inputs[0], inputs[1]
        if loop is _ROOT:
            return
        if loop is _INLINE:
            self._do_reverse_compute_inline([block], [])
            return
        produced: dict[Atom, Range] = {}
        under = list(blocks_under(loop))
        for read in (r for s in block.stores for r in s.reads):
            touching = accesses(under, read.buffer, reads=False)
            if touching:
                produced.update(solve(read.indices, region(touching, outer_atoms(loop, read.buffer.scope))))
        self._move(block, loop, len(loop.children), produced)

    def _move(self, block: Block, loop: Loop, at: int, domains: Mapping[Atom, Range]) -> None:
        """Put the block under the loop with new loops over the domains; iterators without one keep theirs."""
        if block.children:
            raise UnreadableSketchError("a block around blocks is moved")
        loops = []
        for i, iterator in enumerate(block.iters):
            domain = domains.get(iterator.atom, Range(Const(0), iterator.extent))
            atom = Atom(f"ax{i}", domain.extent)
            iterator.atom.definition = add(domain.start, Var(atom))
            loops.append(Loop([atom]))
        marker = loop.children[at] if at < len(loop.children) else None
        detach(block)
        nest = chain(loops, block)
        attach(loop, nest, None if marker is None else loop.children.index(marker))

    def _do_compute_inline(self, inputs: list[Any], attrs: list[Any]) -> None:
        block: Block = inputs[0]
        (made,) = block.stores
        for user in readers(self.root, made.write.buffer):
            user.stores = [_inlined(s, made) for s in user.stores]
        detach(block)

    def _do_reverse_compute_inline(self, inputs: list[Any], attrs: list[Any]) -> None:
        block: Block = inputs[0]
        (store,) = block.stores
        read = next(r for r in store.reads if writers(self.root, r.buffer))
        for producer in writers(self.root, read.buffer):
            producer.stores = [_reverse_inlined(s, store, read) for s in producer.stores]
        detach(block)

    # ------------------------------------------------------------ reductions

    def _do_r_factor(self, inputs: list[Any], attrs: list[Any]) -> list[Block]:
        """The block becomes the one that adds up partial results; a new one before it makes them."""
        loop: Loop = inputs[0]
        block = next(b for b in blocks_under(loop))
        (store,) = block.stores
        ((factored,), old_loops) = (loop.atoms, loops_of(block))
        partial_buffer = Buffer(f"{store.write.buffer.name}_rf", list(store.write.buffer.shape), store.write.buffer.dtype_bytes)
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
        read = tuple(
            own if r.buffer is store.write.buffer else _moved(r, renamed) for r in store.reads
        )
        partial.stores = [change(store, write=own, reads=read)]
        self._write_back(block, store, partial_buffer, axis, loop, old_loops, partial)
        return [partial]

    def _write_back(
        self,
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
        block.stores = [change(store, reads=(store.write, Access(partial_buffer, tuple(indices))), flops=1, special=0)]
        block.parent = None
        back = chain([Loop([twins[a] for a in one.atoms]) for one in kept], block)
        attach(self.root, back, self._top(nest) + 1)


def _nearest_valid(loops: Sequence[Loop], location: int) -> Value:
    """What SampleComputeLocation makes of a location: the last valid one up to it, else the root."""
    if location < 0:
        return location
    parallel = [data_parallel(loop) for loop in loops]
    last_parallel = max((i for i, p in enumerate(parallel) if p), default=-1)
    found: Value = -1
    open_: Value = 1  # 0 behind the loop that ends the search
    reduced: Value = 0  # 1 behind the first reduction loop that is not of extent 1
    for i, loop in enumerate(loops[: location + 1]):
        proper = loop.extent > 1
        if parallel[i]:
            open_ = where(proper, where(reduced, 0, open_), open_)
        else:
            reduced = maximum(reduced, proper)
            if i > last_parallel:
                open_ = where(proper, 0, open_)
        found = where(proper, where(open_, i, found), found)
    return found


def _moved(access: Access, atoms: dict[Atom, Index]) -> Access:
    return change(access, indices=tuple(substitute(i, atoms) for i in access.indices))


def _inlined(store: Store, made: Store) -> Store:
    """The store with reads of what `made` writes replaced by what that computes."""
    reads: list[Access] = []
    times = 0
    for read in store.reads:
        if read.buffer is not made.write.buffer:
            reads.append(read)
            continue
        times += 1
        atoms = invert(made.write.indices, read.indices)
        reads += [change(_moved(r, atoms), guarded=r.guarded or read.guarded) for r in made.reads]
    return change(
        store,
        reads=tuple(reads),
        flops=store.flops + times * made.flops,
        special=store.special + times * made.special,
        selects=store.selects + times * made.selects,
    )


def _reverse_inlined(store: Store, consumer: Store, read: Access) -> Store:
    """The producer's store writing what the consumer made of it."""
    atoms = invert(read.indices, store.write.indices)
    others = tuple(_moved(r, atoms) for r in consumer.reads if r.buffer is not read.buffer)
    return change(
        store,
        write=_moved(consumer.write, atoms),
        reads=store.reads + others,
        flops=store.flops + consumer.flops,
        special=store.special + consumer.special,
        selects=store.selects + consumer.selects,
    )


def _divides(factor: Value, extent: Value) -> bool:
    return isinstance(factor, int) and isinstance(extent, int) and extent % factor == 0


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
