"""What a value of a program is whatever its inputs are: a mask, counts, or a number that is kept in a buffer."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import Node

_aten = torch.ops.aten
UNCHANGED = {  # finite numbers stay so
    *(_aten.view.default, _aten.reshape.default, _aten.expand.default, _aten.clone.default, _aten._to_copy.default),
    *(_aten.mul.Scalar, _aten.div.Scalar, _aten.squeeze.dim, _aten.unsqueeze.default),
}
_COMPUTED = UNCHANGED | {  # what is computed here, beside number by number: a file may name any operator of PyTorch
    *(_aten.full.default, _aten.scalar_tensor.default, _aten.arange.start_step, _aten.arange.default),
    *(_aten.arange.start, _aten.ones.default, _aten.zeros.default, _aten.eye.default, _aten.eye.m),
    *(_aten.tril.default, _aten.triu.default, _aten.cumsum.default, _aten.to.dtype, _aten.lift_fresh_copy.default),
    *(_aten.squeeze.dims, _aten.squeeze.default, _aten.permute.default, _aten.transpose.int, _aten.flatten.using_ints),
    *(_aten.t.default, _aten.numpy_T.default, _aten.mT.default),
    *(_aten.slice.Tensor, _aten.select.int, _aten.cat.default, _aten.stack.default, _aten.detach.default),
    *(_aten.index.Tensor, _aten.index_select.default, _aten.masked_select.default, _aten.repeat_interleave.Tensor),
    *(_aten.repeat_interleave.self_int, _aten.repeat_interleave.self_Tensor, _aten.nonzero.default),
    *(_aten.nonzero_numpy.default, _aten.where.default, _aten._unique2.default, operator.getitem),
    *(_aten.index_put.default, _aten.select_scatter.default, _aten.slice_scatter.default, _aten.copy.default),
    *(_aten.full_like.default, _aten.ones_like.default, _aten.zeros_like.default),
    *(_aten.sum.default, _aten.sum.dim_IntList, _aten.max.default, _aten.min.default),
    *(_aten.item.default, _aten._local_scalar_dense.default),
}
_COUNTS = {_aten.repeat_interleave.self_Tensor: 1, _aten.repeat_interleave.Tensor: 0}  # which argument has them
_LARGEST = 1 << 26  # numbers of a value that is looked at


def known_value(program: Any, node: Node) -> Any:
    """The tensor, number or tuple of tensors that a node of a `torch.export.ExportedProgram` gives at every call.

    None where it depends on what comes in or on what is changed in place, or is not made as masks are.
    """
    signature = program.graph_signature
    changed = set(signature.buffers_to_mutate.values())
    kept = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    kept |= signature.inputs_to_lifted_tensor_constants
    needed = {node}
    for other in reversed(program.graph_module.graph.nodes):
        if other in needed and not _is_number(other):
            needed.update(other.all_input_nodes)
    if not needed.isdisjoint(_changed(program)):
        return None
    held: dict[Node, Any] = {}
    for other in program.graph_module.graph.nodes:
        if other not in needed:
            continue
        if _is_number(other):
            held[other] = other.meta["val"]
        elif _is_computed(other) and _size(other) <= _LARGEST:
            args, kwargs = torch.fx.map_arg((other.args, other.kwargs), held.__getitem__)
            if other.target in _COUNTS and not is_small(args[_COUNTS[other.target]]):
                return None
            held[other] = other.target(*args, **kwargs)
        elif kept.get(other.name) not in (None, *changed):
            name = kept[other.name]
            held[other] = program.state_dict[name] if name in program.state_dict else program.constants[name]
        else:
            return None
    return held[node]


def is_small(counts: torch.Tensor) -> bool:
    """Whether what is repeated so often is no more than is looked at."""
    return int(counts.clamp(max=_LARGEST + 1).sum()) <= _LARGEST


def changed_by(node: Node) -> Node | None:
    """What an operator changes in place, the first of what it reads; None where it changes nothing."""
    schema = getattr(node.target, "_schema", None)
    return node.all_input_nodes[0] if schema is not None and schema.is_mutable and node.all_input_nodes else None


def _changed(program: Any) -> set[Node]:
    """What is changed in place, and what it may be a part of."""
    found: set[Node] = set()
    for node in program.graph_module.graph.nodes:
        whole = changed_by(node)
        while whole is not None and whole not in found:
            found.add(whole)
            whole = next(iter(whole.all_input_nodes), None)
    return found


def _is_number(node: Node) -> bool:
    """Such as a size that is known."""
    return type(node.meta.get("val")) in (int, float, bool)


def _is_computed(node: Node) -> bool:
    if node.target in _COMPUTED:
        return True
    tags = getattr(node.target, "tags", ())
    return torch.Tag.pointwise in tags and torch.Tag.nondeterministic_seeded not in tags


def _size(node: Node) -> int:
    """How many numbers there are in what a node gives, as far as that is known beforehand."""
    value = node.meta["val"]
    parts = value if isinstance(value, list | tuple) else [value]
    sizes = [part.numel() for part in parts if isinstance(part, torch.Tensor)]
    return max((n for n in sizes if type(n) is int), default=0)
