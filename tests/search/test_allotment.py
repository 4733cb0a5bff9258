"""How many trials the rounds of a run may make."""

from types import SimpleNamespace

import pytest

from pruner_engine.search.allotment import Allotment
from pruner_engine.search.budget import Budget, WorkClock
from pruner_engine.search.settings import SearchSettings


def allotment(trials, tasks, *, made=0, opened=0):
    """Of a run with so many tasks, of which `opened` have had their first round, and one of those."""
    budget = Budget(trials, None)
    states = [
        SimpleNamespace(
            measured={"some"} if number < opened else set(),
            under_way={},
            quarantined="",
            exhausted=False,
            steer="normal",
        )
        for number in range(tasks)
    ]
    strategy, log = SimpleNamespace(round_trials=10, opening_trials=3), SimpleNamespace(trials=made)
    return Allotment(budget, SearchSettings(), states, strategy, WorkClock(budget, 0.0), log), states[-1]


@pytest.mark.parametrize(
    ("trials", "tasks", "made", "opened", "first"),
    [
        pytest.param(16, 1, 0, 0, 8, id="a single task has half of a short budget"),
        pytest.param(512, 1, 0, 0, 10, id="and a whole round of a long one"),
        pytest.param(400, 33, 0, 0, 3, id="those of a network are opened by a few each"),
        pytest.param(400, 33, 96, 32, 3, id="the last one, which is the lightest, by no more"),
        pytest.param(4000, 33, 0, 0, 10, id="by a whole round where there is much time"),
        pytest.param(40, 33, 0, 0, 1, id="by one where not even these go round"),
        pytest.param(400, 33, 399, 32, 1, id="and by no more than are left"),
        pytest.param(None, 33, 0, 0, 3, id="by a few where nothing but the user ends the run"),
        pytest.param(None, 1, 0, 0, 10, id="which a single task begins by a whole round"),
    ],
)
def test_first_rounds(trials, tasks, made, opened, first):
    budgeted, last = allotment(trials, tasks, made=made, opened=opened)
    assert budgeted.of_round(last) == first


def test_later_rounds_are_whole_ones():
    budgeted, last = allotment(400, 33, made=99, opened=33)
    assert budgeted.of_round(last) == 10
