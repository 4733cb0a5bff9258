"""A run that goes on with another budget than it was started with."""

import math

import pytest

from pruner_engine.jobs.runs.checks import asked_budget
from pruner_engine.protocol import Resume
from pruner_engine.search.budget import Budget, WorkClock, renewed

OLD = Budget(trials=100, seconds=60.0)


@pytest.mark.parametrize(
    ("spent", "asked", "now"),
    [
        (Budget(40, 30.0), Budget(None, None), OLD),
        (Budget(40, 30.0), Budget(200, None), Budget(200, 60.0)),
        (Budget(40, 61.0), Budget(200, None), Budget(200, None)),
        (Budget(100, 30.0), Budget(None, 300.0), Budget(None, 300.0)),
        (Budget(100, 61.0), Budget(200, 300.0), Budget(200, 300.0)),
        (Budget(100, 61.0), Budget(200, 30.0), Budget(200, 30.0)),
    ],
)
def test_a_spent_limit_does_not_hold_up_a_run_that_was_given_more_of_the_other_kind(spent, asked, now):
    assert renewed(OLD, spent=spent, asked=asked) == now


def test_however_many_minutes_leave_a_number_of_trials():
    budget = asked_budget(Resume(project="p.pruner", minutes=1e308))
    assert math.isfinite(WorkClock(budget, before_s=0.0).trials_left(0))
