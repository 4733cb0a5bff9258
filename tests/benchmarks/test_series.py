"""Lists of workloads, plans of runs, and which of them are still to do."""

import hashlib
import os
import time

import msgspec
import pytest

from chosen_runs import TARGET, add_run, make_project
from pruner_engine.benchmarks.search import Variant, comparison_runs, variants_of
from pruner_engine.benchmarks.series import SeriesStopped, WantedRun
from pruner_engine.benchmarks.workloads import Subject, read_subjects
from pruner_engine.errors import UserError
from pruner_engine.protocol import Resume, RunFinished, Tune
from pruner_engine.search.settings import settings_from
from pruner_engine.store.project import Project


def test_a_list_names_workloads_files_and_shapes(tmp_path):
    (tmp_path / "net.onnx").write_bytes(b"x")
    (tmp_path / "list.txt").write_text("# heavy\nmatmul:8,8,8\n\nnet.onnx  x=1,3,8,8 y=2x2 # a network\n")
    first, second = read_subjects(tmp_path / "list.txt")
    assert first == Subject("matmul:8,8,8")
    assert second == Subject(str(tmp_path / "net.onnx"), {"x": [1, 3, 8, 8], "y": [2, 2]})
    assert (first.name, second.name) == ("matmul_8_8_8", "net")


@pytest.mark.parametrize("text", ["", "# nothing\n", "matmul:8,8,8 x=a\n", 'matmul "\n', "a:1\na:1\n"])
def test_a_list_that_is_not_understood_is_told(tmp_path, text):
    (tmp_path / "list.txt").write_text(text)
    with pytest.raises(UserError):
        read_subjects(tmp_path / "list.txt")
    with pytest.raises(UserError, match=r"cannot be read: No such file or directory\."):
        read_subjects(tmp_path / "none.txt")


def test_a_variant_is_a_strategy_with_settings_behind_it():
    assert Variant.parse("pruner:refresh=1:model=tlp") == Variant("pruner", {"refresh": 1, "model": "tlp"})
    assert Variant.parse("pruner:trials=64") == Variant("pruner", trials=64)
    several = 'pruner,pruner:without_rules=["rows","winograd"]:refresh=1,random'
    without = {"without_rules": ["rows", "winograd"], "refresh": 1}
    assert variants_of(several) == [Variant("pruner"), Variant("pruner", without), Variant("random")]
    for wrong in ("pruner:refresh", "pruner:trials=none", "pruner:trials=0"):
        with pytest.raises(UserError):
            Variant.parse(wrong)


def test_each_seed_begins_with_another_strategy(tmp_path):
    variants = [Variant("a"), Variant("b", {"refresh": 1}, trials=4)]
    subjects = [Subject("matmul:8,8,8"), Subject("relu:8,8")]
    runs = comparison_runs(
        tmp_path, subjects, variants, [5, 6], target=TARGET, trials=9, settings={"refresh": 3, "repeats": 2}
    )
    assert [(r.subject.name, r.strategy, r.seed) for r in runs] == [
        ("matmul_8_8_8", "a", 5), ("matmul_8_8_8", "b", 5), ("relu_8_8", "a", 5), ("relu_8_8", "b", 5),
        ("matmul_8_8_8", "b", 6), ("matmul_8_8_8", "a", 6), ("relu_8_8", "b", 6), ("relu_8_8", "a", 6),
    ]  # fmt: skip
    assert runs[0].settings == {"refresh": 3, "repeats": 2}
    assert runs[1].settings == {"refresh": 1, "repeats": 2}
    assert [r.trials for r in runs[:2]] == [9, 4]
    assert {r.project for r in runs} == {tmp_path / "matmul_8_8_8.pruner", tmp_path / "relu_8_8.pruner"}


def test_two_variants_of_which_one_is_the_beginning_of_the_other_are_refused(tmp_path):
    def planned(text):
        variants = variants_of(text)
        return comparison_runs(tmp_path, [Subject("m")], variants, [0], target=TARGET, trials=9, settings={})

    assert len(planned("pruner:trials=4,pruner:refresh=1:trials=5,random")) == 3
    for text in ("pruner,pruner:trials=4", "pruner:trials=4,pruner:refresh=2"):  # 2 is the default
        with pytest.raises(UserError, match="Two of pruner differ in their trials only"):
            planned(text)


EVENTS = [("begin", 1.0), ("trial", 1, 0.5, 2.0), ("trial", 1, 0.4, 3.0), ("end", 4.0)]


class Recorder:
    """Takes a command in the engine's place and answers with a state."""

    def __init__(self, state="finished"):
        self.state = state
        self.commands = []

    def __call__(self, command):
        self.commands.append(command)
        numbers = {"trials": 2, "valid": 2, "latency_s": 1.0, "untuned_s": 1.0}
        return RunFinished(run_id=7, state=self.state, reason="nothing worked", **numbers)


def wanted(path, **changes):
    values = {"project": path, "subject": Subject("m"), "target": TARGET, "strategy": "pruner", "seed": 0, "trials": 2}
    return WantedRun(**{**values, **changes})


def test_a_finished_run_is_not_run_again(tmp_path):
    path, engine = tmp_path / "p.pruner", Recorder()
    make_project(path, {"a": (1, 1.0)})
    run_id = add_run(path, "pruner", EVENTS)
    assert wanted(path).carry_out(engine) == run_id
    assert engine.commands == []


@pytest.mark.parametrize(("state", "trials"), [("stopped", 2), ("tuning", 2), ("failed", 2), ("finished", 5)])
def test_an_unfinished_run_or_one_with_a_smaller_budget_is_resumed(tmp_path, state, trials):
    path, engine = tmp_path / "p.pruner", Recorder()
    make_project(path, {"a": (1, 1.0)})
    run_id = add_run(path, "pruner", EVENTS, state=state)
    wanted(path, trials=trials).carry_out(engine)
    assert engine.commands == [Resume(project=str(path), run_id=run_id, trials=trials)]


def test_an_unfinished_run_that_has_made_more_trials_than_are_wanted_now_ends_with_those(tmp_path):
    path, engine = tmp_path / "p.pruner", Recorder()
    make_project(path, {"a": (1, 1.0)})
    run_id = add_run(path, "pruner", EVENTS, state="stopped", trials=9)
    wanted(path, trials=1).carry_out(engine)
    assert engine.commands == [Resume(project=str(path), run_id=run_id, trials=2)]


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"strategy": "random"},
        {"settings": {"refresh": 1}},
        {"target": "{}"},
        {"subject": Subject("n")},
        {"subject": Subject("m", {"x": [8, 3]})},
    ],
)
def test_anything_else_is_another_run(tmp_path, change):
    path, engine = tmp_path / "p.pruner", Recorder()
    make_project(path, {"a": (1, 1.0)})
    add_run(path, "pruner", EVENTS)
    wanted(path, **change).carry_out(engine)
    assert [type(command) for command in engine.commands] == [Tune]


def test_a_run_that_has_measured_its_layout_is_the_one_that_was_wanted(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0)})
    run_id = add_run(path, "pruner", EVENTS)
    with Project(path) as project:
        settings = settings_from(project.runs.get(run_id)["settings"])
        found = msgspec.structs.replace(settings, layout="channels-last")
        project.runs.settle_layout(run_id, found.as_json(), asked="auto")
    assert wanted(path).find()["id"] == run_id
    assert wanted(path, settings={"layout": "channels-last"}).find() is None


def test_a_file_that_was_changed_since_is_another_model(tmp_path):
    path, model = tmp_path / "p.pruner", tmp_path / "m.onnx"
    make_project(path, {"a": (1, 1.0)}, model=str(model))
    model.write_bytes(b"as it was")
    add_run(path, "pruner", EVENTS)
    run = wanted(path, subject=Subject(str(model)))
    assert run.find() is not None
    later = time.time() + 9
    os.utime(model, (later, later))
    assert run.find() is None
    with Project(path) as project, project.transaction() as db:
        db["models"].update(1, {"sha256": hashlib.sha256(b"as it was").hexdigest()})
    assert run.find() is not None


def test_a_run_that_fails_or_is_stopped_ends_with_an_error(tmp_path):
    with pytest.raises(UserError, match="nothing worked"):
        wanted(tmp_path / "p.pruner").carry_out(Recorder("failed"))
    with pytest.raises(SeriesStopped):
        wanted(tmp_path / "p.pruner").carry_out(Recorder("stopped"))
