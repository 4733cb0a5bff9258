"""What a program only checks while it runs: shapes and values that a library of models expects of its inputs.

Nothing is computed from it, but what it looks at may be what cannot be imported, such as how many places a mask has.
"""

from __future__ import annotations

from typing import Any

import torch

_aten = torch.ops.aten
_CHECKS = {_aten._assert_scalar, _aten._assert_async, _aten._assert_tensor_metadata, _aten.sym_constrain_range}
_CHECKS |= {_aten.sym_constrain_range_for_size}


def without_assertions(program: Any) -> Any:
    """The `torch.export.ExportedProgram` without checks and what only they use."""
    graph = program.graph_module.graph
    for node in list(graph.nodes):
        if getattr(node.target, "overloadpacket", None) in _CHECKS and not node.users:
            graph.erase_node(node)
    graph.eliminate_dead_code()
    program.graph_module.recompile()
    return program
