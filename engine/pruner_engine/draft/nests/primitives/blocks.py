"""Primitives that look up blocks and loops of a nest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pruner_engine.draft.nests.nest import Block, Loop, Node, blocks_under, loops_of
from pruner_engine.draft.nests.primitives.registry import primitive
from pruner_engine.draft.nests.regions import readers, reads_of_buffer, writers


@primitive("GetSBlock")
def get_s_block(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    name = str(attrs[0])
    if name == "root":
        return [root]
    return [next(b for b in blocks_under(root) if b.name == name)]


@primitive("GetChildBlocks")
def get_child_blocks(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    return outermost(root, list(blocks_under(inputs[0])), inputs[0])


@primitive("GetLoops")
def get_loops(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Loop]:
    return loops_of(inputs[0])


@primitive("GetConsumers")
def get_consumers(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    written = {s.write.buffer: None for b in blocks_under(inputs[0]) for s in b.stores}
    return outermost(root, [r for buffer in written for r in readers(root, buffer)], inputs[0])


@primitive("GetProducers")
def get_producers(root: Block, inputs: list[Any], attrs: list[Any]) -> list[Block]:
    mine = list(blocks_under(inputs[0]))
    read = {r.buffer: None for b in mine for s in b.stores for r in s.reads if reads_of_buffer(mine, r.buffer)}
    return outermost(root, [w for buffer in read for w in writers(root, buffer)], inputs[0])


def outermost(root: Block, blocks: Sequence[Block], but: Block) -> list[Block]:
    """The blocks, or those that blockizing put around them, in the order of the nest."""
    found: dict[Block, None] = {}
    order = {b: i for i, b in enumerate(blocks_under(root))}
    for leaf in sorted(dict.fromkeys(blocks), key=order.__getitem__):
        node: Node = leaf
        block = leaf
        while node.parent is not None and node.parent is not root:
            node = node.parent
            if isinstance(node, Block):
                block = node
        if block is not but:
            found[block] = None
    return list(found)


def top_of(root: Block, node: Node) -> int:
    """Position among the root's children of the one that holds the node."""
    while node.parent is not root:
        assert node.parent is not None
        node = node.parent
    return root.children.index(node)
