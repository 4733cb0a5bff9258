"""Norms of types that TVM has no kernels for agree with PyTorch."""

import numpy as np
import pytest
import torch
import tvm
from tvm import relax

from pruner_engine.targets.target import resolve_target
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


X, ROW, CHANNELS = torch.randn(2, 6, 4, 5), torch.randn(2, 4, 5), torch.randn(2, 6)
CASES = {
    "layer": (
        lambda x, s, b: relax.op.nn.layer_norm(x, s, b, [-2, -1], 1e-3),
        lambda x, s, b: functional.layer_norm(x, (4, 5), s, b, 1e-3),
        ROW,
    ),
    "group": (
        lambda x, s, b: relax.op.nn.group_norm(x, s, b, 3, 1, [2, 3], 1e-3),
        lambda x, s, b: functional.group_norm(x, 3, s, b, 1e-3),
        CHANNELS,
    ),
    "instance": (
        lambda x, s, b: relax.op.nn.instance_norm(x, s, b, 1, [2, 3], 1e-3),
        lambda x, s, b: functional.instance_norm(x, weight=s, bias=b, eps=1e-3),
        CHANNELS,
    ),
}


TYPES = [torch.bfloat16, torch.float64, torch.float16, torch.float32]
PAIRS = [(case, dtype) for case in CASES for dtype in TYPES]
PAIRS.remove(("group", torch.bfloat16))  # which Relax has no operator for


@pytest.mark.parametrize(("case", "dtype"), PAIRS)
def test_norms_of_every_type(case, dtype):
    operator, oracle, weights = CASES[case]
    inputs = [part.to(dtype) for part in (X, *weights)]
    target = resolve_target("auto")
    mod = prepare(module_of(operator, inputs, str(dtype).removeprefix("torch.")), target)
    machine = relax.VirtualMachine(tvm.compile(mod, target), tvm.cpu())
    found = torch.from_dlpack(machine["main"](*map(placed, inputs)))
    assert found.dtype == dtype
    tolerance = {torch.bfloat16: 4e-2, torch.float16: 2e-2, torch.float32: 1e-5, torch.float64: 1e-12}[dtype]
    exact = oracle(*(part.double() for part in inputs))
    np.testing.assert_allclose(found.double().numpy(), exact.numpy(), atol=tolerance, rtol=tolerance)
