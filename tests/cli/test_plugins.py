"""The documented plugin works, and one that fails is told in a sentence."""

import json
import os
import re
from pathlib import Path

import pytest

from pruner_engine.jobs.client import EngineProcess
from pruner_engine.processes.child import environment
from pruner_engine.store.reader import ProjectReader
from terminal import SMALL, carried_out, pruner, pruner_here

DOCUMENT = Path(__file__).parents[2] / "docs" / "extending.md"


@pytest.fixture(scope="module")
def engine():
    """One for this file alone: what plugins register stays."""
    with EngineProcess() as process:
        yield process


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    code = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)[1]
    path = tmp_path_factory.mktemp("plugin") / "mine.py"
    path.write_text(code)
    return path


def test_the_documented_strategy_and_rule_tune_a_workload(plugin, tmp_path, warm):
    project = tmp_path / "r.pruner"
    args = ["tune", "relu:64,64", "--trials", 6, "--plugin", plugin, "--strategy", "draft-only", "--project", project]
    told = json.loads(pruner_here(*args, "--json", *SMALL))
    assert told["strategy"] == "draft-only"
    assert told["valid"] == 6
    # the run's strategy is not known without its plugin, and nothing of it is in the project file
    message = pruner("resume", project, "--run", told["id"], "--trials", 8, code=1)
    assert 'There is no strategy "draft-only"' in message
    assert "--plugin" in message


def test_the_documented_model_verifies_and_learns(plugin, tmp_path, warm):
    """The second round is verified by what was learned of the first."""
    project = tmp_path / "m.pruner"
    args = ["tune", "matmul:32,32,32", "--trials", 8, "--plugin", plugin, "--set", "model=linear", *SMALL]
    assert json.loads(pruner_here(*args, "--project", project, "--json"))["valid"] == 8
    ask = ["try", project, "--task", 1, "--verify"]
    assert json.loads(pruner_here(*ask, "--plugin", plugin, "--json"))["model"] == "linear"
    message = pruner(*ask, code=1)  # a process that has not loaded it
    assert "There is no cost model named 'linear'" in message and "--plugin" in message


ODD_MODEL = """
from pathlib import Path
import numpy as np
from pruner_engine.verify import CostModel, Features, LearnReport, register_model

class Odd(CostModel):
    kind = "odd"

    def featurize(self, space, candidates):
        found = [Features() for _ in candidates]
        return eval(Path({answers!r}, "features").read_text())

    def predict(self, features):
        return eval(Path({answers!r}, "scores").read_text())

    def update(self, groups):
        return eval(Path({answers!r}, "report").read_text())

    def to_bytes(self):
        return b"odd"

    def from_bytes(self, data):
        pass

register_model("odd", lambda seed: Odd())
"""


def test_a_model_that_answers_in_another_shape_is_told_with_its_plugin(tmp_path, warm):
    (plugin := tmp_path / "odd.py").write_text(ODD_MODEL.format(answers=str(tmp_path)))
    right = {"features": "found", "scores": "np.zeros(len(features))", "report": "LearnReport(0.0, 0.0, 1, 1, 0.0)"}
    tune = ["tune", "matmul:32,32,32", "--trials", 4, "--plugin", plugin, "--set", "model=odd", *SMALL]

    def told(*args, code=1, **answers):
        for name, answer in {**right, **answers}.items():
            (tmp_path / name).write_text(answer)
        return pruner_here(*args, code=code)

    told(*tune, "--project", (project := tmp_path / "p.pruner"), code=0)
    named = f'The cost model "odd" of {plugin} does not give'
    ask = ["try", project, "--task", 1, "--verify", "--plugin", plugin]
    for scores in ("np.zeros((len(features), 1))", "1.0", "None", "[]", "['a'] * len(features)", "[[1], [1, 2]]"):
        assert f"{named} one score for each of 1 candidates. Mend" in told(*ask, scores=scores), scores
    mixed = ("[None for _ in found]", "[np.zeros(3) for _ in found]", "[Features(statement=[1.0]) for _ in found]")
    for features in ("None", "found[1:]", "found * 2", *mixed):
        assert f"{named} features of each of" in told(*ask, features=features), features
    assert 'cost model "odd" gives this schedule is no number' in told(*ask, scores="np.full(len(features), np.nan)")
    assert told(*ask, scores="[0] * len(features)", code=0)
    more = ["resume", project, "--trials", 12, "--plugin", plugin]
    assert f"{named} one score for each of" in told(*more, scores="np.zeros((len(features), 1))")
    assert f"{named} features of each of" in told(*more, features="found[1:]")
    assert f'The cost model "odd" of {plugin} tells no LearnReport. Mend' in told(*more, report="None")


def test_a_model_whose_scores_are_no_numbers_is_told_of_once_and_has_no_say(tmp_path, warm):
    (plugin := tmp_path / "odd.py").write_text(ODD_MODEL.format(answers=str(tmp_path)))
    answers = {"scores": "np.full(len(features), np.nan)", "report": "LearnReport(0.0, 0.0, 1, 1, 0.0)"}
    for name, answer in {"features": "found", **answers}.items():
        (tmp_path / name).write_text(answer)
    project = ["--project", tmp_path / "p.pruner"]
    done = carried_out("tune", "matmul:32,32,32", "--trials", 12, "--plugin", plugin, "--set", "model=odd", *project)
    assert done.returncode == 0
    assert done.stderr.count('The cost model "odd" gives scores that are no numbers') == 1
    with ProjectReader(tmp_path / "p.pruner") as reader:
        assert reader.run()["valid"] == 12


def installed(folder, code):
    """The environment in which a distribution is installed whose plugin is this code."""
    (folder / "mine_1.py").write_text(code)
    (about := folder / "my_plugin-1.0.dist-info").mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pruner_studio.plugins]\nmine = mine_1\n")
    return environment() | {"PYTHONPATH": os.pathsep.join((environment()["PYTHONPATH"], str(folder)))}


def test_an_installed_plugin_needs_no_name(tmp_path):
    env = installed(tmp_path, STRATEGY.format(name="mine", change="propose = strategy.propose"))
    tune = ["tune", "matmul:32,32,32", "--trials", 2, "--strategy", "mine", "--project", tmp_path / "p.pruner", *SMALL]
    assert json.loads(pruner(*tune, "--json", env=env))["valid"] == 2


def test_an_installed_plugin_that_fails_is_told_with_what_it_came_with(tmp_path):
    env = installed(tmp_path, "1 / 0")
    told = pruner("tune", "matmul:32,32,32", "--trials", 2, "--project", tmp_path / "p.pruner", code=1, env=env)
    assert "The plugin mine (mine_1) fails: ZeroDivisionError" in told
    assert "pip uninstall my-plugin" in told


def test_a_plugin_may_have_modules_beside_it(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "beside_it.py").write_text("raise RuntimeError('found')")
    (tmp_path / "mine" / "plugin.py").write_text("import beside_it")
    message = pruner("tune", "matmul:32,32,32", "--plugin", "mine/plugin.py", code=1, cwd=tmp_path)
    assert "RuntimeError: found" in message


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import nothing_of_that_name", "in line 1: ModuleNotFoundError"),
        ("def f(:", "SyntaxError"),
        ("\n1 / 0", "line 2"),
        ("import sys; sys.exit(3)", "in line 1: SystemExit: 3"),
        (
            "\nfrom pruner_engine.search.strategy import *\nregister_strategy('mine', 5)",
            "in line 3: TypeError: 5 cannot",
        ),
        ("from pruner_engine.verify import *\nregister_model('mine', lambda: 5)", "in line 2: TypeError: <function"),
        (
            "from pruner_engine.verify import *\nclass Half(CostModel):\n def __init__(self, seed): ...\n"
            "register_model('mine', Half)",
            "in line 4: TypeError: <class",
        ),
        ("from pruner_engine.space.rules import *\nregister_rule('mine', None)", "in line 2: TypeError: None cannot"),
        ("from pruner_engine.space.rules import *\nregister_rule('mine', id, 'rocm')", "line 2: ValueError: 'rocm' is"),
    ],
)
def test_a_plugin_that_fails_is_told_with_its_line(tmp_path, code, told, warm):
    (tmp_path / "bad.py").write_text(code)
    message = pruner_here("tune", "matmul:32,32,32", "--trials", 2, "--plugin", tmp_path / "bad.py", code=1)
    assert "The plugin" in message
    assert told in message
    assert "Traceback" not in message


@pytest.mark.parametrize(
    ("code", "words", "told"),
    [
        (
            "from pruner_engine.search.strategy import *\nregister_strategy('makes', lambda context: 5)",
            ["--strategy", "makes"],
            'What is registered as the strategy "makes" makes a int. Mend its plugin',
        ),
        (
            "from pruner_engine.search.strategies.random_search import *\nclass Bare(RandomSearch):\n"
            " def __init__(self, context): ...\nregister_strategy('makes', Bare)",
            ["--strategy", "makes"],
            'The strategy "makes" does not call `super().__init__(context)`. Mend its plugin',
        ),
        (
            "from pruner_engine.verify import register_model\nregister_model('makes', lambda seed: None)",
            ["--set", "model=makes"],
            'What is registered as the cost model "makes" makes a NoneType. Mend its plugin',
        ),
    ],
)
def test_a_plugin_that_makes_something_else_is_told(tmp_path, code, words, told, warm):
    (plugin := tmp_path / "odd.py").write_text(code)
    project = tmp_path / "p.pruner"
    assert told in pruner_here(
        "tune", "matmul:32,32,32", "--trials", 2, "--plugin", plugin, *words, "--project", project, code=1
    )


STRATEGY = """
import math, sys
import numpy as np
from pruner_engine.search.strategies import make_strategy, register_strategy
from pruner_engine.search.strategy import Proposal

def mine(context):
    strategy = make_strategy("random", context)
    propose, learn = strategy.propose, strategy.learn

    {change}
    return strategy

register_strategy("{name}", mine)
"""


def strategy_of(folder, name, change):
    """The words that have a plugin's strategy tune: a random search with a change."""
    (plugin := folder / f"{name}.py").write_text(STRATEGY.format(name=name, change=change))
    return ["--plugin", plugin, "--strategy", name]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("unmakeable", "1 / 0"),
        ("unkept", "strategy.checkpoints = lambda: 1 / 0"),
        ("unlearned", "strategy.calibration = lambda: 1 / 0"),
    ],
)
def test_a_strategy_that_fails_is_told_with_its_plugin(tmp_path, name, change, warm):
    words, project = strategy_of(tmp_path, name, change), tmp_path / "p.pruner"
    told = pruner_here("tune", "matmul:32,32,32", "--trials", 2, *words, "--project", project, code=1)
    assert f"The plugin {words[1]} fails in line 11: ZeroDivisionError: division by zero. Mend it" in told
    assert "Traceback" not in told
    assert f"The plugin {words[1]} fails in line 11" in pruner_here("status", project), "nor is it a mystery later"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("leaver", "sys.exit('enough')"),
        ("quitter", "strategy.propose = lambda state, count: sys.exit('enough')"),
        ("dropout", "strategy.learn = lambda state, trials: sys.exit('enough')"),
    ],
)
def test_a_strategy_that_ends_the_process_ends_its_run_only(tmp_path, name, change, warm):
    words, project = strategy_of(tmp_path, name, change), tmp_path / "p.pruner"
    tune = ["tune", "matmul:32,32,32", "--trials", 2, *words, "--project", project]
    said = carried_out(*tune)
    with ProjectReader(project) as reader:
        row = reader.run()
        why = f"{row['reason']} {[task['quarantined'] for task in reader.tasks(row['id'])]} {said.stderr}"
    assert not row["interrupted"]
    assert f"The plugin {words[1]} fails in line 11: SystemExit: enough" in why


def test_a_strategy_that_fails_as_its_run_goes_on_is_told_with_its_plugin(tmp_path, warm):
    words = strategy_of(tmp_path, "unrestored", "strategy.restore = lambda states, checkpoints: checkpoints['mine']")
    project = tmp_path / "p.pruner"
    pruner_here("tune", "matmul:32,32,32", "--trials", 2, *words, "--project", project)
    told = pruner_here("resume", project, "--trials", 4, *words[:2], code=1)
    assert f"The plugin {words[1]} fails in line 11: KeyError: 'mine'" in told


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("wordy", "strategy.learn = lambda state, trials: {'met': {1, 2}}"),
        ("silent", "strategy.learn = lambda state, trials: learn(state, trials) or None"),
        ("bare", "strategy.checkpoints = lambda: {'model': b'data'}"),
        ("texts", "strategy.checkpoints = lambda: {'model': ('mine', 'data', {})}"),
        ("mute", "strategy.propose = lambda state, count: None"),
        (
            "timeless",
            "strategy.propose = lambda state, count: Proposal(propose(state, count).candidates, draft_s='long')",
        ),
        (
            "praising",
            "strategy.propose = lambda state, count: Proposal("
            "[setattr(c, 'verified_score', 'high') or c for c in propose(state, count).candidates])",
        ),
        ("skewed", "strategy.calibration = lambda: {'compute': math.nan}"),
        ("listing", "strategy.calibration = lambda: [1.0]"),
        ("lister", "strategy.propose = lambda state, count: propose(state, count).candidates"),
        (
            "rower",
            "strategy.propose = lambda state, count: Proposal([c.row for c in propose(state, count).candidates])",
        ),
        (
            "draftless",
            "strategy.propose = lambda state, count: Proposal(propose(state, count).candidates, drafted=None)",
        ),
    ],
)
def test_a_strategy_that_tells_what_is_not_expected_is_named(tmp_path, name, change, warm):
    words = strategy_of(tmp_path, name, change)
    told = pruner_here("tune", "matmul:32,32,32", "--trials", 2, *words, "--project", tmp_path / "p.pruner", code=1)
    assert f'The strategy "{name}" ' in told and "Mend its plugin" in told


def test_figures_of_numpy_are_kept_as_numbers(tmp_path, warm):
    change = """
    def told(state, count):
        proposal = propose(state, count)
        proposal.explored, proposal.draft_s, proposal.verify_s = np.int64(7), np.float32(0.5), math.nan
        proposal.stats["drawn"] = np.arange(2)
        return proposal

    strategy.propose = told
    strategy.learn = lambda state, trials: {"loss": np.float32(0.25), "pair_accuracy": math.nan, "first": np.True_}
    strategy.checkpoints = lambda: {"mine": ("mine", bytearray(b"data"), {"rounds": np.int32(1)})}
    """
    words, project = strategy_of(tmp_path, "numeric", change), tmp_path / "p.pruner"
    pruner_here("tune", "matmul:32,32,32", "--trials", 2, *words, "--project", project)
    (told,) = json.loads(pruner_here("rounds", project, "--json"))["rounds"]
    assert (told["explored"], told["draft_s"], told["verify_s"]) == (7, 0.5, 0.0)
    with ProjectReader(project) as reader:
        assert len(reader.probes(1)) == 1, "SQLite reads the figures too"
        (row,) = reader.rounds(1)
        figures = {name: row["stats"][name] for name in ("drawn", "loss", "pair_accuracy", "first")}
        assert figures == {"drawn": [0, 1], "loss": 0.25, "pair_accuracy": None, "first": True}


def test_a_plugin_is_there_when_a_comparison_times_the_best_again(tmp_path, warm):
    """That happens in the terminal's process: a schedule of the plugin's rule may need an intrinsic of the plugin's."""
    where = tmp_path / "processes"
    (plugin := tmp_path / "mine.py").write_text(f"import os\nprint(os.getpid(), file=open({str(where)!r}, 'a'))")
    command = ["bench", "search", "matmul:16,16,32", "--strategies", "random", "--baseline", "random", *SMALL]
    pruner_here(*command, "--seeds", 0, "--trials", 2, "--plugin", plugin, "--again", 1, "--out", tmp_path / "cmp")
    assert str(os.getpid()) in where.read_text().split()


RULE = """
from tvm.ir.utils import derived_object
from tvm.s_tir.meta_schedule.schedule_rule import PyScheduleRule
from pruner_engine.space.rules import register_rule

@derived_object
class Mine(PyScheduleRule):
    def __init__(self, machine):
        super().__init__()

    def _initialize_with_tune_context(self, context):
        pass

    def apply(self, sch, block):
        {apply}

    def clone(self):
        return Mine(None)

register_rule("mine", {make})
"""


@pytest.mark.parametrize(
    ("apply", "why"),
    [
        ("raise ValueError('not this one')", "The plugin {plugin} fails in line 15: ValueError: not this one"),
        ("return []", "it gives no schedule"),
        ("return None", "TypeError"),
    ],
)
def test_a_rule_that_fails_leaves_kernels_to_the_others(tmp_path, apply, why, warm):
    (plugin := tmp_path / "rule.py").write_text(RULE.format(apply=apply, make="Mine"))
    tune = ["tune", "relu:32,48", "--trials", 2, "--plugin", plugin, "--project", tmp_path / "p.pruner", *SMALL]
    done = carried_out(*tune)
    assert done.returncode == 0
    assert re.search(
        f'The schedule rule "mine" fails on relu_\\w+: {re.escape(why.format(plugin=plugin))}', done.stderr
    )
    assert "Mend its plugin" in done.stderr and "makers of Pruner Studio" not in done.stderr


def test_what_makes_no_rule_is_told(tmp_path, warm):
    (plugin := tmp_path / "rule.py").write_text(RULE.format(apply="pass", make="lambda machine: None"))
    told = pruner_here("tune", "relu:32,48", "--trials", 2, "--plugin", plugin, "--project", tmp_path / "p", code=1)
    assert 'What is registered as the schedule rule "mine" makes a NoneType. Mend its plugin' in told


def test_what_a_plugin_prints_is_no_result(tmp_path):
    """Plugins are loaded in the terminal's process, too, by commands that work on many projects."""
    (plugin := tmp_path / "loud.py").write_text("import os\nprint('loud')\nos.write(1, b'louder')")
    tune = ["tune", "matmul:16,16,32", "--strategy", "random", "--trials", 2, "--json", *SMALL]
    told = pruner(*tune, "--plugin", plugin, "--project", tmp_path / "p.pruner")
    assert json.loads(told)["trials"] == 2
    search = ["bench", "search", "matmul:16,16,32", "--strategies", "random", "--baseline", "random", "--seeds", 0]
    few = ["--trials", 2, "--again", 1, "--out", tmp_path / "cmp", "--json", *SMALL]
    assert json.loads(pruner(*search, *few, "--plugin", plugin))["errors"] == []
    alone = ["--rounds", 1, "--without", "torch", "--without", "torch.compile"]
    compared = json.loads(pruner("bench", "e2e", tmp_path / "p.pruner", *alone, "--json", "--plugin", plugin))
    assert compared["errors"] == []
