"""Concatenations of very many equal parts become kernels of some parts each, which compute none of them."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import relax
from tvm.relax import op

from graphs import emitted
from machines import machine_of
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare


def steps(many: int, axis: int):
    """As of a recurrent layer: a part is what changes the one before."""

    def build(builder: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
        parts = []
        for _ in range(many):
            x = builder.emit(op.tanh(op.multiply(x, relax.const(1.5, "float32"))))
            parts.append(x)
        return op.concat(parts, axis)

    return build


def assert_computed(prepared: tvm.IRModule, many: int, axis: int) -> None:
    shape = tuple(int(n) for n in prepared["main"].params[0].ty.shape)
    x = np.random.default_rng(0).standard_normal(shape).astype("float32")
    parts = [x]
    for _ in range(many):
        parts.append(np.tanh(parts[-1] * np.float32(1.5)))
    found = machine_of(prepared)["main"](tvm.runtime.tensor(x)).numpy()
    np.testing.assert_allclose(found, np.concatenate(parts[1:], axis), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("many", "axis", "kernels"), [(40, 0, {10, 4}), (40, 1, {10, 4}), (41, 0, {13, 14, 3})])
def test_no_kernel_reads_many_parts(many, axis, kernels):
    target = resolve_target("llvm")
    prepared = prepare(emitted((2, 3), steps(many, axis)), target)
    joins = [task for task in extract_tasks(prepared, target) if task.op == "data movement"]
    assert {len(task.args) - 1 for task in joins} == kernels
    assert all(task.name.startswith("concatenate") for task in joins)
    assert_computed(prepared, many, axis)


def test_more_than_a_group_of_groups():
    assert_computed(prepare(emitted((1, 2), steps(300, 0)), resolve_target("llvm")), 300, 0)


def test_few_parts_are_computed_where_they_are_joined():
    target = resolve_target("llvm")

    def pair(_b: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
        return op.concat([op.tanh(x), op.negative(x)], 0)

    (task,) = extract_tasks(prepare(emitted((2, 3), pair), target), target)
    assert len(task.args) == 2
