"""Rotary positions: pairs of numbers of queries and keys, turned by angles that their places give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx

from pruner_engine.frontends.onnx.fused.attention_nodes import by_heads
from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of, is_standard
from pruner_engine.frontends.onnx.graph.values import Values


@dataclass(frozen=True)
class Rotation:
    """Angles of places, and which numbers of a row they turn.

    Attributes:
        cos, sin: of the angles, [batch, 1, length, pairs].
        pairs: of numbers that are turned, the first ones of each row.
        interleaved: a pair is two neighbours; else one number of each half.
    """

    cos: str
    sin: str
    pairs: int
    interleaved: bool

    @classmethod
    def at(
        cls, nodes: Nodes, places: str, tables: tuple[str, str], length: int, pairs: int, *, interleaved: bool
    ) -> Rotation:
        """The rotation by tables of cosines and sines, of which each place has a row.

        Args:
            places: [batch, length].
        """
        cos, sin = (nodes.reshape(nodes("Gather", table, places, axis=0), -1, 1, length, pairs) for table in tables)
        return cls(cos, sin, pairs, interleaved)

    def turned(self, nodes: Nodes, x: str, width: int) -> str:
        """`x`, [batch, heads, length, width], with its pairs turned; what is behind them stays."""
        whole = 2 * self.pairs >= width
        turning, rest = (x, "") if whole else nodes.cut(x, [2 * self.pairs, width - 2 * self.pairs], axis=3)
        a, b = self._apart(nodes, turning)
        joined = self._together(
            nodes,
            nodes("Sub", nodes("Mul", a, self.cos), nodes("Mul", b, self.sin)),
            nodes("Add", nodes("Mul", a, self.sin), nodes("Mul", b, self.cos)),
        )
        return nodes.concat([joined, rest], axis=3) if rest else joined

    def _apart(self, nodes: Nodes, x: str) -> list[str]:
        """The first and the second numbers of all pairs."""
        if not self.interleaved:
            return nodes.split(x, 2, axis=3)
        parts = nodes.split(nodes.reshape(x, 0, 0, 0, self.pairs, 2), 2, axis=4)
        return [nodes.reshape(part, 0, 0, 0, self.pairs) for part in parts]

    def _together(self, nodes: Nodes, a: str, b: str) -> str:
        if not self.interleaved:
            return nodes.concat([a, b], axis=3)
        parts = [nodes.reshape(part, 0, 0, 0, self.pairs, 1) for part in (a, b)]
        return nodes.reshape(nodes.concat(parts, axis=4), 0, 0, 0, 2 * self.pairs)


def write_rotary(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """RotaryEmbedding, of the runtime: places are the second input, not the last."""
    if is_standard(node.domain):
        return False
    form, (x, places, cos, sin) = attributes_of(node), node.input
    shape = values.shape_for(node)
    pairs = values.shape_for(node, 2)[1]
    has_heads = len(shape) == 4
    length = shape[2] if has_heads else shape[1]
    if has_heads:
        width, own = shape[3], x
    else:
        width = shape[2] // form["num_heads"] if form.get("num_heads") else 2 * pairs
        own = by_heads(nodes, x, shape[2] // width)
    if len(values.shape_for(node, 1)) == 1:  # of the first one
        places = nodes("Add", places, nodes.constant(np.arange(length)[None], values.dtype(places)))
    interleaved = bool(form.get("interleaved"))
    turned = Rotation.at(nodes, places, (cos, sin), length, pairs, interleaved=interleaved).turned(nodes, own, width)
    back = turned if has_heads else nodes.reshape(nodes.transpose(turned, 0, 2, 1, 3), *shape)
    nodes.named(back, node.output[0])
    return True
