"""Operators on quantised numbers in exported PyTorch programs, as quantisation for export (PT2E) writes them."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.fx import Node
from tvm import relax

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion

_LIBRARY = "torch.ao.quantization.fx._decomposed"


def know_quantised_operators(archive: bytes) -> None:
    """Register PyTorch's operators where an archive names them; without them it is refused as with any unknown one."""
    if b"quantized_decomposed" in archive:
        with contextlib.suppress(ImportError):
            importlib.import_module(_LIBRARY)


def _quantise(importer: Conversion, node: Node) -> relax.Var:
    given = _given(node)
    dtype = given["dtype"]
    scale, zero = _parameters(importer, given)
    axis, name = given.get("axis", 0), str(dtype).removeprefix("torch.")
    x = importer.as_type(importer.env[given["input"]], torch.float32)
    made = importer.emit(relax.op.quantize(x, scale, zero, axis=axis, out_dtype=name))
    bounds, wanted = torch.iinfo(dtype), (given["quant_min"], given["quant_max"])
    if wanted == (bounds.min, bounds.max):
        return made
    least = importer.emit(relax.op.maximum(made, relax.const(wanted[0], name)))
    return importer.emit(relax.op.minimum(least, relax.const(wanted[1], name)))


def _dequantise(importer: Conversion, node: Node) -> relax.Var:
    given = _given(node)
    scale, zero = _parameters(importer, given)
    return importer.emit(
        relax.op.dequantize(importer.env[given["input"]], scale, zero, axis=given.get("axis", 0), out_dtype="float32")
    )


def _given(node: Node) -> dict[str, Any]:
    """Arguments by name; bytes only, with bounds that are known."""
    names = [argument.name for argument in node.target._schema.arguments]
    given = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    if given["dtype"] not in (torch.int8, torch.uint8):
        raise ValueError(f"it quantises to {given['dtype']}, not to bytes")
    if any(isinstance(given[name], Node) for name in ("quant_min", "quant_max")):
        raise ValueError("the bounds of its bytes are known only when it runs")
    return given


def _parameters(importer: Conversion, given: dict[str, Any]) -> tuple[relax.Expr, relax.Expr]:
    """Scale, and zero in the type of the bytes."""
    scale, zero = (given.get(name, given.get(f"{name}s")) for name in ("scale", "zero_point"))
    zero = 0 if zero is None else zero
    dtype = given["dtype"]
    return (
        importer.as_type(importer.env[scale], torch.float32)
        if isinstance(scale, Node)
        else relax.const(scale, "float32"),
        importer.as_type(importer.env[zero], dtype)
        if isinstance(zero, Node)
        else relax.const(zero, str(dtype).removeprefix("torch.")),
    )


QUANTISED: dict[str, Callable[[Conversion, Node], relax.Var]] = {
    f"{verb}_per_{unit}.{form}": convert
    for verb, convert in (("quantize", _quantise), ("dequantize", _dequantise))
    for unit, forms in (("tensor", ("default", "tensor", "tensor2")), ("channel", ("default",)))
    for form in forms
}
