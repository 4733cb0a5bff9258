"""Numbers that a program reads out of a tensor (`x.item()`), where that tensor is the same at every call.

Strides that a detector keeps in a buffer are such ones: PyTorch exports them as numbers that are known when it runs.
"""

from __future__ import annotations

from typing import Any

import torch

from pruner_engine.frontends.torch.nodes import replace_uses
from pruner_engine.frontends.torch.rewrites.known import known_value

_READ = torch.ops.aten._local_scalar_dense.default


def with_known_scalars(program: Any) -> Any:
    """The `torch.export.ExportedProgram` in core operators with such numbers in place of what reads them."""
    graph, known = program.graph_module.graph, False
    for node in list(graph.nodes):
        if node.target is not _READ or isinstance(node.meta.get("val"), torch.SymInt):  # which shapes may follow from
            continue
        value = known_value(program, node.args[0])
        if value is not None and value.numel() == 1:
            replace_uses(node, value.item())
            known = True
    if known:
        graph.eliminate_dead_code()
        program.graph_module.recompile()
    return program
