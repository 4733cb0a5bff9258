"""Halves are summed in float32: what is exact there, or nearly, stays so however many they are."""

import numpy as np
import pytest
import torch
import tvm
from tvm import relax
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.halves import coarsest_float

functional = torch.nn.functional
IMAGE, ROWS, VOLUME = (1, 2, 64, 64), (2, 4096), (1, 2, 16, 16, 16)
CASES = {
    "sum": (lambda x: op.sum(x, [1]), lambda x: x.sum(1), [ROWS]),
    "mean": (lambda x: op.mean(x, [2, 3]), lambda x: x.mean((2, 3)), [IMAGE]),
    "variance": (lambda x: op.variance(x, [1]), lambda x: x.var(1, correction=0), [ROWS]),
    "deviation": (lambda x: op.std(x, [1]), lambda x: x.std(1, correction=0), [ROWS]),
    "softmax": (lambda x: op.nn.softmax(x, 1), lambda x: x.softmax(1), [ROWS]),
    "softmax of channels": (lambda x: op.nn.softmax(x, 2), lambda x: x.softmax(2), [(1, 2, 4096, 3)]),
    "log softmax": (lambda x: op.nn.log_softmax(x, 1), lambda x: x.log_softmax(1), [ROWS]),
    "sums so far": (lambda x: op.cumsum(x, 1), lambda x: x.cumsum(1), [ROWS]),
    "average": (
        lambda x: op.nn.avg_pool2d(x, (60, 60), (4, 4)),
        lambda x: functional.avg_pool2d(x, 60, 4),
        [IMAGE],
    ),
    "averages of parts": (
        lambda x: op.nn.adaptive_avg_pool3d(x, (1, 1, 1)),
        lambda x: functional.adaptive_avg_pool3d(x, 1),
        [VOLUME],
    ),
    "product": (op.matmul, torch.matmul, [ROWS, (4096, 3)]),
    "contraction": (
        lambda a, b: op.einsum(relax.Tuple([a, b]), "ij,jk->ik"),
        lambda a, b: torch.einsum("ij,jk->ik", a, b),
        [ROWS, (4096, 3)],
    ),
    "convolution of signals": (op.nn.conv1d, functional.conv1d, [(1, 512, 12), (4, 512, 9)]),
    "convolution": (op.nn.conv2d, functional.conv2d, [(1, 512, 5, 4), (4, 512, 3, 3)]),
    "transposed convolution": (op.nn.conv2d_transpose, functional.conv_transpose2d, [(1, 4096, 3, 2), (4096, 2, 2, 2)]),
}


def placed(x):
    """A copy in memory of TVM's alignment."""
    made = tvm.runtime.empty(tuple(x.shape), str(x.dtype).removeprefix("torch."))
    torch.from_dlpack(made).copy_(x)
    return made


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("case", CASES)
def test_sums_of_halves_are_as_precise_as_one_of_them(case, dtype):
    operator, oracle, shapes = CASES[case]
    # positive, so that sums grow beyond what a half still adds one to
    inputs = [torch.rand(shape, generator=torch.Generator().manual_seed(0)).to(dtype) for shape in shapes]
    name = str(dtype).removeprefix("torch.")
    builder = relax.BlockBuilder()
    given = [relax.Var(f"x{i}", relax.TensorType(shape, name)) for i, shape in enumerate(shapes)]
    with builder.function("main", given):
        with builder.dataflow():
            out = builder.emit_output(builder.emit(operator(*given)))
        builder.emit_func_output(out)
    target = resolve_target("auto")
    machine = machine_of(prepare(builder.get(), target), target)
    found = torch.from_dlpack(machine["main"](*map(placed, inputs)))
    assert found.dtype == dtype
    exact = oracle(*(x.double() for x in inputs)).numpy()
    np.testing.assert_allclose(found.double().numpy(), exact, rtol=1.01 * torch.finfo(dtype).eps)


@pytest.mark.parametrize(("dtype", "told"), [("float16", "float16"), ("bfloat16", "bfloat16"), ("float64", "float32")])
def test_the_coarsest_float_on_the_way_is_found(dtype, told):
    def through(x):
        return op.astype(op.negative(op.astype(x, dtype)), "float32")

    assert coarsest_float(graph(through, (4,))) == told
