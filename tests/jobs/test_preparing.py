"""What a run takes from the project, and what it leaves there, whatever ends it."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import threading
import weakref
from pathlib import Path

import numpy as np
import psutil
import pytest
import tvm

from bystander import bystander
from models import write_pt2
from pruner_engine import protocol as msg
from pruner_engine.cli.objects import libraries as libraries_line
from pruner_engine.errors import StoppedError, UserError
from pruner_engine.export import export_bundle, script
from pruner_engine.export.baselines import MISSING, RUNS, Reference
from pruner_engine.frontends import load_model
from pruner_engine.jobs.commands import bundle, records, tune
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.runs import libraries, preparing
from pruner_engine.jobs.runs.libraries import LIBRARIES, Libraries
from pruner_engine.jobs.runs.open_run import OpenRun
from pruner_engine.search.control import Control
from pruner_engine.search.strategies import make_strategy, register_strategy
from pruner_engine.search.strategies.draft_verify import DraftVerify
from pruner_engine.search.strategy import Proposal
from pruner_engine.store.project import Project
from pruner_engine.store.queries.results import DISTURBED
from pruner_engine.store.reader import ProjectReader
from pruner_engine.targets import benchmark_process, detect_gpus
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare
from pruner_engine.verify import create_model
from run_jobs import QUICK, resumed, started
from terminal import SMALL, carried_out, pruner, pruner_here


def test_a_run_tells_that_its_device_could_not_be_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(
        benchmark_process, "module_command", lambda *_: ["sh", "-c", "echo no kernel image >&2; exit 1"]
    )
    said = started(project := tmp_path / "p.pruner")
    (told,) = (event for event in said if isinstance(event, msg.Notice) and "could not be measured" in event.text)
    assert "no kernel image" in told.text and "an estimate" in told.hint
    with ProjectReader(project) as reader:
        assert told.text in [event["text"] for event in reader.events(1)]


def test_a_run_that_was_ended_while_libraries_were_timed_times_them_when_it_goes_on(tmp_path, monkeypatch):
    project = tmp_path / "p.pruner"

    def timing(self, look):
        if self._library == "torch":
            raise KeyboardInterrupt
        return Reference.timing(self, look)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(libraries, "Reference", type("Killed", (Reference,), {"timing": timing}))
        started(project)
    resumed(project)
    with ProjectReader(project) as reader:
        assert reader.run(1)["state"] == "finished"
        assert {"onnxruntime", "torch"} <= {row["name"] for row in reader.baselines(1)}


@pytest.mark.parametrize("less", [{"trials": 3}, {"minutes": 1e-6}])
def test_a_budget_that_is_overspent_already_is_refused_and_changes_nothing(tmp_path, less):
    """Three further trials are asked for by a budget of seven."""
    started(tmp_path / "p.pruner")
    with pytest.raises(UserError, match="already, more than"):
        resumed(tmp_path / "p.pruner", **less)
    with ProjectReader(tmp_path / "p.pruner") as reader:
        assert (reader.run(1)["state"], reader.run(1)["budget_trials"]) == ("finished", 4)


def forgetful(context):
    """A random search that cannot learn of the task that it meets first."""
    strategy, met = make_strategy("random", context), []
    learn = strategy.learn

    def forget(state, trials):
        met.append(state)
        if state is met[0]:
            raise ArithmeticError("no figure")
        return learn(state, trials)

    strategy.learn = forget
    return strategy


def test_a_task_of_which_nothing_can_be_learned_is_left_out_and_the_run_goes_on(tmp_path, model_of_two_tasks):
    register_strategy("forgetful", forgetful)
    project = tmp_path / "p.pruner"
    said = started(project, model_of_two_tasks, strategy="forgetful", trials=8, settings={**QUICK, "round_trials": 4})
    assert isinstance(said[-1], msg.RunFinished) and said[-1].state == "finished" and said[-1].trials == 8
    with ProjectReader(project) as reader:
        (why,) = (row["quarantined"] for row in reader.tasks(1) if row["quarantined"])
        assert re.fullmatch(r"ArithmeticError in \w+\.py:\d+: no figure", why)
    assert "1 of its tasks was given up" in pruner_here("status", project)
    assert "no figure" in pruner_here("tasks", project)


def fruitless(context):
    """A random search that finds nothing."""
    strategy = make_strategy("random", context)
    strategy.propose = lambda state, left: Proposal([])
    return strategy


def test_a_task_of_which_nothing_can_be_applied_is_told_and_no_success(tmp_path):
    register_strategy("fruitless", fruitless)
    said = started(tmp_path / "p.pruner", strategy="fruitless")
    assert any(isinstance(event, msg.Notice) and "no candidate" in event.text for event in said)
    assert isinstance(said[-1], msg.RunFinished) and said[-1].state == "failed"


def careless(context):
    """A random search that proposes the candidates of all its rounds, each twice, behind one that is not applied."""
    strategy, every = make_strategy("random", context), []
    propose = strategy.propose

    def again(state, count):
        every.extend(propose(state, count).candidates)
        sketch = state.space.sketches[0]
        return Proposal([state.space.candidate(0, sketch.sample(np.random.default_rng(9), 1)[0]), *every, *every])

    strategy.propose = again
    return strategy


def one_round(context):
    """A random search that finds nothing new after its first round."""
    strategy = make_strategy("random", context)
    propose = strategy.propose
    strategy.propose = lambda state, most: Proposal([]) if state.measured else propose(state, most)
    return strategy


def test_that_a_search_finds_nothing_new_is_kept_once_however_often_the_run_goes_on(tmp_path):
    project = tmp_path / "p.pruner"
    nothing = "every candidate that the search finds is measured."
    register_strategy("one round", one_round)
    started(project, strategy="one round", settings={**QUICK, "round_trials": 2})
    said = resumed(project, trials=8)
    with ProjectReader(project) as reader:
        assert reader.run(1)["trials"] == 2
        assert len([event for event in reader.events(1) if nothing in event["text"]]) == 1
    assert [event for event in said if isinstance(event, msg.Notice) and nothing in event.text]


def test_what_a_strategy_proposes_twice_or_unapplied_costs_no_trial(tmp_path):
    register_strategy("careless", careless)
    said = started(tmp_path / "p.pruner", strategy="careless", trials=6, settings={**QUICK, "round_trials": 2})
    assert isinstance(said[-1], msg.RunFinished) and (said[-1].state, said[-1].trials) == ("finished", 6)
    with ProjectReader(tmp_path / "p.pruner") as reader:
        assert reader.rows("SELECT count(DISTINCT candidate_id) AS n FROM measurements") == [{"n": 6}]


@pytest.mark.skipif(bool(detect_gpus()), reason="this machine has a GPU")
def test_kernels_that_no_device_here_runs_are_refused_before_anything_is_kept(tmp_path):
    with pytest.raises(UserError, match="no NVIDIA driver") as refused:
        started(tmp_path / "p.pruner", target="h100")
    assert "--rpc" in refused.value.hint and not (tmp_path / "p.pruner").exists()


UNFIT = {
    "cut off": (
        "pruner",
        {"checkpoint": True},
        lambda: create_model("pacm-draft").to_bytes()[:-1],
        "weights cannot be",
    ),
    "of another kind": ("tlp", {"checkpoint": True}, lambda: create_model("pacm").to_bytes(), "of kind 'pacm'"),
    "no checkpoint": (
        "moa-pruner",
        {"checkpoint": True},
        lambda: b"PK\x03\x04" * 9,
        "c.safetensors cannot be taken .* not a Pruner",
    ),
    "no trees": ("ansor", {"checkpoint": True}, lambda: b"{}", "c.safetensors cannot be taken .* no trees"),
    "for chance": ("random", {"checkpoint": True}, lambda: b"{}", "Chance learns nothing"),
    "no such model": ("pruner", {"model": "oracle"}, bytes, "no cost model named 'oracle'"),
    "none to adapt": ("moa-pruner", {"model": "xgb"}, bytes, "cannot be adapted"),
    "none installed": ("moa-pruner", {"model": "tlp"}, bytes, "no tlp model is installed"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_a_cost_model_that_will_not_do_is_told_before_the_models_file_is_read(tmp_path, case):
    strategy, settings, content, words = UNFIT[case]
    (checkpoint := tmp_path / "c.safetensors").write_bytes(content())
    settings = {name: str(checkpoint) if name == "checkpoint" else value for name, value in settings.items()}
    with pytest.raises(UserError, match=words):
        started(tmp_path / "p.pruner", tmp_path / "none.onnx", strategy=strategy, settings=settings)


class Mine(DraftVerify):
    """A plugin's: ours in another way, and with no check of its own."""


def test_a_plugins_strategy_on_ours_tells_as_early_what_will_not_do(tmp_path):
    register_strategy("mine", Mine)
    (checkpoint := tmp_path / "c.safetensors").write_bytes(create_model("pacm").to_bytes())
    with pytest.raises(UserError, match="of kind 'pacm'"):
        started(
            tmp_path / "p.pruner", tmp_path / "none.onnx", strategy="mine", settings={"checkpoint": str(checkpoint)}
        )


@pytest.mark.parametrize(("rpc", "words"), [("board", "not the address"), ("127.0.0.1:1", "No tracker answers")])
def test_a_tracker_that_is_none_is_told_before_the_models_file_is_read(tmp_path, rpc, words):
    with pytest.raises(UserError, match=words):
        started(tmp_path / "p.pruner", tmp_path / "none.onnx", settings={"rpc": rpc})


def test_a_project_without_runs_has_none_to_go_on_with(tmp_path):
    with Project(tmp_path / "p.pruner"):
        pass
    with pytest.raises(UserError, match="holds no run yet"):
        resumed(tmp_path / "p.pruner")


def test_nothing_is_begun_in_the_place_of_a_project_that_was_taken_away(tmp_path):
    gone, job = tmp_path / "gone.pruner", JobContext(print, Control(), "")
    for ask in (
        lambda: tune.resume(msg.Resume(project=str(gone)), job),
        lambda: bundle.export(msg.Export(project=str(gone), out=str(tmp_path / "out")), job),
        lambda: records.export_records(msg.ExportRecords(project=str(gone), out=str(tmp_path / "out")), job),
    ):
        with pytest.raises(UserError, match="There is no project file"):
            ask()
    assert not list(tmp_path.iterdir())


def test_a_run_that_has_learned_nothing_goes_on_only_with_its_checkpoint(tmp_path, monkeypatch):
    """One that has learned has a model of its own: tests/search/test_taken_up.py."""
    project, checkpoint = tmp_path / "p.pruner", tmp_path / "c.safetensors"
    checkpoint.write_bytes(create_model("pacm").to_bytes())

    def killed(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Libraries, "time", killed)
        started(project, strategy="pruner", settings={**QUICK, "model": "pacm", "checkpoint": str(checkpoint)})
    checkpoint.write_bytes(b"")
    said: list[msg.Event] = []
    with pytest.raises(UserError, match="is damaged"):
        tune.resume(msg.Resume(project=str(project)), JobContext(said.append, Control(), ""))
    assert [type(event) for event in said] == [msg.Phase], "nothing was begun"


@pytest.mark.parametrize("prepared", [True, False])
@pytest.mark.parametrize("name", ["another processor", None])
def test_a_run_of_another_device_does_not_go_on_here_and_stays_as_it_was(tmp_path, monkeypatch, prepared, name):
    path = tmp_path / "p.pruner"

    def killed(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        if not prepared:
            patch.setattr(Libraries, "time", killed)
        started(path)
    with Project(path) as project, project.transaction() as db:
        db.execute("UPDATE targets SET fingerprint = 'elsewhere', device = coalesce(?, device)", [name])
    with Project(path) as project:
        before = project.query("SELECT * FROM runs"), project.query("SELECT * FROM targets")
        assert bool(project.runs.tasks(1)) == prepared
    told = "tuned on another processor" if name else "than this machine's: its features or cores differ"
    with pytest.raises(UserError, match=told):
        resumed(path, trials=9)
    with Project(path) as project:
        assert (project.query("SELECT * FROM runs"), project.query("SELECT * FROM targets")) == before
        assert project.trials.counts(1)[0] == (4 if prepared else 0)


@pytest.fixture
def model_of_two_tasks(tmp_path) -> Path:
    import onnx
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Softmax", ["h"], ["y"])],
        "two",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [32, 32]) for name in ("x", "w")],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [32, 32])],
    )
    path = tmp_path / "two.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


@pytest.fixture(scope="module")
def tuned(tmp_path_factory) -> Path:
    project = tmp_path_factory.mktemp("exported") / "p.pruner"
    started(project)
    return project


@pytest.mark.parametrize(
    "change",
    [
        "runs SET seed = 'x'", "runs SET seed = -1", "runs SET budget_s = 'x'", "runs SET settings = x'ff00'",
        "runs SET elapsed_s = 'x'", "tasks SET weight = 'x'", "tasks SET untuned_s = 'x'",
    ],
)  # fmt: skip
def test_a_run_with_words_in_the_place_of_figures_does_not_go_on(tuned, tmp_path, change):
    path = tmp_path / "p.pruner"
    path.write_bytes(tuned.read_bytes())
    with Project(path) as project, project.transaction() as db:
        db.execute(f"UPDATE {change}")
    with pytest.raises(UserError, match="cannot be read as a project"):
        resumed(path, trials=5)


def test_a_library_that_was_missing_is_looked_for_again(tuned):
    with Project(tuned) as project:
        run = project.runs.get(1)
        of_run = run["model_id"], run["target_id"], "float32"
        for name, note in (("onnxruntime", MISSING[0]), ("torch", "It crashed.")):
            project.work.add_baseline(*of_run, name, None, repeats="[]", threads=1, note=note)
        opened = OpenRun(project, 1, JobContext(lambda _: None))
        with Libraries(opened, load_model("matmul:32,32,32"), resolve_target("auto"), LIBRARIES) as asked:
            asked.time()
        notes = {row["name"]: row["note"] for row in project.work.baselines(*of_run)}
    assert "files only" in notes["onnxruntime"], "it is installed, and takes no workload"
    assert notes["torch"] == "It crashed."


def test_libraries_that_were_timed_beside_other_programs_are_told_in_one_sentence(tuned, tmp_path):
    said: list[msg.Event] = []
    path = tmp_path / "p.pruner"
    path.write_bytes(tuned.read_bytes())
    with Project(path) as project, contextlib.ExitStack() as others:
        with project.transaction() as db:
            db.execute("DELETE FROM baselines")
        for _ in psutil.Process().cpu_affinity():
            others.enter_context(bystander())
        opened, model = OpenRun(project, 1, JobContext(said.append)), load_model(str(write_pt2(tmp_path / "m.pt2")))
        with Libraries(opened, model, resolve_target("auto"), LIBRARIES) as asked:
            asked.time()
    (told,) = (event.text for event in said if isinstance(event, msg.Notice))
    assert told.startswith("Libraries were timed while other") and "ONNX Runtime, PyTorch may be told" in told


def test_who_stops_a_run_between_two_libraries_is_told_that_the_first_was_disturbed(tuned, tmp_path):
    said: list[msg.Event] = []
    path, control = tmp_path / "p.pruner", Control()
    path.write_bytes(tuned.read_bytes())

    def stop_at_the_second(event: msg.Event) -> None:
        said.append(event)
        if isinstance(event, msg.Phase) and event.detail == "PyTorch":
            control.stop.set()

    with Project(path) as project, contextlib.ExitStack() as others:
        with project.transaction() as db:
            db.execute("DELETE FROM baselines")
        for _ in psutil.Process().cpu_affinity():
            others.enter_context(bystander())
        opened = OpenRun(project, 1, JobContext(stop_at_the_second, control))
        model = load_model(str(write_pt2(tmp_path / "m.pt2")))
        with Libraries(opened, model, resolve_target("auto"), LIBRARIES) as asked, pytest.raises(StoppedError):
            asked.time()
    (told,) = (event.text for event in said if isinstance(event, msg.Notice))
    assert told.startswith("ONNX Runtime was timed while other")


def test_a_library_that_was_timed_beside_other_programs_is_told_so_and_timed_again(tuned, monkeypatch):
    said: list[msg.Event] = []
    with Project(tuned) as project:
        run = project.runs.get(1)
        of_run = run["model_id"], run["target_id"], "float32"

        def notes(load: float) -> dict[str, str]:
            monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load))
            opened, model = OpenRun(project, 1, JobContext(said.append)), load_model("matmul:32,32,32")
            with Libraries(opened, model, resolve_target("auto"), ["torch"]) as asked:
                asked.time()
            return {row["name"]: row["note"] for row in project.work.baselines(*of_run)}

        monkeypatch.setitem(RUNS, "torch", ("workload",))
        project.work.add_baseline(*of_run, "torch", None, repeats="[]", threads=1, note=MISSING[0])
        with contextlib.ExitStack() as others:
            for _ in psutil.Process().cpu_affinity():
                others.enter_context(bystander())
            assert notes(9.0)["torch"].endswith(DISTURBED)
        assert [e.text for e in said if isinstance(e, msg.Notice) and "PyTorch was timed while other" in e.text]
        with ProjectReader(tuned) as reader:
            assert libraries_line(reader, 1).endswith(f" ({DISTURBED})")
        (kept,) = (row for row in project.work.baselines(*of_run) if row["name"] == "torch")
        assert notes(9.0)["torch"] == kept["note"], "not while others work"
        notes(0.0)
        (anew,) = (row for row in project.work.baselines(*of_run) if row["name"] == "torch")
        assert anew["repeats"] != kept["repeats"]


def stopped_while_libraries_are_timed(project: Path, monkeypatch, text: str) -> list[msg.Event]:
    """What a run says that is stopped soon after the first of them has its turn.

    Args:
        text: of the script that runs them.
    """
    (project.parent / "reference.py").write_text(text)
    monkeypatch.setattr(script, "FILES", project.parent)
    monkeypatch.setitem(RUNS, "torch", ("workload",))
    control, said = Control(), list[msg.Event]()

    def hear(event: msg.Event) -> None:
        said.append(event)
        if isinstance(event, msg.Phase) and event.name == "baseline":
            threading.Timer(0.1, control.stop.set).start()

    command = msg.Tune(project=str(project), model="matmul:32,32,32", strategy="random", trials=4, settings=QUICK)
    tune.start(command, JobContext(hear, control))
    return said


def test_no_library_is_told_of_that_runs_no_such_models(tmp_path):
    said = list[msg.Event]()
    command = msg.Tune(
        project=str(tmp_path / "p.pruner"), model="matmul:16,16,16", strategy="random", trials=2, settings=QUICK
    )
    tune.start(command, JobContext(said.append, Control()))
    phases = [event for event in said if isinstance(event, msg.Phase)]
    assert phases and not [phase for phase in phases if phase.name == "baseline" and not phase.task]


WAITS = "import sys, time; sys.stdin.readline()"


@pytest.mark.parametrize("does", ["", "; print(flush=True)"], ids=["loads", "times"])
def test_a_stop_is_heard_while_a_library_works(tmp_path, monkeypatch, does):
    said = stopped_while_libraries_are_timed(tmp_path / "p.pruner", monkeypatch, f"{WAITS}{does}; time.sleep(600)")
    assert isinstance(said[-1], msg.RunFinished) and said[-1].state == "stopped"
    assert not [child for child in psutil.Process().children() if str(tmp_path) in " ".join(child.cmdline())]
    with ProjectReader(tmp_path / "p.pruner") as reader:
        assert reader.run(1)["state"] == "stopped"
        assert "torch" not in {row["name"] for row in reader.baselines(1)}, "a resume times it"


@pytest.mark.parametrize("roomy", [True, False])
def test_libraries_load_beside_the_preparation_where_the_memory_allows(tmp_path, monkeypatch, roomy):
    at: list[str] = []
    monkeypatch.setattr(libraries, "_BESIDE", 0 if roomy else 1 << 60)
    begin, extract = Reference.begin, preparing.laid_out
    monkeypatch.setattr(Reference, "begin", lambda self: (at.append("begin"), begin(self)))
    monkeypatch.setattr(preparing, "laid_out", lambda *args: (at.append("prepare"), extract(*args))[1])
    started(tmp_path / "p.pruner")
    assert at[0] == ("begin" if roomy else "prepare") and at[-1] == "begin"


def test_an_export_to_what_cannot_be_replaced_is_refused_before_the_model_is_loaded(tuned, tmp_path):
    (tmp_path / "mine").write_text("a letter")
    phases: list[msg.Event] = []
    with pytest.raises(UserError, match="holds something that is not a bundle"):
        bundle.export(msg.Export(project=str(tuned), out=str(tmp_path)), JobContext(phases.append, Control(), ""))
    assert not phases


def test_an_export_can_be_stopped_and_leaves_nothing(tuned, tmp_path):
    control = Control()
    phases: list[str] = []

    def stop_at_check(event):
        phases.append(getattr(event, "name", ""))
        if phases[-1] == "check":
            control.stop.set()

    out = tmp_path / "out"
    with pytest.raises(StoppedError, match="The export was stopped"):
        bundle.export(msg.Export(project=str(tuned), out=str(out)), JobContext(stop_at_check, control, ""))
    assert phases.count("check") == 1 and not out.exists()
    with Project(tuned) as opened:
        assert not opened.query("SELECT 1 FROM exports")


def test_an_export_that_differs_from_a_library_is_kept_as_such(tuned, tmp_path, monkeypatch):
    def differing(*args, **options):
        told = export_bundle(*args, **options)
        told["checks"][0]["ok"] = False
        return told

    monkeypatch.setattr(bundle, "export_bundle", differing)
    said: list[msg.Event] = []
    job = JobContext(said.append, Control(), "")
    bundle.export(msg.Export(project=str(tuned), out=str(tmp_path / "out")), job)
    assert any(isinstance(event, msg.Notice) and "The outputs are not those of" in event.text for event in said)
    with Project(tuned) as opened:
        assert [row["ok"] for row in opened.query("SELECT ok FROM exports")] == [0]


def test_kernels_that_the_prepared_model_has_no_more_are_told(tuned, tmp_path, monkeypatch):
    def in_another_way(*args):
        prepared = prepare(*args)
        for variable, function in prepared.functions.items():
            if isinstance(function, tvm.tirx.PrimFunc):
                prepared[variable] = function.with_attr("another", 1)
        return prepared

    monkeypatch.setattr(bundle, "prepare", in_another_way)
    said: list[msg.Event] = []
    bundle.export(msg.Export(project=str(tuned), out=str(tmp_path / "out")), JobContext(said.append, Control(), ""))
    (exported,) = (event for event in said if isinstance(event, msg.Exported))
    functions = exported.summary["coverage"]["functions"]
    assert {function["state"] for function in functions if "matmul" in function["name"]} == {"drafted"}
    assert any(isinstance(event, msg.Notice) and "1 of its tuned kernels do not occur" in event.text for event in said)
    without = ["untuned", "onnxruntime", "torch", "torch.compile"]
    compared = bundle.compare_libraries(tuned, rounds=1, without=without, on_phase=lambda _: None)
    assert [notice.partition(" do not")[0] for notice in compared["notices"]] == ["1 of its tuned kernels"]


def test_of_a_library_the_calmest_minute_counts(tuned):
    with Project(tuned) as project:
        run = project.runs.get(1)
        for seconds, calmest in ((0.5, 0.5), (1.0, 0.5), (0.25, 0.25), (None, 0.25)):
            timing = {"seconds": seconds, "repeats": [], "threads": 1, "note": ""}
            timings = {"library": timing, "tuned": timing}
            bundle._keep(project, run, {"latency": timings}, timings)
            rows = project.work.baselines(run["model_id"], run["target_id"], "float32")
            told = {row["name"]: row["seconds"] for row in rows}
            assert (told["library"], told["tuned"]) == (calmest, seconds)


def test_a_models_path_is_whole_wherever_the_project_is_opened(model_of_two_tasks):
    folder = model_of_two_tasks.parent
    pruner("tune", model_of_two_tasks.name, "--trials", 2, "--strategy", "random", *SMALL, cwd=folder)
    with ProjectReader(folder / "two.pruner") as reader:
        assert reader.run(1)["source"] == str(model_of_two_tasks)


def test_collecting_says_which_model_failed_and_writes_the_others(tmp_path, warm):
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    args = ["collect", "matmul:16,16,16", tmp_path / "broken.onnx", "--trials-per-task", 2, *SMALL, "--json"]
    more = ["--project", tmp_path / "d.pruner", "--out", tmp_path / "d.safetensors"]
    done = carried_out(*args, *more)
    assert done.returncode == 1 and "2 runs failed" in done.stderr  # its random and its searched one
    answer = json.loads(done.stdout)
    assert answer["tasks"] == 1 and len(answer["errors"]) == 2 and "broken.onnx" in answer["errors"][0]


def test_a_disk_that_is_nearly_full_is_told_before_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(tune, "_ROOM", 1 << 60)
    said = started(tmp_path / "p.pruner")
    started_at = next(at for at, event in enumerate(said) if isinstance(event, msg.RunStarted))
    told = said[started_at + 1]
    assert isinstance(told, msg.Notice) and "nearly full" in told.text and "resume" in told.hint
    with ProjectReader(tmp_path / "p.pruner") as reader:
        assert told.text in [event["text"] for event in reader.events(1)]


def test_candidates_that_nothing_can_be_compared_with_are_told_once(tmp_path):
    # the untuned kernel, whose weights are too few to be gone through by rows, may take six times that, and to fill its
    # 13 MB 0.45 s
    settings = {"run_timeout_s": 0.05, "repeats": 1, "round_trials": 2}
    said = started(tmp_path / "p.pruner", "conv2d:1,128,112,112,128,3,layout=NHWC", settings=settings)
    told = [event for event in said if isinstance(event, msg.Notice) and "are not checked" in event.text]
    assert len(told) == 1 and "after 0.75 s" in told[0].text, [e.text for e in said if isinstance(e, msg.Notice)]


def test_after_each_round_the_file_alone_is_the_project(tmp_path):
    project, copy = tmp_path / "p.pruner", tmp_path / "copy.pruner"
    found: list[tuple[int, int]] = []

    def copying(event: msg.Event) -> None:
        if isinstance(event, msg.Progress) and event.trials and event.trials % 4 == 0:
            copy.write_bytes(project.read_bytes())
            with ProjectReader(copy) as reader:
                found.append((event.trials, reader.run(1)["trials"]))

    settings = {**QUICK, "round_trials": 4}
    command = msg.Tune(project=str(project), model="matmul:32,32,32", strategy="random", trials=8, settings=settings)
    tune.start(command, JobContext(copying))
    assert found == [(4, 4), (8, 8)]


def test_tuning_holds_no_weights(tmp_path, monkeypatch):
    """They may fill the memory, which candidates and libraries need."""
    loaded, held = [], []

    def load(*args, **options):
        model = load_model(*args, **options)
        loaded.extend([weakref.ref(model), weakref.ref(model.mod)])
        return model

    class Watching(tune.Tuner):
        def run(self, measurer):
            gc.collect()
            held.extend(one() for one in loaded)
            super().run(measurer)

    monkeypatch.setattr(tune, "load_model", load)
    monkeypatch.setattr(tune, "Tuner", Watching)
    started(tmp_path / "p.pruner")
    assert held == [None, None]
