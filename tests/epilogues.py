"""Products followed by a chain of element-wise operators that reads their results more than once."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable

from tvm import IRModule, relax
from tvm.relax import op
from tvm.target import Target

from graphs import graph
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.task import TuningTask

Chain = Callable[[relax.Expr], relax.Expr]


def _number(value: float) -> relax.Expr:
    return relax.const(value, "float32")


def _hard_swish(x: relax.Expr) -> relax.Expr:
    return op.multiply(x, op.divide(op.clip(op.add(x, _number(3)), 0, 6), _number(6)))


def _mish(x: relax.Expr) -> relax.Expr:
    return op.multiply(x, op.tanh(op.log(op.add(op.exp(x), _number(1)))))


CHAINS: dict[str, Chain] = {
    "gelu": op.nn.gelu,
    "gelu by tanh": op.nn.gelu_tanh,
    "silu": op.nn.silu,
    "hard-swish": _hard_swish,
    "mish": _mish,
}


def _odd(rng: random.Random, least: int = 7, most: int = 41) -> int:
    return rng.randrange(least, most + 1, 2)


def _product(rows: int, columns: int, steps: int, follow: Chain) -> IRModule:
    return graph(
        lambda x, y, b: follow(op.add(op.matmul(x, y), b)), (rows, steps), constants=[(steps, columns), (columns,)]
    )


def _batch(rng: random.Random, follow: Chain) -> IRModule:
    m, n, k = (_odd(rng) for _ in range(3))
    return graph(lambda x, y: follow(op.matmul(x, y)), (3, m, k), (3, k, n))


def _residual(rng: random.Random, follow: Chain) -> IRModule:
    m, n, k = (_odd(rng) for _ in range(3))
    return graph(lambda x, y, z: op.add(follow(op.matmul(x, y)), z), (m, k), (k, n), (m, n))


def _convolution(rng: random.Random, follow: Chain, groups: bool = False) -> IRModule:
    channels, stride = _odd(rng, 5, 21), rng.randint(1, 2)
    filters, group = (channels, channels) if groups else (_odd(rng, 5, 21), 1)
    return graph(
        lambda x, y, b: follow(op.add(op.nn.conv2d(x, y, padding=1, strides=stride, groups=group), b)),
        (2, channels, _odd(rng, 5, 11), rng.randint(5, 11)),
        constants=[(filters, channels // group, 3, 3), (1, filters, 1, 1)],
    )


_PIXELS = {"padding": 1, "data_layout": "NHWC", "kernel_layout": "HWIO", "out_dtype": "float32"}


def _pixels(rng: random.Random, follow: Chain) -> IRModule:
    channels, filters = _odd(rng, 3, 11), _odd(rng, 5, 21)
    return graph(
        lambda x, y: follow(op.nn.conv2d(x, y, **_PIXELS)),
        (1, _odd(rng, 5, 11), rng.randint(5, 11), channels),
        constants=[(3, 3, channels, filters)],
    )


def _half(x: relax.Expr) -> relax.Expr:
    return op.astype(x, "float16")


def _of_halves(rows: int, columns: int, steps: int, follow: Chain) -> IRModule:
    return graph(
        lambda x, y, b: _half(follow(op.add(op.matmul(_half(x), _half(y), "float32"), b))),
        (rows, steps),
        constants=[(steps, columns), (columns,)],
    )


def _batch_of_halves(follow: Chain, summed: str = "float32") -> IRModule:
    return graph(lambda x, y: follow(op.matmul(_half(x), _half(y), summed)), (3, 32, 48), (3, 48, 32))


def _pixels_of_halves(side: int, channels: int, filters: int, follow: Chain) -> IRModule:
    return graph(
        lambda x, y, b: _half(follow(op.add(op.nn.conv2d(_half(x), _half(y), **_PIXELS), b))),
        (1, side, side, channels),
        constants=[(3, 3, channels, filters), (filters,)],
    )


#: of float32, with lengths that hardly a tile divides
KINDS: dict[str, Callable[[random.Random, Chain], IRModule]] = {
    "product": lambda rng, follow: _product(_odd(rng), _odd(rng), _odd(rng), follow),
    "row": lambda rng, follow: _product(1, _odd(rng), 4 * _odd(rng), follow),
    "long sum": lambda rng, follow: _product(_odd(rng), _odd(rng), rng.choice([770, 924, 1022]), follow),
    "batch": _batch,
    "residual": _residual,
    "convolution": _convolution,
    "depthwise": functools.partial(_convolution, groups=True),
    "pixels": _pixels,
}
#: for Tensor Cores
HALVES: dict[str, Callable[[random.Random, Chain], IRModule]] = {
    "halves": lambda rng, follow: _of_halves(64, 48, 32, follow),
    "padded halves": lambda rng, follow: _of_halves(3 * _odd(rng), 12 + _odd(rng), 3 * _odd(rng), follow),
    "batch of halves": lambda rng, follow: _batch_of_halves(follow),
    "pixels of halves": lambda rng, follow: _pixels_of_halves(8, 16, 32, follow),
    "padded pixels of halves": lambda rng, follow: _pixels_of_halves(7, 32, 48, follow),
    # summed in halves, too, as is all of a GELU but its error function: what that reads is converted on the way
    "halves, in halves": lambda rng, _: _batch_of_halves(op.nn.gelu, "float16"),
}


@functools.cache
def epilogue_task(kind: str, chain: str, target: Target, seed: int = 0) -> TuningTask:
    """The kernel of a product and all that follows it."""
    made = (KINDS | HALVES)[kind](random.Random(f"{kind} {seed}"), CHAINS[chain])
    return max(extract_tasks(prepare(made, target), target), key=lambda task: task.flops)
