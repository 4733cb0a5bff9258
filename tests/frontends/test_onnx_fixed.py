"""Inputs that are given a value: the model is tuned for what it chooses by them, and computes what it did."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import tvm
from onnx import TensorProto, helper, numpy_helper

import run_jobs
from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.export.baselines import time_reference
from pruner_engine.frontends import load_model
from pruner_engine.jobs.runs.stored import stored_model
from pruner_engine.store.project import Project
from pruner_engine.targets.target import resolve_target

SOUND = np.random.default_rng(0).standard_normal((1, 8)).astype("f")


def value(name, *shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def branch(name, *nodes, weights=()):
    return helper.make_graph(nodes, name, [], [onnx.ValueInfoProto(name=nodes[-1].output[0])], weights)


def of_rate(name, factor):
    """The network of one rate: another product, and within it a choice by how long the sound is."""
    weight = numpy_helper.from_array(np.full((8, 4), factor, "f"), f"{name}_weight")
    short = branch("short", helper.make_node("Neg", [f"{name}_product"], [f"{name}_made"]))
    long = branch("long", helper.make_node("Abs", [f"{name}_product"], [f"{name}_kept"]))
    return branch(
        name,
        helper.make_node("MatMul", ["x", f"{name}_weight"], [f"{name}_product"]),
        helper.make_node("Shape", [f"{name}_product"], [f"{name}_shape"]),
        helper.make_node("Gather", [f"{name}_shape", "one"], [f"{name}_length"]),
        helper.make_node("Less", [f"{name}_length", "five"], [f"{name}_is_short"]),
        helper.make_node("If", [f"{name}_is_short"], [f"{name}_y"], then_branch=short, else_branch=long),
        weights=[weight],
    )


@pytest.fixture
def chooser(tmp_path):
    """A model that chooses by the rate of a sound "x", as Silero's voice detector does, and scales by a flag."""
    nodes = [
        helper.make_node("Equal", ["sr", "high"], ["is_high"]),
        helper.make_node("If", ["is_high"], ["made"], then_branch=of_rate("a", 2), else_branch=of_rate("b", -3)),
        helper.make_node("Cast", ["twice"], ["factor"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["made", "factor"], ["y"]),
    ]
    numbers = {"high": 16000, "one": 1, "five": 5}
    constants = [numpy_helper.from_array(np.int64(number), name) for name, number in numbers.items()]
    inputs = [value("x", 1, 8), value("sr", dtype=TensorProto.INT64), value("twice", 1, dtype=TensorProto.BOOL)]
    graph = helper.make_graph(nodes, "g", inputs, [value("y", 1, 4)], constants)
    path = tmp_path / "chooser.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return str(path)


@pytest.mark.parametrize(("rate", "twice"), [(16000, "true"), (8000, "false"), (8000, "1")])
def test_a_model_of_one_choice_computes_what_it_did(chooser, rate, twice):
    model = load_model(chooser, fixed=[f"sr={rate}", f"twice={twice}"])
    assert [spec.name for spec in model.inputs] == ["x"]
    assert " if " not in model.mod.script() and "Rx.If" not in model.mod.script()
    found = machine_of(model.mod, resolve_target("auto"))["main"](tvm.runtime.tensor(SOUND)).numpy()
    given = {"x": SOUND, "sr": np.array(rate), "twice": np.array([twice != "false"])}
    expected = onnxruntime.InferenceSession(chooser, providers=["CPUExecutionProvider"]).run(None, given)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_its_file_is_of_that_choice_and_takes_it_once_more(chooser):
    model, other = (load_model(chooser, fixed=[f"sr={rate}"]) for rate in (16000, 8000))
    assert model.file.sha256 != other.file.sha256, "what was measured of one is not the other's"
    again = load_model(chooser, fixed=["sr=16000"], content=model.file.content())
    assert again.file.sha256 == model.file.sha256
    with pytest.raises(UserError, match="no input sr"):
        load_model(chooser, fixed=["sr=8000"], content=model.file.content())


def test_the_project_and_the_libraries_have_the_model_of_that_choice(chooser, tmp_path):
    project, settings = tmp_path / "p.pruner", {**run_jobs.QUICK, "fixed": ["sr=8000", "twice=true"]}
    run_jobs.started(project, chooser, trials=1, settings=settings)
    Path(chooser).write_bytes(b"another file")
    with Project(project) as kept:
        run = kept.runs.get(1)
        model = stored_model(kept, run)
    assert json.loads(run["settings"])["fixed"] == ["sr=8000", "twice=true"]
    timing = time_reference("onnxruntime", model, [SOUND], 1, 1)
    np.testing.assert_allclose(timing.outputs[0], -(SOUND @ np.full((8, 4), -3, "f")), rtol=1e-5)


@pytest.mark.parametrize(
    ("fixed", "told"),
    [
        (["rate=3"], "no input rate"),
        (["sr"], '"sr" gives no input a value'),
        (["sr=fast"], "Input sr takes int64, not fast"),
        (["sr=1e30"], "Input sr takes int64"),
        ([f"sr={2**70}"], "Input sr takes int64"),
        (["sr=1,2"], r"of shape \(\) cannot be given 2 values"),
        (["twice=maybe"], "takes true or false"),
        (["sr=1", "sr=2"], "given a value twice"),
        (["sr=1", "twice=1", "x=0"], "All inputs"),
    ],
)
def test_values_that_are_none_of_an_input_are_refused(chooser, fixed, told):
    with pytest.raises(UserError, match=told):
        load_model(chooser, fixed=fixed)


def test_only_files_that_choose_are_asked(tmp_path):
    with pytest.raises(UserError, match="Only inputs of ONNX models"):
        load_model("matmul:8,8,8", fixed=["a=1"])


def test_an_input_of_an_open_length_is_as_long_as_its_values(tmp_path):
    graph = helper.make_graph(
        [helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)],
        "g",
        [value("x", 2, 3, 4), value("axes", "n", dtype=TensorProto.INT64)],
        [onnx.ValueInfoProto(name="y")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = tmp_path / "sums.onnx"
    model.graph.output[0].CopyFrom(value("y"))
    model.graph.output[0].type.tensor_type.ClearField("shape")
    onnx.save(model, path)
    assert load_model(str(path), fixed=["axes=0,2"]).outputs[0].shape == (3,)
    assert load_model(str(path), fixed=["axes=1"]).outputs[0].shape == (2, 4)


def test_a_model_that_cannot_be_imported_tells_by_what_it_chooses(tmp_path):
    steps = branch("steps", helper.make_node("Det", ["x"], ["a"]))
    other = branch("other", helper.make_node("ReduceSum", ["x"], ["b"], keepdims=0))
    nodes = [
        helper.make_node("Greater", ["mode", "zero"], ["chosen"]),
        helper.make_node("If", ["chosen"], ["y"], then_branch=steps, else_branch=other),
    ]
    inputs = [value("x", 3, 3), value("mode", 1, dtype=TensorProto.INT64)]
    zero = numpy_helper.from_array(np.array([0]), "zero")
    graph = helper.make_graph(nodes, "g", inputs, [value("y")], [zero])
    path = tmp_path / "modes.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    with pytest.raises(UserError, match="Det") as told:
        load_model(str(path))
    assert "chooses by mode" in told.value.hint and "--fix mode=" in told.value.hint
    assert load_model(str(path), fixed=["mode=0"]).outputs[0].shape == ()
