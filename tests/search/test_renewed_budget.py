"""A run that goes on with another budget than it was started with."""

import pytest

from pruner_engine.search.budget import Budget, renewed

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
