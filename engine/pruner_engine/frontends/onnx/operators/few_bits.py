"""ONNX Runtime's operators on tables of few bits in blocks, each with a scale and perhaps a zero, as the real ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import refused

_BYTE = 8  # bits
_Array = np.ndarray[Any, Any]
_Weights = Mapping[str, onnx.TensorProto]


def _product(nodes: Nodes, node: onnx.NodeProto, weights: _Weights) -> str:
    """A product with a matrix that is packed by columns."""
    form, (x, packed, scale, zero, order, bias) = attributes_of(node), [*node.input, "", "", ""][:6]
    if order or any(name and name not in weights for name in (packed, scale, zero)):
        raise refused(node, "has weights that are computed, or in another order")
    width, bits, depth = form["N"], form.get("bits", 4), form["K"]
    scales = numpy_helper.to_array(weights[scale]).reshape(width, -1)
    blocks = scales.shape[1]
    zeros: _Array = np.array(1 << (bits - 1))
    if zero:  # each column begins with a byte of its own
        packed_zeros = numpy_helper.to_array(weights[zero]).reshape(width, -1)
        zeros = _parts(packed_zeros, bits)[:, :blocks].T[:, None]
    # turned while numbers are small: a matrix of real numbers takes several times as long
    whole = np.ascontiguousarray(_numbers(weights[packed], bits).reshape(width, -1).T).reshape(blocks, -1, width)
    matrix = np.subtract(whole, zeros, dtype=np.float32)
    matrix *= scales.T[:, None]
    return nodes.sum(nodes("MatMul", x, nodes.constant(matrix.reshape(-1, width)[:depth], scales.dtype)), bias)


def _rows(nodes: Nodes, node: onnx.NodeProto, weights: _Weights) -> str:
    """Rows of a table, as a language model looks its tokens up."""
    form, (packed, indices, scale, zero) = attributes_of(node), [*node.input, ""][:4]
    if any(name and name not in weights for name in (packed, scale, zero)):
        raise refused(node, "has a table that is computed")
    scales = numpy_helper.to_array(weights[scale])
    if form.get("quantize_axis", 1) % scales.ndim != scales.ndim - 1:
        raise refused(node, "has blocks along another axis than the last")
    bits, block = form.get("bits", 4), form.get("block_size", 128)
    whole = _numbers(weights[packed], bits)

    def spread(values: _Array) -> _Array:
        """Each block's value for all that is in it; the last block may be shorter."""
        return np.repeat(values[..., : scales.shape[-1]], block, axis=-1)[..., : whole.shape[-1]]

    zeros: _Array = np.array(1 << (bits - 1) if weights[packed].data_type == TensorProto.UINT8 else 0)
    if zero:
        zeros = spread(_numbers(weights[zero], bits))
    real = np.subtract(whole, zeros, dtype=np.float32)
    table = nodes.constant(real * spread(scales), scales.dtype)
    return nodes("Gather", table, indices, axis=form.get("gather_axis", 0))


OF_FEW_BITS = {"MatMulNBits": _product, "GatherBlockQuantized": _rows}


def _numbers(held: onnx.TensorProto, bits: int) -> _Array:
    """What a tensor holds: numbers of few bits side by side in bytes along its last axis, or one an element."""
    values = numpy_helper.to_array(held)
    return _parts(values, bits) if values.dtype == np.uint8 else values


def _parts(packed: _Array, bits: int) -> _Array:
    """Numbers of bytes, the first in the lowest bits; one may lie in two bytes."""
    if _BYTE % bits:
        flags = np.unpackbits(packed, axis=-1, bitorder="little")
        several = flags[..., : flags.shape[-1] // bits * bits].reshape(*packed.shape[:-1], -1, bits)
        return (several << np.arange(bits, dtype=np.uint8)).sum(-1, dtype=np.uint8)
    shifts = np.arange(0, _BYTE, bits, dtype=np.uint8)
    parts = (packed[..., None] >> shifts) & np.uint8((1 << bits) - 1)
    return parts.reshape(*packed.shape[:-1], -1)
