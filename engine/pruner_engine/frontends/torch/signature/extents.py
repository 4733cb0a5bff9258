"""Open dimensions of a program: what its inputs say of them, and the program with numbers in their place.

Of what a program computes from an open size, such as by how much it pads, neither PyTorch's decompositions nor TVM's
importer knows enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import torch
import tvm
from torch._export.utils import _get_shape_env_from_gm
from torch.export.graph_signature import ConstantArgument, InputKind
from torch.fx import Node
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from tvm import relax

from pruner_engine.frontends.importing import reason_of
from pruner_engine.frontends.model import refused_with
from pruner_engine.frontends.torch.importer import Importer

_LEAST_OPEN = 2
_OF_SHAPES = (RuntimeError, ValueError, AssertionError)  # not what is derived from them: that is of other matters


def open_inputs(program: Any) -> tvm.IRModule | None:
    """A Relax function that takes what the `torch.export.ExportedProgram` is called with, and gives its first tensor.

    None where no dimension is open, or where something that comes in is no tensor of real numbers.
    """
    kept = [spec for spec in program.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT]
    kept = [spec for spec in kept if not isinstance(spec.arg, ConstantArgument)]
    values = {node.name: node.meta.get("val") for node in _placeholders(program)}
    tensors: list[Any] = [values.get(spec.arg.name) for spec in kept]
    if not all(isinstance(x, torch.Tensor) and not x.is_complex() for x in tensors):
        return None
    if all(type(extent) is int for x in tensors for extent in x.shape):
        return None
    called = SimpleNamespace(
        graph_signature=SimpleNamespace(input_specs=kept),
        graph=program.graph,
        range_constraints=program.range_constraints,
        named_buffers=dict,
    )
    _, inputs, ranges = Importer().create_input_vars(called)
    params = list(inputs.values())
    bounds = {  # that an open size is 2 or more PyTorch says of each, and runs those of 1 all the same
        "tir_var_lower_bound": {name: least for name, (least, _) in ranges.items() if least > _LEAST_OPEN},
        "tir_var_upper_bound": {name: largest for name, (_, largest) in ranges.items() if largest is not None},
    }
    attrs = {side: of_names for side, of_names in bounds.items() if of_names}
    body = relax.SeqExpr([], params[0])
    return tvm.IRModule({"main": relax.Function(params, body, params[0].ty).with_attrs(attrs)})


def example_of(program: Any) -> dict[str, int] | None:
    """What the symbols of its dimensions were, by name, when it was exported; None where a file does not say so."""
    known = _get_shape_env_from_gm(program.graph_module)
    values = {} if known is None else {str(symbol): int(value) for symbol, value in known.backed_var_to_val.items()}
    return values if _symbols(program) <= set(values) else None


def shapes_of(program: Any, values: Mapping[str, int]) -> dict[str, list[int]]:
    """Shapes of all that a program is called with, by name and in order; what is no tensor has an empty one.

    Args:
        values: the numbers for the symbols of its inputs, by name.
    """
    known = {node.name: node.meta.get("val") for node in _placeholders(program)}
    names = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT]
    return {name: [_number(n, values) for n in getattr(known.get(name), "shape", ())] for name in names}


def with_extents(program: Any, values: Mapping[str, int]) -> Any:
    """The `torch.export.ExportedProgram` of numbers for the symbols of its inputs, by name.

    Raises:
        UserError: its operators do not work with them.
    """
    for node in _placeholders(program):
        x = node.meta.get("val")
        if isinstance(x, torch.Tensor):
            shape, strides = ([_number(n, values) for n in of] for of in (x.shape, x.stride()))
            with x.fake_mode:
                node.meta["val"] = torch.empty_strided(shape, strides, dtype=x.dtype, device=x.device)
    ranges = program.range_constraints.items()
    program._range_constraints = {key: range_ for key, range_ in ranges if not _names(key) <= set(values)}
    try:
        propagate(program)
    except _OF_SHAPES as error:
        if type(error) not in _OF_SHAPES:
            raise
        raise refused_with(values, reason_of(error)) from error
    return program


def propagate(program: Any) -> None:
    """Find anew of what type and shape each value of a program is, from its placeholders on."""
    inputs = [node.meta.get("val") for node in _placeholders(program)]
    mode = next(x.fake_mode for x in inputs if isinstance(x, torch.Tensor))
    with torch.no_grad():
        FakeTensorProp(program.graph_module, mode).propagate_dont_convert_inputs(*inputs)


def _placeholders(program: Any) -> list[Node]:
    return [node for node in program.graph.nodes if node.op == "placeholder"]


def _symbols(program: Any) -> set[str]:
    """Of the dimensions of its inputs, by name."""
    tensors = [x for node in _placeholders(program) if isinstance(x := node.meta.get("val"), torch.Tensor)]
    extents = [n for x in tensors for n in x.shape if isinstance(n, torch.SymInt)]
    return set().union(*(_names(n.node.expr) for n in extents))


def _names(expression: Any) -> set[str]:
    return {str(symbol) for symbol in expression.free_symbols}


def _number(extent: int | torch.SymInt, values: Mapping[str, int]) -> int:
    if isinstance(extent, int):
        return extent
    expression = extent.node.expr
    return int(expression.subs({symbol: values[str(symbol)] for symbol in expression.free_symbols}))
