"""How a sketch's candidates decided, in the terminal: the same figures as in the window."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from pruner_engine.cli.main import cli
from pruner_engine.resources import resource_dir
from pruner_engine.space.distribution import decided, taken_of
from pruner_engine.store.reader import ProjectReader

SAMPLE = resource_dir() / "samples" / "small-cnn.pruner"


def asked(*words, code=0):
    done = CliRunner().invoke(cli, ["decisions", str(SAMPLE), *map(str, words)])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture(scope="module")
def best():
    """A task's best candidate in the newest run."""
    with ProjectReader(SAMPLE) as reader:
        run = reader.run()
        task = max(reader.tasks(run["id"]), key=lambda row: row["trials"])
        return reader.candidate(task["best_candidate_id"]) | {"run": run["id"]}


def test_shares_are_those_that_the_window_counts(best):
    found = json.loads(asked("--task", best["task_id"], "--json").output)
    assert (found["run"], found["task"], found["candidate"]) == (best["run"], best["task_id"], best["id"])
    with ProjectReader(SAMPLE) as reader:
        sketch = next(row for row in reader.sketches(best["task_id"]) if row["id"] == best["sketch_id"])
        counted = decided(sketch["decisions"], reader.decided(best["run"], best["task_id"], sketch["id"]))
    assert (found["drafted"], found["elite"], found["size"]) == (counted.drafted, counted.elite, sketch["size"])
    taken = taken_of(counted.shares, sketch["decisions"], best["decisions"])
    assert [one["taken"] for one in found["decisions"]] == taken
    for one, shares in zip(found["decisions"], counted.shares, strict=True):
        assert (one["values"], one["prior"], one["elite"]) == (shares.values, shares.prior, shares.elite)
        assert one["taken"] in one["values"] and sum(one["prior"]) == pytest.approx(1.0)


def test_a_candidate_stands_for_its_task_and_run(best):
    by_task = asked("--task", best["task_id"], "--json").output
    assert asked("--candidate", best["id"], "--json").output == by_task


def test_the_table_marks_what_the_candidate_took(best):
    found = json.loads(asked("--candidate", best["id"], "--json").output)
    lines = asked("--candidate", best["id"]).output.splitlines()
    assert f"Candidate {best['id']} took what is marked." in lines[0]
    assert sum("◄" in line for line in lines) == len(found["decisions"])


def test_without_decisions_there_is_a_sentence():
    done = CliRunner().invoke(cli, ["decisions", str(SAMPLE), "--candidate", "999999"])
    assert "holds no candidate 999999" in str(done.exception)
