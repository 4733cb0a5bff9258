"""A run is taken up whatever has become of its cost model, with signs of life on the way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from databases import connected
from pruner_engine import protocol as msg
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategies import memory, model_strategy
from pruner_engine.search.strategy import make_strategy, register_strategy
from pruner_engine.store.project import Project
from pruner_engine.verify import create_model
from run_jobs import QUICK, resumed, started

SETTINGS = {"round_trials": 4, "population": 24, "draft_set": 16, "fresh_samples": 4, **QUICK}


@pytest.fixture(scope="module", params=["pruner", "moa-pruner"])
def tuned(request, tmp_path_factory) -> Path:
    """A project of one run of eight trials, whose model came from a file beside it."""
    folder = tmp_path_factory.mktemp(request.param)
    checkpoint = folder / "model.safetensors"
    checkpoint.write_bytes(create_model(SearchSettings().model).to_bytes())
    settings = {**SETTINGS, "checkpoint": str(checkpoint)}
    started(folder / "p.pruner", "matmul:64,64,64", strategy=request.param, trials=8, settings=settings)
    return folder / "p.pruner"


@pytest.fixture
def project(tuned, tmp_path) -> Path:
    """A copy to go on with."""
    return Path(shutil.copy(tuned, tmp_path))


def refusals(said: list[msg.Event]) -> list[str]:
    return [event.text for event in said if isinstance(event, msg.Notice) and "cannot be taken up" in event.text]


def test_without_the_file_that_its_model_came_from(project, tuned):
    checkpoint = tuned.with_name("model.safetensors")
    kept = checkpoint.rename(tuned.with_name("kept"))
    said = resumed(project, trials=12)
    kept.rename(checkpoint)
    assert isinstance(said[-1], msg.RunFinished) and said[-1].trials == 12
    assert refusals(said) == []


def test_with_a_model_of_other_layers(project):
    with connected(project) as db:
        db.execute("UPDATE checkpoints SET data = ?", [create_model("tlp").to_bytes()])
        roles = [role for (role,) in db.execute("SELECT role FROM checkpoints ORDER BY role DESC")]
    db.close()
    assert roles in (["model"], ["siamese", "model"])
    said = resumed(project, trials=12)
    assert isinstance(said[-1], msg.RunFinished) and said[-1].trials == 12
    assert [text.split()[1] for text in refusals(said)] == roles
    with Project(project) as opened:
        for role in roles:
            create_model(SearchSettings().model).from_bytes(opened.runs.checkpoints(1)[role])


@pytest.mark.parametrize("tuned", ["moa-pruner"], indirect=True)
def test_a_round_that_was_broken_off_before_its_first_trial_shifts_no_adaptation(project):
    with Project(project) as opened:
        opened.runs.add_round(1, opened.runs.tasks(1)[0]["id"])
    resumed(project, trials=20)
    with Project(project) as opened:
        adapted = {row["round_id"] for row in opened.query("SELECT round_id FROM adaptations")}
        measured = [row["id"] for row in opened.runs.rounds(1) if row["measured"]]
    assert adapted == {measured[0], measured[4]}, "every fourth learns from the siamese"


@pytest.mark.parametrize("tuned", ["pruner"], indirect=True)
@pytest.mark.parametrize("kept", [8, 4])
def test_trials_that_are_kept_are_featurised_with_signs_of_life(project, monkeypatch, kept):
    monkeypatch.setattr(model_strategy, "_RESTORED", 2)
    for name, value in (("HELD_EVERY", 2), ("KEPT", kept), ("MOST", kept)):
        monkeypatch.setattr(memory, name, value)
    phases = [event for event in resumed(project, trials=12) if isinstance(event, msg.Phase)]
    assert sum(event.name == "restore" and bool(event.task) for event in phases) == 1 + kept / 2


def test_weights_that_are_no_numbers_are_not_kept():
    model = create_model("pacm")
    assert model.is_finite and create_model("xgb").is_finite
    next(model.network.parameters()).data[0] = float("nan")
    assert not model.is_finite


def test_a_plugins_strategy_is_given_back_what_it_has_kept_in_roles_of_its_own(tmp_path):
    given = []

    def noting(context):
        """A random search that keeps notes."""
        strategy = make_strategy("random", context)
        kept, restore = strategy.checkpoints, strategy.restore

        def restored(states, checkpoints):
            given.append(checkpoints)
            restore(states, checkpoints)

        strategy.checkpoints = lambda: {**kept(), "notes": ("noting", b"mine", {})}
        strategy.restore = restored
        return strategy

    register_strategy("noting", noting)
    started(tmp_path / "p.pruner", strategy="noting")
    assert isinstance(resumed(tmp_path / "p.pruner", trials=6)[-1], msg.RunFinished)
    assert given == [{"notes": b"mine"}]
