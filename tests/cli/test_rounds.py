"""What the pages Draft vs verify and Adaptation show, in the terminal."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from chosen_runs import add_adaptation, project_of_two
from pruner_engine.cli.main import cli
from pruner_engine.store.project import Project

# scores rise with each trial: in the first round with the speed, in the second against it
EVENTS = [
    ("begin", 0.0),
    *(("trial", 1, seconds, 1.0) for seconds in (3.0, 2.0, 1.0)),
    ("end", 2.0),
    *(("trial", 2, seconds, 3.0) for seconds in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
    ("end", 4.0),
]


@pytest.fixture
def project(tmp_path):
    return project_of_two(tmp_path, EVENTS)


def told(*words):
    done = CliRunner().invoke(cli, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_rounds_are_told_with_what_they_come_to(project):
    found = json.loads(told("rounds", project, "--json"))
    first, second = found["rounds"]
    assert (found["run"], first["round"], second["round"]) == (1, 0, 1)
    assert (first["task"], first["measured"], first["draft_s"], first["build_s"]) == ("a", 3, 1.0, 2.0)
    assert (first["rank_draft_score"], second["rank_draft_score"]) == (pytest.approx(1.0), pytest.approx(-1.0))
    assert (first["recall_draft_score"], second["recall_draft_score"]) == (None, 0.8)
    whole = found["all"]
    assert (whole["measured"], whole["drafted"], whole["verified"], whole["draft_s"]) == (9, 9, 0, 2.0)
    assert whole["rank_draft_score"] == pytest.approx((3 - 6) / 9), "the mean by what each round measured"
    assert whole["place_draft_score"] is None, "scores of two tasks do not compare"


def test_candidates_that_were_read_from_applied_schedules_are_counted(project):
    assert "applied schedules" not in told("rounds", project)
    with Project(project) as opened, opened.transaction() as db:
        for idx, explored, lowered, sketches in ((0, 4000, 512, 2), (1, 5000, 256, 1)):
            stats = json.dumps({"lowered": lowered, "lowered_sketches": sketches})
            db.execute("UPDATE rounds SET explored = ?, stats = ? WHERE idx = ?", [explored, stats, idx])
    found = json.loads(told("rounds", project, "--json"))
    assert [(row["lowered"], row["lowered_sketches"]) for row in found["rounds"]] == [(512, 2), (256, 1)]
    assert (found["all"]["lowered"], found["all"]["lowered_sketches"]) == (768, 3)
    assert "768 of the 9 000 explored candidates" in (whole := " ".join(told("rounds", project).split()))
    assert "3 sketches have no closed form" in whole


def test_the_distribution_of_draft_scores_is_told_of_rounds_that_explored(project):
    histogram = {"edges": [0.0, 1.0, 2.0], "explored": [3, 1], "drafted": [0, 1]}
    with Project(project) as opened, opened.transaction() as db:
        db.execute("UPDATE rounds SET stats = ? WHERE idx = 0", [json.dumps({"draft_histogram": histogram})])
    first, second = json.loads(told("rounds", project, "--json"))["rounds"]
    assert (first["draft_histogram"], second["draft_histogram"]) == (histogram, None)


def probed(project, *seconds):
    """Let the fixed kernel have taken so long before each round."""
    with Project(project) as opened, opened.transaction() as db:
        for idx, probe_s in enumerate(seconds):
            stats = json.dumps({"probe_s": probe_s, "probe_spread": 0.25})
            db.execute("UPDATE rounds SET stats = ? WHERE idx = ?", [stats, idx])


def test_the_drift_of_the_machine_is_told(project):
    assert "fixed kernel" not in told("rounds", project), "nothing was probed"
    probed(project, 2e-3, 3e-3)
    lines = told("rounds", project).splitlines()
    assert [line.split()[-4:] for line in lines if line.startswith(("0", "1"))] == [
        ["2.00", "ms", "25", "%"], ["3.00", "ms", "25", "%"],
    ]  # fmt: skip
    assert "took 2.00 ms at best, 3.00 ms (1.50×) at worst, 3.00 ms at last" in lines[-1]


def test_rounds_of_one_task(project):
    found = json.loads(told("rounds", project, "--task", "b", "--json"))
    assert [row["task"] for row in found["rounds"]] == ["b"]
    whole = found["all"]
    assert (whole["rank_draft_score"], whole["place_draft_score"], whole["drafted"]) == (pytest.approx(-1.0), 6, 6)
    table = told("rounds", project, "--task", "b").splitlines()
    assert [line.split()[:2] for line in table if "-1.00" in line] == [["1", "b"], ["all", "–"]]


def test_adaptations_are_told_model_by_model(project):
    add_adaptation(project, 1, adapted=0.8, scratch=None, siamese=0.5)
    found = json.loads(told("adaptation", project, "--json"))
    assert [(row["round"], row["task"], row["model"], row["pair_accuracy"]) for row in found["adaptations"]] == [
        (2, "a", "adapted", 0.8), (2, "a", "scratch", None), (2, "a", "siamese", 0.5),
    ]  # fmt: skip
    assert json.loads(told("adaptation", project, "--task", "b", "--json"))["adaptations"] == []
    (line,) = (line for line in told("adaptation", project).splitlines() if "siamese" in line)
    assert line.split() == ["2", "a", "siamese", "10", "0.500", "–", "–", "–", "–"]


def test_a_run_that_adapts_nothing_says_so(project):
    assert "moa-pruner" in told("adaptation", project)
