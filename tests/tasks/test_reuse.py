"""How much else an inference touches before it comes back to an argument of a kernel."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import relax, topi

from pruner_engine.frontends import load_model
from pruner_engine.resources import resource_dir
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks, kernel_hashes
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.reuse import reuse_distances

CNN = str(resource_dir() / "models" / "small-cnn.onnx")
KB = 1 << 10
ROW = 64 * KB  # of a tensor; weights have several


def tensor(rows: int) -> relax.Expr:
    return relax.const(np.zeros((rows, 16, KB), np.float32))


def network(body, shape=(1, 16, KB)) -> tvm.IRModule:
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType(shape, "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            out = builder.emit_output(body(builder, x))
        builder.emit_func_output(out)
    return builder.get()


def add(data, weight):
    """A sum with all rows of a weight."""
    return topi.add(data, topi.sum(weight, 0, keepdims=True))


def chain(builder, x, *rows):
    for count in rows:
        x = builder.emit_te(add, x, tensor(count), primfunc_name_hint=f"add_{count}")
    return x


def test_a_weight_comes_back_after_all_else_and_a_result_at_once():
    """Three sums: the input and their weights of 2, 3 and 4 rows, and three results of one."""
    found = reuse_distances(network(lambda builder, x: chain(builder, x, 2, 3, 4)))
    rows = {name: [bytes_ / ROW for bytes_ in distances] for name, distances in found.items()}
    all_rows = 1 + 2 + 3 + 4 + 3
    assert rows["add_2"][0] == rows["add_2"][1] == all_rows - 1 - 2, "all but what only the first reads"
    assert rows["add_3"][:2] == [0, all_rows - 3], "its predecessor has just written what comes in"
    assert rows["add_4"][:2] == [0, all_rows - 4 - 1], "nothing else touches what goes out"
    assert rows["add_2"][2] == 1 + 4 + 1, "its result was read by the second: since then the third was called"


def test_memory_that_several_results_share_was_touched_by_the_last_of_them():
    """The third result is where the first was, once that is no more needed."""
    found = reuse_distances(network(lambda builder, x: chain(builder, x, 2, 3, 4, 5)))
    assert found["add_4"][2] == 0, "the kernel before has read there"


def test_of_several_calls_it_is_the_mean():
    once = reuse_distances(network(lambda builder, x: chain(builder, x, 2, 2)))
    assert list(once) == ["add_2"]
    weights = reuse_distances(network(lambda builder, x: chain(builder, x, 2)))["add_2"][1]
    assert weights == 0, "called again and again, a kernel has what it had"
    assert once["add_2"][0] == (0 + (1 + 2 + 1) * ROW) // 2, "between two inferences the second call was made"


def test_another_view_of_a_tensor_is_the_same_memory():
    def body(builder, x):
        wide = builder.emit(relax.op.reshape(builder.emit_te(add, x, tensor(2)), (1, 4, 4 * KB)))
        return builder.emit_te(topi.nn.relu, wide)

    assert reuse_distances(network(body))["relu"][0] == 0


def test_what_is_known_only_when_it_runs_has_none():
    found = reuse_distances(
        network(lambda builder, x: builder.emit_te(topi.nn.relu, x), (tvm.tirx.Var("n", "int64"), 4))
    )
    assert found == {}


def test_large_models_are_followed_in_larger_pieces(monkeypatch):
    mod = network(lambda builder, x: chain(builder, x, 2, 3, 4))
    exact = reuse_distances(mod)
    monkeypatch.setattr("pruner_engine.tasks.reuse._MOST_PAGES", 4)
    rough = reuse_distances(mod)
    assert rough["add_3"][0] == 0 and rough["add_3"][1] == exact["add_3"][1]


def test_each_task_has_those_of_its_arguments():
    target = resolve_target("auto")
    prepared = prepare(load_model(CNN).mod, target)
    tasks = extract_tasks(prepared, target)
    assert {task.hash for task in tasks} <= set(kernel_hashes(prepared).values())
    assert all(len(task.reuse) == len(task.args) for task in tasks)
    (first,) = (task for task in tasks if task.op == "conv2d" and task.args[0].shape[-1] == 3)
    assert first.reuse[1] > first.reuse[0] == 0 or first.reuse[0] > 0


@pytest.mark.parametrize("target", ["h100", "raspberry-pi-4"])
def test_only_processors_have_any(target):
    target = resolve_target(target)
    (task,) = extract_tasks(prepare(load_model("matmul:64,64,64").mod, target), target)
    assert task.reuse == (() if target.kind.name == "cuda" else (0, 0, 0))
