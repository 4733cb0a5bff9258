"""The devices that a project was tuned on, in the terminal."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from chosen_runs import make_project, project_of_two
from pruner_engine.cli.main import cli
from pruner_engine.resources import resource_dir
from pruner_engine.store.project import Project
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import resolve_target


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0)})
    profile = profile_for(resolve_target("zen4")).as_json() | {"calibration": {"compute": 1.5}}
    with Project(path) as opened, opened.transaction() as db:
        db["targets"].update(1, {"profile": json.dumps(profile), "device": "a processor", "fingerprint": "f-1"})
    return path


def told(*words):
    done = CliRunner().invoke(cli, ["profile", *map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_they_are_told_as_they_were_measured_with_the_corrections_of_the_draft(project):
    (device,) = json.loads(told("--of", project, "--json"))["devices"]
    assert (device["device"], device["fingerprint"]) == ("a processor", "f-1")
    assert device["profile"]["calibration"] == {"compute": 1.5} and device["profile"]["peak_flops"] > 0
    text = told("--of", project)
    assert "a processor, f-1" in text and "compute 1.50×" in text and "L2 cache" in text


def test_of_an_older_project_too_which_told_less():
    sample = resource_dir() / "samples" / "small-cnn.pruner"
    assert "matrix_flops" not in json.loads(told("--of", sample, "--json"))["devices"][0]["profile"]
    assert "Calibration of the draft: " in told("--of", sample)


def test_of_a_device_that_was_never_profiled_there_are_no_figures(tmp_path):
    """Such as of imported records, or of a run that ended before it came to that."""
    project = project_of_two(tmp_path, [("trial", 1, 0.5, 1.0), ("end", 2.0)])
    assert told("--of", project) == "a CPU, f: it has not been profiled\n"
    done = CliRunner().invoke(cli, ["status", str(project)], catch_exceptions=False)
    assert "untried: 1 of 2 tasks, which a larger budget reaches\n" in done.output
