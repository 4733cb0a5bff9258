"""PyTorch's arithmetic of mixed types, said in the graph: TVM's importer computes in the type of the first tensor.

There, half of a whole number is 0 (`torch.arange(8) * 0.5`, as positions are embedded) and exponentials of whole
numbers are refused. So operands are converted beforehand to what PyTorch computes in.
"""

from __future__ import annotations

from typing import Any

_ARITHMETIC = {"add", "sub", "rsub", "mul", "div", "pow", "maximum", "minimum", "remainder", "fmod", "floor_divide"}
_ARITHMETIC |= {"atan2"}
_OF_BOOLEANS = {"add": "bitwise_or", "maximum": "bitwise_or", "mul": "bitwise_and", "minimum": "bitwise_and"}
_COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}
_OF_FLOATS = {
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "sigmoid", "tanh", "erf"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "clamp"),
}


def promoted(program: Any) -> Any:
    """A `torch.export.ExportedProgram` in core operators whose operands have the types that they are computed in."""
    import torch

    graph = program.graph_module.graph
    for node in list(graph.nodes):
        if node.op != "call_function" or not isinstance(node.meta.get("val"), torch.Tensor):
            continue
        if not isinstance(node.target, torch._ops.OpOverload) or node.meta["val"].is_complex():
            continue
        _promote(graph, node)
    program.graph_module.recompile()
    return program


def _promote(graph: Any, node: Any) -> None:
    """Give an operator's operands, where they are tensors, the type that it is computed in."""
    import torch

    name, result = node.target._schema.name.removeprefix("aten::"), node.meta["val"].dtype
    if result == torch.bool and name in _OF_BOOLEANS:
        node.target = getattr(torch.ops.aten, _OF_BOOLEANS[name]).Tensor
    elif name in _COMPARISONS:
        dtype = torch.result_type(*map(_value, node.args[:2]))
        _convert(graph, node, node.args[:2], torch.int8 if dtype == torch.bool else dtype)  # no kernel has booleans
    elif name in _ARITHMETIC:
        _convert(graph, node, node.args[:2], result)
        if name in ("add", "sub", "rsub"):
            _scale(graph, node, 0 if name == "rsub" else 1)
        if node.kwargs.get("rounding_mode"):  # the importer makes a number here one of 32 bits
            _spell_out(graph, node, result)
    elif name in _OF_FLOATS and result.is_floating_point:
        _convert(graph, node, node.args[:1], result)
    elif node.target is torch.ops.aten.clamp.default and not result.is_floating_point:
        _bound(node, torch.iinfo(result))
    elif name in ("isinf", "isnan") and _value(node.args[0]).dtype == torch.bool:  # of which TVM asks numbers only
        _convert(graph, node, node.args[:1], torch.int8)
    elif name in ("argmax", "argmin") and _value(node.args[0]).dtype == torch.bfloat16:  # no kernel finds those
        _convert(graph, node, node.args[:1], torch.float32)
    elif name == "cat":
        _convert(graph, node, node.args[0], result)
    elif name == "where":
        _convert(graph, node, node.args[1:3], result)


def _value(operand: Any) -> Any:
    """A tensor without contents, or the number that the operand is."""
    return operand.meta["val"] if hasattr(operand, "meta") else operand


def _convert(graph: Any, node: Any, operands: Any, dtype: Any) -> None:
    """Give the tensors among a node's operands another type, but bools those of theirs."""
    import torch

    for operand in dict.fromkeys(operands):
        value = _value(operand)
        if not isinstance(value, torch.Tensor) or dtype in (value.dtype, torch.bool):
            continue
        with graph.inserting_before(node):
            made = graph.call_function(torch.ops.aten._to_copy.default, (operand,), {"dtype": dtype})
        made.meta["val"] = value.to(dtype)
        _replace(node, operand, made)


def _scale(graph: Any, node: Any, place: int) -> None:
    """Multiply an operand by the `alpha` of a sum or difference, which the importer passes over."""
    import torch

    from pruner_engine.frontends.torch.nodes import arguments

    (alpha,) = arguments(node, "alpha")
    if alpha == 1:
        return
    operand = node.args[place]
    if isinstance(operand, int | float):
        made = operand * alpha
    else:
        with graph.inserting_before(node):
            made = graph.call_function(torch.ops.aten.mul.Tensor, (operand, alpha))
        made.meta["val"] = operand.meta["val"] * alpha
    node.args = tuple(made if at == place else arg for at, arg in enumerate(node.args[:2]))
    node.kwargs = {}


def _spell_out(graph: Any, node: Any, dtype: Any) -> None:
    """Numbers among the operands as tensors of the type."""
    import torch

    for operand in node.args[:2]:
        if isinstance(operand, int | float):
            with graph.inserting_before(node):
                made = graph.call_function(torch.ops.aten.full.default, ([], operand), {"dtype": dtype})
            made.meta["val"] = torch.empty([], dtype=dtype, device="meta")
            _replace(node, operand, made)


def _replace(node: Any, old: Any, new: Any) -> None:
    def changed(arg: Any) -> Any:
        return new if arg is old else arg

    node.args = tuple([changed(part) for part in arg] if isinstance(arg, list) else changed(arg) for arg in node.args)


def _bound(node: Any, limits: Any) -> None:
    """Whole numbers that are clipped on one side: the importer would clip at infinity on the other."""
    x, *bounds = node.args
    low, high = [*bounds, None, None][:2]
    node.args = (x, limits.min if low is None else low, limits.max if high is None else high)
