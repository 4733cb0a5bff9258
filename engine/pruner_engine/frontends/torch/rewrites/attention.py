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
from pruner_engine.frontends.torch.shortcuts import operators_looked_up_once

_aten = torch.ops.aten
_GUARDED = _aten._safe_softmax.default
_PRODUCTS = {_aten.bmm.default, _aten.mm.default, _aten.matmul.default}
_UNCHANGED = {  # finite numbers stay so
    *(_aten.view.default, _aten.reshape.default, _aten.expand.default, _aten.clone.default, _aten._to_copy.default),
    *(_aten.mul.Scalar, _aten.div.Scalar, _aten.squeeze.dim, _aten.unsqueeze.default),
}
_OF_MASKS = _UNCHANGED | {  # what is computed here: a file may name any operator of PyTorch
    *(_aten.full.default, _aten.scalar_tensor.default, _aten.arange.start_step, _aten.arange.default),
    *(_aten.where.self, _aten.logical_and.default, _aten.logical_or.default, _aten.logical_not.default),
    *(_aten.bitwise_and.Tensor, _aten.bitwise_or.Tensor, _aten.bitwise_not.default),
    *(_aten.permute.default, _aten.slice.Tensor, _aten.select.int, _aten.cat.default),
    *(
        getattr(getattr(_aten, op), kind)
        for op in ("eq", "ne", "lt", "le", "gt", "ge")
        for kind in ("Scalar", "Tensor")
    ),
    *(getattr(getattr(_aten, op), kind) for op in ("add", "sub", "mul") for kind in ("Scalar", "Tensor")),
}
_LARGEST = 1 << 26  # entries of a mask that is looked at


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
        known = _value(program, mask)
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
    while isinstance(node, Node) and node.target in _UNCHANGED:
        node = node.args[0]
    return isinstance(node, Node) and node.target in _PRODUCTS


def _value(program: Any, node: Node) -> Any:
    """What a mask holds whatever the inputs are; None where it depends on them, or is not made as masks are."""
    signature = program.graph_signature
    kept = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    kept |= signature.inputs_to_lifted_tensor_constants
    needed = {node}
    for other in reversed(program.graph_module.graph.nodes):
        if other in needed:
            needed.update(other.all_input_nodes)
    held: dict[Node, Any] = {}
    for other in program.graph_module.graph.nodes:
        if other not in needed:
            continue
        if other.target in _OF_MASKS and other.meta["val"].numel() <= _LARGEST:
            args, kwargs = torch.fx.map_arg((other.args, other.kwargs), held.__getitem__)
            held[other] = other.target(*args, **kwargs)
        elif other.name in kept:
            name = kept[other.name]
            held[other] = program.state_dict[name] if name in program.state_dict else program.constants[name]
        else:
            return None
    return held[node]
