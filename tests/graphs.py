"""Small graphs of operators that no built-in workload has."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np
from tvm import IRModule, relax
from tvm.relax import op
from tvm.target import Target

from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.task import TuningTask

_IMAGE, _CHANNELS = (1, 8, 14, 10), (8,)


def graph(
    function: Callable[..., relax.Expr],
    *shapes: Sequence[int],
    constants: Sequence[Sequence[int]] = (),
    dtype: str = "float32",
) -> IRModule:
    """A module whose "main" computes `function` of inputs of `shapes`, and of constants of float32 after them."""
    rng, builder = np.random.default_rng(0), relax.BlockBuilder()
    inputs = [relax.Var(f"x{i}", relax.TensorType(shape, dtype)) for i, shape in enumerate(shapes)]
    weights = [relax.const(rng.standard_normal(shape).astype("float32")) for shape in constants]
    with builder.function("main", inputs):
        with builder.dataflow():
            out = builder.emit_output(builder.emit(function(*inputs, *weights)))
        builder.emit_func_output(out)
    return relax.transform.Normalize()(builder.get())


def emitted(shape: Sequence[int], function: Callable[[relax.BlockBuilder, relax.Expr], relax.Expr]) -> IRModule:
    """As `graph` of one input, of a function that is given the builder, too."""
    return graph(lambda x: function(relax.BlockBuilder.current(), x), shape)


def group_norm(x: relax.Expr, scale: relax.Expr, shift: relax.Expr) -> relax.Expr:
    return op.nn.group_norm(x, scale, shift, num_groups=4, channel_axis=1, axes=[2, 3])


def group_norm_of_columns(x: relax.Expr, scale: relax.Expr, shift: relax.Expr) -> relax.Expr:
    return op.nn.group_norm(x, scale, shift, num_groups=4, channel_axis=3, axes=[1, 2])


def instance_norm(x: relax.Expr, scale: relax.Expr, shift: relax.Expr) -> relax.Expr:
    return op.nn.instance_norm(x, scale, shift, channel_axis=1, axes=[2, 3])


def gates(x: relax.Expr) -> relax.Expr:
    """As a recurrent cell computes them: parts of one product, in another shape."""
    wide = op.reshape(x, (1, 2, 96))
    first, second = (op.strided_slice(wide, [2], [begin], [begin + 32]) for begin in (32, 64))
    return op.multiply(op.sigmoid(first), op.tanh(second))


TWO_RESULTS = {"argmax": (lambda x: op.argmax(x, axis=1), [(16, 100)], [])}  # reductions to two results at once
NORMS = {
    "group norm": (group_norm, [_IMAGE], [_CHANNELS, _CHANNELS]),
    "instance norm": (instance_norm, [_IMAGE, _CHANNELS, _CHANNELS], []),
    "group norm, channels last": (group_norm_of_columns, [(1, 14, 10, 32)], [(32,), (32,)]),
}
VECTORS = {
    "softmax of a vector": (lambda x: op.nn.softmax(x, axis=-1), [(1000,)], []),
    "sum of a vector": (op.sum, [(1000,)], []),
    "product of vectors": (op.matmul, [(512,), (512,)], []),
    "beside a scaled copy": (lambda x, s, y: op.concat([op.multiply(x, s), y], -1), [(4, 64), (), (4, 64)], []),
}
GRAPHS = {**TWO_RESULTS, **NORMS, **VECTORS, "gates": (gates, [(2, 96)], [])}


@functools.cache
def tasks_of_graph(name: str, target: Target) -> list[TuningTask]:
    function, shapes, constants = GRAPHS[name]
    return extract_tasks(prepare(graph(function, *shapes, constants=constants), target), target)
