"""Conditions on its inputs' sizes under which a program was exported, such as that a size times 1.5 is 12.

PyTorch makes numbers of what it computes in Python, and keeps as source what has to be true for them to be right. It
would run that source; here it is read as arithmetic, whoever wrote it.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pruner_engine.frontends.model import refused_with

_CHARS = 4000  # of a condition that is read
_BASE, _EXPONENT = 1 << 63, 16  # beyond which a power is none of sizes
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{"abs": abs, "max": max, "min": min, "round": round, "torch.sym_float": float, "torch._sym_sqrt": math.sqrt},
    **{f"math.{name}": getattr(math, name) for name in ("ceil", "floor", "trunc", "sqrt", "log2", "exp", "log")},
}
_CONSTANTS = {"math.inf": math.inf, "math.nan": math.nan, "inf": math.inf}
_OPERATIONS: dict[type[ast.AST], Callable[..., Any]] = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul},
    **{ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod},
    **{ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_},
    **{ast.Eq: operator.eq, ast.NotEq: operator.ne},
    **{ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge},
}
_UNREADABLE = (SyntaxError, LookupError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError)

Shapes = Mapping[str, Sequence[int]]


def refuse_beyond(
    conditions: Sequence[str], shapes: Shapes, values: Mapping[str, int], exported: Mapping[str, int]
) -> None:
    """Refuse shapes for which a program was not exported.

    Args:
        conditions: as its file has them.
        shapes: of all that it is called with, in order; those of what is no tensor are empty.
        values: what the symbols of its dimensions are.
        exported: the same, when it was exported: then all conditions held.

    Raises:
        UserError: a condition is false, or says what cannot be read.
    """
    if all(exported.get(symbol) == value for symbol, value in values.items()):
        return
    for condition in conditions:
        told = re.sub(r"L\['(\w+)'\]", r"\1", condition).replace(".size()", ".shape")
        try:
            true = holds(condition, shapes)
        except ValueError as error:
            raise refused_with(values, f"what it was exported for cannot be read: {told}") from error
        if not true:
            raise refused_with(values, f"it was exported for sizes of which this is true: {told}")


def holds(condition: str, shapes: Shapes) -> bool:
    """Whether a condition is true of inputs of these shapes.

    Raises:
        ValueError: it says something else than arithmetic of sizes.
    """
    if len(condition) > _CHARS:
        raise ValueError("a condition that long is none of sizes")
    try:
        return bool(_value(ast.parse(condition.strip(), mode="eval").body, shapes))
    except _UNREADABLE as error:
        raise ValueError(str(error)) from error


def _value(node: ast.expr, shapes: Shapes) -> Any:
    def of(part: ast.expr) -> Any:
        return _value(part, shapes)

    match node:
        case ast.Constant(value=int() | float()):
            found: Any = node.value
        case ast.UnaryOp():
            found = _OPERATIONS[type(node.op)](of(node.operand))
        case ast.BinOp(op=ast.Pow()):
            found = _power(of(node.left), of(node.right))
        case ast.BinOp():
            found = _OPERATIONS[type(node.op)](of(node.left), of(node.right))
        case ast.BoolOp():
            found = (all if isinstance(node.op, ast.And) else any)(of(part) for part in node.values)
        case ast.Compare():
            pairs = pairwise([of(part) for part in (node.left, *node.comparators)])
            found = all(_OPERATIONS[type(op)](*pair) for op, pair in zip(node.ops, pairs, strict=True))
        case ast.IfExp():
            found = of(node.body if of(node.test) else node.orelse)
        case ast.Subscript(value=ast.Call(func=ast.Attribute(value=source, attr="size"), args=[], keywords=[])):
            found = _shape(source, shapes)[ast.literal_eval(node.slice)]
        case ast.Call(keywords=[]):
            found = _FUNCTIONS[ast.unparse(node.func)](*map(of, node.args))
        case ast.Name() | ast.Attribute():
            found = _CONSTANTS[ast.unparse(node)]
        case _:
            raise ValueError(f"{type(node).__name__} is no arithmetic")
    return found


def _power(base: float, exponent: float) -> Any:
    if abs(base) > _BASE or abs(exponent) > _EXPONENT:
        raise ValueError("a power that large is none of sizes")
    return base**exponent


def _shape(source: ast.expr, shapes: Shapes) -> Sequence[int]:
    """Of the tensor that `L['x']` is, or `L['states'][0]`; `L['flat_args'][1]` is the second that comes in."""
    name = _name(source)
    if name not in shapes and (place := re.fullmatch(r"flat_args_(\d+)", name)):
        return list(shapes.values())[int(place[1])]
    return shapes[name]


def _name(source: ast.expr) -> str:
    """As PyTorch names an input: the keys that lead to it, joined."""
    match source:
        case ast.Subscript(value=ast.Name(id="L"), slice=ast.Constant(value=str(key))):
            return _word(key)
        case ast.Subscript(value=outer, slice=ast.Constant(value=str() | int() as key)):
            return f"{_name(outer)}_{_word(str(key))}"
        case ast.Attribute(value=outer, attr=key):
            return f"{_name(outer)}_{_word(key)}"
    raise ValueError(f"{ast.unparse(source)} is no input")


def _word(key: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "_", key).lower()
