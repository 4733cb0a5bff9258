"""What constants choose: by masks, by places of what is not zero, by counts of repetitions.

PyTorch exports how many that are as known only when it runs; here it is known, and so are all shapes behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.export.graph_signature import InputKind, InputSpec, TensorArgument
from torch.fx import Node

from pruner_engine.frontends.torch.nodes import arguments, replace_uses
from pruner_engine.frontends.torch.rewrites.known import changed_by, is_small, known_value
from pruner_engine.frontends.torch.signature.extents import propagate

_aten = torch.ops.aten
_COUNTED = {_aten.nonzero_numpy.default, _aten.repeat_interleave.self_Tensor, _aten.where.default}
_READS = {_aten.item.default, _aten._local_scalar_dense.default}
_PUTS = {_aten.index_put.default, _aten.index_put_.default}


def with_known_choices(program: Any) -> Any:
    """The `torch.export.ExportedProgram` with places, which are constants, where it chooses by other constants."""
    _choose_all(program)
    if any(map(_is_open, program.graph.nodes)) and any(map(changed_by, program.graph.nodes)):
        program = program.run_decompositions({})  # without changes in place, masks are known that are made by such
        _choose_all(program)
    return program


def _choose_all(program: Any) -> None:
    known = [_choose(program, node) for node in list(program.graph.nodes) if _is_open(node)]
    if any(known):
        program.graph.eliminate_dead_code()
        program.graph_module.recompile()
        propagate(program)


def _is_open(node: Node) -> bool:
    """Whether how many numbers it gives or puts is a matter of what numbers choose; one number is put by a mask."""
    if node.target in _READS:
        return isinstance(node.meta["val"], torch.SymInt)
    if node.target is not _aten.index.Tensor and (node.target not in _PUTS or _count(node.args[2]) == 1):
        return node.target in _COUNTED or torch.Tag.dynamic_output_shape in getattr(node.target, "tags", ())
    return any(index is not None and index.meta["val"].dtype == torch.bool for index in node.args[1])


def _count(node: Node) -> Any:
    return node.meta["val"].numel()


def _choose(program: Any, node: Node) -> bool:
    """Whether a node was replaced by one whose shape is known, or by a number."""
    target = node.target
    value = known_value(program, node)
    made: Any = None
    if isinstance(value, torch.Tensor | int):
        made = value
    elif value is not None:  # several tensors
        return all([_put(program, user, value[user.args[1]]) for user in list(node.users)])
    elif target in (_aten.index.Tensor, *_PUTS):
        made = _by_places(program, node)
    elif target is _aten.masked_select.default:
        made = _by_mask(program, node)
    elif target is _aten.repeat_interleave.self_Tensor:
        made = _repeated(program, node)
    if made is None:
        return False
    return _put(program, node, made)


def _put(program: Any, node: Node, made: Any) -> bool:
    """Put another node, a number or a new constant in a node's place."""
    replace_uses(node, _constant(program, made) if isinstance(made, torch.Tensor) else made)
    program.graph.erase_node(node)
    return True


def _by_places(program: Any, node: Node) -> Node | None:
    """What tensors choose, or where they put: known masks among them as the places where they are true."""
    x, indices, *rest = node.args
    told: list[Node | None] = []
    for index in indices:
        if index is None or index.meta["val"].dtype != torch.bool:
            told.append(index)
            continue
        mask = known_value(program, index)
        if mask is None:
            return None
        told += [_constant(program, places) for places in torch.nonzero(mask, as_tuple=True)]
    with program.graph.inserting_before(node):
        made: Node = program.graph.call_function(node.target, (x, told, *rest), node.kwargs)
    return made


def _by_mask(program: Any, node: Node) -> Node | None:
    x, mask = node.args
    known = known_value(program, mask)
    if known is None:
        return None
    shape = torch.broadcast_shapes(x.meta["val"].shape, known.shape)
    places = torch.nonzero(known.expand(shape), as_tuple=True)
    told = [_constant(program, axis) for axis in places]
    with program.graph.inserting_before(node):
        spread = program.graph.call_function(_aten.expand.default, (x, list(shape)))
        made: Node = program.graph.call_function(_aten.index.Tensor, (spread, told))
    return made


def _repeated(program: Any, node: Node) -> Node | None:
    x, counts, axis = arguments(node, "self", "repeats", "dim")
    known = known_value(program, counts)
    if known is None or not is_small(known):
        return None
    shape = x.meta["val"].shape if axis is not None else [_count(x)]
    places = torch.repeat_interleave(torch.arange(shape[axis or 0]), known)
    told = _constant(program, places)
    with program.graph.inserting_before(node):
        if axis is None:
            x = program.graph.call_function(_aten.reshape.default, (x, [-1]))
        made: Node = program.graph.call_function(_aten.index_select.default, (x, axis or 0, told))
    return made


def _constant(program: Any, value: torch.Tensor) -> Node:
    """A new one of the program's own."""
    graph, specs = program.graph, program.graph_signature.input_specs
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    place = next((i for i, spec in enumerate(specs) if spec.kind is InputKind.USER_INPUT), len(specs))
    if place < len(placeholders):
        with graph.inserting_before(placeholders[place]):
            made: Node = graph.placeholder(f"c_chosen_{len(program.constants)}")
    fake = next(x.fake_mode for x in _values(placeholders) if isinstance(x, torch.Tensor))
    made.meta["val"] = fake.from_tensor(value, static_shapes=True)
    program.constants[made.name] = value
    specs.insert(place, InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(made.name), made.name))
    return made


def _values(nodes: Sequence[Node]) -> list[Any]:
    return [node.meta.get("val") for node in nodes]
