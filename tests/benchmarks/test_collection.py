"""What becomes of measurements that a project holds when a data set, or a run that goes on, is made of them."""

import json

import pytest

from databases import connected
from pruner_engine.benchmarks.collection import featurise
from pruner_engine.errors import UserError
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.store.project import Project
from run_jobs import resumed, started


@pytest.fixture
def project(tmp_path):
    started(tmp_path / "p.pruner")
    return tmp_path / "p.pruner"


def collected(path):
    with Project(path) as opened:
        return featurise(opened, lambda *_: None)


def test_a_kernel_whose_schedules_cannot_be_applied_any_more_is_left_out(project, monkeypatch):
    assert len(collected(project)) == 4
    monkeypatch.setattr(DesignSpace, "apply", lambda *_: None)  # as postprocs of another version may refuse them
    assert collected(project).records == {}


def test_factors_that_tvm_would_not_survive_are_a_sentence(project):
    with connected(project) as db:
        for row_id, decisions in db.execute("SELECT id, decisions FROM candidates").fetchall():
            none = [[0] * len(value) if isinstance(value, list) else value for value in json.loads(decisions)]
            db.execute("UPDATE candidates SET decisions = ? WHERE id = ?", (json.dumps(none), row_id))
    for use in (collected, lambda path: resumed(path, trials=8)):
        with pytest.raises(UserError, match="cannot be read as a project"):
            use(project)
