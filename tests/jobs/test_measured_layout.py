"""A run has its convolutions in the layout that was asked for, or that was measured to be the faster one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tvm.ir.utils import derived_object
from tvm.s_tir.meta_schedule.schedule_rule import PyScheduleRule

from pruner_engine import protocol as msg
from pruner_engine.jobs.commands import bundle, tune
from pruner_engine.jobs.job import JobContext
from pruner_engine.search.budget import Budget
from pruner_engine.search.control import Control
from pruner_engine.search.layout import pays
from pruner_engine.search.settings import settings_from
from pruner_engine.space.rules import OWN_RULES
from pruner_engine.store.reader import ProjectReader
from pruner_engine.targets.target import resolve_target, target_json
from run_jobs import QUICK, started

_ONE_THREAD = json.dumps({**json.loads(target_json(resolve_target("auto"))), "num-cores": 1})
_OWN, _LAST = [1, 8, 14, 14], [1, 14, 14, 8]  # of the input of the convolution


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A convolution with its activation, channels first."""
    weights = np.random.default_rng(0).standard_normal((16, 8, 3, 3), np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "w"], ["h"], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["h"], ["y"]),
        ],
        "convolution",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, _OWN)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 16, 14, 14])],
        [numpy_helper.from_array(weights, "w")],
    )
    path = tmp_path_factory.mktemp("model") / "convolution.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


def tuned(model: Path, project: Path, **settings) -> list[msg.Event]:
    """What a run of two trials says, of one thread: two would wait for each other where others work."""
    settings = {**QUICK, "population": 64, "round_trials": 2, **settings}
    return started(project, model, trials=2, target=_ONE_THREAD, settings=settings)


def kernels(said: list[msg.Event]) -> list[str]:
    """Those that were measured before the run for the sake of the layout."""
    return [event.detail for event in said if isinstance(event, msg.Phase) and event.name == "layout"]


def input_of_convolution(reader: ProjectReader) -> list[int]:
    (task,) = (task for task in reader.tasks(1) if task["op"] == "conv2d")
    return task["shapes"][0]["shape"]


@pytest.mark.parametrize(("layout", "shape"), [("own", _OWN), ("channels-last", _LAST)])
def test_a_layout_that_is_asked_for_is_tuned_and_exported(model, tmp_path, layout, shape):
    project, out = tmp_path / "p.pruner", tmp_path / "out"
    assert kernels(tuned(model, project, layout=layout)) == []
    with ProjectReader(project) as reader:
        assert input_of_convolution(reader) == shape
    said: list[msg.Event] = []
    bundle.export(msg.Export(project=str(project), out=str(out)), JobContext(said.append))
    (done,) = (event for event in said if isinstance(event, msg.Exported))
    assert done.summary["coverage"]["summary"]["applied"]["functions"] >= 1, "what was tuned is what is compiled"
    assert not [event for event in said if isinstance(event, msg.Notice)]


def test_the_layout_that_is_measured_to_be_faster_is_kept_with_the_run(model, tmp_path):
    project = tmp_path / "p.pruner"
    said = tuned(model, project, layout="measured")
    assert sum("conv2d" in name for name in kernels(said)) == 2, "one of each layout"
    with ProjectReader(project) as reader:
        run = reader.run(1)
        kept = settings_from(json.dumps(run["settings"])).layout
        shape = input_of_convolution(reader)
        (told,) = (event["text"] for event in reader.events(1) if event["text"].startswith("Convolutions "))
    assert (kept, shape) in [("own", _OWN), ("channels-last", _LAST)]
    assert ("run channels last" in told) == (kept == "channels-last")
    assert run["asked_layout"] == "measured"


def test_a_stop_is_heard_while_layouts_are_measured_and_a_resume_begins_with_them(model, tmp_path):
    project = tmp_path / "p.pruner"
    command = msg.Tune(project=str(project), model=str(model), trials=2, settings={**QUICK, "layout": "measured"})
    for job, asked in ((tune.start, command), (tune.resume, msg.Resume(project=str(project)))):
        said, control = list[msg.Event](), Control()

        def stop_at_first_kernel(event: msg.Event, said=said, control=control) -> None:
            said.append(event)
            if kernels(said):
                control.stop.set()

        job(asked, JobContext(stop_at_first_kernel, control))
        assert len(kernels(said)) == 1 and isinstance(said[-1], msg.RunFinished) and said[-1].state == "stopped"
        with ProjectReader(project) as reader:
            run = reader.run(1)
            assert (run["state"], run["settings"]["layout"], run["alive"]) == ("stopped", "measured", False)


@derived_object
class Broken(PyScheduleRule):
    """A plugin's rule that fails on convolutions with channels last."""

    def _initialize_with_tune_context(self, context):
        pass

    def apply(self, sch, block):
        if "nhwc" in sch.get(block).name_hint:
            raise RuntimeError("broken")
        return [sch]

    def clone(self):
        return Broken()


def test_a_rule_that_fails_in_one_layout_does_not_cost_the_run(model, tmp_path, monkeypatch):
    monkeypatch.setitem(OWN_RULES, next(iter(OWN_RULES)), lambda machine: Broken())  # before ours take the kernel
    said = tuned(model, tmp_path / "p.pruner", layout="measured")
    assert kernels(said) and isinstance(said[-1], msg.RunFinished) and said[-1].state == "finished"


def test_a_model_without_convolutions_has_no_layout_to_choose(tmp_path):
    project = tmp_path / "p.pruner"
    assert kernels(tuned(Path("matmul:16,16,16"), project, layout="measured")) == []


def test_a_run_of_few_trials_of_each_task_is_short(model, tmp_path):
    settings = {**QUICK, "round_trials": 2, "trials_per_task": 2}
    said = started(tmp_path / "p.pruner", model, trials=None, target=_ONE_THREAD, settings=settings)
    assert kernels(said) == [] and isinstance(said[-1], msg.RunFinished) and said[-1].state == "finished"


def test_short_runs_are_not_made_shorter_by_a_choice():
    assert pays(Budget(None, None)) and pays(Budget(None, 600.0)) and pays(Budget(2_000, None))
    assert not (pays(Budget(None, 180.0)) or pays(Budget(64, None)) or pays(Budget(64, 6_000.0)))
