"""A model in a smaller float type: looked at once a project, told in every run."""

from __future__ import annotations

import pytest

from pruner_engine.errors import UserError
from pruner_engine.export.check import Agreement
from pruner_engine.frontends import load_model
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.runs import converting
from pruner_engine.jobs.runs.open_run import OpenRun
from pruner_engine.protocol import Notice
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader


@pytest.fixture
def project(tmp_path):
    with Project(tmp_path / "m.pruner") as project:
        yield project


@pytest.fixture
def compared(monkeypatch):
    """What was compared, in which type; nothing runs."""
    done = []

    def compare(exact, result):
        done.append((exact.name, result.dtype))
        return Agreement("float32", ok=len(done) < 3, error=0.01 * len(done), tolerance=0.1)

    monkeypatch.setattr(converting, "compare_precision", compare)
    return done


def run(project, model, dtype):
    run_id = project.runs.add(project.work.add_model(model), "pruner", 0, settings="{}", versions="{}", host="{}")
    said = []
    assert converting.converted(OpenRun(project, run_id, JobContext(said.append)), model, dtype).dtype == dtype
    with ProjectReader(project.path) as reader:
        told = [event["text"] for event in reader.events(run_id)]
    assert told == [notice.text for notice in said if isinstance(notice, Notice)]
    return [(notice.level, notice.text.partition("most ")[2][:7]) for notice in said if isinstance(notice, Notice)]


def test_a_verdict_is_kept_for_the_model_and_the_type_and_told_in_each_run(project, compared):
    first, second = load_model("dense:16,32,64"), load_model("dense:16,32,32")
    assert run(project, first, "float32") == [] and compared == []
    assert run(project, first, "float16") == [("info", "1.0e-02")] == run(project, first, "float16")
    assert run(project, first, "bfloat16") == [("info", "2.0e-02")]
    assert run(project, second, "float16") == [("warning", "3.0e-02")] == run(project, second, "float16")
    assert compared == [(first.name, "float16"), (first.name, "bfloat16"), (second.name, "float16")]


@pytest.mark.parametrize(
    "kept", ["", "torn", '{"versions": "of others", "error": 0.5, "ok": true}', '{"error": "none"}']
)
def test_what_other_versions_kept_or_nobody_is_found_out_again(project, compared, kept):
    model = load_model("dense:16,32,64")
    with project.transaction() as db:
        db["meta"].upsert({"key": f"precision {project.work.add_model(model)} float16", "value": kept}, pk="key")
    assert run(project, model, "float16") == [("info", "1.0e-02")] and len(compared) == 1


def test_an_overflow_is_refused_each_time(project, monkeypatch):
    def overflow(*_):
        raise UserError("It overflows.", "")

    monkeypatch.setattr(converting, "compare_precision", overflow)
    for _ in range(2):
        with pytest.raises(UserError, match="overflows"):
            run(project, load_model("dense:16,32,64"), "float16")
