"""A task's first round is short where the budget is short for many tasks."""

import time

import pytest

from pruner_engine.protocol import Failed, RunFinished, Tune
from pruner_engine.resources import resource_dir
from pruner_engine.search.budget import Budget, WorkClock
from pruner_engine.store.reader import ProjectReader

SMALL = {"population": 64, "draft_set": 16, "fresh_samples": 4, "model": "xgb", "check": "none", "repeats": 1}


MODEL = str(resource_dir() / "models" / "small-cnn.onnx")


def rounds_of(engine, project, strategy, trials):
    """(task, trials measured) of each round of a tuned network."""
    engine.send(Tune(project=str(project), model=MODEL, strategy=strategy, trials=trials, settings=SMALL))
    last = next(e for e in engine.events() if isinstance(e, RunFinished | Failed))
    assert isinstance(last, RunFinished) and last.trials == trials, last
    with ProjectReader(project) as reader:
        return [(r["task_id"], r["measured"]) for r in reader.rounds(1)]


def test_a_budget_of_few_trials_reaches_many_tasks(engine, tmp_path):
    rounds = rounds_of(engine, tmp_path / "p.pruner", "pruner", trials=24)
    first = {}
    for task, measured in rounds:
        first.setdefault(task, measured)  # a heavy task may come again before the last light one
    assert len(first) > 24 / 10 + 1, "more than rounds of ten would reach"
    assert all(measured <= 3 for measured in first.values())


def test_a_budget_that_allows_no_few_trials_of_each_task_reaches_as_many_as_it_can(engine, tmp_path):
    rounds = rounds_of(engine, tmp_path / "p.pruner", "pruner", trials=4)
    assert len({task for task, _ in rounds}) == 4, "one trial each of the tasks that take longest"
    assert [measured for _, measured in rounds] == [1, 1, 1, 1]


def test_a_strategy_that_was_published_with_its_rounds_keeps_them(engine, tmp_path):
    rounds = rounds_of(engine, tmp_path / "p.pruner", "random", trials=20)
    assert [measured for _, measured in rounds] == [20]


@pytest.mark.parametrize(
    ("budget", "left"), [(Budget(None, None), None), (Budget(100, None), 60.0), (Budget(100, 0.0), 0.0)]
)
def test_the_clock_tells_how_many_trials_are_left(budget, left):
    assert WorkClock(budget, before_s=5.0).trials_left(trials=40) == left


def test_the_clock_reckons_trials_of_a_limit_in_time_by_its_pace():
    clock = WorkClock(Budget(None, 3600.0), before_s=0.0)
    guessed = clock.trials_left(trials=0)
    clock.begin()
    clock.mark(trials=0)
    clock.mark(trials=10_000)  # at once: the pace is thousands a second
    assert clock.trials_left(trials=10_000) > 100 * guessed > 0


def test_the_clock_stands_until_it_begins():
    clock = WorkClock(Budget(None, 60.0), before_s=7.0)
    assert clock.elapsed_s == clock.elapsed_s == 7.0
    clock.begin()
    assert clock.elapsed_s > 7.0


def test_a_part_of_the_work_counts_for_a_share_of_the_budget_at_most():
    clock, open_ended = (WorkClock(Budget(None, seconds), before_s=7.0) for seconds in (1e-3, None))
    for each in (clock, open_ended):
        each.begin()
        time.sleep(2e-3)
    worked = open_ended.elapsed_s
    clock.count_at_most(0.25, since_s=7.0)
    open_ended.count_at_most(0.25, since_s=7.0)
    assert clock.elapsed_s - 7.0 < 2e-3 <= worked - 7.0 <= open_ended.elapsed_s - 7.0


def test_untuned_kernels_leave_most_of_a_short_budget(engine, tmp_path):
    """Of a model with very many they would take all of it."""
    engine.send(Tune(project=str(tmp_path / "p.pruner"), model=MODEL, minutes=0.01, settings=SMALL))
    next(e for e in engine.events() if isinstance(e, RunFinished | Failed))
    with ProjectReader(tmp_path / "p.pruner") as reader:
        assert reader.progress(1)[0]["elapsed_s"] < 0.5 * 0.6
        assert all(task["untuned_s"] for task in reader.tasks(1))
