"""The line for a command is read by the terminal as that very command; a run's line makes the same run anew."""

import shlex
from pathlib import Path

from pruner_engine.jobs.lines import (
    adaptation_line,
    decisions_words,
    inspect_words,
    line_of,
    plan_of,
    report_line,
    rounds_line,
    status_line,
    steer_line,
    tasks_line,
    try_words,
)
from pruner_engine.protocol import (
    UNTUNED,
    Doctor,
    Export,
    ExportRecords,
    ImportRecords,
    ListBoards,
    Profile,
    Resume,
    Steer,
    Tune,
)
from pruner_engine.reports.run import commands_of
from terminal import parsed


def test_a_tuning_is_read_as_it_was_meant(tmp_path):
    model = tmp_path / "a model.onnx"
    model.touch()
    plan = Tune(
        project=str(tmp_path / "p.pruner"), model=str(model), inputs={"x": [1, 3, 8, 8], "y": [4]}, target="llvm",
        strategy="moa-pruner", trials=320, minutes=2.5, seed=7,
        settings={"draft_set": 256, "without_rules": ["winograd", "rows"], "model": "pacm", "dtype": "bfloat16"},
        allow_code=True,
    )  # fmt: skip
    told = parsed(line_of(plan))
    for name in ("project", "model", "target", "strategy", "trials", "minutes", "seed", "allow_code"):
        assert told[name] == getattr(plan, name), name
    assert {name: list(shape) for name, shape in told["inputs"]} == plan.inputs
    assert dict(told["settings"]) | {"without_rules": list(told["without"]), "dtype": told["dtype"]} == plan.settings


def test_what_is_as_by_default_is_left_out():
    assert line_of(Tune(project="", model="matmul:8,8,8")) == "pruner tune matmul:8,8,8"
    assert line_of(Tune(project="", model="m.onnx", settings={"rpc": "h:9190", "rpc_key": "b"})) == (
        "pruner tune m.onnx --rpc h:9190 --key b"
    )


def test_every_other_line_is_understood(tmp_path):
    project = tmp_path / "p.pruner"
    project.touch()
    told = parsed(line_of(Profile(target="cuda", measure=False)))
    assert (told["target"], told["kept"]) == ("cuda", True)
    told = parsed(line_of(Resume(project=str(project), run_id=2, trials=64)))
    assert (told["project"], told["run_id"], told["trials"]) == (str(project), 2, 64)
    told = parsed(line_of(Export(project=str(project), out="to here", run_id=1)))
    assert (told["out"], told["run_id"], told["all_runs"]) == ("to here", 1, False)
    told = parsed(line_of(Export(project=str(project), out="o", run_id=1, all_runs=True, weights_beside=True)))
    assert told["all_runs"] and told["weights"] == "beside"
    told = parsed(line_of(Export(project=str(project), out="o", rpc="h:9190", rpc_key="arm")))
    assert (told["rpc"], told["rpc_key"]) == ("h:9190", "arm")
    assert parsed(line_of(ExportRecords(project=str(project), out="o", run_id=1, all_runs=True)))["all_runs"]
    for line in (
        line_of(ExportRecords(project=str(project), out="r", best=8)),
        line_of(ImportRecords(project=str(project), folder=str(tmp_path), same_device=True)),
        line_of(ListBoards(tracker="h:9190")),
        line_of(Doctor()),
        line_of(Profile()),
        report_line(str(project), 1, "r.html"),
        status_line(str(project)),
        adaptation_line(str(project), 1, None),
    ):
        parsed(line)
    assert parsed(adaptation_line(str(project), 1, 3))["task"] == "3"
    told = parsed(rounds_line(str(project), 1, 3))
    assert (told["run_id"], told["task"]) == (1, "3")
    assert parsed(rounds_line(str(project), 1, None))["task"] is None
    told = parsed(steer_line(str(project), Steer(task_id=3, action="boost")))
    assert (told["action"], told["task"]) == ("boost", "3")


def test_the_words_about_a_candidate_are_understood(tmp_path):
    project, plugin = tmp_path / "p.pruner", tmp_path / "rules.py"
    for path in (project, plugin):
        path.touch()
    told = parsed(shlex.join(inspect_words(str(project), 3, 7, "replay", [str(plugin)])))
    assert (told["task"], told["candidate"], told["form"], told["plugins"]) == ("3", 7, "replay", (str(plugin),))
    assert parsed(shlex.join(inspect_words(str(project), 3, UNTUNED, "why")))["candidate"] == UNTUNED
    told = parsed(shlex.join([*try_words(str(project), 3, 1, 7), "--decide", "ax0=1,8", "--measure"]))
    assert (told["task"], told["run_id"], told["candidate"]) == ("3", 1, 7)
    assert (told["edits"], told["measure"]) == (("ax0=1,8",), True)
    told = parsed(shlex.join(decisions_words(str(project), 2, 7)))
    assert (told["run_id"], told["candidate"]) == (2, 7)
    told = parsed(tasks_line(str(project), 1))
    assert (told["project"], told["run_id"]) == (str(project), 1)


FIXED = ["sr=16000", "axes=1, 2"]


def test_a_run_is_made_anew_with_what_it_was_made_with():
    run = {
        "id": 4, "source": "resnet.onnx", "model_kind": "onnx", "target": None, "strategy": "pruner", "seed": 3,
        "inputs": [{"name": "x", "shape": [1, 3, 8, 8], "dtype": "float32"}], "budget_trials": 200, "budget_s": 90.0,
        "settings": {"draft_set": 256, "mutation": 0.85, "check": "best", "fixed": [], "without_rules": []},
        "asked_target": None, "asked_layout": None,
    }  # fmt: skip
    plan = plan_of(run, "new.pruner")
    assert (plan.target, plan.trials, plan.minutes, plan.inputs) == ("auto", 200, 1.5, {"x": [1, 3, 8, 8]})
    assert plan.settings == {"draft_set": 256}, "what is as by default is not told"
    assert plan_of(run | {"model_kind": "workload"}, "new.pruner").inputs == {}
    assert plan_of(run | {"model_kind": "tvmscript"}, "new.pruner").allow_code
    stored = run | {"target": '{"kind":"llvm"}'}
    assert plan_of(stored, "new.pruner").target == '{"kind":"llvm"}', "an earlier version kept nothing else"
    assert plan_of(stored | {"asked_target": "auto"}, "new.pruner").target == "auto"
    settled = run | {"settings": {**run["settings"], "layout": "own"}}
    assert plan_of(settled | {"asked_layout": "measured"}, "new.pruner").settings["layout"] == "measured"
    assert "--fix sr=16000 --fix 'axes=1, 2'" in line_of(plan_of(run | {"settings": {"fixed": FIXED}}, "new.pruner"))
    anew, resume, export = commands_of(run, Path("/far/p.pruner"))
    assert anew == line_of(plan).replace("new.pruner", "NEW.pruner")
    assert resume == "pruner resume p.pruner --run 4" and export == "pruner export p.pruner --out DIR --run 4"
