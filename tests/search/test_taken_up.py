"""A run is taken up whatever has become of its cost model, with signs of life on the way."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from pruner_engine import protocol as msg
from pruner_engine.jobs import tune
from pruner_engine.jobs.job import JobContext
from pruner_engine.search import memory, model_strategy
from pruner_engine.search.settings import SearchSettings
from pruner_engine.store.project import Project
from pruner_engine.verify import create_model

SETTINGS = {"round_trials": 4, "population": 24, "draft_set": 16, "fresh_samples": 4, "check": "none", "repeats": 1}


def tuned(project: Path, strategy: str = "pruner", **settings) -> None:
    command = msg.Tune(
        project=str(project), model="matmul:64,64,64", strategy=strategy, trials=8, settings={**SETTINGS, **settings}
    )
    tune.start(command, JobContext(lambda _: None))


def resumed(project: Path) -> list[msg.Event]:
    said: list[msg.Event] = []
    tune.resume(msg.Resume(project=str(project), run_id=1, trials=12), JobContext(said.append))
    return said


def refusals(said: list[msg.Event]) -> list[str]:
    return [event.text for event in said if isinstance(event, msg.Notice) and "cannot be taken up" in event.text]


@pytest.mark.parametrize("strategy", ["pruner", "moa-pruner"])
def test_without_the_file_that_its_model_came_from(tmp_path, strategy):
    checkpoint = tmp_path / "model.safetensors"
    checkpoint.write_bytes(create_model("pacm").to_bytes())
    tuned(tmp_path / "p.pruner", strategy, checkpoint=str(checkpoint), model="pacm")
    checkpoint.unlink()
    said = resumed(tmp_path / "p.pruner")
    assert isinstance(said[-1], msg.RunFinished) and said[-1].trials == 12
    assert refusals(said) == []


@pytest.mark.parametrize("strategy", ["pruner", "moa-pruner"])
def test_with_a_model_of_other_layers(tmp_path, strategy):
    tuned(tmp_path / "p.pruner", strategy)
    with sqlite3.connect(tmp_path / "p.pruner") as db:
        db.execute("UPDATE checkpoints SET data = ?", [create_model("tlp").to_bytes()])
    db.close()
    said = resumed(tmp_path / "p.pruner")
    assert isinstance(said[-1], msg.RunFinished) and said[-1].trials == 12
    roles = ["model"] if strategy == "pruner" else ["siamese", "model"]
    assert [text.split()[1] for text in refusals(said)] == roles
    with Project(tmp_path / "p.pruner") as project:
        for role in roles:
            create_model(SearchSettings().model).from_bytes(project.runs.checkpoint(1, role)["data"])


@pytest.mark.parametrize("kept", [8, 4])
def test_trials_that_are_kept_are_featurised_with_signs_of_life(tmp_path, monkeypatch, kept):
    tuned(tmp_path / "p.pruner")
    monkeypatch.setattr(model_strategy, "_RESTORED", 2)
    for name, value in (("HELD_EVERY", 2), ("KEPT", kept), ("MOST", kept)):
        monkeypatch.setattr(memory, name, value)
    phases = [event for event in resumed(tmp_path / "p.pruner") if isinstance(event, msg.Phase)]
    assert sum(event.name == "restore" and bool(event.task) for event in phases) == 1 + kept / 2


def test_weights_that_are_no_numbers_are_not_kept():
    model = create_model("pacm")
    assert model.is_finite and create_model("xgb").is_finite
    next(model.network.parameters()).data[0] = float("nan")
    assert not model.is_finite
