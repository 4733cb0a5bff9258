"""Norms that a graph writes out in arithmetic, as the operators that they are: one kernel each, in any layout.

ONNX has had a norm over layers since version 17 only, exporters write norms over groups as norms over instances between
reshapes, and TVM's importer of ONNX files writes norms over instances out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import bound, operator_of, rewritten, shape_of
from pruner_engine.tasks.rewrites.written import (
    NormRewriter,
    Over,
    beside_number,
    either_way,
    is_same,
    mean_of,
    squared,
)

_LAYERS, _GROUPS = "relax.nn.layer_norm", "relax.nn.group_norm"
_LEAST_RANK = 3  # of what has channels and positions


def with_norms(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with (x − mean) / √(variance + ε) in "main" as norms, which take up a scale and shift behind them."""
    return relax.transform.DeadCodeElimination()(rewritten(mod, _Rewriter(mod)))


@dataclass(frozen=True)
class _Spread(Over):
    """What x − mean is divided by: the root of the variance of `x` over `axes` and of `epsilon`."""

    epsilon: float


@mutator
class _Rewriter(NormRewriter):
    def norm_of(self, call: relax.Call, shape: list[int]) -> relax.Expr | None:
        name = operator_of(call)
        if name == "relax.add":
            return either_way(call, lambda x, other: self._taken_up(x, other, np.add))
        return self._over_groups(call.args[0], shape) if name == "relax.reshape" else super().norm_of(call, shape)

    # ------------------------------------------------------------ arithmetic

    def normed(self, value: relax.Expr, below: relax.Expr | None, shape: list[int]) -> relax.Expr | None:
        centred, spread = self._centred(value), self._variance_and_epsilon(below)
        if centred is None or spread is None or not is_same(self, centred.x, spread.x) or centred.axes != spread.axes:
            return None
        x, axes = centred.x, centred.axes
        if shape_of(x) != shape:  # an epsilon of more axes has added some
            return None
        if len(axes) == 1:
            ones, zeros = _weights(shape[axes[0]])
            return relax.op.nn.layer_norm(x, ones, zeros, axes, spread.epsilon)
        last = len(shape) - 1
        channel = axes[0] - 1 if axes[-1] == last else last
        if channel < 0 or axes != list(range(axes[0], last + (channel != last))):
            return None
        ones, zeros = _weights(shape[channel])
        return relax.op.nn.group_norm(x, ones, zeros, shape[channel], channel, axes, spread.epsilon)

    def _centred(self, value: relax.Expr) -> Over | None:
        """Of x − mean of x: x and the axes of the mean."""
        found = bound(self, value)
        if operator_of(found) != "relax.subtract":
            return None
        mean = mean_of(self, found.args[1])
        return mean if mean is not None and is_same(self, mean.x, found.args[0]) else None

    def _variance_and_epsilon(self, value: relax.Expr | None) -> _Spread | None:
        for variance, number in () if value is None else beside_number(self, value):
            spread = self._variance(variance)
            if spread is not None:
                return _Spread(spread.x, spread.axes, number)
        return None

    def _variance(self, value: relax.Expr) -> Over | None:
        """Of the mean of the squares of what lies apart from the mean."""
        told = mean_of(self, value, "relax.variance")
        if told is not None:
            return told
        mean = mean_of(self, value)
        apart = None if mean is None else squared(self, mean.x)
        centred = None if apart is None else self._centred(apart)
        return centred if mean is not None and centred is not None and centred.axes == mean.axes else None

    # ------------------------------------------------------------ what follows a norm

    def scaled(self, value: relax.Expr, factor: relax.Expr) -> relax.Expr | None:
        return self._taken_up(value, factor, np.multiply)

    def _taken_up(self, value: relax.Expr, other: relax.Expr, operator: Callable[..., np.ndarray]) -> relax.Expr | None:
        """The norm with other weights, instead of a product or a sum of it and a constant."""
        norm, constant = bound(self, value), bound(self, other)
        if operator_of(norm) not in (_LAYERS, _GROUPS) or not isinstance(constant, GenericConst):
            return None
        shape, numbers, known = shape_of(norm), constant.value.numpy(), _weights_of(self, norm)
        if shape is None or known is None or self.readers.get(value, 1) > 1 or numbers.ndim > len(shape):
            return None
        along = numbers.reshape([1] * (len(shape) - numbers.ndim) + list(numbers.shape))
        wide = [axis for axis, extent in enumerate(along.shape) if extent != 1]
        if any(along.shape[axis] != shape[axis] for axis in wide):
            return None
        scale, shift = known
        if operator is np.multiply and (along == 1).all():
            return value
        own = _own_axes(norm)
        if wide not in ([], own):
            return self._over_rows(norm, along, operator) if _is_plain(scale, shift) else None
        each = np.broadcast_to(along, [shape[axis] if axis in own else 1 for axis in range(len(shape))]).reshape(-1)
        weights = (scale * each, shift * each) if operator is np.multiply else (scale, shift + each)
        return _with_weights(norm, *weights)

    def _over_rows(self, norm: relax.Call, along: np.ndarray, operator: Callable[..., np.ndarray]) -> relax.Expr | None:
        """A norm over the last axis whose weights are those of the axis before: of instances, of one dimension."""
        shape = shape_of(norm) or []
        channel = len(shape) - 2
        wide = [axis for axis, extent in enumerate(along.shape) if extent != 1]
        if operator_of(norm) != _LAYERS or _own_axes(norm) != [channel + 1] or wide != [channel] or channel < 1:
            return None
        groups = relax.op.nn.group_norm(
            norm.args[0], *_weights(shape[channel]), shape[channel], channel, [channel + 1], norm.attrs.epsilon
        )
        one, none = np.ones(shape[channel], "float32"), np.zeros(shape[channel], "float32")
        each = along.reshape(-1)
        return _with_weights(groups, *((each, none) if operator is np.multiply else (one, each)))

    def _over_groups(self, value: relax.Expr, shape: list[int]) -> relax.Expr | None:
        """A norm of [batch, group, …] between reshapes, as one over groups of channels."""
        norm = bound(self, value)
        if operator_of(norm) not in (_LAYERS, _GROUPS) or len(shape) < _LEAST_RANK:
            return None
        before, known, inner = bound(self, norm.args[0]), _weights_of(self, norm), shape_of(norm) or []
        if operator_of(before) != "relax.reshape" or shape_of(before.args[0]) != shape or known is None:
            return None
        rows = sorted(int(axis) % len(inner) for axis in norm.attrs.axes) == list(range(2, len(inner)))
        if len(inner) < _LEAST_RANK or not rows or not _is_plain(*known) or inner[0] != shape[0]:
            return None
        groups = int(getattr(norm.attrs, "num_groups", inner[1]))  # of channels, of which each may be several
        if shape[1] % groups:
            return None
        ones, zeros = _weights(shape[1])
        axes = list(range(2, len(shape)))
        return relax.op.nn.group_norm(before.args[0], ones, zeros, groups, 1, axes, norm.attrs.epsilon)


def _weights(count: int) -> tuple[relax.Expr, relax.Expr]:
    """Ones and zeros."""
    return relax.const(np.ones(count, "float32")), relax.const(np.zeros(count, "float32"))


def _weights_of(rewriter: PyExprMutator, norm: relax.Call) -> tuple[np.ndarray, np.ndarray] | None:
    """Scale and shift, where they are constants."""
    known = [bound(rewriter, weight) for weight in norm.args[1:]]
    if not all(isinstance(weight, GenericConst) for weight in known):
        return None
    scale, shift = (weight.value.numpy().reshape(-1) for weight in known)
    return scale, shift


def _with_weights(norm: relax.Call, scale: np.ndarray, shift: np.ndarray) -> relax.Call:
    shape = list(norm.args[1].ty.shape)
    weights = [relax.const(numbers.astype("float32").reshape([int(n) for n in shape])) for numbers in (scale, shift)]
    return relax.Call(norm.op, [norm.args[0], *weights], norm.attrs)


def _is_plain(scale: np.ndarray, shift: np.ndarray) -> bool:
    """Whether weights change nothing."""
    return bool((scale == 1).all() and (shift == 0).all())


def _own_axes(norm: relax.Call) -> list[int]:
    """Axes along which a norm has weights."""
    rank = len(norm.ty.shape)
    if operator_of(norm) == _GROUPS:
        return [int(norm.attrs.channel_axis) % rank]
    return sorted(int(axis) % rank for axis in norm.attrs.axes)
