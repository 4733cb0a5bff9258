"""What a value of a program is whatever its inputs are: a mask, or a number that is kept in a buffer."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

_aten = torch.ops.aten
UNCHANGED = {  # finite numbers stay so
    *(_aten.view.default, _aten.reshape.default, _aten.expand.default, _aten.clone.default, _aten._to_copy.default),
    *(_aten.mul.Scalar, _aten.div.Scalar, _aten.squeeze.dim, _aten.unsqueeze.default),
}
_COMPUTED = UNCHANGED | {  # what is computed here: a file may name any operator of PyTorch
    _aten.squeeze.dims,
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
_LARGEST = 1 << 26  # numbers of a value that is looked at


def known_value(program: Any, node: Node) -> Any:
    """The tensor that a node of a `torch.export.ExportedProgram` in core operators gives at every call.

    None where it depends on what comes in or on a buffer that calls change, or is not made as masks are.
    """
    signature = program.graph_signature
    changed = set(signature.buffers_to_mutate.values())
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
        if other.target in _COMPUTED and other.meta["val"].numel() <= _LARGEST:
            args, kwargs = torch.fx.map_arg((other.args, other.kwargs), held.__getitem__)
            held[other] = other.target(*args, **kwargs)
        elif kept.get(other.name) not in (None, *changed):
            name = kept[other.name]
            held[other] = program.state_dict[name] if name in program.state_dict else program.constants[name]
        else:
            return None
    return held[node]
