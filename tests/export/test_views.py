"""A single result that is another shape of what a kernel computed is no copy of it."""

import numpy as np
import pytest
import tvm
from tvm import relax

from cuda_compiler import needs_cuda_compiler
from pruner_engine.export.build import compile_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

LLVM, HOPPER = tvm.target.Target("llvm"), resolve_target("h100")
X = np.arange(12, dtype="f").reshape(3, 4)


def program_of(compute, target):
    """A model of one tensor, prepared and compiled."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType(X.shape, "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            result = builder.emit_output(compute(builder, x))
        builder.emit_func_output(result)
    return compile_model(prepare(builder.get(), target), target)


def doubled(builder, x):
    return builder.emit(relax.op.nn.relu(relax.op.add(x, x)))


def product(builder, x):
    return builder.emit(relax.op.matmul(doubled(builder, x), relax.const(np.ones((4, 5), "f"))))


CASES = {
    "of a kernel": (
        lambda b, x: relax.op.reshape(product(b, x), (1, 3, 5)),
        2 * X.sum(1).repeat(5).reshape(1, 3, 5),
        0,
    ),
    "of the input": (lambda b, x: relax.op.reshape(x, (1, 12)), X.reshape(1, 12), 1),
}


@pytest.mark.parametrize("target", [LLVM, pytest.param(HOPPER, marks=needs_cuda_compiler)], ids=["cpu", "gpu"])
@pytest.mark.parametrize("case", CASES)
def test_only_a_shape_of_the_input_is_a_copy(case, target):
    """The input is the caller's, who may write to it afterwards."""
    compute, _, copies = CASES[case]
    lines = map(str.split, program_of(compute, target).as_text().splitlines())
    assert sum(line[:1] == ["call"] and line[1].startswith("reshape") for line in lines) == copies


@pytest.mark.parametrize("case", CASES)
def test_no_call_writes_over_what_another_returned(case):
    compute, want, _ = CASES[case]
    run = relax.VirtualMachine(program_of(compute, LLVM), tvm.cpu())["main"]
    given = tvm.runtime.tensor(X)
    first, second = run(given), run(tvm.runtime.tensor(X + 1))
    given.copyfrom(np.zeros_like(X))
    np.testing.assert_allclose(first.numpy(), want)  # neither the second call nor the caller has written over it
    assert np.all(second.numpy() > want)
