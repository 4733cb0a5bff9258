"""Attention of PyTorch in core operators, without the guard of its softmax where that guards nothing.

`scaled_dot_product_attention` gives zeros for a query that may look at no key, where softmax gives NaN. In core
operators that is three more passes over all scores (equal to -inf? all of a row? then zeros), and models that have no
such query pay for them too. Which rows have none is a matter of the mask alone, as products are finite.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.fx import Node

from pruner_engine.frontends.torch.decompositions.table import core_decompositions
from pruner_engine.frontends.torch.rewrites.known import UNCHANGED, known_value
from pruner_engine.frontends.torch.shortcuts import operators_looked_up_once

_aten = torch.ops.aten
_GUARDED = _aten._safe_softmax.default
_PRODUCTS = {_aten.bmm.default, _aten.mm.default, _aten.matmul.default}


@operators_looked_up_once()
def in_core_operators(program: Any) -> Any:
    """A `torch.export.ExportedProgram` in PyTorch's core operators."""
    table = core_decompositions()
    table.pop(_GUARDED, None)
    program = program.run_decompositions(table)
    graph = program.graph_module.graph
    for node in list(graph.nodes):
        if node.target is _GUARDED:
            _free(program, node)
    graph.eliminate_dead_code()
    program.graph_module.recompile()
    left = any(node.target is _GUARDED for node in graph.nodes)
    return program.run_decompositions() if left else program


def _free(program: Any, node: Node) -> None:
    """Put the plain softmax in place of a guarded one, with zeros where a mask that comes in leaves out whole rows."""
    scores, dim = node.args[:2]
    mask = None
    if not _finite(scores):
        if scores.target is not _aten.add.Tensor or not _finite(scores.args[0]):
            return
        mask = scores.args[1]
        known = known_value(program, mask)
        if known is not None:
            if bool((known == -math.inf).all(dim).any()):
                return
            mask = None
    graph, like = program.graph_module.graph, node.meta["val"]
    with graph.inserting_before(node):

        def add(target: Any, *args: Any, val: Any = like) -> Node:
            made: Node = graph.call_function(target, args)
            made.meta["val"] = val
            return made

        free = add(_aten._softmax.default, scores, dim, False)
        if mask is not None:
            looks = mask.meta["val"] != -math.inf
            seen = add(_aten.ne.Scalar, mask, -math.inf, val=looks)
            seen = add(_aten.any.dim, seen, dim, True, val=looks.any(dim, True))
            free = add(_aten.where.self, seen, free, add(_aten.full.default, [], 0.0, val=like.new_zeros([])))
    node.replace_all_uses_with(free)


def _finite(node: Any) -> bool:
    """Whether a value is a product, perhaps scaled or reshaped: only overflow makes such a one infinite."""
    while isinstance(node, Node) and node.target in UNCHANGED:
        node = node.args[0]
    return isinstance(node, Node) and node.target in _PRODUCTS
