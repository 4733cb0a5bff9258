"""Which task gets the next round."""

from types import SimpleNamespace

import pytest

from pruner_engine.search.scheduler import gradient, next_task


def task(name, weight=1, untuned=1.0, history=(), **more):
    state = SimpleNamespace(
        task=SimpleNamespace(name=name, weight=weight, flops=1.0),
        untuned_s=untuned,
        best_history=list(history),
        rounds=len(history),
        begun=0,
        trials=["measured"] * 10 * len(history),
        under_way={},
        steer="normal",
        quarantined="",
        exhausted=False,
        since_gain=0,
    )
    state.__dict__.update(more)
    return state


def ten(state):
    """Trials of a whole round."""
    return 10


def test_of_new_tasks_the_heaviest_comes_first():
    states = [task("light"), task("heavy", weight=5), task("done", history=[1.0])]
    assert next_task(states).task.name == "heavy"


def test_a_new_task_waits_while_one_that_is_much_heavier_falls():
    light, heavy = task("light", untuned=0.1), task("heavy", history=[8.0])
    assert next_task([light, heavy], trials=ten) is heavy
    heavy = task("heavy", history=[8.0, *[0.1] * 20])
    assert next_task([light, heavy], trials=ten) is light


def test_a_new_task_comes_before_a_further_round_of_one_that_has_little_left_to_gain():
    light, heavy = task("light", untuned=0.3), task("heavy", history=[1.0])
    assert next_task([heavy, light]) is light


def test_what_a_round_may_gain_is_held_against_what_it_costs():
    whole, short = task("whole", history=[1.0]), task("short", untuned=0.02)
    assert next_task([whole, short], trials=ten) is whole
    assert next_task([whole, short], trials=lambda state: 3 if state is short else 10) is short


def test_a_task_that_could_not_be_timed_is_not_left_out():
    states = [task("heavy", weight=99), task("unknown", untuned=None)]
    assert next_task(states).task.name == "unknown"


def test_a_task_whose_rounds_found_nothing_waits_and_is_not_forgotten():
    failed = task("failed", weight=9, rounds=1, trials=["failed"] * 3)
    assert next_task([failed, task("new", weight=5)]).task.name == "new"
    tuned = task("tuned", weight=1000, history=[0.9, 0.8, 0.7])
    assert next_task([failed, tuned], trials=ten) is failed
    failed.rounds = 6
    assert next_task([failed, tuned], trials=ten) is tuned


def test_a_task_whose_first_round_was_broken_off_does_not_wait():
    states = [task("broken off", weight=99, rounds=1), task("other", history=[1.0])]
    assert next_task(states).task.name == "broken off"


def test_a_first_round_that_is_under_way_is_waited_for_where_others_have_none():
    begun, light = task("begun", weight=99, begun=1), task("light", weight=0.1)
    assert next_task([begun, light]) is light
    assert next_task([begun]) is begun


def test_a_round_under_way_counts_as_one_that_found_nothing():
    heavy, other = task("heavy", weight=3, history=[1.0]), task("other", weight=2, history=[1.0])
    assert next_task([heavy, other]) is heavy
    heavy.under_way = dict.fromkeys(range(10))
    assert next_task([heavy, other]) is other


def test_a_short_first_round_leaves_more_to_hope_for_than_a_whole_one():
    opened, tuned = task("opened", history=[1.0], trials=["measured"] * 3), task("tuned", weight=3, history=[1.0])
    assert next_task([opened, tuned], trials=ten) is opened
    assert gradient(opened, 10) == pytest.approx(0.4 * (3**-0.73 - 13**-0.73))


def test_then_the_round_goes_where_latency_falls():
    falling = task("falling", history=[8.0, 6.0, 4.0, 2.0])
    flat = task("flat", history=[2.0, 2.0, 2.0, 2.0])
    assert gradient(falling, 10) == pytest.approx(0.2 * 2.0 + 2.0 * 0.4 * (40**-0.73 - 50**-0.73))
    assert next_task([flat, falling]) is falling


def test_a_heavier_task_wins_at_equal_progress():
    states = [task("one", history=[1.0]), task("many", weight=9, history=[1.0])]
    assert next_task(states).task.name == "many"


@pytest.mark.parametrize("closed", [{"steer": "freeze"}, {"quarantined": "crashes"}, {"exhausted": True}])
def test_closed_tasks_never_get_a_round(closed):
    shut = task("shut", weight=100, **closed)
    assert next_task([shut]) is None
    assert next_task([shut, task("open")]).task.name == "open"


def test_pinned_tasks_go_first_and_boosted_ones_more_often():
    assert next_task([task("a", weight=9, history=[1.0]), task("b", history=[1.0], steer="pin")]).task.name == "b"
    assert next_task([task("a", weight=3, history=[1.0]), task("b", history=[1.0], steer="boost")]).task.name == "b"


def test_patience_rests_tasks_that_gain_nothing():
    idle = task("idle", weight=9, history=[1.0], since_gain=64)
    busy = task("busy", history=[1.0], since_gain=3)
    assert next_task([idle, busy]) is idle
    assert next_task([idle, busy], patience=64) is busy
