"""The candidates of a task in the terminal: the fastest first, and why others failed."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from chosen_runs import project_of_two
from pruner_engine.cli.main import cli
from pruner_engine.store.project import Project

EVENTS = [
    ("begin", 0.0),
    *(("trial", 1, seconds, 1.0) for seconds in (3e-3, 1e-3, None, -2e-3)),
    ("end", 2.0),
    ("trial", 2, 5e-3, 3.0),
    ("end", 4.0),
]


@pytest.fixture
def project(tmp_path):
    return project_of_two(tmp_path, EVENTS)


def asked(*words, code=0):
    done = CliRunner().invoke(cli, ["candidates", *map(str, words)], catch_exceptions=code == 0)
    assert done.exit_code == code, done.output
    return done.output


def test_the_fastest_stand_first_and_name_what_inspect_takes(project):
    found = json.loads(asked(project, "--task", "a", "--json"))
    assert (found["run"], found["of"]) == (1, 4)
    assert [row["seconds"] for row in found["candidates"]] == [1e-3, 2e-3, 3e-3, None]
    assert [row["censored"] for row in found["candidates"]] == [False, True, False, False]
    lines = asked(project, "--task", "a").splitlines()
    first = next(line.split() for line in lines if "ms" in line)
    assert first[:3] == [str(found["candidates"][0]["id"]), "1.00", "ms"]
    assert any("2.00 ms" in line and "abandoned" in line for line in lines)


def test_a_candidate_that_failed_is_told_with_its_message(project):
    found = json.loads(asked(project, "--task", "a", "--kind", "failed", "--json"))
    (row,) = found["candidates"]
    assert (row["stage"], row["error"], row["message"], row["seconds"]) == ("run", "crash", "it crashed", None)
    assert "run: crash: it crashed" in asked(project, "--task", "a", "--kind", "failed")


def test_that_there_is_none_is_told_in_a_sentence(project):
    told = asked(project, "--task", "b", "--kind", "failed")
    assert told == "No trial of this task failed in this run.\n"
    assert json.loads(asked(project, "--task", "b", "--kind", "failed", "--json"))["candidates"] == []


def test_a_trial_is_told_with_all_that_is_kept_of_it(project):
    with Project(project) as opened, opened.transaction() as db:
        kept = "repeats = '[0.003, 0.002]', log = 'Segfault', build_s = 0.5, run_s = 0.25"
        db.execute(f"UPDATE measurements SET {kept} WHERE stage != 'ok'")
    (row,) = json.loads(asked(project, "--task", "a", "--kind", "failed", "--json"))["candidates"]
    assert (row["repeats"], row["log"], row["build_s"], row["run_s"]) == ([0.003, 0.002], "Segfault", 0.5, 0.25)


def test_how_many_are_left_out_is_told(project):
    told = asked(project, "--task", "a", "--best", "2")
    assert "The best 2 of 4" in told and "3.00 ms" not in told
    assert "The best" not in asked(project, "--task", "a")


def test_of_several_tasks_one_is_to_be_named(project):
    assert CliRunner().invoke(cli, ["candidates", str(project)]).exit_code == 1
