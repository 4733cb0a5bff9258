"""Regions of a program that are to run without gradients or without autocast, as part of the program around them.

PyTorch exports `torch.no_grad()` and `torch.autocast(enabled=False)` in a model as calls of graphs of their own (any
rotary embedding of the Transformers library is such a one). Neither means anything where nothing is trained.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node

#: by the name of the operator, where the graph is among its arguments
_REGIONS = {"wrap_with_set_grad_enabled": 1, "wrap_with_autocast": 4}


def without_regions(program: Any) -> Any:
    """The `torch.export.ExportedProgram` with the operators of its regions among the others."""
    _inline(program.graph_module)
    return program


def _inline(module: GraphModule) -> None:
    graph = module.graph
    for node in list(graph.nodes):
        name = getattr(node.target, "__name__", "")
        if node.op != "call_function" or name not in _REGIONS:
            continue
        place = _REGIONS[name]
        if name == "wrap_with_autocast" and node.args[2]:
            raise ValueError("it computes a part in another type (torch.autocast), which is not known here")
        region: GraphModule = getattr(module, node.args[place].target)
        _inline(region)
        taken = iter(node.args[place + 1 :])
        values: dict[Node, Any] = {}
        for inner in region.graph.nodes:
            if inner.op == "placeholder":
                values[inner] = next(taken)
            elif inner.op == "output":
                results = torch.fx.map_arg(inner.args[0], values.__getitem__)
            else:
                with graph.inserting_before(node):
                    values[inner] = graph.node_copy(inner, values.__getitem__)
        for user in list(node.users):
            if user.target is not operator.getitem:
                raise ValueError(f"it uses {node.target} in a way that is not known here")
            user.replace_all_uses_with(results[user.args[1]])
            graph.erase_node(user)
        graph.erase_node(node)
    graph.eliminate_dead_code()
    module.recompile()
