"""Tasks: distinct, named the same at every run, with shapes, work and weight."""

import functools
import json
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from tvm.s_tir import meta_schedule as ms

from pruner_engine.frontends import load_model
from pruner_engine.processes.child import environment
from pruner_engine.resources import resource_dir
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

CNN = str(resource_dir() / "models" / "small-cnn.onnx")
LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"


@pytest.fixture(scope="module")
def target():
    return resolve_target("auto")


@pytest.fixture(scope="module")
def tasks_of(target):
    return functools.cache(
        lambda source, *without: extract_tasks(prepare(load_model(source).mod, target, without), target)
    )


OPERATORS = {
    "matmul:32,48,64": ("matmul", 2 * 32 * 48 * 64),
    "bmm:2,32,48,64": ("matmul", 2 * 2 * 32 * 48 * 64),
    "dense:32,48,64": ("matmul", 2 * 32 * 48 * 64 + 32 * 48),
    "conv1d:1,8,32,16,3": ("conv1d", 2 * 32 * 16 * 8 * 3),
    "conv2d:1,8,14,14,16,3": ("conv2d", 2 * 14 * 14 * 16 * 8 * 9),
    "conv2d:1,8,14,14,16,3,groups=2": ("group_conv2d", 2 * 14 * 14 * 16 * 4 * 9),
    "conv2d:1,8,14,14,16,3,groups=2,layout=NHWC": ("group_conv2d", 2 * 14 * 14 * 16 * 4 * 9),
    "conv3d:1,4,6,6,6,8,3": ("conv3d", 2 * 6**3 * 8 * 4 * 27),
    "depthwise:1,16,14,14,3": ("depthwise_conv2d", 2 * 14 * 14 * 16 * 9),
    "depthwise:1,16,14,14,1": ("depthwise_conv2d", 2 * 14 * 14 * 16),
    "depthwise:1,16,14,14,3,layout=NHWC": ("depthwise_conv2d", 2 * 14 * 14 * 16 * 9),
    "deconv2d:1,4,8,8,2,3": ("conv2d_transpose", None),
    "maxpool:1,16,14,14,2": ("pool", None),
    "softmax:32,64": ("softmax", None),
    "layernorm:32,64": ("normalization", None),
    "sum:32,64": ("reduce", 32 * 64),
    "relu:32,64": ("elementwise", 32 * 64),
    "gelu:32,64": ("elementwise", None),
}


@pytest.mark.parametrize("text", OPERATORS)
def test_operator_class_and_work(tasks_of, text):
    (task,) = tasks_of(text)
    operator, flops = OPERATORS[text]
    assert task.op == operator and task.weight == 1
    assert task.flops == flops if flops else task.flops > 0
    model = load_model(text)
    assert [(a.shape, a.dtype) for a in task.args] == [(t.shape, t.dtype) for t in (*model.inputs, *model.outputs)]


def test_names_tell_the_operator_and_are_unique(tasks_of):
    tasks = tasks_of(CNN, "winograd")
    assert len({task.name for task in tasks}) == len({task.hash for task in tasks}) == len(tasks) == 11
    assert {task.op for task in tasks} >= {"conv2d", "depthwise_conv2d", "matmul", "pool", "softmax", "reduce"}
    assert all(task.name.endswith(task.hash[:6]) for task in tasks)
    assert any(task.name.startswith("depthwise_conv2d_add_") for task in tasks)
    assert [t.flops * t.weight for t in tasks] == sorted((t.flops * t.weight for t in tasks), reverse=True)


def test_names_and_hashes_are_the_same_in_another_process(tasks_of):
    code = (
        "import json, sys; from pruner_engine.tvm_import import import_tvm; import_tvm();"
        "from pruner_engine.frontends import load_model; from pruner_engine.targets.target import resolve_target;"
        "from pruner_engine.tasks.extract import extract_tasks; from pruner_engine.tasks.prepare import prepare;"
        "t = resolve_target('auto'); m = load_model(sys.argv[1]);"
        "print(json.dumps([(k.name, k.hash) for k in extract_tasks(prepare(m.mod, t), t)]))"
    )
    command = [sys.executable, "-c", code, CNN]
    told = subprocess.run(command, env=environment(PYTHONHASHSEED="5"), capture_output=True, text=True, check=True)
    assert json.loads(told.stdout) == [[task.name, task.hash] for task in tasks_of(CNN)]


def test_weights_count_the_calls(tasks_of):
    """ResNet-50 has 53 convolutions; equal ones share a task."""
    tasks = tasks_of(str(LIGHT / "light_resnet50.onnx"), "winograd")
    assert sum(t.weight for t in tasks if t.op == "conv2d") == 53
    assert len([t for t in tasks if t.op == "conv2d"]) < 30
    assert 7e9 < sum(t.flops * t.weight for t in tasks) < 9e9


def test_winograd_takes_some_convolutions_and_saves_operations(tasks_of):
    resnet = str(LIGHT / "light_resnet50.onnx")
    direct, winograd = tasks_of(resnet, "winograd"), tasks_of(resnet)
    kept = [sum(t.weight for t in tasks if t.op == "conv2d") for tasks in (direct, winograd)]
    # a product and two transforms for each; of 16 convolutions of 3 x 3 three have a stride
    assert 0 < kept[0] - kept[1] <= 13
    assert sum(t.flops * t.weight for t in winograd) < 0.9 * sum(t.flops * t.weight for t in direct)


def test_every_task_has_a_design_space(tasks_of, target):
    for task in tasks_of(CNN):
        context = ms.TuneContext(
            task.mod, target=target, space_generator="post-order-apply", rand_state=1, num_threads=1
        )
        assert context.generate_design_space()


def test_kernels_that_only_rename_a_shape_are_left_out(tasks_of):
    transformer = tasks_of(str(resource_dir() / "models" / "small-transformer.pt2"))
    assert not [task.name for task in transformer if task.name.rsplit("_", 1)[0] == "reshape"]


@pytest.mark.parametrize("kind", ["h100", "t4"])
def test_the_same_model_for_a_gpu(tasks_of, kind):
    target = resolve_target(kind)
    tasks = extract_tasks(prepare(load_model(CNN).mod, target), target)
    on_the_cpu = tasks_of(CNN, "winograd")
    assert sorted(t.op for t in tasks) == sorted(t.op for t in on_the_cpu)
    # what a CPU's registers have made wider is another kernel there
    alike = {t.hash for t in tasks} & {t.hash for t in on_the_cpu}
    assert len(tasks) - len(alike) <= 1


def test_kernels_of_shapes_that_are_not_known_are_left_out(tmp_path, target):
    """What is found in an image decides how many numbers come after it; the kernels before are tuned."""
    nodes = [
        onnx.helper.make_node("Relu", ["x"], ["positive"]),
        onnx.helper.make_node("NonZero", ["positive"], ["where"]),
        onnx.helper.make_node("Gather", ["positive", "where"], ["found"]),
        onnx.helper.make_node("ReduceSum", ["found"], ["sum"], keepdims=0),
    ]
    tensors = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s) for n, s in (("x", [8]), ("sum", []))]
    graph = onnx.helper.make_graph(nodes, "found", tensors[:1], tensors[1:])
    file = tmp_path / "found.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), file)
    tasks = extract_tasks(prepare(load_model(str(file)).mod, target), target)
    assert "relu" in {task.name.rsplit("_", 1)[0] for task in tasks}
    assert all(spec.shape is not None for task in tasks for spec in task.args)
