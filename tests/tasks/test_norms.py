"""Norms of every type and layout agree with PyTorch, of numbers that lie far from 0 or are all the same, too."""

import numpy as np
import pytest
import torch
import tvm
from tvm import relax

from frontends.torch_functions import saved
from graphs import graph
from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

functional = torch.nn.functional


def module_of(operator, inputs, dtype):
    builder = relax.BlockBuilder()
    parameters = [
        relax.Var(name, relax.TensorType(tuple(x.shape), dtype)) for name, x in zip("xsb", inputs, strict=True)
    ]
    with builder.function("main", parameters):
        builder.emit_func_output(builder.emit(operator(*parameters)))
    return builder.get()


def placed(x):
    """A copy in memory of TVM's alignment."""
    made = tvm.runtime.empty(tuple(x.shape), str(x.dtype).removeprefix("torch."))
    torch.from_dlpack(made).copy_(x)
    return made


X, ROW, CHANNELS, LAST = torch.randn(2, 6, 4, 9), torch.randn(2, 4, 9), torch.randn(2, 6), torch.randn(2, 9)


def channels_first(function):
    """A function of images of PyTorch's layout as one of the other."""
    return lambda x, s, b: function(x.permute(0, 3, 1, 2), s, b).permute(0, 2, 3, 1)


CASES = {
    "layer": (
        lambda x, s, b: relax.op.nn.layer_norm(x, s, b, [-2, -1], 1e-3),
        lambda x, s, b: functional.layer_norm(x, (4, 9), s, b, 1e-3),
        ROW,
    ),
    "group": (
        lambda x, s, b: relax.op.nn.group_norm(x, s, b, 3, 1, [2, 3], 1e-3),
        lambda x, s, b: functional.group_norm(x, 3, s, b, 1e-3),
        CHANNELS,
    ),
    "group, channels last": (
        lambda x, s, b: relax.op.nn.group_norm(x, s, b, 3, 3, [1, 2], 1e-3),
        channels_first(lambda x, s, b: functional.group_norm(x, 3, s, b, 1e-3)),
        LAST,
    ),
    "instance": (
        lambda x, s, b: relax.op.nn.instance_norm(x, s, b, 1, [2, 3], 1e-3),
        lambda x, s, b: functional.instance_norm(x, weight=s, bias=b, eps=1e-3),
        CHANNELS,
    ),
    "instance, channels last": (
        lambda x, s, b: relax.op.nn.instance_norm(x, s, b, 3, [1, 2], 1e-3),
        channels_first(lambda x, s, b: functional.instance_norm(x, weight=s, bias=b, eps=1e-3)),
        LAST,
    ),
    "batch": (
        lambda x, s, b: relax.op.nn.instance_norm(x, s, b, 1, [0, 2, 3], 1e-3),
        lambda x, s, b: functional.batch_norm(x, None, None, s, b, training=True, eps=1e-3),
        CHANNELS,
    ),
    "batch, channels last": (
        lambda x, s, b: relax.op.nn.instance_norm(x, s, b, 3, [0, 1, 2], 1e-3),
        channels_first(lambda x, s, b: functional.batch_norm(x, None, None, s, b, training=True, eps=1e-3)),
        LAST,
    ),
}


# every norm in float32 and in one other type; of groups in bfloat16 Relax has no operator
OTHERS = [torch.bfloat16, torch.float64, torch.float16, torch.bfloat16, torch.float64, torch.float16, torch.bfloat16]
PAIRS = [pair for case, other in zip(CASES, OTHERS, strict=True) for pair in ((case, torch.float32), (case, other))]


def check(case, dtype, x, tolerance):
    operator, oracle, weights = CASES[case]
    inputs = [part.to(dtype) for part in (x, *weights)]
    target = resolve_target("auto")
    mod = prepare(module_of(operator, inputs, str(dtype).removeprefix("torch.")), target)
    machine = machine_of(mod, target)
    found = torch.from_dlpack(machine["main"](*map(placed, inputs)))
    assert found.dtype == dtype
    exact = oracle(*(part.double() for part in inputs))
    np.testing.assert_allclose(found.double().numpy(), exact.numpy(), atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize(("case", "dtype"), PAIRS)
def test_norms_of_every_type(case, dtype):
    check(case, dtype, X, {torch.bfloat16: 4e-2, torch.float16: 2e-2, torch.float32: 1e-5, torch.float64: 1e-12}[dtype])


@pytest.mark.parametrize("case", CASES)
def test_a_spread_that_is_small_beside_the_mean(case):
    """Of which the mean of the squares less the square of the mean leaves nothing."""
    check(case, torch.float32, 80000 + torch.arange(X.numel()).reshape(X.shape) % 4, 1e-2)


@pytest.mark.parametrize("case", CASES)
def test_of_numbers_that_are_all_the_same_the_shift_is_left(case):
    check(case, torch.float32, torch.full(X.shape, 117.3), 1e-2)


def test_one_group_of_four_large_numbers(tmp_path):
    """As PyTorch exports it."""
    x = torch.tensor([80000.0, 80001, 80002, 80003]).reshape(1, 1, 4)
    norm = torch.nn.GroupNorm(1, 1)
    target = resolve_target("auto")
    machine = machine_of(prepare(load_model(saved(tmp_path, norm, (x,))).mod, target), target)
    found = torch.from_dlpack(machine["main"](placed(x)))
    np.testing.assert_allclose(found.numpy(), norm.double()(x.double()).detach().numpy(), rtol=1e-4)


@pytest.mark.parametrize("shape", [(1, 8, 16, 12), (3, 5, 7, 9)])
def test_instances_as_pytorch_exports_them(shape, tmp_path):
    x = 1000 + torch.randn(shape)
    norm = torch.nn.Sequential(torch.nn.InstanceNorm2d(shape[1], affine=True), torch.nn.ReLU())
    target = resolve_target("auto")
    machine = machine_of(prepare(load_model(saved(tmp_path, norm, (x,))).mod, target), target)
    found = torch.from_dlpack(machine["main"](placed(x)))
    np.testing.assert_allclose(found.numpy(), norm.double()(x.double()).detach().numpy(), atol=2e-3)


def test_an_activation_joins_a_norm_between_convolutions():
    """All in one layout: channels last."""
    target = resolve_target("auto")
    names = [task.name for task in extract_tasks(prepare(normed_convolutions(), target), target)]
    assert [name.rpartition("_")[0] for name in names if "norm" in name] == ["group_norm_relu"]


def normed_convolutions():
    rng = np.random.default_rng(2)
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType((1, 16, 12, 12), "float32"))

    def weights(*shape):
        return relax.const(rng.standard_normal(shape).astype("float32"))

    with builder.function("main", [x]):
        with builder.dataflow():
            y = builder.emit(relax.op.nn.conv2d(x, weights(32, 16, 3, 3), padding=1))
            y = builder.emit(relax.op.nn.group_norm(y, weights(32), weights(32), 8, 1, [2, 3]))
            y = builder.emit(relax.op.nn.conv2d(builder.emit(relax.op.nn.relu(y)), weights(32, 32, 1, 1)))
            out = builder.emit_output(y)
        builder.emit_func_output(out)
    return builder.get()


@pytest.mark.parametrize("shape", [(2, 8, 9, 1), (2, 8, 1, 9), (2, 8, 1, 1), (2, 8, 1, 3, 4)], ids=str)
def test_a_norm_of_images_of_one_row_or_column_is_one_kernel(shape):
    axes = [*range(2, len(shape))]

    def normed(x, *weights):
        return relax.op.nn.group_norm(x, *weights, num_groups=4, channel_axis=1, axes=axes)

    target = resolve_target("auto")
    mod = graph(normed, shape, constants=[(8,), (8,)])
    prepared = prepare(mod, target)
    assert "group_norm" in prepared.script()
    x = np.random.default_rng(1).standard_normal(shape).astype("float32")
    made = machine_of(prepared, target)["main"](tvm.runtime.tensor(x)).numpy()
    apart = x.reshape(2, 4, -1)
    apart = (apart - apart.mean(-1, keepdims=True)) / np.sqrt(apart.var(-1, keepdims=True) + 1e-5)
    rng, along = np.random.default_rng(0), (8, *[1] * len(axes))
    scale, shift = (rng.standard_normal(8).astype("float32").reshape(along) for _ in range(2))
    np.testing.assert_allclose(made, apart.reshape(shape) * scale + shift, rtol=1e-4, atol=1e-4)
