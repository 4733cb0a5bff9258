"""Arguments and results of a program that are no tensors: None, or a number or word that it was exported for."""

from __future__ import annotations

from typing import Any

from torch.export.graph_signature import ConstantArgument
from torch.fx import Node


def tensors_only(program: Any) -> Any:
    """The `torch.export.ExportedProgram` without them; it is no longer one that PyTorch would call.

    Raises:
        ValueError: it gives no tensor.
    """
    graph, signature = program.graph_module.graph, program.graph_signature
    constants = {spec.arg.name for spec in signature.input_specs if isinstance(spec.arg, ConstantArgument)}
    for specs in (signature.input_specs, signature.output_specs):
        specs[:] = [spec for spec in specs if not isinstance(spec.arg, ConstantArgument)]
    for node in list(graph.nodes):
        if node.op == "placeholder" and node.name in constants and not node.users:
            graph.erase_node(node)
        elif node.op == "output":
            node.args = (tuple(result for result in node.args[0] if isinstance(result, Node)),)
            if not node.args[0]:
                raise ValueError("it gives no tensor")
    program.graph_module.recompile()
    return program
