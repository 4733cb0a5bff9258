"""Attention as ONNX Runtime has it (com.microsoft): of a joint product, of queries, keys and values, of grouped heads.

Transformers that its optimisers or its builder of language models wrote consist of these, with caches of what was
before, masks of several kinds and positions that turn queries and keys. What is written in their place are products,
a softmax and comparisons of places. Shapes: [batch, heads, length, width] within.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from ml_dtypes import finfo
from onnx import TensorProto

from pruner_engine.frontends.onnx.nodes import Nodes, attributes_of, is_standard
from pruner_engine.frontends.onnx.values import Values, Writer, refused

_PACKED = 5  # axes of queries, keys and values in one: [batch, length, heads, 3, width]


def _joint(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Attention: queries, keys and values are one product of the input."""
    if is_standard(node.domain):
        return False
    form, (x, weight, bias, mask, past, added, *others) = attributes_of(node), [*node.input, *[""] * 5][:8]
    if any(others) or form.get("do_rotary") or form.get("past_present_share_buffer"):
        raise refused(node, "turns positions, or has a cache of its largest size")
    sizes = form.get("qkv_hidden_sizes") or [values.shape_for(node, 1)[-1] // 3] * 3
    parts = nodes.cut(nodes.sum(nodes("MatMul", x, weight), bias), sizes, axis=2)
    query, key, value = (_by_heads(nodes, part, form["num_heads"]) for part in parts)
    (batch, length), before = values.shape_for(node)[:2], 0
    if past:
        before = values.shape_for(node, 4)[3]
        key, value = (
            nodes("Concat", nodes.reshape(side, *values.shape_for(node, 4)[1:]), new, axis=2)
            for side, new in zip(nodes.split(past, 2, axis=0), (key, value), strict=True)
        )
    width = sizes[0] // form["num_heads"]
    kind, lowest = values.dtype(x), form.get("mask_filter_value", -1e4)
    terms = [added]
    if mask:
        shape = values.shape_for(node, 3)
        terms.append(_penalty(nodes, mask, shape, batch, before + length, kind, lowest, node))
    if form.get("unidirectional"):
        terms.append(_of_what_comes(nodes, length, before, kind))
    scores = _scores(nodes, query, key, form.get("scale") or width**-0.5, kind)
    nodes.named(_mixed(nodes, nodes.sum(scores, *terms), value), node.output[0])
    if len(node.output) > 1 and node.output[1]:
        whole = [nodes.reshape(x, 1, batch, form["num_heads"], before + length, -1) for x in (key, value)]
        nodes.named(nodes.concat(whole, axis=0), node.output[1])
    return True


def _multi_head(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    form = attributes_of(node)
    query, key, value, bias, mask, added, past_key, past_value, *others = [*node.input, *[""] * 9][:10]
    if any(others):
        raise refused(node, "has a cache of its largest size")
    heads, shape, kind = form["num_heads"], values.shape_for(node), values.dtype(query)
    batch, length = shape[:2]
    depth = shape[2] if len(shape) < _PACKED else heads * shape[4]
    of_key = values.shape_for(node, 1) if key else shape
    if len(of_key) == _PACKED:  # with the values, and perhaps the queries
        parts = nodes.split(key or query, of_key[3], axis=3)
        made = [nodes.reshape(part, 0, of_key[1], -1) for part in parts]
        query, key, value = made if len(made) == 3 else [query, *made]
        of_key = [batch, of_key[1], depth]
    ready = len(of_key) == 4  # by heads already
    biases = [""] * 3
    if bias:
        biases = nodes.cut(bias, [depth, depth, values.shape_for(node, 3)[0] - 2 * depth], axis=0)
    query = _by_heads(nodes, nodes.sum(query, biases[0]), heads)
    if not ready:
        key, value = (_by_heads(nodes, nodes.sum(x, b), heads) for x, b in zip((key, value), biases[1:], strict=True))
    before, many = 0, of_key[2] if ready else of_key[1]
    if past_key:
        before = values.shape_for(node, 6)[2]
        key, value = nodes("Concat", past_key, key, axis=2), nodes("Concat", past_value, value, axis=2)
    terms = [added]
    if mask:
        lowest = form.get("mask_filter_value", -1e4)
        terms.append(_penalty(nodes, mask, values.shape_for(node, 4), batch, before + many, kind, lowest, node))
    if form.get("unidirectional"):
        terms.append(_of_what_comes(nodes, length, before, kind))
    scale = form.get("scale") or (depth // heads) ** -0.5
    scores = nodes.sum(_scores(nodes, query, key, scale, kind), *terms)
    nodes.named(_mixed(nodes, scores, value), node.output[0])
    return _named(nodes, node, values, key, value)


def _grouped(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """GroupQueryAttention: several heads of queries to one of keys and values, which are kept in order of place."""
    form = attributes_of(node)
    query, key, value, past_key, past_value, lasts, total, cos, sin, places, added, sink, *others = [
        *node.input,
        *[""] * 12,
    ][:14]
    if any(others) or form.get("qk_output") or form.get("kv_cache_bit_width"):
        raise refused(node, "has a quantised cache, or puts out its scores")
    heads, groups, kind = form["num_heads"], form["kv_num_heads"], values.dtype(query)
    batch, length, depth = values.shape_for(node)
    held = values.shape_for(node, 3)[2] if past_key else 0
    known = values.constant(total)
    if known is None:  # as many as the file says, or the new ones behind all that the cache holds
        declared = values.shape(node.output[1]) if len(node.output) > 1 else None
        length_of_all = declared[2] if declared else held + length
    else:
        length_of_all = int(known.reshape(-1)[0])
    width = depth // heads if key else depth // (heads + 2 * groups)
    if not key:
        query, key, value = nodes.cut(query, [heads * width, groups * width, groups * width], axis=2)
    query, key, value = (_by_heads(nodes, x, n) for x, n in ((query, heads), (key, groups), (value, groups)))
    before = _before(nodes, lasts, batch, length, length_of_all)
    at = nodes("Add", before, nodes.constant(np.arange(length)[None]))  # places of the new ones: [batch, length]
    if form.get("do_rotary"):
        half = values.shape_for(node, 7)[1]
        angles = _angles(nodes, places or at, (cos, sin), length, half)
        query, key = (
            _turned(nodes, x, angles, half, width, bool(form.get("rotary_interleaved"))) for x in (query, key)
        )
    room = max(held, length_of_all)
    if held:
        # one sequence has as many places as there are; several may differ, and a cache may have room for more
        together = known is not None and batch == 1 and held + length == length_of_all
        sources = "" if together else _sources(nodes, before, held, length, room)
        key, value = (
            _kept(nodes, past, new, sources, [batch, groups, room, width])
            for past, new in ((past_key, key), (past_value, value))
        )
    _named(nodes, node, values, key, value)
    if room > length_of_all:
        key, value = (_first(nodes, x, length_of_all) for x in (key, value))
    rows = nodes.reshape(query, batch, groups, -1, width)  # those of the heads that share keys
    scale = form.get("scale") or width**-0.5
    scores = nodes.reshape(_scores(nodes, rows, key, scale, kind), batch, heads, length, length_of_all)
    if cap := form.get("softcap"):
        limit = nodes.constant(cap, kind)
        scores = nodes("Mul", nodes("Tanh", nodes("Div", scores, limit)), limit)
    scores = nodes.sum(scores, added)
    seen = _seen(nodes, nodes.reshape(at, batch, 1, length, 1), length_of_all, form.get("local_window_size", -1))
    scores = nodes("Where", seen, scores, nodes.constant(finfo(kind).min, kind))
    shares = _shares(nodes, scores, sink, form.get("smooth_softmax") == 1, [batch, heads, length], kind)
    mixed = nodes("MatMul", nodes.reshape(shares, batch, groups, -1, length_of_all), value)
    mixed = nodes.transpose(nodes.reshape(mixed, batch, heads, length, width), 0, 2, 1, 3)
    nodes.named(nodes.reshape(mixed, batch, length, heads * width), node.output[0])
    return True


def _rotary(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """RotaryEmbedding, of the runtime: places are the second input, not the last."""
    if is_standard(node.domain):
        return False
    form, (x, places, cos, sin) = attributes_of(node), node.input
    shape = values.shape_for(node)
    half = values.shape_for(node, 2)[1]
    by_heads = len(shape) == 4
    length = shape[2] if by_heads else shape[1]
    if by_heads:
        width, own = shape[3], x
    else:
        width = shape[2] // form["num_heads"] if form.get("num_heads") else 2 * half
        own = _by_heads(nodes, x, shape[2] // width)
    if len(values.shape_for(node, 1)) == 1:  # of the first one
        places = nodes("Add", places, nodes.constant(np.arange(length)[None], values.dtype(places)))
    angles = _angles(nodes, places, (cos, sin), length, half)
    turned = _turned(nodes, own, angles, half, width, bool(form.get("interleaved")))
    back = turned if by_heads else nodes.reshape(nodes.transpose(turned, 0, 2, 1, 3), *shape)
    nodes.named(back, node.output[0])
    return True


def _by_heads(nodes: Nodes, x: str, heads: int) -> str:
    return nodes.transpose(nodes.reshape(x, 0, 0, heads, -1), 0, 2, 1, 3)


def _scores(nodes: Nodes, query: str, key: str, scale: float, kind: np.dtype[Any]) -> str:
    scaled = nodes("Mul", query, nodes.constant(scale, kind))
    return nodes("MatMul", scaled, nodes.transpose(key, 0, 1, 3, 2))


def _mixed(nodes: Nodes, scores: str, value: str) -> str:
    mixed = nodes("MatMul", nodes("Softmax", scores, axis=-1), value)
    return nodes.reshape(nodes.transpose(mixed, 0, 2, 1, 3), 0, 0, -1)


def _shares(nodes: Nodes, scores: str, sink: str, smooth: bool, shape: list[int], kind: np.dtype[Any]) -> str:
    """The softmax; with a score of 0 or of the head's own that takes a part for nothing."""
    if not sink and not smooth:
        return nodes("Softmax", scores, axis=-1)
    nothing = nodes.reshape(sink, 1, -1, 1, 1) if sink else nodes.constant(np.zeros((1, 1, 1, 1)), kind)
    column = nodes("Expand", nothing, nodes.constant([*shape, 1]))
    shares = nodes("Softmax", nodes("Concat", scores, column, axis=-1), axis=-1)
    return nodes("Slice", shares, nodes.constant([0]), nodes.constant([-1]), nodes.constant([-1]))


def _penalty(
    nodes: Nodes,
    mask: str,
    shape: list[int],
    batch: int,
    total: int,
    kind: np.dtype[Any],
    lowest: float,
    node: onnx.NodeProto,
) -> str:
    """What is added to the scores of keys that a mask leaves out: [batch, 1, 1 or queries, keys]."""
    if len(shape) == 1:
        if shape[0] != batch:
            raise refused(node, "has a mask of lengths and beginnings")
        seen = nodes("Less", nodes.constant(np.arange(total)[None], np.int32), nodes.reshape(mask, -1, 1))
        shape = [batch, total]
    else:
        seen = nodes("Cast", mask, to=TensorProto.BOOL)
    if len(shape) < 4:
        seen = nodes.reshape(seen, shape[0], 1, *([1] if len(shape) == 2 else []), *shape[1:])
    return nodes("Where", seen, nodes.constant(0, kind), nodes.constant(_within(lowest, kind), kind))


def _within(number: float, kind: np.dtype[Any]) -> float:
    return max(number, float(finfo(kind).min))


def _of_what_comes(nodes: Nodes, length: int, before: int, kind: np.dtype[Any]) -> str:
    """The same of keys behind the query."""
    later = np.arange(before + length) > before + np.arange(length)[:, None]
    return nodes.constant(np.where(later, finfo(kind).min / 2, 0), kind)


def _before(nodes: Nodes, lasts: str, batch: int, length: int, total: int) -> str:
    """How many places of each sequence were before: [batch, 1]; `lasts` are those of its last ones."""
    if length == total:
        return nodes.constant(np.zeros((batch, 1)))
    ends = nodes("Cast", nodes.reshape(lasts, -1, 1), to=TensorProto.INT64)
    return nodes("Add", ends, nodes.constant(1 - length))


def _seen(nodes: Nodes, at: str, total: int, window: int) -> str:
    """Which keys a query sees: none behind it, and so many before."""
    place = nodes.constant(np.arange(total))
    seen = nodes("Not", nodes("Less", at, place))
    if window > 0:
        seen = nodes("And", seen, nodes("Less", nodes("Sub", at, nodes.constant(window)), place))
    return seen


def _sources(nodes: Nodes, before: str, held: int, length: int, room: int) -> str:
    """Of each place the row of the old and the new ones, one behind the other, that it has: [batch, room]."""
    place = nodes.constant(np.arange(room)[None])
    new = nodes("Add", nodes("Sub", place, before), nodes.constant(held))
    new = nodes("Min", new, nodes.constant(held + length - 1))
    return nodes("Where", nodes("Less", place, before), place, new)


def _kept(nodes: Nodes, past: str, new: str, sources: str, shape: list[int]) -> str:
    both = nodes("Concat", past, new, axis=2)
    if not sources:
        return both
    index = nodes("Expand", nodes.reshape(sources, shape[0], 1, shape[2], 1), nodes.constant(shape))
    return nodes("GatherElements", both, index, axis=2)


def _first(nodes: Nodes, x: str, many: int) -> str:
    return nodes("Slice", x, nodes.constant([0]), nodes.constant([many]), nodes.constant([2]))


def _named(nodes: Nodes, node: onnx.NodeProto, values: Values, key: str, value: str) -> bool:
    """Further outputs: the keys and values of all that was."""
    if any(map(values.is_read, node.output[3:])):
        raise refused(node, "has its scores as an output")
    for made, name in zip((key, value), node.output[1:3], strict=False):
        nodes.named(made, name)
    return True


def _angles(nodes: Nodes, places: str, tables: tuple[str, str], length: int, half: int) -> list[str]:
    """Cosines and sines of the places: [batch, 1, length, half]."""
    return [nodes.reshape(nodes("Gather", table, places, axis=0), -1, 1, length, half) for table in tables]


def _turned(nodes: Nodes, x: str, angles: list[str], half: int, width: int, interleaved: bool) -> str:
    """Pairs of numbers turned by the angles, the first ones of each row; a pair is neighbours, or in both halves."""
    cos, sin = angles
    turning, rest = nodes.cut(x, [2 * half, width - 2 * half], axis=3) if 2 * half < width else (x, "")
    if interleaved:
        pairs = nodes.split(nodes.reshape(turning, 0, 0, 0, half, 2), 2, axis=4)
        a, b = (nodes.reshape(part, 0, 0, 0, half) for part in pairs)
    else:
        a, b = nodes.split(turning, 2, axis=3)
    made = [
        nodes("Sub", nodes("Mul", a, cos), nodes("Mul", b, sin)),
        nodes("Add", nodes("Mul", a, sin), nodes("Mul", b, cos)),
    ]
    if interleaved:
        pairs = [nodes.reshape(part, 0, 0, 0, half, 1) for part in made]
        joined = nodes.reshape(nodes.concat(pairs, axis=4), 0, 0, 0, 2 * half)
    else:
        joined = nodes.concat(made, axis=3)
    return nodes.concat([joined, rest], axis=3) if rest else joined


ATTENTION: dict[str, Writer] = {
    "Attention": _joint,
    "GroupQueryAttention": _grouped,
    "MultiHeadAttention": _multi_head,
    "RotaryEmbedding": _rotary,
}
