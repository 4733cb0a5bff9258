"""Products of matrices and convolutions: halves are summed in float32, all other types as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.torch.nodes import arguments, dtype_of, summed_as, type_name

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion


def _product(importer: Conversion, node: Node) -> relax.Var:
    return _matmul(importer, node, *node.args[:2])


def _product_and_sum(importer: Conversion, node: Node) -> relax.Var:
    """addmm and baddbmm."""
    addend, a, b, beta, alpha = arguments(node, "self", *_OPERANDS[node.target], "beta", "alpha")
    total = _matmul(importer, node, a, b)
    name = type_name(summed_as(node))
    if alpha != 1:
        total = importer.emit(relax.op.multiply(total, relax.const(alpha, name)))
    if beta == 0:
        return total
    other = importer.as_type(importer.env[addend], summed_as(node))
    if beta != 1:
        other = importer.emit(relax.op.multiply(other, relax.const(beta, name)))
    return importer.emit(relax.op.add(total, other))


def _matmul(importer: Conversion, node: Node, a: Node, b: Node) -> relax.Var:
    """The product of two values for a node."""
    return importer.emit(relax.op.matmul(importer.env[a], importer.env[b], out_dtype=type_name(summed_as(node))))


def _convolution(importer: Conversion, node: Node) -> relax.Expr:
    """TVM's importer computes all of them in float32, doubles too, adds the bias to that, and has none transposed in
    3-D."""
    x, weight, bias, strides, padding, dilation, transposed, behind, groups = node.args
    inner = node.meta["val"].dim() - 2
    form = {"strides": strides, "padding": padding, "dilation": dilation, "groups": groups}
    if transposed:
        form["output_padding"] = behind
    convolve = getattr(relax.op.nn, f"conv{inner}d_transpose" if transposed else f"conv{inner}d")
    made = convolve(importer.env[x], importer.env[weight], **form, out_dtype=type_name(summed_as(node)))
    made = importer.as_type(importer.emit(made), dtype_of(node))
    if bias is None:
        return made
    return importer.emit(relax.op.add(made, relax.op.reshape(importer.env[bias], [1, -1, *[1] * inner])))


_OPERANDS = {torch.ops.aten.addmm.default: ("mat1", "mat2"), torch.ops.aten.baddbmm.default: ("batch1", "batch2")}
PRODUCTS: dict[str, Callable[[Conversion, Node], Any]] = {
    "_int_mm.default": _product,
    "addmm.default": _product_and_sum,
    "baddbmm.default": _product_and_sum,
    "bmm.default": _product,
    "bmm.dtype": _product,
    "convolution.default": _convolution,
    "mm.default": _product,
    "mm.dtype": _product,
}
