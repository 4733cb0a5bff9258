"""The libraries that people use, on the same inputs."""

from __future__ import annotations

import numpy as np
import pytest
from models import write_pt2

from pruner_engine.export.baselines import example_inputs, time_onnxruntime, time_torch, time_untuned
from pruner_engine.export.check import compare, tolerance
from pruner_engine.frontends import load_model
from pruner_engine.tasks.prepare import prepare
from schedules import CPU


def test_onnxruntime_runs_onnx_files(work):
    timing = time_onnxruntime(work.model, example_inputs(work.model), 2, repeats=3)
    assert len(timing.repeats) == 3 and timing.seconds > 0 and timing.threads == 2
    assert [output.shape for output in timing.outputs] == [(1, 10), (1, 10)]


def test_torch_and_onnxruntime_run_exported_programs_and_agree(tmp_path):
    model = load_model(str(write_pt2(tmp_path / "perceptron.pt2")))
    inputs = example_inputs(model)
    torch = time_torch(model, inputs, 1, repeats=2)
    untuned = time_untuned(model, prepare(model.mod, CPU), CPU, inputs, 1, repeats=2)
    converted = time_onnxruntime(model, inputs, 1, repeats=2)
    assert torch.seconds and untuned.seconds and converted.seconds, converted.note
    assert compare("torch", torch.outputs, untuned.outputs, depth=4).ok
    assert compare("onnxruntime", converted.outputs, untuned.outputs, depth=4).ok


def test_a_model_of_another_kind_has_no_latency_and_says_why(work):
    timing = time_torch(work.model, example_inputs(work.model), 2)
    assert timing.seconds is None and timing.note == "runs pt2 files only"


def test_a_library_that_fails_costs_itself_only(work, tmp_path):
    from dataclasses import replace

    broken = replace(work.model, content=b"not a model")
    timing = time_onnxruntime(broken, example_inputs(work.model), 2)
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


def test_another_shape_is_no_agreement(values):
    assert not compare("x", [values], [values[:2]], depth=1).ok
    assert not compare("x", [values], [values, values], depth=1).ok


def test_tolerance_grows_with_depth_and_ends():
    single, half = np.dtype(np.float32), np.dtype(np.float16)
    assert tolerance(single, 1) < tolerance(single, 50) < 1e-3
    assert tolerance(half, 1) == pytest.approx(0.03125)
    assert tolerance(half, 500) == 0.05
