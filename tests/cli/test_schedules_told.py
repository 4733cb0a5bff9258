"""What `pruner inspect` prints of one schedule, and of two."""

from __future__ import annotations

import json

import pytest

from pruner_engine.cli.main import cli
from pruner_engine.resources import resource_dir
from pruner_engine.store.reader import ProjectReader
from terminal import carried_out, pruner_here

SAMPLE = resource_dir() / "samples" / "small-cnn.pruner"


@pytest.fixture(scope="module")
def two() -> list[dict]:
    """Tasks of the sample, of two kernels."""
    with ProjectReader(SAMPLE) as reader:
        return [task for task in reader.tasks(reader.newest()) if task["best_candidate_id"]][:2]


def test_two_schedules_are_each_of_their_own_task_whichever_is_named(two: list[dict], warm: None) -> None:
    left, right = two
    sides = ["--candidate", left["best_candidate_id"], "--against", right["best_candidate_id"], "--as", "nest"]
    told = [
        json.loads(pruner_here("inspect", SAMPLE, *task, *sides, "--json")) for task in ((), ("--task", right["id"]))
    ]
    assert told[0] == told[1]
    assert (told[0]["task"], told[0]["candidate"]) == (left["id"], left["best_candidate_id"])
    alone = pruner_here("inspect", SAMPLE, "--candidate", left["best_candidate_id"], "--as", "nest").splitlines()
    assert [line["left"] for line in told[0]["lines"] if line["kind"] != "added"] == alone


@pytest.mark.parametrize("more", [[], ["--json"]], ids=str)
def test_lines_of_what_is_no_program_are_not_linked_in_any_form(two: list[dict], more: list[str], warm: None) -> None:
    words = ["inspect", SAMPLE, "--task", two[0]["id"], "--as", "trace", "--linked", *more]
    done = carried_out(*words)
    assert done.returncode == 1 and "not linked" in done.stderr and not done.stdout


def test_the_help_tells_that_a_schedule_is_held_against_the_untuned_kernel() -> None:
    (option,) = (option for option in cli.commands["inspect"].params if option.name == "against")
    assert "untuned" in option.help
