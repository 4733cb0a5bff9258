"""Number by number: bounds, ELU, what differs, shifts of bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.torch.nodes import arguments, dtype_of, type_name

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion


def _clamp(importer: Conversion, node: Node) -> relax.Expr:
    """Between bounds, the upper one where they cross, of which TVM gives the lower; booleans as whole numbers."""
    x, low, high = arguments(node, "self", "min", "max")
    if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
        return importer.emit(relax.op.full_like(importer.env[x], relax.const(high, type_name(dtype_of(node)))))
    return importer.stock(node, {x: importer.as_type(importer.env[x], dtype_of(node))})


def _clamp_by_tensors(importer: Conversion, node: Node) -> relax.Expr:
    """Between tensors, of any types and shapes that go together: TVM clips whole numbers at infinity."""
    x, *bounds = arguments(node, "self", "min", "max")
    made = importer.as_type(importer.env[x], dtype_of(node))
    for op, bound in zip((relax.op.maximum, relax.op.minimum), bounds, strict=True):
        if bound is not None:
            told = importer.as_type(importer.env[bound], dtype_of(node))
            made = importer.emit(op(told, made))  # of NaN and a number kernels take the second
    return made


def _elu(importer: Conversion, node: Node) -> relax.Expr:
    """ELU with factors of its result and of what goes in (SELU has the first): TVM knows neither."""
    x, alpha, scale, inner = arguments(node, "self", "alpha", "scale", "input_scale")
    if scale == inner == 1:
        return importer.stock(node)
    data = importer.env[x]

    def number(value: float) -> relax.Expr:
        return relax.const(value, type_name(dtype_of(node)))

    below = relax.op.subtract(relax.op.exp(relax.op.multiply(data, number(inner))), number(1))
    below = importer.emit(relax.op.multiply(below, number(alpha * scale)))
    above = importer.emit(relax.op.multiply(data, number(scale)))
    return importer.emit(relax.op.where(relax.op.greater(data, number(0)), above, below))


def _differing(importer: Conversion, node: Node) -> relax.Expr:
    """What differs, as NaN does from all: TVM compares in order, where it differs from none."""
    made = importer.stock(node)
    for x in node.all_input_nodes:
        if dtype_of(x).is_floating_point:
            made = importer.emit(relax.op.logical_or(made, importer.emit(relax.op.isnan(importer.env[x]))))
    return made


def _same(importer: Conversion, node: Node) -> relax.Expr:
    """What equals itself, which NaN does not: kernels take it for granted where more is made of it."""
    one, other = node.args
    if one is not other or not dtype_of(one).is_floating_point:
        return importer.stock(node)
    return importer.emit(relax.op.logical_not(importer.emit(relax.op.isnan(importer.env[one]))))


def _shift(op: Callable[..., relax.Expr], importer: Conversion, node: Node) -> relax.Var:
    """By bits, whose number may be one for all."""
    x, many = node.args
    if isinstance(many, int):
        by = relax.const(many, type_name(dtype_of(node)))
    else:
        by = importer.as_type(importer.env[many], dtype_of(node))
    return importer.emit(op(importer.as_type(importer.env[x], dtype_of(node)), by))


ELEMENTWISE: dict[str, Callable[[Conversion, Node], Any]] = {
    "clamp.Tensor": _clamp_by_tensors,
    "clamp.default": _clamp,
    "elu.default": _elu,
    "eq.Tensor": _same,
    "ne.Scalar": _differing,
    "ne.Tensor": _differing,
    **{f"__lshift__.{kind}": partial(_shift, relax.op.left_shift) for kind in ("Scalar", "Tensor")},
    **{f"__rshift__.{kind}": partial(_shift, relax.op.right_shift) for kind in ("Scalar", "Tensor")},
    **{f"bitwise_left_shift.{kind}": partial(_shift, relax.op.left_shift) for kind in ("Tensor_Scalar", "Tensor")},
    **{f"bitwise_right_shift.{kind}": partial(_shift, relax.op.right_shift) for kind in ("Tensor_Scalar", "Tensor")},
}
