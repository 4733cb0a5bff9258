"""The real numbers (number - zero) * scale that quantised ones stand for, in ONNX nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pruner_engine.frontends.onnx.graph.nodes import Nodes


def as_real(nodes: Nodes, x: str, scale: str, zero: str, inner: int = 0) -> str:
    """What `x` stands for, float32; with `inner` axes behind the one along which scales and zeros differ, if they do.

    Args:
        zero: "" where it is 0.
    """
    shift = shifted(nodes, x, zero, np.float32, inner)
    return nodes("Mul", shift, nodes.reshape(scale, -1, *[1] * inner) if inner else scale)


def shifted(nodes: Nodes, x: str, zero: str, dtype: Any, inner: int = 0) -> str:
    """`x` less its zero, in a type of NumPy's; further arguments as those of `as_real`."""
    wide = nodes.cast(x, dtype)
    if not zero:
        return wide
    shift = nodes.cast(zero, dtype)
    return nodes("Sub", wide, nodes.reshape(shift, -1, *[1] * inner) if inner else shift)
