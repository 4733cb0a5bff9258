"""Attention as ONNX Runtime has it (com.microsoft): of a joint product, and of queries, keys and values.

Transformers that its optimisers or its builder of language models wrote consist of these, with caches of what was
before and masks of several kinds. What is written in their place are products, a softmax and comparisons of places.
Shapes: [batch, heads, length, width] within.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from ml_dtypes import finfo

from pruner_engine.frontends.onnx.fused.attention_nodes import by_heads, name_keys_and_values, scores
from pruner_engine.frontends.onnx.fused.grouped_attention import write_grouped
from pruner_engine.frontends.onnx.fused.rotary import write_rotary
from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of, is_standard
from pruner_engine.frontends.onnx.graph.values import Values, Writer, refused

_PACKED = 5  # axes of queries, keys and values in one: [batch, length, heads, 3, width]
_MASKED = -1e4  # what is added to the score of a key that a mask leaves out, where the node gives no number


@dataclass(frozen=True)
class _Places:
    """Places of queries and keys, and the type of the numbers.

    Attributes:
        batch: sequences.
        length: of the queries.
        before: keys of earlier places, which come first.
        keys: of all places.
        kind: of the numbers.
    """

    batch: int
    length: int
    before: int
    keys: int
    kind: np.dtype[Any]


def _joint(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Attention: queries, keys and values are one product of the input."""
    if is_standard(node.domain):
        return False
    form, (x, weight, bias, _, past, added, *others) = attributes_of(node), [*node.input, *[""] * 5][:8]
    if any(others) or form.get("do_rotary") or form.get("past_present_share_buffer"):
        raise refused(node, "turns positions, or has a cache of its largest size")
    sizes = form.get("qkv_hidden_sizes") or [values.shape_for(node, 1)[-1] // 3] * 3
    parts = nodes.cut(nodes.sum(nodes("MatMul", x, weight), bias), sizes, axis=2)
    query, key, value = (by_heads(nodes, part, form["num_heads"]) for part in parts)
    (batch, length), before = values.shape_for(node)[:2], 0
    if past:
        before = values.shape_for(node, 4)[3]
        key, value = (
            nodes("Concat", nodes.reshape(side, *values.shape_for(node, 4)[1:]), new, axis=2)
            for side, new in zip(nodes.split(past, 2, axis=0), (key, value), strict=True)
        )
    width = sizes[0] // form["num_heads"]
    places = _Places(batch, length, before, before + length, values.dtype(x))
    terms = [added, *_penalties(nodes, node, values, 3, places)]
    made = scores(nodes, query, key, form.get("scale") or width**-0.5, places.kind)
    nodes.named(_mixed(nodes, nodes.sum(made, *terms), value), node.output[0])
    if len(node.output) > 1 and node.output[1]:
        whole = [nodes.reshape(x, 1, batch, form["num_heads"], places.keys, -1) for x in (key, value)]
        nodes.named(nodes.concat(whole, axis=0), node.output[1])
    return True


def _multi_head(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """MultiHeadAttention: queries, keys and values are made already; keys and values may be by heads."""
    form, names = attributes_of(node), [*node.input, *[""] * 10]
    added, past_key, past_value, *others = names[5:10]
    if any(others):
        raise refused(node, "has a cache of its largest size")
    heads, (batch, length, *inner) = form["num_heads"], values.shape_for(node)
    depth = inner[0] if len(inner) == 1 else heads * inner[-1]
    query, key, value, new = _apart(nodes, node, values, heads, depth)
    before = values.shape_for(node, 6)[2] if past_key else 0
    if past_key:
        key, value = nodes("Concat", past_key, key, axis=2), nodes("Concat", past_value, value, axis=2)
    places = _Places(batch, length, before, before + new, values.dtype(node.input[0]))
    terms = [added, *_penalties(nodes, node, values, 4, places)]
    scale = form.get("scale") or (depth // heads) ** -0.5
    made = nodes.sum(scores(nodes, query, key, scale, places.kind), *terms)
    nodes.named(_mixed(nodes, made, value), node.output[0])
    name_keys_and_values(nodes, node, values, key, value)
    return True


def _apart(nodes: Nodes, node: onnx.NodeProto, values: Values, heads: int, depth: int) -> tuple[str, str, str, int]:
    """Queries, keys and values by heads, their biases added, and of how many places the keys are.

    Args:
        depth: of queries and keys, all heads together.
    """
    query, key, value, bias = [*node.input, "", "", ""][:4]
    shape = values.shape_for(node, 1 if key else 0)  # of the tensor that has the keys
    if len(shape) == _PACKED:
        query, key, value = _unpacked(nodes, query, key, shape)
    biases = [""] * 3
    if bias:
        biases = nodes.cut(bias, [depth, depth, values.shape_for(node, 3)[0] - 2 * depth], axis=0)
    query = by_heads(nodes, nodes.sum(query, biases[0]), heads)
    if len(shape) == 4:  # keys and values are by heads already
        return query, key, value, shape[2]
    key, value = (by_heads(nodes, nodes.sum(x, own), heads) for x, own in zip((key, value), biases[1:], strict=True))
    return query, key, value, shape[1]


def _unpacked(nodes: Nodes, query: str, key: str, shape: list[int]) -> list[str]:
    """Queries, keys and values, where the keys are in one tensor with the values, and perhaps with the queries.

    Args:
        shape: of that tensor.
    """
    parts = nodes.split(key or query, shape[3], axis=3)
    made = [nodes.reshape(part, 0, shape[1], -1) for part in parts]
    return made if len(made) == 3 else [query, *made]


def _mixed(nodes: Nodes, made: str, value: str) -> str:
    """The values mixed by the softmax of their scores, [batch, length, heads * width]."""
    mixed = nodes("MatMul", nodes("Softmax", made, axis=-1), value)
    return nodes.reshape(nodes.transpose(mixed, 0, 2, 1, 3), 0, 0, -1)


def _penalties(nodes: Nodes, node: onnx.NodeProto, values: Values, mask: int, places: _Places) -> list[str]:
    """What is added to the scores of keys that a query does not see.

    Args:
        mask: number of the input that is the mask.
    """
    form, found = attributes_of(node), []
    if len(node.input) > mask and node.input[mask]:
        found.append(_of_mask(nodes, node, values, mask, places))
    if form.get("unidirectional"):
        later = np.arange(places.keys) > places.before + np.arange(places.length)[:, None]
        found.append(nodes.constant(np.where(later, finfo(places.kind).min / 2, 0), places.kind))
    return found


def _of_mask(nodes: Nodes, node: onnx.NodeProto, values: Values, mask: int, places: _Places) -> str:
    """The penalty of a mask: [batch, 1, 1 or queries, keys]."""
    name, shape = node.input[mask], values.shape_for(node, mask)
    if len(shape) == 1:
        if shape[0] != places.batch:
            raise refused(node, "has a mask of lengths and beginnings")
        seen = nodes("Less", nodes.constant(np.arange(places.keys)[None], np.int32), nodes.reshape(name, -1, 1))
        shape = [places.batch, places.keys]
    else:
        seen = nodes.cast(name, np.bool_)
    if len(shape) < 4:
        seen = nodes.reshape(seen, shape[0], 1, *([1] if len(shape) == 2 else []), *shape[1:])
    kind = places.kind
    lowest = max(attributes_of(node).get("mask_filter_value", _MASKED), float(finfo(kind).min))
    return nodes("Where", seen, nodes.constant(0, kind), nodes.constant(lowest, kind))


ATTENTION: dict[str, Writer] = {
    "Attention": _joint,
    "GroupQueryAttention": write_grouped,
    "MultiHeadAttention": _multi_head,
    "RotaryEmbedding": write_rotary,
}
