"""Kernels that no trial has reached are exported with the draft's best schedule."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest
import tvm

from models import write_onnx
from pruner_engine import protocol as msg
from pruner_engine.errors import UserError
from pruner_engine.export import export_bundle
from pruner_engine.export.untried import drafted_database, most_expected, worth_drafting
from pruner_engine.jobs.commands import bundle
from pruner_engine.jobs.job import JobContext
from pruner_engine.search.settings import SearchSettings
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import resolve_target, target_json
from run_jobs import QUICK, started
from schedules import CPU, task_of

MEASURED = json.loads((Path(__file__).parents[1] / "draft" / "measured_on_h100.json").read_text())
HOPPER, H100 = resolve_target(json.dumps(MEASURED["target"])), DeviceProfile.from_json(MEASURED["profile"])


@pytest.fixture(scope="module")
def after_two_trials(tmp_path_factory):
    """A project of a matrix product; not to be written to."""
    project = tmp_path_factory.mktemp("tried") / "p.pruner"
    started(project, trials=2)
    return project


@pytest.fixture
def tried(after_two_trials, tmp_path):
    """A copy of it."""
    return shutil.copy(after_two_trials, tmp_path)


def _exported(project, out):
    said = []
    bundle.export(msg.Export(project=str(project), out=str(out)), JobContext(said.append))
    return next(event for event in said if isinstance(event, msg.Exported)).summary


def test_what_a_short_run_left_out_is_drafted_and_checked(tmp_path):
    project = tmp_path / "p.pruner"
    started(project, write_onnx(tmp_path / "m.onnx"), trials=1, settings={**QUICK, "population": 64})
    with ProjectReader(project) as reader:
        tried = {row["name"] for row in reader.tasks(1) if row["trials"]}
        untuned = {row["name"]: row["weight"] * row["untuned_s"] for row in reader.tasks(1)}
    summary = _exported(project, tmp_path / "out")
    states = {row["task"]: row["state"] for row in summary["coverage"]["functions"] if row["task"]}
    drafted = {name for name, state in states.items() if state == "drafted"}
    heaviest = max(untuned.keys() - tried, key=lambda name: untuned[name])
    assert len(tried) == 1 and heaviest in drafted and not drafted & tried
    assert summary["coverage"]["summary"]["drafted"]["functions"] >= len(drafted)
    assert all(check["ok"] for check in summary["checks"]) and summary["checks"]


def test_what_only_another_run_has_reached_is_drafted_in_an_export_of_one_run(tried):
    with Project(tried) as opened, opened.transaction() as db:
        db["runs"].insert({**dict(opened.runs.get(1)), "id": 2})
        opened.runs.add_tasks(2, [1])
    for run_id, drafted in ((1, False), (2, True), (None, False)):
        with bundle.tuned_of(tried, lambda phase: None, run_id) as tuned:
            assert bool(tuned.drafted) is drafted


@pytest.mark.parametrize("failure", [UserError("Its outputs are wrong."), RuntimeError("no such block")])
def test_where_that_fails_they_stay_untuned_and_it_is_said(failure, tried, tmp_path, monkeypatch):
    said = []
    with Project(tried) as opened, opened.transaction() as db:
        db.execute("DELETE FROM measurements")

    def failing(tuned, *args, **options):
        if tuned.drafted:
            raise failure
        return export_bundle(tuned, *args, **options)

    monkeypatch.setattr(bundle, "export_bundle", failing)
    bundle.export(msg.Export(project=str(tried), out=str(tmp_path / "out")), JobContext(said.append))
    (told,) = (event.text for event in said if isinstance(event, msg.Notice))
    assert "stay untuned" in told and str(failure) in told
    summary = next(event for event in said if isinstance(event, msg.Exported)).summary
    assert "drafted" not in summary["coverage"]["summary"]


def test_what_fails_without_drafts_too_is_said_as_it_is(tried, tmp_path, monkeypatch):
    said = []

    def failing(*args, **options):
        raise UserError("The disk is full.")

    monkeypatch.setattr(bundle, "export_bundle", failing)
    with pytest.raises(UserError, match=r"^The disk is full\.$"):
        bundle.export(msg.Export(project=str(tried), out=str(tmp_path / "out")), JobContext(said.append))
    assert not any(isinstance(event, msg.Notice) for event in said)


def test_a_kernel_whose_candidates_all_failed_is_not_drafted(tried, tmp_path):
    with Project(tried) as opened, opened.transaction() as db:
        db.execute("UPDATE measurements SET stage = 'run', error = 'crash', seconds = NULL, repeats = '[]'")
    assert {row["state"] for row in _exported(tried, tmp_path / "out")["coverage"]["functions"]} <= {
        "fallback",
        "not tunable",
    }


def test_only_what_takes_long_is_worth_a_draft():
    tasks = [task_of(f"matmul:{n},16,16") for n in (16, 32, 64, 128)]
    tried, long, short, unknown = tasks
    call_s = {tried.name: 1.0, long.name: 0.5, short.name: 1e-3}
    assert worth_drafting(tasks, call_s, {tried.hash}, profile_for(CPU)) == [long, unknown]


def test_what_is_much_of_a_fast_inference_is_worth_one_beside_what_takes_longer():
    tried, slow, slight = tasks = [task_of(f"matmul:{n},16,16") for n in (16, 32, 64)]
    call_s = {tried.name: 1e-3, slow.name: 10.0, slight.name: 1e-3}
    assert worth_drafting(tasks, call_s, {tried.hash}, profile_for(CPU)) == [slow, slight]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_drafted_record_is_a_schedule_of_its_kernel(seed):
    task = task_of("matmul:64,64,64")
    database, failed = drafted_database([task], {task.name: inf}, CPU, profile_for(CPU), SearchSettings(), seed)
    assert failed == {}
    (record,) = database.get_top_k(database.commit_workload(task.mod), 2)
    assert record.trace is not None and len(record.trace.insts)
    assert not database.has_workload(task_of("matmul:8,8,8").mod)


def test_a_kernel_that_a_rule_stumbles_over_is_named_and_does_not_cost_the_others():
    broken, whole = replace(task_of("matmul:16,16,16"), mod=tvm.IRModule({}), name="broken"), task_of("matmul:32,32,32")
    most_s = most_expected([broken, whole], {}, profile_for(CPU))
    database, failed = drafted_database([broken, whole], most_s, CPU, profile_for(CPU), SearchSettings(), 0)
    assert list(failed) == ["broken"] and failed["broken"]
    assert database.has_workload(whole.mod)


def test_a_gpus_kernel_is_drafted_where_it_is_expected_in_half_of_what_tvms_default_rules_take():
    """What an H100 measured of these two by default rules; the draft expects 28 and 6 microseconds."""
    product, norm = tasks = [task_of(name, HOPPER) for name in ("matmul:1024,1024,1024,float16", "softmax:1536,128")]
    call_s = {product.name: 68.1e-6, norm.name: 6.7e-6}
    most_s = most_expected(tasks, call_s, H100)
    database, failed = drafted_database(tasks, most_s, HOPPER, H100, SearchSettings(), 0)
    assert failed == {}
    assert database.has_workload(product.mod) and not database.has_workload(norm.mod)


def test_of_a_gpu_nothing_is_expected_without_figures_of_the_device_and_the_untuned_kernel():
    task = task_of("matmul:64,64,64", HOPPER)
    assert most_expected([task], {}, H100) == {task.name: 0.0}
    assert most_expected([task], {task.name: 1.0}, replace(H100, source="preset")) == {task.name: 0.0}


@pytest.mark.parametrize(("untuned_s", "drafted"), [(1e-3, True), (3e-6, False), (None, False)])
def test_an_export_of_a_gpus_run_holds_the_draft_against_the_measured_untuned_kernel(tried, untuned_s, drafted):
    product = task_of("matmul:32,32,32", HOPPER)
    with Project(tried) as opened, opened.transaction() as db:
        db.execute("DELETE FROM measurements")
        profile = (target_json(HOPPER), json.dumps(H100.as_json()))
        db.execute("UPDATE targets SET text = ?, profile = ?", profile)
        db.execute("UPDATE tasks SET hash = ?, untuned_s = ?", (product.hash, untuned_s))
    with bundle.tuned_of(tried, lambda phase: None, 1) as tuned:
        assert bool(tuned.drafted) is drafted
