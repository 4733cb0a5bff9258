"""GroupQueryAttention (com.microsoft), as ONNX Runtime's builder of language models writes it.

Several heads of queries share one of keys and values, a group. Keys and values of earlier places are kept in a cache,
in order of place. Shapes: [batch, heads or groups, length, width] within.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import onnx
from ml_dtypes import finfo

from pruner_engine.frontends.onnx.fused.attention_nodes import by_heads, name_keys_and_values, scores
from pruner_engine.frontends.onnx.fused.rotary import Rotation
from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, refused


class _Inputs(NamedTuple):
    """The node's inputs, as ONNX Runtime calls them; "" for one that it lacks.

    Attributes:
        seqlens_k: of each sequence the last place, counted from 0.
        total_sequence_length: places of the longest sequence.
        head_sink: a score of each head that takes a part of the softmax for nothing.
    """

    query: str
    key: str
    value: str
    past_key: str
    past_value: str
    seqlens_k: str
    total_sequence_length: str
    cos_cache: str
    sin_cache: str
    position_ids: str
    attention_bias: str
    head_sink: str


@dataclass(frozen=True)
class _Sizes:
    """What a node computes on: sizes, and the type of the numbers.

    Attributes:
        batch, length: sequences, and new places of each.
        heads, groups: of queries, and of keys and values.
        width: of a head.
        held: places that the cache had room for before.
        total: places that a query may see.
        total_is_known: the model says how many these are, not only how many there may be.
        kind: of the numbers.
    """

    batch: int
    length: int
    heads: int
    groups: int
    width: int
    held: int
    total: int
    total_is_known: bool
    kind: np.dtype[Any]

    @classmethod
    def of(cls, node: onnx.NodeProto, values: Values, given: _Inputs) -> _Sizes:
        form = attributes_of(node)
        heads, groups = form["num_heads"], form["kv_num_heads"]
        batch, length, depth = values.shape_for(node)
        held = values.shape_for(node, 3)[2] if given.past_key else 0
        known = values.constant(given.total_sequence_length)
        if known is None:  # as many as the file says, or the new ones behind all that the cache holds
            declared = values.shape(node.output[1]) if len(node.output) > 1 else None
            total = declared[2] if declared else held + length
        else:
            total = int(known.reshape(-1)[0])
        width = depth // heads if given.key else depth // (heads + 2 * groups)
        kind = values.dtype(given.query)
        return cls(batch, length, heads, groups, width, held, total, known is not None, kind)

    @property
    def room(self) -> int:
        """Places of the cache that the node puts out."""
        return max(self.held, self.total)

    @property
    def appended(self) -> bool:
        """Whether the new places simply follow the held ones.

        One sequence has as many places as there are; several may differ, and a cache may have room for more.
        """
        return self.total_is_known and self.batch == 1 and self.held + self.length == self.total


def write_grouped(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Write what a GroupQueryAttention computes as products, a softmax and comparisons of places."""
    form, names = attributes_of(node), [*node.input, *[""] * 12]
    given, others = _Inputs(*names[:12]), names[12:14]
    if any(others) or form.get("qk_output") or form.get("kv_cache_bit_width"):
        raise refused(node, "has a quantised cache, or puts out its scores")
    sizes = _Sizes.of(node, values, given)
    query, key, value = _by_heads(nodes, given, sizes)
    before = _places_before(nodes, given.seqlens_k, sizes)
    at = nodes("Add", before, nodes.constant(np.arange(sizes.length)[None]))  # the new places: [batch, length]
    if form.get("do_rotary"):
        pairs, interleaved = values.shape_for(node, 7)[1], bool(form.get("rotary_interleaved"))
        tables = given.cos_cache, given.sin_cache
        rotation = Rotation.at(nodes, given.position_ids or at, tables, sizes.length, pairs, interleaved=interleaved)
        query, key = (rotation.turned(nodes, x, sizes.width) for x in (query, key))
    if sizes.held:
        sources = "" if sizes.appended else _sources(nodes, before, sizes)
        key, value = (
            _with_past(nodes, past, new, sources, sizes)
            for past, new in ((given.past_key, key), (given.past_value, value))
        )
    name_keys_and_values(nodes, node, values, key, value)
    if sizes.room > sizes.total:
        key, value = (_first(nodes, x, sizes.total) for x in (key, value))
    masked = _masked_scores(nodes, form, given.attention_bias, sizes, (query, key, at))
    shares = _shares(nodes, masked, given.head_sink, form.get("smooth_softmax") == 1, sizes)
    mixed = nodes("MatMul", nodes.reshape(shares, sizes.batch, sizes.groups, -1, sizes.total), value)
    mixed = nodes.reshape(mixed, sizes.batch, sizes.heads, sizes.length, sizes.width)
    mixed = nodes.transpose(mixed, 0, 2, 1, 3)
    nodes.named(nodes.reshape(mixed, sizes.batch, sizes.length, sizes.heads * sizes.width), node.output[0])
    return True


def _by_heads(nodes: Nodes, given: _Inputs, sizes: _Sizes) -> list[str]:
    """Queries, keys and values by heads; they may come as one tensor."""
    parts = [given.query, given.key, given.value]
    if not given.key:
        of_group = sizes.groups * sizes.width
        parts = nodes.cut(given.query, [sizes.heads * sizes.width, of_group, of_group], axis=2)
    counts = (sizes.heads, sizes.groups, sizes.groups)
    return [by_heads(nodes, x, count) for x, count in zip(parts, counts, strict=True)]


def _masked_scores(nodes: Nodes, form: dict[str, Any], bias: str, sizes: _Sizes, operands: tuple[str, str, str]) -> str:
    """Scores, [batch, heads, length, total], the least number where a query does not see a key.

    Args:
        form: the node's attributes.
        operands: queries, keys, and the places of the queries.
    """
    query, key, at = operands
    rows = nodes.reshape(query, sizes.batch, sizes.groups, -1, sizes.width)  # those of the heads that share keys
    scale = form.get("scale") or sizes.width**-0.5
    made = scores(nodes, rows, key, scale, sizes.kind)
    made = nodes.reshape(made, sizes.batch, sizes.heads, sizes.length, sizes.total)
    if cap := form.get("softcap"):
        limit = nodes.constant(cap, sizes.kind)
        made = nodes("Mul", nodes("Tanh", nodes("Div", made, limit)), limit)
    made = nodes.sum(made, bias)
    at = nodes.reshape(at, sizes.batch, 1, sizes.length, 1)
    seen = _seen(nodes, at, sizes.total, form.get("local_window_size", -1))
    return nodes("Where", seen, made, nodes.constant(finfo(sizes.kind).min, sizes.kind))


def _shares(nodes: Nodes, masked: str, sink: str, smooth: bool, sizes: _Sizes) -> str:
    """The softmax; with a score of 0 (smooth) or of the head's own (sink) that takes a part for nothing."""
    if not sink and not smooth:
        return nodes("Softmax", masked, axis=-1)
    nothing = nodes.reshape(sink, 1, -1, 1, 1) if sink else nodes.constant(np.zeros((1, 1, 1, 1)), sizes.kind)
    column = nodes("Expand", nothing, nodes.constant([sizes.batch, sizes.heads, sizes.length, 1]))
    shares = nodes("Softmax", nodes("Concat", masked, column, axis=-1), axis=-1)
    return nodes("Slice", shares, nodes.constant([0]), nodes.constant([-1]), nodes.constant([-1]))


def _places_before(nodes: Nodes, seqlens_k: str, sizes: _Sizes) -> str:
    """How many places of each sequence were before: [batch, 1]."""
    if sizes.length == sizes.total:
        return nodes.constant(np.zeros((sizes.batch, 1)))
    ends = nodes.cast(nodes.reshape(seqlens_k, -1, 1), np.int64)
    return nodes("Add", ends, nodes.constant(1 - sizes.length))


def _seen(nodes: Nodes, at: str, total: int, window: int) -> str:
    """Which keys a query sees: none behind it, and so many before."""
    place = nodes.constant(np.arange(total))
    seen = nodes("Not", nodes("Less", at, place))
    if window > 0:
        seen = nodes("And", seen, nodes("Less", nodes("Sub", at, nodes.constant(window)), place))
    return seen


def _sources(nodes: Nodes, before: str, sizes: _Sizes) -> str:
    """Of each place the row that it has, of the held ones with the new ones behind them: [batch, room]."""
    place = nodes.constant(np.arange(sizes.room)[None])
    new = nodes("Add", nodes("Sub", place, before), nodes.constant(sizes.held))
    new = nodes("Min", new, nodes.constant(sizes.held + sizes.length - 1))
    return nodes("Where", nodes("Less", place, before), place, new)


def _with_past(nodes: Nodes, past: str, new: str, sources: str, sizes: _Sizes) -> str:
    """Keys or values of all places.

    Args:
        sources: as `_sources` gives them; "" where the new places simply follow.
    """
    both = nodes("Concat", past, new, axis=2)
    if not sources:
        return both
    shape = [sizes.batch, sizes.groups, sizes.room, sizes.width]
    index = nodes("Expand", nodes.reshape(sources, sizes.batch, 1, sizes.room, 1), nodes.constant(shape))
    return nodes("GatherElements", both, index, axis=2)


def _first(nodes: Nodes, x: str, many: int) -> str:
    return nodes("Slice", x, nodes.constant([0]), nodes.constant([many]), nodes.constant([2]))
