"""Every kind of failed trial comes with what to do, the same wherever it is told."""

import pytest

from chosen_runs import add_run, make_project
from pruner_engine.measure.advice import ADVICE, OTHERWISE, advice
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from terminal import pruner_here

# What runner, builder and obituary can say
KINDS = [
    *(("build", error) for error in ("error", "crash", "timeout", "memory")),
    *(("load", error) for error in ("error", "memory")),
    *(("run", error) for error in ("error", "crash", "timeout", "memory")),
    *(("check", error) for error in ("error", "wrong", "memory")),
]


@pytest.mark.parametrize(("stage", "error"), KINDS)
def test_every_kind_of_failure_has_advice_of_its_own(stage, error):
    assert advice(stage, error).endswith(".") and advice(stage, error) != OTHERWISE


def test_no_advice_is_of_a_kind_that_cannot_happen():
    told = {key if key in ADVICE else ("", key[1]) for key in KINDS}
    assert set(ADVICE) == told


def test_a_kind_that_nobody_knows_has_advice_too():
    assert advice("build", "from-the-future") == OTHERWISE


def test_status_tells_what_to_do_about_failed_trials(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0)})
    add_run(path, "pruner", [("trial", 1, 0.5, 1.0), ("trial", 1, None, 2.0), ("end", 2.0)])
    with Project(path) as project, project.transaction() as db:
        db.execute("UPDATE measurements SET error = 'timeout', log = 'the end of the log' WHERE stage = 'run'")
    with ProjectReader(path) as reader:
        (failure,) = reader.failures(1)
    assert failure["hint"] == advice("run", "timeout") and failure["log"] == "the end of the log"
    assert advice("run", "timeout") in pruner_here("status", path)
    assert "the end of the log" in pruner_here("status", path, "--json")
