"""Primitives that move a block under a loop, or into another block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as change
from typing import Any

from pruner_engine.draft.formulas.columns import Value, minimum, product
from pruner_engine.draft.nests.index import Atom, Const, Index, Var, add, resolve, span
from pruner_engine.draft.nests.index import replace as substitute
from pruner_engine.draft.nests.nest import (
    Access,
    Block,
    Loop,
    Store,
    UnreadableSketchError,
    all_loops,
    attach,
    blocks_under,
    chain,
    detach,
    only_store,
)
from pruner_engine.draft.nests.primitives.registry import AT_ROOT, INLINE, primitive
from pruner_engine.draft.nests.regions import (
    Range,
    invert,
    outer_atoms,
    readers,
    reads_of_buffer,
    region,
    solve,
    steady,
    writers,
    writes_to,
)


@primitive("ComputeAt")
def compute_at(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    block, loop = inputs[0], inputs[1]
    if loop is AT_ROOT:
        return
    if loop is INLINE:
        compute_inline(root, [block], [])
        return
    consumed: dict[Atom, Range] = {}
    under = list(blocks_under(loop))
    users = {b for s in block.stores for b in readers(loop, s.write.buffer)}
    # TVM asks for what is read behind an end too: by a loop that was rounded up, and under a condition
    beyond = any(user.useful != 1 for user in users)
    guarded = False
    for store in block.stores:
        touching = reads_of_buffer(under, store.write.buffer)
        guarded = guarded or any(access.guarded for access in touching)
        if touching:
            fixed = outer_atoms(loop, store.write.buffer.scope)
            block.steady = block.steady * steady(touching, fixed, [*all_loops(loop), loop])
            consumed.update(solve(store.write.indices, region(touching, fixed, beyond=beyond), beyond=beyond))
    first = min(i for i, child in enumerate(loop.children) if users & set(blocks_under(child)))
    _move(block, loop, first, consumed)
    if beyond or guarded:
        block.useful = block.useful * _inside(block)


@primitive("ReverseComputeAt")
def reverse_compute_at(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    block, loop = inputs[0], inputs[1]
    if loop is AT_ROOT:
        return
    if loop is INLINE:
        reverse_compute_inline(root, [block], [])
        return
    produced: dict[Atom, Range] = {}
    under = list(blocks_under(loop))
    for read in (r for s in block.stores for r in s.reads):
        touching = writes_to(under, read.buffer)
        if touching:
            produced.update(solve(read.indices, region(touching, outer_atoms(loop, read.buffer.scope))))
    _move(block, loop, len(loop.children), produced)


def _inside(block: Block) -> Value:
    """Share of a block's executions within its iterators' extents: TVM keeps it from computing anything else."""
    reaches = ((i.extent, span(resolve(Var(i.atom)))) for i in block.iters)
    return product(minimum(1, extent / reach) for extent, reach in reaches)


def _move(block: Block, loop: Loop, at: int, domains: Mapping[Atom, Range]) -> None:
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


@primitive("ComputeInline")
def compute_inline(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    block: Block = inputs[0]
    made = only_store(block)
    for user in readers(root, made.write.buffer):
        user.stores = [_inlined(s, made) for s in user.stores]
    detach(block)


@primitive("ReverseComputeInline")
def reverse_compute_inline(root: Block, inputs: list[Any], attrs: list[Any]) -> None:
    block: Block = inputs[0]
    store = only_store(block)
    read = next(r for r in store.reads if writers(root, r.buffer))
    for producer in writers(root, read.buffer):
        producer.stores = [_reverse_inlined(s, store, read) for s in producer.stores]
        producer.useful = producer.useful * read.buffer.used
        producer.padded |= read.buffer.used != 1
    detach(block)


def moved(access: Access, atoms: dict[Atom, Index]) -> Access:
    """The access with atoms in its indices replaced."""
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
        reads += [change(moved(r, atoms), guarded=r.guarded or read.guarded) for r in made.reads]
    return change(store, reads=tuple(reads), **_work_together(store, made, times))


def _reverse_inlined(store: Store, consumer: Store, read: Access) -> Store:
    """The producer's store writing what the consumer made of it."""
    atoms = invert(read.indices, store.write.indices)
    others = tuple(moved(r, atoms) for r in consumer.reads if r.buffer is not read.buffer)
    times = sum(r.buffer is read.buffer for r in consumer.reads)
    return change(
        store,
        write=moved(consumer.write, atoms),
        reads=store.reads * times + others,
        **_work_together(consumer, store, times),
    )


def _work_together(consumer: Store, producer: Store, times: int) -> dict[str, Any]:
    """Operations of one execution of a consumer that computes `times` what it reads of a producer."""
    summed = ("flops", "special", "divisions", "halved")
    counts = {name: getattr(consumer, name) + times * getattr(producer, name) for name in summed}
    return {**counts, "converted": max(consumer.converted, producer.converted)}
