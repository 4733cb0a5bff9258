"""Convolutions that are made from others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tvm import relax

#: by name
CONVOLUTIONS: dict[str, Callable[..., relax.Expr]] = {
    "relax.nn.conv1d": relax.op.nn.conv1d,
    "relax.nn.conv2d": relax.op.nn.conv2d,
    "relax.nn.conv3d": relax.op.nn.conv3d,
}
_ATTRIBUTES = ("strides", "padding", "dilation", "groups", "data_layout", "kernel_layout", "out_layout", "out_dtype")


def convolution_like(call: relax.Call, image: relax.Expr, weights: relax.Expr, **other: Any) -> relax.Expr:
    """A convolution of something else, with some attributes other than those of `call`."""
    attributes = {name: getattr(call.attrs, name) for name in _ATTRIBUTES}
    return CONVOLUTIONS[call.op.name](image, weights, **attributes | other)
