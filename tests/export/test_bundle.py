"""What is in a bundle, and when none is written."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace

import numpy as np
import onnx
import pytest
from on_the_way import work_on
from tvm.s_tir import Schedule
from tvm.s_tir.meta_schedule.arg_info import ArgInfo
from tvm.s_tir.meta_schedule.database import MemoryDatabase, TuningRecord

from models import write_pt2
from plain_product import save_product
from pruner_engine.errors import UserError
from pruner_engine.export import export_bundle, turns
from pruner_engine.export.records import read_records
from pruner_engine.frontends import load_model
from pruner_engine.store.figures import slower
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from schedules import CPU


def test_metadata_tells_what_it_is_and_how_fast(bundle, work):
    out, summary = bundle
    metadata = json.loads((out / "metadata.json").read_text())
    assert {**metadata, "out": str(out)} == summary
    assert metadata["model"] == {"name": "classifier", "kind": "onnx", "sha256": work.model.file.sha256}
    assert metadata["inputs"] == [{"name": "image", "shape": [1, 3, 16, 16], "dtype": "float32"}]
    assert [o["name"] for o in metadata["outputs"]] == ["probabilities", "logits"]
    assert metadata["target"]["kind"] == "llvm" and metadata["threads"] == 2 and metadata["origin"] == {"run": 7}
    for name in ("tuned", "untuned", "onnxruntime"):
        latency = metadata["latency"][name]
        assert len(latency["repeats"]) in (2, 3) and latency["seconds"] > 0 and latency["threads"] == 2
    assert "torch" not in metadata["latency"], "the model is none of PyTorch's"


def test_outputs_agree_with_untuned_and_onnxruntime(bundle):
    checks = {check["against"]: check for check in bundle[1]["checks"]}
    assert set(checks) == {"untuned", "onnxruntime"}
    assert all(check["ok"] and check["error"] <= check["tolerance"] < 1e-3 for check in checks.values())


def test_every_function_is_covered(bundle, work):
    coverage = bundle[1]["coverage"]
    applied = [row for row in coverage["functions"] if row["state"] == "applied"]
    assert {row["task"] for row in applied} == {task.name for task in work.tasks}
    assert coverage["summary"]["fallback"] == {"functions": 0, "share": 0}
    assert sum(row["share"] for row in coverage["functions"]) == pytest.approx(1)
    assert sum(part["share"] for part in coverage["summary"].values()) == pytest.approx(1)


def test_tasks_without_a_record_or_with_slow_ones_only_stay_untuned(work, again):
    _, summary = again
    unrecorded, slow = work.tasks[:2]
    fallback = [row for row in summary["coverage"]["functions"] if row["state"] == "fallback"]
    assert {row["task"] for row in fallback} == {unrecorded.name, slow.name}
    assert summary["coverage"]["summary"]["fallback"]["share"] == pytest.approx(sum(row["share"] for row in fallback))
    assert summary["records"] == len(work.tasks) - 2


@pytest.fixture(scope="module")
def exported_program(tmp_path_factory):
    return work_on(write_pt2(tmp_path_factory.mktemp("model") / "perceptron.pt2"))


@pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a C++ compiler")
def test_an_exported_program_meets_pytorch_eager_and_compiled(exported_program, tmp_path):
    phases = []
    summary = exported_program.export(tmp_path / "bundle", on_phase=lambda *told: phases.append(told))
    assert list(summary["latency"]) == ["tuned", "untuned", "onnxruntime", "torch", "torch.compile"]
    assert all(len(summary["latency"][name]["repeats"]) in (2, 3) for name in ("tuned", "torch", "torch.compile"))
    checks = {check["against"]: check["ok"] for check in summary["checks"]}
    assert checks["torch"] and checks["torch.compile"]
    assert ("check", "round 2 of 2: torch.compile, which compiles first") in phases


def test_where_torch_cannot_compile_the_export_says_why(exported_program, tmp_path, monkeypatch):
    monkeypatch.setattr(turns, "LIBRARIES", {"torch.compile": turns.LIBRARIES["torch.compile"]})  # the others take long
    monkeypatch.setenv("CXX", str(tmp_path / "no-compiler"))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "cache"))
    summary = exported_program.export(tmp_path / "bundle")
    compiled = summary["latency"]["torch.compile"]
    assert compiled["seconds"] is None and compiled["note"].startswith("It failed: ")
    assert summary["latency"]["untuned"]["seconds"] and (tmp_path / "bundle" / "model.so").exists()


def test_what_is_faster_is_told_with_what_takes_the_time(tmp_path):
    """Nothing is tuned: the plain loops of a matrix product are far behind any library."""
    plain = work_on(save_product(tmp_path))
    summary = plain.export(tmp_path / "bundle", MemoryDatabase())
    found = slower.exported(summary)
    assert "onnxruntime" in summary["slower_than"] and list(found.than) == summary["slower_than"]
    assert found.seconds == summary["latency"]["tuned"]["seconds"] > found.than["onnxruntime"]
    assert found.tasks == tuple(task.name for task in plain.tasks)


def test_models_that_sort_run_without_a_compiler(work, tmp_path):
    """A sort is code of TVM's runtime that kernels call: it must come with the bundle."""
    given = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, (4, 9))
    made = [
        onnx.helper.make_tensor_value_info("largest", onnx.TensorProto.FLOAT, (4, 3)),
        onnx.helper.make_tensor_value_info("places", onnx.TensorProto.INT64, (4, 3)),
    ]
    count = onnx.numpy_helper.from_array(np.array([3]), "count")
    node = onnx.helper.make_node("TopK", ["x", "count"], ["largest", "places"])
    graph = onnx.helper.make_graph([node], "g", [given], made, [count])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "sorts.onnx")
    loaded = load_model(str(tmp_path / "sorts.onnx"))
    prepared = prepare(loaded.mod, CPU)
    sorts = replace(
        work, model=loaded, prepared=prepared, tasks=extract_tasks(prepared, CPU), database=MemoryDatabase()
    )
    summary = sorts.export(tmp_path / "bundle")
    assert all(check["ok"] for check in summary["checks"])
    assert (tmp_path / "bundle" / "runtime" / "libtvm_runtime_extra.so").exists()


def test_each_file_has_its_checksum(bundle):
    out, summary = bundle
    # it may have been run before
    files = {str(p.relative_to(out)) for p in out.rglob("*") if p.is_file() and p.parent.name != "__pycache__"}
    assert files == set(summary["files"]) | {"metadata.json"}
    for name, digest in summary["files"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert {"model.so", "run.py", "README.txt", "cpp/main.cc", "runtime/libtvm_runtime.so"} <= files
    assert any(name.startswith("LICENSES/") for name in files)


def test_it_carries_the_records_it_was_made_of(bundle, work):
    found = read_records(bundle[0] / "records")
    assert len(found.records) == len(work.tasks) == bundle[1]["records"]


def test_an_earlier_bundle_is_replaced(again, work, tmp_path):
    assert not (again[0] / "__pycache__").exists() and (again[0] / "model.so").exists()
    assert [p.name for p in again[0].parent.iterdir()] == ["bundle"]
    out = tmp_path / "bundle"
    shutil.copytree(again[0], out)
    (out / "records" / "results.npz").write_text("mine")
    with pytest.raises(UserError, match=r"holds records/results\.npz, which is not of the bundle"):
        work.export(out)
    assert (out / "records" / "results.npz").read_text() == "mine"


@pytest.mark.parametrize("foreign", ["notes.txt", "metadata.json"])
def test_a_foreign_folder_is_refused_and_left_alone(work, tmp_path, foreign):
    out = tmp_path / "thesis"
    out.mkdir()
    (out / foreign).write_text('{"title": "mine"}')
    with pytest.raises(UserError, match="not a bundle"):
        work.export(out)
    assert (out / foreign).read_text() == '{"title": "mine"}'
    assert [p.name for p in tmp_path.iterdir()] == ["thesis"]


def test_a_place_that_cannot_be_written_is_a_sentence(work, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError):
        work.export(tmp_path / "file" / "bundle")


@pytest.mark.parametrize("untuned_s", [0.1, 60.0])
def test_a_wrong_schedule_is_not_exported(work, tmp_path, untuned_s):
    """A schedule that keeps its sums in half precision is faster, and wrong; the untuned model tells, however slow."""
    task = next(task for task in work.tasks if task.op == "conv2d")
    schedule = Schedule(task.mod)
    block = schedule.get_sblock(next(n for n in _block_names(task.mod) if n.startswith("conv2d")), "main")
    schedule.unsafe_set_dtype(block, 0, "float16")
    database = MemoryDatabase()
    database.commit_tuning_record(
        TuningRecord(
            schedule.trace, database.commit_workload(task.mod), [1e-3], CPU, ArgInfo.from_entry_func(task.mod, True)
        )
    )
    out = tmp_path / "bundle"
    with pytest.raises(UserError, match="other outputs than the untuned"):
        export_bundle(work.tuned(database, dict.fromkeys((t.hash for t in work.tasks), untuned_s)), out, {}, repeats=2)
    assert list(tmp_path.iterdir()) == []


def _block_names(mod):
    schedule = Schedule(mod)
    return [str(schedule.get(b).name_hint) for b in schedule.get_child_blocks(schedule.get_sblock("root", "main"))]


def test_the_exported_arrays_are_not_all_equal(bundle, work):
    """The checks above compare something: the outputs are not constants."""
    from pruner_engine.export.baselines import example_inputs, time_library

    timing = time_library("tuned", bundle[0], work.model, example_inputs(work.model), 1, 1)
    assert all(np.ptp(output) > 0 for output in timing.outputs)


def test_an_untuned_model_that_takes_long_is_run_only_where_no_library_confirms_the_outputs(work, tmp_path):
    slow = {task.hash: 60.0 for task in work.tasks}
    phases = []
    summary = export_bundle(
        work.tuned(untuned=slow), tmp_path / "bundle", {}, lambda *told: phases.append(told), repeats=2
    )
    untuned = summary["latency"]["untuned"]
    assert untuned["seconds"] is None and "the outputs are those of ONNX Runtime" in untuned["note"]
    assert [check["against"] for check in summary["checks"]] == ["onnxruntime"]
    assert not any("untuned" in detail for _, detail in phases)
