"""Complex numbers, of which TVM has no type, as pairs of real ones.

A program may hold them (rotary embeddings, spectra), but neither take nor give any.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.torch.nodes import arguments, extents_of, type_name
from pruner_engine.frontends.torch.operators.fourier import complex_spectrum, from_spectrum, spectrum
from pruner_engine.frontends.torch.operators.pairs import Pair, is_complex, pair_of, real_type

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion

_Rule = Callable[["Conversion", Node], Any]


def with_real_parameters(program: Any) -> Any:
    """A `torch.export.ExportedProgram` whose complex parameters are tables of pairs, read by `view_as_complex`.

    Raises:
        ValueError: an input or an output is complex.
    """
    graph, signature = program.graph_module.graph, program.graph_signature
    nodes = {node.name: node for node in graph.nodes}
    for spec in signature.input_specs:
        node = nodes.get(spec.arg.name)
        if node is None or not is_complex(node):
            continue
        if spec.kind is InputKind.USER_INPUT:
            raise ValueError(f'its input "{node.name}" is of complex numbers')
        held = program.state_dict if spec.target in program.state_dict else program.constants
        held[spec.target] = torch.view_as_real(held[spec.target].detach().resolve_conj()).contiguous()
        with graph.inserting_after(node):
            read = graph.call_function(torch.ops.aten.view_as_complex.default, (node,))
        read.meta["val"] = node.meta["val"]
        node.replace_all_uses_with(read, delete_user_cb=lambda user, read=read: user is not read)
        node.meta = {"val": torch.view_as_real(node.meta["val"])}
    for spec in signature.output_specs:
        node = nodes.get(spec.arg.name)
        if spec.kind is OutputKind.USER_OUTPUT and node is not None and is_complex(node):
            raise ValueError("it gives complex numbers")
    program.graph_module.recompile()
    return program


def is_of_complex(node: Node) -> bool:
    """Whether it takes or gives complex numbers."""
    return any(is_complex(value) for value in (node, *node.all_input_nodes))


def of_complex(importer: Conversion, convert: Callable[[Node], Any], node: Node) -> Any:
    """What becomes of such a node; `convert` makes it of real numbers."""
    name = node.target.__name__
    if name in _RULES:
        return _RULES[name](importer, node)
    if name in _PARTWISE:
        return _each_part(importer, convert, node)
    raise ValueError(f"it computes {name} of complex numbers")


def _each_part(importer: Conversion, convert: Callable[[Node], Any], node: Node) -> Any:
    """An operator that moves or adds up numbers; of the real ones among its operands, the imaginary part is 0."""
    mixed = node.args[1:] if node.target is torch.ops.aten.where.self else node.all_input_nodes
    pairs = {x: pair_of(importer, x) for x in mixed if isinstance(x, Node) and _has_numbers(x)}
    before = {x: importer.env[x] for x in pairs}
    made = []
    for part in (0, 1):
        importer.env.update({x: pair[part] for x, pair in pairs.items()})
        made.append(convert(node))
    importer.env.update(before)
    several = isinstance(node.meta["val"], tuple | list)
    return [Pair(*parts) for parts in zip(*made, strict=True)] if several else Pair(*made)


def _has_numbers(node: Node) -> bool:
    """Not indices."""
    value = node.meta["val"]
    return isinstance(value, torch.Tensor) and (value.is_complex() or value.is_floating_point())


def _sum(op: Callable[..., relax.Expr], importer: Conversion, node: Node) -> Pair:
    (alpha,) = arguments(node, "alpha")
    a, b = (pair_of(importer, x, node) for x in node.args[:2])
    factor = relax.const(alpha, type_name(real_type(node)))
    return Pair(
        *(importer.emit(op(x, y if alpha == 1 else relax.op.multiply(factor, y))) for x, y in zip(a, b, strict=True))
    )


def _product(importer: Conversion, node: Node) -> Pair:
    a, b = node.args[:2]
    for one, other in ((a, b), (b, a)):
        if (factor := _real(importer, other, node)) is not None:
            return Pair(*(importer.emit(relax.op.multiply(x, factor)) for x in pair_of(importer, one, node)))
    return _times(importer, relax.op.multiply, pair_of(importer, a), pair_of(importer, b))


def _real(importer: Conversion, operand: Any, like: Node) -> relax.Expr | None:
    """An operand that is real; None where it is not."""
    if isinstance(operand, Node):
        return None if is_complex(operand) else importer.as_type(importer.env[operand], real_type(like))
    return None if isinstance(operand, complex) else relax.const(operand, type_name(real_type(like)))


def _times(importer: Conversion, op: Callable[..., relax.Expr], a: Pair, b: Pair) -> Pair:
    real = relax.op.subtract(op(a.real, b.real), op(a.imaginary, b.imaginary))
    imaginary = relax.op.add(op(a.real, b.imaginary), op(a.imaginary, b.real))
    return Pair(importer.emit(real), importer.emit(imaginary))


def _quotient(importer: Conversion, node: Node) -> Pair:
    a, b = node.args[:2]
    if (divisor := _real(importer, b, node)) is not None:
        return Pair(*(importer.emit(relax.op.divide(x, divisor)) for x in pair_of(importer, a, node)))
    by = pair_of(importer, b, node)
    made = _times(importer, relax.op.multiply, pair_of(importer, a, node), _conjugate_of(importer, by))
    square = _square(importer, by)
    return Pair(*(importer.emit(relax.op.divide(x, square)) for x in made))


def _inverse(importer: Conversion, node: Node) -> Pair:
    x = pair_of(importer, node.args[0])
    square = _square(importer, x)
    return Pair(*(importer.emit(relax.op.divide(part, square)) for part in _conjugate_of(importer, x)))


def _square(importer: Conversion, x: Pair) -> relax.Expr:
    return importer.emit(relax.op.add(*(relax.op.multiply(part, part) for part in x)))


def _matrices(importer: Conversion, node: Node) -> Pair:
    return _times(importer, relax.op.matmul, *(pair_of(importer, x, node) for x in node.args[:2]))


def _power(importer: Conversion, node: Node) -> Pair:
    x, exponent = node.args
    base = pair_of(importer, x)
    if exponent not in (1, 2):
        raise ValueError("it computes powers of complex numbers")
    return base if exponent == 1 else _times(importer, relax.op.multiply, base, base)


def _conjugate(importer: Conversion, node: Node) -> Pair:
    return _conjugate_of(importer, pair_of(importer, node.args[0]))


def _conjugate_of(importer: Conversion, x: Pair) -> Pair:
    return Pair(x.real, importer.emit(relax.op.negative(x.imaginary)))


def _exponential(importer: Conversion, node: Node) -> Pair:
    x = pair_of(importer, node.args[0])
    return _turned(importer, importer.emit(relax.op.exp(x.real)), x.imaginary)


def _polar(importer: Conversion, node: Node) -> Pair:
    return _turned(importer, *(importer.env[x] for x in node.args[:2]))


def _turned(importer: Conversion, size: relax.Expr, angle: relax.Expr) -> Pair:
    return Pair(*(importer.emit(relax.op.multiply(size, of(angle))) for of in (relax.op.cos, relax.op.sin)))


def _size(importer: Conversion, node: Node) -> relax.Expr:
    return importer.emit(relax.op.sqrt(_square(importer, pair_of(importer, node.args[0]))))


def _angle(importer: Conversion, node: Node) -> relax.Expr:
    x = pair_of(importer, node.args[0])
    return importer.emit(relax.op.atan2(x.imaginary, x.real))


def _joined(importer: Conversion, node: Node) -> relax.Expr:
    """view_as_real: the parts along a new last axis."""
    return importer.emit(relax.op.concat([relax.op.expand_dims(x, -1) for x in pair_of(importer, node.args[0])], -1))


def _parted(importer: Conversion, node: Node) -> Pair:
    """view_as_complex."""
    x = importer.env[node.args[0]]
    return Pair(*(importer.emit(relax.op.take(x, relax.const(part, "int64"), axis=-1)) for part in (0, 1)))


def _filled(importer: Conversion, node: Node) -> Pair:
    (value,), shape = arguments(node, "fill_value"), extents_of(node)
    if shape is None:
        raise ValueError("it fills a tensor of an open size with complex numbers")
    return Pair(*(importer.emit(relax.op.broadcast_to(x, shape)) for x in pair_of(importer, value, node)))


def _number(importer: Conversion, node: Node) -> Pair:
    return pair_of(importer, node.args[0], node)


def _copied(importer: Conversion, node: Node) -> Pair:
    """In the shape of what is written over."""
    shape = extents_of(node)
    if shape is None or not is_complex(node):
        raise ValueError("it copies complex numbers into an open size, or into real ones")
    return Pair(*(importer.emit(relax.op.broadcast_to(x, shape)) for x in pair_of(importer, node.args[1], node)))


def _converted(importer: Conversion, node: Node) -> Any:
    pair = pair_of(importer, node.args[0])
    parts = Pair(*(importer.as_type(x, real_type(node)) for x in pair))
    return parts if is_complex(node) else parts.real


def _member(importer: Conversion, node: Node) -> Any:
    return importer.env[node.args[0]][node.args[1]]


def _as_it_is(importer: Conversion, node: Node) -> Any:
    return importer.env[node.args[0]]


#: of complex numbers alone, so that real ones never come here
COMPLEX: dict[str, _Rule] = {
    "_conj.default": _conjugate,
    "_fft_c2c.default": complex_spectrum,
    "_fft_c2r.default": from_spectrum,
    "_fft_r2c.default": spectrum,
    "angle.default": _angle,
    "complex.default": lambda importer, node: Pair(*(importer.env[x] for x in node.args[:2])),
    "conj_physical.default": _conjugate,
    "imag.default": lambda importer, node: pair_of(importer, node.args[0]).imaginary,
    "polar.default": _polar,
    "real.default": lambda importer, node: pair_of(importer, node.args[0]).real,
    "resolve_conj.default": _as_it_is,
    "view_as_complex.default": _parted,
    "view_as_real.default": _joined,
}
_RULES: dict[str, _Rule] = {
    **COMPLEX,
    "_assert_tensor_metadata.default": lambda importer, node: None,
    "_to_copy.default": _converted,
    "abs.default": _size,
    "add.Tensor": lambda importer, node: _sum(relax.op.add, importer, node),
    "bmm.default": _matrices,
    "copy.default": _copied,
    "div.Tensor": _quotient,
    "exp.default": _exponential,
    "full.default": _filled,
    operator.getitem.__name__: _member,
    "mm.default": _matrices,
    "mul.Tensor": _product,
    "pow.Tensor_Scalar": _power,
    "reciprocal.default": _inverse,
    "scalar_tensor.default": _number,
    "sub.Tensor": lambda importer, node: _sum(relax.op.subtract, importer, node),
}
_PARTWISE = {
    *("alias.default", "cat.default", "clone.default", "constant_pad_nd.default", "expand.default", "flip.default"),
    *("index.Tensor", "index_select.default", "mean.dim", "neg.default", "permute.default", "repeat.default"),
    *("select.int", "select_scatter.default", "slice.Tensor", "slice_scatter.default", "split_with_sizes.default"),
    *("squeeze.dim", "squeeze.dims", "sum.dim_IntList", "transpose.int", "unsqueeze.default", "view.default"),
    *("where.self", "roll.default", "reshape.default", "gather.default"),
}
