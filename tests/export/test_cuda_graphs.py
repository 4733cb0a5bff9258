"""A library for a GPU hands over what an inference does as a graph, recorded once; a stand-in replaces the driver."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tvm.relax import op
from tvm.s_tir.meta_schedule.database import MemoryDatabase

from cuda_compiler import needs_cuda_compiler
from graphs import graph
from pruner_engine.export import build, export_bundle
from pruner_engine.export.files import run
from pruner_engine.export.library import write_library
from pruner_engine.export.tuned import TunedModel
from pruner_engine.export.weights import write_weights
from pruner_engine.frontends import ModelFacts, load_model
from pruner_engine.frontends.model_file import ModelFile
from pruner_engine.processes.child import environment
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.task import TensorSpec
from stand_in import stand_in  # noqa: F401  a fixture

HOPPER = resolve_target("h100")
SAMPLES = Path(__file__).parents[2] / "resources" / "models"


@needs_cuda_compiler
@pytest.mark.parametrize(("name", "weights_beside"), [("small-cnn.onnx", False), ("small-transformer.pt2", True)])
def test_an_inference_is_one_graph_and_its_kernels_are_told_one_by_one(stand_in, tmp_path, name, weights_beside):  # noqa: F811
    model, folder = load_model(str(SAMPLES / name)), tmp_path / "library"
    folder.mkdir()
    prepared = prepare(model.mod, HOPPER)
    if weights_beside:
        executable, weights = build.compile_without_weights(prepared, HOPPER)
        beside = write_weights(weights, folder)
    else:
        executable, beside = build.compile_model(prepared, HOPPER), None
    write_library(executable, model, HOPPER, 1, folder, beside)
    inputs = run.random_inputs([spec.as_json() for spec in model.inputs])
    run.write_arrays(tmp_path / "in.npz", [spec.as_json() for spec in model.inputs], inputs)

    def told(*asked):
        command = [sys.executable, run.__file__, "--bundle", folder, "--inputs", tmp_path / "in.npz", "--json", *asked]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        lines = (stand_in / "log").read_text().split()
        return json.loads(done.stdout), lines.count("record"), lines.count("graph")

    _, recorded, launched = told("--bench", "--repeats", "1")
    assert recorded == 1 and launched > 1
    report, recorded, launched_in_all = told("--profile")
    assert recorded == 2 and launched_in_all == launched, "kernels are watched without graphs"
    kernels = {name for name in report["kernels"] if not name.startswith("vm.builtin")}
    known = {variable.name_hint for variable in prepared.get_global_vars()}
    assert len(kernels) > 5 and {name.removesuffix("_packed") for name in kernels} <= known
    assert run.GRAPH not in report["kernels"]
    assert not any(name.startswith("reshape") for name in kernels), "a copy of what may be a view"


# two calls, of whose results the first is then written to
APART = """
import ctypes
import sys

from run import Model, random_inputs

model = Model(sys.argv[1])
given = model.tensors(random_inputs(model.metadata["inputs"]))
first, second = model.call(given), model.call(given)
ones = model.fetch(first)[0] + 1
model._fill(first, ctypes.c_void_p(ones.ctypes.data), ones.nbytes)
print(model.fetch(first)[0].min(), model.fetch(second)[0].max())
"""


@needs_cuda_compiler
def test_a_result_that_is_a_view_of_what_a_kernel_computed_is_not_in_the_graphs_memory(stand_in, tmp_path):  # noqa: F811
    def function(x, first, second, third):
        inner = op.nn.relu(op.matmul(op.nn.relu(op.matmul(op.nn.relu(x), first)), second))
        return op.reshape(op.matmul(inner, third), (1, 3, 5))

    mod = prepare(graph(function, (3, 4), constants=[(4, 7), (7, 6), (6, 5)]), HOPPER)
    x, result = TensorSpec("x", (3, 4), "float32"), TensorSpec("y", (1, 3, 5), "float32")
    model = ModelFacts(name="m", kind="onnx", source="", file=ModelFile.of(b""), inputs=(x,), outputs=(result,))
    write_library(build.compile_model(mod, HOPPER), model, HOPPER, 1, tmp_path)
    command, around = [sys.executable, "-c", APART, tmp_path], environment(PYTHONPATH=str(Path(run.__file__).parent))
    done = subprocess.run(command, env=around, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["1.0", "0.0"], done.stderr
    assert "graph" in (stand_in / "log").read_text()


@needs_cuda_compiler
@pytest.mark.parametrize(
    ("arch", "around", "refused"),
    [
        ("sm_90a", {}, ""),
        ("sm_90", {"STAND_IN_MINOR": "3"}, ""),
        ("sm_90a", {"STAND_IN_MINOR": "3"}, "is for a GPU of sm_90a, and the first here is of sm_93"),
        ("sm_80", {}, "is for a GPU of sm_80, and the first here is of sm_90"),
        ("sm_90a", {"STAND_IN_NO_DEVICE": "1"}, "No NVIDIA GPU with a driver of CUDA 13 answers here"),
    ],
)
def test_a_gpu_that_does_not_load_the_machine_code_is_told(stand_in, tmp_path, arch, around, refused):  # noqa: F811
    target = resolve_target(json.dumps({"kind": "cuda", "arch": arch}))
    x = TensorSpec("x", (8,), "float32")
    model = ModelFacts(name="m", kind="onnx", source="", file=ModelFile.of(b""), inputs=(x,), outputs=(x,))
    folder = tmp_path / "library"
    folder.mkdir()
    write_library(build.compile_model(prepare(graph(op.nn.relu, (8,)), target), target), model, target, 1, folder)
    command = [sys.executable, run.__file__, "--bundle", folder, "--json"]
    done = subprocess.run(command, env=environment(**around), capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (not refused) and refused in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


@needs_cuda_compiler
@pytest.mark.skipif(shutil.which("make") is None or shutil.which("g++") is None, reason="no C++ compiler here")
def test_a_bundle_that_cannot_be_recorded_runs_its_kernels_one_by_one_from_cpp_too(stand_in, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("STAND_IN_WITHOUT_GRAPHS", "1")
    model, out = load_model(str(SAMPLES / "small-cnn.onnx")), tmp_path / "bundle"
    untuned = TunedModel(model, prepare(model.mod, HOPPER), HOPPER, [], MemoryDatabase(), own_threads=1)
    metadata = export_bundle(untuned, out, {}, repeats=2)
    assert metadata["latency"]["tuned"]["seconds"] and not metadata["graphs"]
    made = subprocess.run(["make", "-C", out / "cpp", "CXXFLAGS=-O0 -Wall -Werror"], capture_output=True, check=False)
    assert made.returncode == 0, made.stderr
    done = subprocess.run([out / "cpp" / "run_model", "--bench", "3"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "ms median" in done.stdout, done.stderr
    lines = (stand_in / "log").read_text().split()
    assert "memory" in lines and "graph" not in lines
