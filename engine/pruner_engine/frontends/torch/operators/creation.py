"""Tensors made of numbers, or of others joined."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.torch.nodes import arguments, dtype_of, extents_of, type_name

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion


def _counted(importer: Conversion, node: Node) -> relax.Expr:
    """Numbers from one to another, which may go down: TVM makes too many of those."""
    first, end, step = arguments(node, "start", "end", "step")
    if not all(isinstance(number, int | float) for number in (first, end, step)) or step > 0:
        return importer.stock(node)
    return relax.const(torch.arange(first, end, step).numpy())


def _full(importer: Conversion, node: Node) -> relax.Expr:
    """A tensor of one number, which may be infinite, or read out of another: TVM fails to make such ones."""
    (value,), shape, dtype = arguments(node, "fill_value"), extents_of(node), type_name(dtype_of(node))
    if shape is not None and getattr(value, "target", None) is torch.ops.aten._local_scalar_dense.default:
        number = relax.op.astype(relax.op.reshape(importer.env[value.args[0]], []), dtype)
    elif isinstance(value, Node) or math.isfinite(value) or shape is None:
        return importer.stock(node)
    else:
        number = relax.const(value, dtype)
    return importer.emit(relax.op.broadcast_to(number, shape))


def _known(importer: Conversion, node: Node) -> relax.Expr:
    """What follows from numbers alone."""
    return relax.const(node.target(*node.args, **{**node.kwargs, "device": "cpu"}).numpy())


def _joined(importer: Conversion, node: Node) -> relax.Expr:
    """Without operands that have no elements, whose rank may be another: a cache begins as such a one."""
    operands, axis = arguments(node, "tensors", "dim")
    parts = [importer.env[x] for x in operands if 0 not in (extents_of(x) or [])]
    if len(parts) in (0, len(operands)):
        return importer.stock(node)
    return importer.emit(relax.op.concat(parts, axis)) if len(parts) > 1 else parts[0]


_KNOWN = (
    *("tril_indices.default", "triu_indices.default", "fft_fftfreq.default", "fft_rfftfreq.default"),
    *(f"{shape}_window.{kind}" for shape in ("bartlett", "blackman", "kaiser") for kind in ("default", "periodic")),
    "kaiser_window.beta",
)
CREATION: dict[str, Callable[[Conversion, Node], Any]] = {
    "arange.start_step": _counted,
    "cat.default": _joined,
    "full.default": _full,
    **dict.fromkeys(_KNOWN, _known),
}
