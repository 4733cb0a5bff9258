"""Large weights of ONNX models are kept aside while they are imported, and those beside the file may be of any size."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
import tvm
from onnx import TensorProto, helper, numpy_helper

from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.export.baselines import example_inputs, time_reference
from pruner_engine.frontends import check_model, load_model
from pruner_engine.frontends.onnx import aside, file
from pruner_engine.frontends.precision import in_precision
from pruner_engine.jobs.runs.stored import stored_model
from pruner_engine.store.project import Project
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from run_jobs import started
from schedules import CPU

_RNG = np.random.default_rng(0)
PLACES = np.array([[3, 0, 7, 7]], np.int64)


@pytest.fixture
def model(tmp_path):
    """A table that is looked up in and multiplied by, other products of both kinds, and weights of others."""
    table, wide, narrow = (_weight(*shape) for shape in ((10, 8), (8, 16), (8, 16)))
    weights = {"table": table, "wide": wide, "narrow": narrow, "bias": _weight(8), "scale": _weight(16)}
    nodes = [
        helper.make_node("Gather", ["table", "places"], ["words"]),
        helper.make_node("MatMul", ["words", "wide"], ["more"]),
        helper.make_node("Mul", ["more", "scale"], ["scaled"]),
        helper.make_node("Reshape", ["scaled", "flat"], ["rows"]),
        helper.make_node("Gemm", ["rows", "narrow", "bias"], ["fewer"], transB=1, alpha=0.5),
        helper.make_node("Gemm", ["fewer", "table"], ["scores"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "words",
        [helper.make_tensor_value_info("places", TensorProto.INT64, PLACES.shape)],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, (4, 10))],
        [numpy_helper.from_array(value, name) for name, value in weights.items()]
        + [numpy_helper.from_array(np.array([4, 16]), "flat")],
    )
    path = tmp_path / "words.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture
def beside(model, monkeypatch):
    """The same with weights in a file beside it, more than are folded in."""
    monkeypatch.setattr(file, "_FOLDED", 1 << 8)
    monkeypatch.setattr(aside, "_LEAST_BYTES", 1 << 8)
    path = model.with_name("beside.ONNX")
    onnx.save(onnx.load(model), path, save_as_external_data=True, location="beside.data", size_threshold=128)
    return path


def _weight(*shape):
    return _RNG.standard_normal(shape).astype(np.float32)


def _computed(loaded):
    return machine_of(prepare(loaded.mod, CPU), CPU)["main"](tvm.runtime.tensor(PLACES)).numpy()


def _expected(path):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"places": PLACES})[0]


def test_the_model_is_the_same(model, monkeypatch):
    kernels = []
    for least in (1, 1 << 30):
        monkeypatch.setattr(aside, "_LEAST_BYTES", least)
        loaded = load_model(str(model))
        assert [spec.name for spec in loaded.inputs] == ["places"]
        np.testing.assert_allclose(_computed(loaded), _expected(model), rtol=1e-5, atol=1e-5)
        kernels.append({(task.hash, task.weight) for task in extract_tasks(prepare(loaded.mod, CPU), CPU)})
    assert kernels[0] == kernels[1]


def test_what_else_is_read_stays(model):
    proto = onnx.load(model)
    taken = {weight.declared.name for weight in aside.set_aside(proto, "words")}
    assert taken == set(), "none is large"


def test_only_weights_of_products_and_tables_are_taken(model, monkeypatch):
    monkeypatch.setattr(aside, "_LEAST_BYTES", 1)
    proto = onnx.load(model)
    assert {weight.declared.name for weight in aside.set_aside(proto, "words")} == {"table", "wide", "narrow"}
    assert {weight.name for weight in proto.graph.initializer} == {"bias", "scale", "flat"}


def test_many_weights_beside_the_file_stay_there(beside):
    loaded = load_model(str(beside))
    np.testing.assert_allclose(_computed(loaded), _expected(beside), rtol=1e-5, atol=1e-5)
    assert loaded.file.place == beside
    assert loaded.file.size > beside.stat().st_size
    assert check_model(str(beside)).bytes == loaded.file.size
    again = load_model(str(beside))
    assert again.file.sha256 == loaded.file.sha256
    half = in_precision(loaded, "float16")
    np.testing.assert_allclose(_computed(half), _expected(beside), rtol=3e-2, atol=3e-2)


def test_a_library_reads_them_there(beside):
    loaded = load_model(str(beside))
    timing = time_reference("onnxruntime", loaded, example_inputs(loaded), 1, repeats=2)
    assert timing.seconds, timing.note


def test_other_weights_are_another_model(beside):
    before = load_model(str(beside)).file.sha256
    content = bytearray(beside.with_name("beside.data").read_bytes())
    content[5] ^= 1
    beside.with_name("beside.data").write_bytes(content)
    assert load_model(str(beside)).file.sha256 != before


def test_parts_without_a_name_count_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "_LARGEST", 2500)
    (tmp_path / "some.data").write_bytes(bytes(1000))
    nodes = []
    for output in ("a", "b", "c"):
        tensor = onnx.TensorProto(data_type=TensorProto.FLOAT, dims=[250], data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="some.data")
        nodes.append(helper.make_node("Constant", [], [output], value=tensor))
    nodes.append(helper.make_node("Sum", ["x", "a", "b", "c"], ["y"]))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [250]) for name in "xy"]
    graph = helper.make_graph(nodes, "sums", ends[:1], ends[1:])
    path = tmp_path / "sums.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    assert path.stat().st_size < 1000
    with pytest.raises(UserError, match="more than can be imported"):
        load_model(str(path))


def test_a_weight_of_more_bytes_than_its_shape_is_refused(model, monkeypatch):
    monkeypatch.setattr(aside, "_LEAST_BYTES", 1)
    proto = onnx.load(model)
    proto.graph.initializer[0].raw_data += bytes(4)
    model.write_bytes(proto.SerializeToString())
    with pytest.raises(UserError, match=r"not a valid ONNX model: .*[^.]\. Export"):
        load_model(str(model))


def test_they_are_refused_where_they_are_cut_off(beside):
    data = beside.with_name("beside.data")
    data.write_bytes(data.read_bytes()[:-1])
    with pytest.raises(UserError, match="cut off"):
        load_model(str(beside))


def test_a_project_finds_them_again_or_says_what_it_lacks(beside, tmp_path, monkeypatch):
    monkeypatch.setattr("pruner_engine.store.writing.work._LARGEST_COPY", 1 << 8)
    project = tmp_path / "p.pruner"
    started(project, beside)
    with Project.existing(project) as opened:
        run = opened.runs.get(1)
        assert stored_model(opened, run).file.place == beside
        data = beside.with_name("beside.data")
        data.write_bytes(data.read_bytes()[::-1])
        with pytest.raises(UserError, match="is not the file that was tuned"):
            stored_model(opened, run)
