"""Keys and values that heads share are multiplied where they lie, and what is computed stays the same."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch
import tvm
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn import functional
from tvm import relax
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.graph import operator_of
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.shared_heads import heads_together

GROUPS, TIMES, KEYS, WIDTH = 2, 3, 7, 4
TARGET = resolve_target("auto")


def emit(value: relax.Expr) -> relax.Expr:
    return relax.BlockBuilder.current().emit(value)


def repeated(x: relax.Expr, axis: int = 2) -> relax.Expr:
    """For each head of a group, [batch, head, key, width]."""
    wide = [2, GROUPS, KEYS, WIDTH]
    wide.insert(axis, TIMES)
    return emit(
        op.reshape(emit(op.broadcast_to(emit(op.expand_dims(x, axis)), wide)), (2, GROUPS * TIMES, KEYS, WIDTH))
    )


def turned(x: relax.Expr) -> relax.Expr:
    return emit(op.permute_dims(x, [0, 1, 3, 2]))


def flat(x: relax.Expr, *matrix: int) -> relax.Expr:
    return emit(op.reshape(x, (2 * GROUPS * TIMES, *matrix)))


def scores(q: relax.Expr, k: relax.Expr) -> relax.Expr:
    return emit(op.matmul(q, turned(repeated(k))))


HALF, MASK = relax.const(0.5), relax.const(np.arange(7, dtype="float32").reshape(1, 1, 1, 7))
TOGETHER = {  # of queries of so many rows
    "scores of a step behind a mask": (1, lambda q, k: op.add(scores(q, k), MASK)),
    "scores of several rows": (5, lambda q, k: op.nn.softmax(emit(op.multiply(scores(q, k), HALF)))),
    "scaled keys": (5, lambda q, k: op.matmul(q, emit(op.multiply(turned(repeated(k)), HALF)))),
    "without batches": (5, lambda q, k: op.matmul(flat(q, 5, 4), flat(turned(repeated(k)), 4, 7))),
    "values": (5, lambda q, k: op.matmul(scores(q, k), repeated(k))),
}
LEFT = {
    "scores of several rows behind a mask": (5, lambda q, k: op.add(scores(q, k), MASK)),
    "in another order of heads": (1, lambda q, k: op.matmul(q, turned(repeated(k, 1)))),
    "keys turned with their heads": (
        1,
        lambda q, k: op.matmul(
            q, emit(op.permute_dims(emit(op.reshape(repeated(k), (2, WIDTH, KEYS, GROUPS * TIMES))), [0, 3, 1, 2]))
        ),
    ),
    "scaled one by one": (5, lambda q, k: op.matmul(q, emit(op.multiply(turned(repeated(k)), MASK)))),
}


def operators(mod: tvm.IRModule) -> list[str]:
    found: list[str] = []
    relax.analysis.post_order_visit(mod["main"], lambda node: found.append(operator_of(node)))
    return found


def both(rows: int, function) -> tuple[tvm.IRModule, tvm.IRModule]:
    """A graph as it was and rewritten, which compute the same."""
    shapes = (2, GROUPS * TIMES, rows, WIDTH), (2, GROUPS, KEYS, WIDTH)
    mod = graph(function, *shapes)
    made = heads_together(mod)
    rng = np.random.default_rng(2)
    inputs = [tvm.runtime.tensor(rng.standard_normal(shape).astype("float32")) for shape in shapes]
    before, after = (machine_of(each)["main"](*inputs).numpy() for each in (mod, made))
    np.testing.assert_allclose(after, before, 1e-5, 1e-5)
    return mod, made


@pytest.mark.parametrize("name", TOGETHER)
def test_nothing_is_repeated(name):
    mod, made = both(*TOGETHER[name])
    assert "relax.broadcast_to" in operators(mod)
    assert "relax.broadcast_to" not in operators(made)


@pytest.mark.parametrize("name", LEFT)
def test_what_is_no_repetition_of_heads_is_left(name):
    mod, made = both(*LEFT[name])
    assert operators(made).count("relax.broadcast_to") == operators(mod).count("relax.broadcast_to")


class Step(nn.Module):
    """A query of eight heads, and a cache of two."""

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)


def test_a_step_of_a_language_model_repeats_no_cache(tmp_path):
    path = tmp_path / "model.pt2"
    inputs = torch.randn(1, 8, 1, 16), torch.randn(1, 2, 24, 16), torch.randn(1, 2, 24, 16), torch.randn(1, 1, 1, 24)
    torch.export.save(torch.export.export(Step().eval(), inputs), path)
    prepared = prepare(load_model(str(path)).mod, TARGET)
    names = [variable.name_hint for variable in prepared.functions]
    assert not any("broadcast" in name for name in names)
    assert any("matmul_add" in name for name in names)  # the mask follows the product
    made = machine_of(prepared, TARGET)["main"](*(tvm.runtime.tensor(x.numpy()) for x in inputs)).numpy()
    np.testing.assert_allclose(made, Step()(*inputs).numpy(), 1e-4, 1e-5)


def test_a_step_that_repeats_its_cache_by_tiles_repeats_none(tmp_path):
    """As PyTorch's older exporter of ONNX files writes `repeat_interleave`."""
    shapes = {"q": [1, 8, 1, 16], "k": [1, 2, 1, 24, 16], "y": [1, 8, 1, 24]}
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    numbers = {"times": [1, 1, 4, 1, 1], "heads": [1, 8, 24, 16]}
    nodes = [
        helper.make_node("Tile", ["k", "times"], ["many"]),
        helper.make_node("Reshape", ["many", "heads"], ["each"]),
        helper.make_node("Transpose", ["each"], ["turned"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "turned"], ["y"]),
    ]
    known = [numpy_helper.from_array(np.array(value), name) for name, value in numbers.items()]
    graph_of_step = helper.make_graph(nodes, "step", ends[:2], ends[2:], known)
    model = helper.make_model(graph_of_step, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "step.onnx")
    prepared = prepare(load_model(str(tmp_path / "step.onnx")).mod, TARGET)
    names = [variable.name_hint for variable in prepared.functions]
    assert not any("tile" in name or "broadcast" in name for name in names)
    rng = np.random.default_rng(0)
    q, k = (rng.standard_normal(shapes[name]).astype("float32") for name in "qk")
    made = machine_of(prepared, TARGET)["main"](tvm.runtime.tensor(q), tvm.runtime.tensor(k)).numpy()
    np.testing.assert_allclose(made, q @ np.repeat(k[:, :, 0], 4, axis=1).swapaxes(-1, -2), 1e-4, 1e-5)
