"""What a whole number that a program computes selects along an axis (`x[i]`).

PyTorch reads the number out of its tensor, and then selects; TVM selects by numbers that are known.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

_aten = torch.ops.aten


def selected_by_tensors(program: Any) -> Any:
    """The `torch.export.ExportedProgram` with such numbers as indices that are tensors."""
    graph = program.graph_module.graph
    for node in list(graph.nodes):
        if node.target is not _aten.select.int or not _is_read(node.args[2]):
            continue
        x, axis, read = node.args
        with graph.inserting_before(node):
            before = [None] * (axis % x.meta["val"].dim())
            made = graph.call_function(_aten.index.Tensor, (x, [*before, read.args[0]]))
        made.meta["val"] = node.meta["val"]
        node.replace_all_uses_with(made)
        graph.erase_node(node)
        if not read.users:
            graph.erase_node(read)
    program.graph_module.recompile()
    return program


def _is_read(place: Any) -> bool:
    """Whether it is read out of a tensor that is no more than a number."""
    return isinstance(place, Node) and place.target is _aten._local_scalar_dense.default and _rank(place.args[0]) == 0


def _rank(node: Any) -> int:
    return node.meta["val"].dim()
