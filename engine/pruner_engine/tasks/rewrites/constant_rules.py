"""What operators compute of constants, by NumPy; None where that is not known here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tvm import relax

from pruner_engine.tasks.graph import ends_of_parts, operator_of, order_of, shape_of

_Rule = Callable[..., Any]


def _quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Of whole numbers towards 0, which their quotient as doubles is not beyond 2^53; by 0 it is not known."""
    if np.result_type(x, y).kind not in "iu":
        return np.divide(x, y)
    if not np.all(y):
        return None
    return (x - np.fmod(x, y)) // y


def _rest(x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """With the sign of what is divided; of whole numbers by 0 it is not known."""
    return np.fmod(x, y) if np.result_type(x, y).kind not in "iu" or np.all(y) else None


def _power(x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Of whole numbers only with exponents of which it is one."""
    return None if np.result_type(x, y).kind in "iu" and np.any(np.less(y, 0)) else np.power(x, y)


# of the operands; the result takes the type and the shape that the graph says
_ELEMENTWISE: dict[str, _Rule] = {
    **{name: getattr(np, name) for name in ("add", "subtract", "multiply", "maximum", "minimum")},
    "divide": _quotient,
    "mod": _rest,
    "power": _power,
    **{name: getattr(np, name) for name in ("negative", "sqrt", "square", "exp", "log", "abs", "tanh", "sin", "cos")},
    **{name: getattr(np, name) for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")},
    **{name: getattr(np, name) for name in ("floor", "ceil", "floor_divide", "logical_and", "logical_or")},
    **{name: getattr(np, name) for name in ("logical_not", "logical_xor", "clip", "where")},
    **{name: getattr(np, name) for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not")},
    **{name: getattr(np, name) for name in ("sign", "isnan", "isfinite", "isinf")},
    "floor_mod": np.mod,
    "nn.relu": lambda x: np.maximum(x, 0),
    "rsqrt": lambda x: np.reciprocal(np.sqrt(x)),
    "sigmoid": lambda x: np.reciprocal(1 + np.exp(-x)),
    **{name: lambda x: x for name in ("astype", "reshape", "expand_dims", "squeeze", "flatten")},
}


def _arange(call: relax.Call, *bounds: np.ndarray) -> np.ndarray:
    return np.arange(*(bound.item() for bound in bounds))


def _permuted(call: relax.Call, x: np.ndarray) -> np.ndarray:
    return np.transpose(x, order_of(call))


def _broadcast(call: relax.Call, x: np.ndarray) -> np.ndarray:
    return np.broadcast_to(x, shape_of(call) or ())


def _joined(call: relax.Call, *parts: np.ndarray) -> np.ndarray:
    axis = call.attrs.axis
    return np.concatenate(parts, None if axis is None else int(axis))


def _taken(call: relax.Call, x: np.ndarray, places: np.ndarray) -> np.ndarray | None:
    axis, mode = call.attrs.axis, str(call.attrs.mode)
    if mode not in ("fast", "clip", "wrap"):
        return None
    return np.take(x, places, None if axis is None else int(axis), mode="wrap" if mode == "wrap" else "clip")


def _repeated(call: relax.Call, x: np.ndarray) -> np.ndarray:
    return np.tile(x, [int(many) for many in call.attrs.repeats])


def _summed_so_far(call: relax.Call, x: np.ndarray) -> np.ndarray | None:
    axis = call.attrs.axis
    wide = np.float64 if x.dtype.kind == "f" else str(call.ty.dtype)
    return None if call.attrs.exclusive else np.cumsum(x, None if axis is None else int(axis), wide)


def _filled(number: int | None = None) -> _Rule:
    """A tensor of one number, or of what is said."""

    def rule(call: relax.Call, *values: np.ndarray) -> np.ndarray:
        return np.full(shape_of(call) or (), values[-1] if number is None else number)

    return rule


def _product(call: relax.Call, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    wide = str(call.ty.dtype)
    return np.matmul(a.astype(wide), b.astype(wide)) if wide in ("float32", "float64") else None


def _parts(call: relax.Call, x: np.ndarray) -> list[np.ndarray]:
    """Those of a split."""
    axis = int(call.attrs.axis)
    return np.split(x, ends_of_parts(call, x.shape[axis])[:-1], axis)


def _sliced(call: relax.Call, x: np.ndarray, *bounds: np.ndarray) -> np.ndarray | None:
    if not isinstance(call.args[1], relax.Tuple):
        return None
    count = len(call.args[1].fields)
    axes, begins, ends, *steps = ([int(n) for n in bounds[i : i + count]] for i in range(0, len(bounds), count))
    apart = steps[0] if steps else [1] * count
    if min(apart, default=1) < 1:
        return None
    places = [slice(None)] * x.ndim
    for axis, begin, end, step in zip(axes, begins, ends, apart, strict=True):
        places[axis] = slice(begin, end, step)
    return x[tuple(places)]


def _placed(
    call: relax.Call, x: np.ndarray, part: np.ndarray, begin: np.ndarray, end: np.ndarray, step: np.ndarray
) -> np.ndarray | None:
    """A tensor with another in place of a part of it."""
    first, behind, apart = int(begin), int(end), int(step)
    places = [slice(None)] * x.ndim
    places[int(call.attrs.axis)] = slice(first, behind, apart)
    made = x.copy()
    if first < 0 or behind < 0 or apart < 1 or made[tuple(places)].shape != part.shape:
        return None
    made[tuple(places)] = part
    return made


_REDUCTIONS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def _scattered(call: relax.Call, x: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray | None:
    how, at = str(call.attrs.reduction), tuple(np.moveaxis(places, -1, 0))
    if any(((axis < 0) | (axis >= extent)).any() for axis, extent in zip(at, x.shape, strict=False)):
        return None
    made = x.copy()
    if how in _REDUCTIONS:
        _REDUCTIONS[how].at(made, at, values)
    else:
        made[at] = values
    return made


def _reduced(reduce: _Rule) -> _Rule:
    """Over some axes or all; of floats as doubles, so that many halves are summed up rightly."""

    def rule(call: relax.Call, x: np.ndarray) -> np.ndarray:
        axis = call.attrs.axis
        axes = None if axis is None else tuple(int(n) for n in axis)
        wide = x if x.dtype.kind in "biu" else x.astype(np.float64)
        return np.asarray(reduce(wide, axis=axes, keepdims=bool(call.attrs.keepdims)))

    return rule


def _shares(call: relax.Call, x: np.ndarray) -> np.ndarray:
    """Softmax, as doubles."""
    raised = np.exp(np.subtract(x, x.max(int(call.attrs.axis), keepdims=True), dtype=np.float64))
    return raised / raised.sum(int(call.attrs.axis), keepdims=True)


def _norm(call: relax.Call, x: np.ndarray, factor: np.ndarray, summand: np.ndarray) -> np.ndarray:
    """Layer norm, as doubles; TVM scales and shifts whatever `scale` and `center` say."""
    axes = tuple(int(axis) % x.ndim for axis in call.attrs.axes)
    left = np.subtract(x, x.mean(axes, np.float64, keepdims=True))
    even = left / np.sqrt(np.square(left).mean(axes, keepdims=True) + float(call.attrs.epsilon))
    along = [extent if axis in axes else 1 for axis, extent in enumerate(x.shape)]
    return even * factor.reshape(along) + summand.reshape(along)


# the same of operators that have attributes; None is not known
_OTHERS: dict[str, _Rule] = {
    "arange": _arange,
    "broadcast_to": _broadcast,
    "concat": _joined,
    "cumsum": _summed_so_far,
    **dict.fromkeys(("full", "full_like"), _filled()),
    **dict.fromkeys(("ones", "ones_like"), _filled(1)),
    **dict.fromkeys(("zeros", "zeros_like"), _filled(0)),
    **{name: _reduced(getattr(np, name)) for name in ("sum", "mean", "max", "min")},
    "matmul": _product,
    "nn.layer_norm": _norm,
    "nn.softmax": _shares,
    "permute_dims": _permuted,
    "scatter_nd": _scattered,
    "slice_scatter": _placed,
    "split": _parts,
    "strided_slice": _sliced,
    "take": _taken,
    "tile": _repeated,
}


def is_known(call: relax.Call) -> bool:
    """Whether there is a rule for the operator that a call applies."""
    return _name(call) in _ELEMENTWISE or _name(call) in _OTHERS


def computed(call: relax.Call, operands: Sequence[np.ndarray]) -> Any:
    """What a call makes of its operands, those of tuples one by one: an array, or a list of a split's parts."""
    name = _name(call)
    with np.errstate(all="ignore"):
        return _ELEMENTWISE[name](*operands) if name in _ELEMENTWISE else _OTHERS[name](call, *operands)


def _name(call: relax.Call) -> str:
    return operator_of(call).removeprefix("relax.")
