"""The libraries that people use, on the same inputs."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import subprocess
import sys
import time
import weakref

import numpy as np
import onnxruntime
import psutil
import pytest
import torch

from models import write_pt2
from pruner_engine.export import script
from pruner_engine.export.baselines import Reference, example_inputs, request_of, time_reference, time_untuned
from pruner_engine.export.check import compare, tolerance
from pruner_engine.export.contents import FILES
from pruner_engine.export.files import run
from pruner_engine.frontends import load_model
from pruner_engine.frontends.model_file import ModelFile
from pruner_engine.frontends.precision import in_precision
from pruner_engine.processes.child import environment
from pruner_engine.tasks.prepare import prepare
from schedules import CPU


def test_onnxruntime_runs_onnx_files(work):
    timing = time_reference("onnxruntime", work.model, example_inputs(work.model), 2, repeats=3)
    assert len(timing.repeats) == 3 and timing.seconds > 0 and timing.threads == 2
    assert [output.shape for output in timing.outputs] == [(1, 10), (1, 10)]


def test_torch_and_onnxruntime_run_exported_programs_and_agree(tmp_path):
    model = load_model(str(write_pt2(tmp_path / "perceptron.pt2")))
    inputs = example_inputs(model)
    torch = time_reference("torch", model, inputs, 1, repeats=2)
    untuned = time_untuned(model, prepare(model.mod, CPU), CPU, inputs, 1, repeats=2)
    converted = time_reference("onnxruntime", model, inputs, 1, repeats=2, folder=tmp_path)
    assert torch.seconds and untuned.seconds and converted.seconds, converted.note
    assert compare("torch", torch.outputs, untuned.outputs, depth=4).ok
    assert compare("onnxruntime", converted.outputs, untuned.outputs, depth=4).ok
    (kept,) = tmp_path.glob("*.onnx")
    kept.write_bytes(b"no model")
    again = time_reference("onnxruntime", model, inputs, 1, repeats=2, folder=tmp_path)
    assert again.note.startswith("It failed:"), "it is converted once"


@pytest.fixture
def reference(monkeypatch):
    """The script that runs the libraries; it imports what lies beside it by its bare name."""
    monkeypatch.syspath_prepend(str(FILES))
    yield importlib.import_module("reference")
    for name in ("reference", "run", "operators"):
        sys.modules.pop(name, None)


def test_what_onnxruntime_reads_is_kept_as_long_as_it_may_be_run(reference, work, tmp_path):
    """It reads arrays where they are: freed, they would hold something else by the time it does."""
    file, arrays = tmp_path / "model.onnx", example_inputs(work.model)
    file.write_bytes(work.model.file.content())
    read = [weakref.ref(array) for array in arrays]
    call, _, _ = reference.onnxruntime_call({"threads": 1, "device": "cpu", "dtype": "float32"}, str(file), arrays)
    del arrays
    gc.collect()
    call()
    assert all(array() is not None for array in read)


@pytest.fixture
def in_torch(reference, tmp_path, monkeypatch):
    """What computes a model's outputs in eager PyTorch, with the script's own code in this process."""
    threads = torch.get_num_threads()
    # without the operators of other libraries, which a process can register once
    monkeypatch.setattr(reference, "_exported", torch.export.load)

    def outputs(model, inputs):
        given, made = tmp_path / "given.pt2", tmp_path / "made.npz"
        given.write_bytes(model.file.content())
        request = request_of("torch", model, given, 1, 1, "cpu")
        call, fetch, _ = reference.torch_call(request, reference.torch_program(request), inputs)
        call()
        run.write_arrays(made, request["output_specs"], fetch())
        return run.read_arrays(made, request["output_specs"])

    yield outputs
    torch.set_num_threads(threads)


class Odd(torch.nn.Module):
    """Takes inputs by name and what is no tensor, and gives outputs by name and what is none."""

    def forward(self, x, none=None, *, mask, twice: bool = False):
        return {"masked": x * mask, "nothing": None, "more": 2 * (x + mask) if twice else x, "number": 3}


def test_programs_are_called_as_they_were_exported(tmp_path, in_torch):
    given = {"mask": torch.ones(4, 3), "twice": True}
    torch.export.save(torch.export.export(Odd(), (torch.randn(4, 3), None), given), tmp_path / "odd.pt2")
    model = load_model(str(tmp_path / "odd.pt2"))
    inputs = example_inputs(model)
    masked, more = in_torch(model, inputs)
    np.testing.assert_allclose(masked, inputs[0] * inputs[1], rtol=1e-6)
    np.testing.assert_allclose(more, 2 * (inputs[0] + inputs[1]), rtol=1e-6)


def test_programs_of_bfloat16_are_held_against_pytorch(tmp_path, in_torch):
    module = torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.ReLU()).bfloat16().eval()
    torch.export.save(torch.export.export(module, (torch.randn(4, 32).bfloat16(),)), tmp_path / "brain.pt2")
    model = load_model(str(tmp_path / "brain.pt2"))
    inputs = example_inputs(model)
    untuned = time_untuned(model, prepare(model.mod, CPU), CPU, inputs, 1, repeats=1)
    found = compare("torch", in_torch(model, inputs), untuned.outputs, depth=4)
    assert found.ok, found.message


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_pytorch_in_a_small_type_has_the_outputs_of_the_model(tmp_path, in_torch, dtype):
    """Its last product leaves outputs in that type: an odd number of halves cannot be taken for float32 in silence."""
    model = in_precision(load_model(str(write_pt2(tmp_path / "perceptron.pt2", outputs=7))), dtype)
    inputs = example_inputs(model)
    outputs = in_torch(model, inputs)
    untuned = time_untuned(model, prepare(model.mod, CPU), CPU, inputs, 1, repeats=1)
    assert [(out.shape, out.dtype) for out in outputs] == [((4, 7), np.float32)]
    found = compare("torch", outputs, untuned.outputs, depth=4, dtype=dtype)
    assert found.ok, found.message


def test_arrays_are_read_in_the_type_that_they_should_have(tmp_path):
    import ml_dtypes

    halves = np.arange(7, dtype=np.float16)
    brain = halves.astype(ml_dtypes.bfloat16)
    np.savez(tmp_path / "arrays.npz", halves=halves, brain=brain, whole=halves)
    specs = [{"name": n, "dtype": d} for n, d in (("halves", "float32"), ("brain", "bfloat16"), ("whole", "bfloat16"))]
    read = run.read_arrays(tmp_path / "arrays.npz", specs)
    assert [array.dtype for array in read] == [np.float32, ml_dtypes.bfloat16, ml_dtypes.bfloat16]
    assert all((array.astype(np.float16) == halves).all() for array in read)


REQUEST = {"kind": "workload", "name": "matmul:8,8,8", "model": "m.onnx", "library": "torch", "threads": 1}


@pytest.mark.parametrize(("dtype", "allowed"), [("float32", False), ("float16", True)])
def test_float32_is_not_held_against_tensor_float32(reference, monkeypatch, dtype, allowed):
    request = {**REQUEST, "device": "cpu", "dtype": dtype}
    flags = torch.backends.cudnn, torch.backends.cuda.matmul
    before, threads = [flag.allow_tf32 for flag in flags], torch.get_num_threads()
    try:
        reference.torch_call(request, reference.torch_program(request), [])
        assert [flag.allow_tf32 for flag in flags] == [allowed, allowed]
    finally:
        torch.set_num_threads(threads)
        for flag, value in zip(flags, before, strict=True):
            flag.allow_tf32 = value

    class Opened(Exception):
        pass

    def session(path, options, providers):
        raise Opened(providers)

    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CUDAExecutionProvider"])
    with pytest.raises(Opened) as opened:
        reference.onnxruntime_call({**request, "kind": "onnx", "device": "cuda"}, "m.onnx", [])
    assert opened.value.args[0] == [("CUDAExecutionProvider", {"use_tf32": str(int(allowed))})]


def test_what_a_library_prints_is_not_taken_for_the_result():
    code = "import os, reference; t = reference._own_stdout(); os.write(1, b'noise'); print('more'); t.write('{}')"
    env = environment() | {"PYTHONPATH": str(FILES)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "{}" and "noise" in done.stderr and "more" in done.stderr


def test_what_is_no_result_is_a_sentence(work, tmp_path, monkeypatch):
    (tmp_path / "reference.py").write_text("print('Hello from a library')")
    monkeypatch.setattr(script, "FILES", tmp_path)
    timing = time_reference("onnxruntime", work.model, example_inputs(work.model), 1)
    assert timing.note == "It printed what is no result: Hello from a library"


LOADED = """
import json, pathlib, sys
here = pathlib.Path(__file__).parent
json.loads(sys.stdin.readline())
(here / "loaded").touch()
print(flush=True)
sys.stdin.readline()
(here / "timed").touch()
print(json.dumps({"repeats": [0.5], "version": "1"}))
"""


@pytest.fixture
def scripted(tmp_path, monkeypatch):
    """A library whose script is this text."""
    monkeypatch.setattr(script, "FILES", tmp_path)

    def reference(text: str) -> Reference:
        (tmp_path / "reference.py").write_text(text)
        model = load_model("matmul:8,8,8")
        return Reference("torch", model, example_inputs(model), 1, kinds=["workload"])

    return reference


def test_a_library_loads_beside_others_and_is_alone_when_it_times(scripted, tmp_path):
    with scripted(LOADED) as library:
        assert not (tmp_path / "loaded").exists(), "nobody has asked it to begin"
        library.begin()
        library.settle()
        assert (tmp_path / "loaded").exists() and not (tmp_path / "timed").exists()
        with contextlib.suppress(FileNotFoundError):  # the outputs: this one computes none
            library.timing()
        assert (tmp_path / "timed").exists()


def test_a_library_that_is_not_wanted_any_more_ends(scripted, tmp_path):
    with scripted(LOADED) as library:
        library.begin()
        library.settle()
        (child,) = (c for c in psutil.Process().children() if str(tmp_path) in " ".join(c.cmdline()))
    assert not child.is_running() and not (tmp_path / "timed").exists()


def test_one_that_does_not_finish_loading_is_ended_and_costs_itself_only(scripted, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "TIMEOUT_S", 0.2)
    with scripted("import time; time.sleep(600)") as library:
        library.begin()
        library.settle()
        assert not [c for c in psutil.Process().children() if str(tmp_path) in " ".join(c.cmdline())]
        assert library.timing().note == "It did not finish within 0.2 s."


def test_who_waits_for_a_library_may_leave(scripted):
    class Left(Exception):
        pass

    def look():
        raise Left

    with scripted("import time; time.sleep(600)") as library:
        library.begin()
        for waiting in (library.settle, library.timing):
            with pytest.raises(Left):
                waiting(look)


def test_a_library_ends_with_the_engine_that_started_it(tmp_path):
    (tmp_path / "sleep.py").write_text(
        "import os, pathlib, time\n"
        "half = pathlib.Path(__file__).with_name('half')\n"
        "half.write_text(str(os.getpid()))\n"
        "half.rename(half.with_name('pid'))\n"
        "time.sleep(60)"
    )
    code = (
        "import pathlib, types; from pruner_engine.export import script\n"
        f"script.FILES = pathlib.Path({str(tmp_path)!r})\n"
        "script.Script(['sleep.py'], '', types.SimpleNamespace(inputs=[], outputs=[]), [], 1).outcome()"
    )
    engine = subprocess.Popen([sys.executable, "-c", code], env=environment())
    try:
        while not (tmp_path / "pid").exists():
            assert engine.poll() is None
            time.sleep(0.05)
        child = psutil.Process(int((tmp_path / "pid").read_text()))
    finally:
        engine.kill()
        engine.wait()
    deadline = time.monotonic() + 10
    with contextlib.suppress(psutil.NoSuchProcess):
        while child.status() != psutil.STATUS_ZOMBIE:  # nobody may be there to reap it
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_model_of_another_kind_has_no_latency_and_says_why(work):
    timing = time_reference("torch", work.model, example_inputs(work.model), 2)
    assert timing.seconds is None and timing.note == "runs pt2 files only"


def test_a_library_that_fails_costs_itself_only(work, tmp_path):
    from dataclasses import replace

    broken = replace(work.model, file=ModelFile.of(b"not a model"))
    timing = time_reference("onnxruntime", broken, example_inputs(work.model), 2)
    assert timing.seconds is None and timing.note.startswith("It failed:")


@pytest.fixture
def values():
    return np.random.default_rng(0).standard_normal((4, 100)).astype(np.float32)


def test_rounding_agrees_and_errors_do_not(values):
    assert compare("x", [values], [values * (1 + 1e-6)], depth=1).ok
    wrong = values.copy()
    wrong[2, 3] += 0.01
    found = compare("x", [values], [wrong], depth=10)
    assert not found.ok and "output 0 differs" in found.message
    assert found.error == pytest.approx(0.01 / np.abs(values).max(), rel=1e-4)


def test_agreement_on_constants_says_little(values):
    assert compare("x", [values], [values], depth=1).message == ""
    found = compare("x", [np.ones((2, 5))], [np.ones((2, 5))], depth=1)
    assert found.ok and "constant" in found.message


def test_nan_and_infinity_must_be_in_the_same_places(values):
    values[0, 0], values[0, 1] = np.nan, np.inf
    assert compare("x", [values], [values.copy()], depth=1).ok
    for change in ((0, 0), (1, 1)):
        other = values.copy()
        other[change] = np.inf
        assert not compare("x", [values], [other], depth=1).ok


def test_whole_numbers_must_be_equal():
    labels = np.arange(10)
    assert compare("x", [labels], [labels.copy()], depth=100).ok
    assert not compare("x", [labels], [labels + 1], depth=100).ok


def test_a_few_whole_numbers_may_go_either_way():
    labels = np.random.default_rng(0).integers(0, 20, (64, 64))
    other = labels.copy()
    other.flat[[5, 77]] = (labels.flat[[5, 77]] + 7) % 20
    found = compare("x", [labels, labels > 9], [other, other > 9], depth=4)
    assert found.ok and "whole numbers of output" in found.message
    assert "2 of 4096" in compare("x", [labels], [other], depth=4).message
    other.flat[::100] += 1
    assert not compare("x", [labels], [other], depth=4).ok


def test_small_shares_of_a_whole_agree_as_far_as_the_whole_is_exact():
    """A runtime's sigmoid may add a half to what it computes, and is in steps of 6e-8 then."""
    small = np.array([3e-5, 1e-7, 2e-6], "float32")
    rough = small + np.array([6e-8, -6e-8, 0], "float32")
    assert not compare("x", [small], [rough], depth=1).ok
    assert compare("x", [small], [rough], depth=1, shares=[True]).ok
    assert not compare("x", [small], [small * 1.2], depth=1, shares=[True]).ok
    assert not compare("x", [small, small], [small, rough], depth=1, shares=[True, False]).ok


def test_one_number_is_not_called_constant():
    assert compare("x", [np.array([[0.7]])], [np.array([[0.7]])], depth=1).message == ""
    signs = np.array([True, False])
    assert compare("x", [signs], [signs], depth=1).message == ""
    assert "constant" in compare("x", [signs | True], [signs | True], depth=1).message


def test_what_has_other_places_of_infinity_is_plain_json():
    values = np.arange(4.0)
    found = compare("x", [values], [np.where(values == 2, np.inf, values)], depth=1)
    assert not found.ok and found.as_json()["error"] is None
    json.dumps(found.as_json(), allow_nan=False)


def test_another_shape_is_no_agreement(values):
    assert not compare("x", [values], [values[:2]], depth=1).ok
    assert not compare("x", [values], [values, values], depth=1).ok


def test_tolerance_grows_with_depth_and_ends():
    single, half = np.dtype(np.float32), np.dtype(np.float16)
    assert tolerance(single, 1) < tolerance(single, 50) < 1e-3
    assert tolerance(half, 1) == pytest.approx(0.03125)
    assert tolerance(half, 500) == 0.05
